//! A view as HTML for another page: the element that shows it, with the attributes that [`crate::element`] reads back.
//! Never the gateway's address, which only the browser knows.

use std::collections::BTreeMap;

use crate::address::{Look, Pane};
use crate::element::{self, PARTS, Shown};
use crate::location::{Location, Place, percent};
use crate::log::LogFilter;

/// What a page needs to show the element: the module of the gateway with this address, which ends with a slash.
pub fn html(gateway: &str, element: &str) -> String {
    format!("<script type=\"module\" src=\"{}element.js\"></script>\n{element}", escaped(gateway))
}

/// `<dogwatch-table resource="pods" namespaces="shop"></dogwatch-table>`
pub(super) fn element(pane: Pane) -> String {
    let tag = match pane.look {
        Look::Table | Look::Wrong => "dogwatch-table",
        Look::Log => "dogwatch-changes",
    };
    let mut location = Location { panel: None, ..pane.location };
    if pane.look == Look::Table {
        location.log = LogFilter::default();
    }
    let mut attributes = attributes(&location);
    // A filter of the changes has no attribute of its own.
    if !is_all(&attributes, &location) {
        attributes = vec![("link", Pane { location, ..pane }.href())];
    }
    attributes.push(("style", STYLE.to_owned()));
    let attributes: String =
        attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
    format!("<{tag}{attributes}></{tag}>")
}

/// An element without a height has none of its own.
const STYLE: &str = "height: 480px";

fn attributes(location: &Location) -> Vec<(&'static str, String)> {
    let mut attributes = vec![("resource", location.resource.to_string())];
    attributes.extend(location.cluster.as_ref().map(|cluster| ("cluster", cluster.to_string())));
    let path = location.path();
    if location.place != Place::Context {
        attributes.extend(path.rsplit('/').next().map(|place| ("namespaces", place.to_owned())));
    }
    let query = location.query_string();
    for (name, key, _) in PARTS {
        let value = query.split('&').find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
        attributes.extend(value.map(|value| match (name, value) {
            ("wide", "0") => (name, "false".to_owned()),
            ("wide", _) => (name, "true".to_owned()),
            _ => (name, percent::decode(value)),
        }));
    }
    attributes
}

/// Whether they are read as this location.
fn is_all(attributes: &[(&str, String)], location: &Location) -> bool {
    let named: BTreeMap<String, String> =
        attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    element::read(Shown::View, &named).is_ok_and(|read| read.link == location.href())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{self, Address};

    /// What an HTML parser makes of the attributes.
    fn parsed(element: &str) -> BTreeMap<String, String> {
        let tag = element.split_once('>').expect("a tag").0;
        let (_, attributes) = tag.split_once(' ').expect("attributes");
        let pairs = attributes
            .trim_end_matches('"')
            .split("\" ")
            .map(|pair| pair.split_once("=\"").expect("a value"));
        let text = |value: &str| {
            value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
        };
        pairs
            .filter(|(name, _)| *name != "style")
            .map(|(name, value)| (name.to_owned(), text(value)))
            .collect()
    }

    #[test]
    fn the_element_of_a_view_shows_that_view() {
        for (link, expected) in [
            ("/v/pods", "<dogwatch-table resource=\"pods\" style=\"height: 480px\"></dogwatch-table>"),
            (
                "/v/deployments.apps@prod/ledger,shop?l=app%20in%20(a,b)&q=a%26b%3D%22c%22%3C&sort=-age&cols=name,ready&wide=0&o=shop/web",
                "<dogwatch-table resource=\"deployments.apps\" cluster=\"prod\" namespaces=\"ledger,shop\" \
                 label-selector=\"app in (a,b)\" filter=\"a&amp;b=&quot;c&quot;&lt;\" sort=\"-age\" \
                 columns=\"name,ready\" wide=\"false\" style=\"height: 480px\"></dogwatch-table>",
            ),
            (
                "/v/nodes@a%2Fb/-?f=spec.unschedulable=true&wide=1",
                "<dogwatch-table resource=\"nodes\" cluster=\"a/b\" namespaces=\"-\" \
                 field-selector=\"spec.unschedulable=true\" wide=\"true\" style=\"height: 480px\"></dogwatch-table>",
            ),
            (
                "/log/pods/*?q=web",
                "<dogwatch-changes resource=\"pods\" namespaces=\"*\" filter=\"web\" style=\"height: 480px\"></dogwatch-changes>",
            ),
            (
                "/log/pods/shop?lq=status&events=added",
                "<dogwatch-changes link=\"/log/pods/shop?lq=status&amp;events=added\" style=\"height: 480px\"></dogwatch-changes>",
            ),
        ] {
            let (Address { panes, .. }, problems) = address::parse(link);
            assert_eq!(problems, []);
            let pane = panes.into_iter().next().expect("a view");
            let shown = element(pane.clone());
            assert_eq!(shown, expected, "{link}");
            let read = element::read(Shown::View, &parsed(&shown)).expect("readable");
            let (Address { panes, .. }, _) = address::parse(&read.link);
            let location = Location { panel: None, ..pane.location };
            assert_eq!(panes[0].location, location, "{link}");
        }
    }

    #[test]
    fn the_html_loads_the_gateways_module() {
        assert_eq!(
            html("https://example.com/dogwatch/", "<dogwatch-table></dogwatch-table>"),
            "<script type=\"module\" src=\"https://example.com/dogwatch/element.js\"></script>\n<dogwatch-table></dogwatch-table>"
        );
    }
}
