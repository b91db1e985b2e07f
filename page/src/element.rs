//! An element of another page, as its attributes describe it: the link of its view, its theme and its density. Never the
//! document's element, which `element/dogwatch.js` is.

pub(crate) mod words;

use std::collections::BTreeMap;

use shared::name::{Namespace, ObjectName};
use shared::problem::Problem;

use crate::address::{self, Address, Look, Pane};
use crate::location::{self, Location, PanelPlace, Place, Tab, percent};
use crate::query::Filter;
use crate::theme::{Density, Theme};

/// Which kind of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Rows, or their changes.
    View,
    Object,
    /// How much is wrong.
    Tally,
}

/// What an element shows, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Path and query of the view.
    pub link: String,
    pub theme: Theme,
    /// `None`: as the reader prefers it.
    pub density: Option<Density>,
}

/// The attributes that are one part of a link each, the key of that part in the query, and where it goes.
pub(crate) const PARTS: [(&str, &str, Take); 7] = [
    ("label-selector", "l", |part, view| view.labels = part.labels),
    ("field-selector", "f", |part, view| view.fields = part.fields),
    ("filter", "q", |part, view| view.query = part.query),
    ("sort", "sort", |part, view| view.sort = part.sort),
    ("columns", "cols", |part, view| view.cols = part.cols),
    ("wide", "wide", |part, view| view.wide = part.wide),
    AT,
];

/// The time that an element shows, which that of an object has too.
const AT: (&str, &str, Take) = ("at", "at", |part, view| view.at = part.at);

type Take = fn(Location, &mut Location);

/// Attributes that would show more than their page means if an empty value were none: a template whose variable has no
/// value leaves one.
const NEVER_EMPTY: [&str; 4] = ["namespaces", "cluster", "label-selector", "field-selector"];

/// Reads the attributes of an element, by name. `link` comes first; each other attribute takes the place of its part.
///
/// # Errors
/// `BadRequest` with the first attribute that can't be read: a portal's author sees it, so nothing is guessed.
pub fn read(shown: Shown, attributes: &BTreeMap<String, String>) -> Result<Settings, Problem> {
    let given = |name: &str| attributes.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let is_blank = |value: &String| value.chars().all(|c| c == ',' || c.is_whitespace());
    for name in NEVER_EMPTY {
        if let Some(value) = attributes.get(name).filter(|value| is_blank(value)) {
            return Err(unread(name, value, words::ELEMENT_EMPTY));
        }
    }
    let mut pane = match given("link") {
        None => Pane::default(),
        Some(link) => {
            let (Address { panes, .. }, problems) = address::parse(link);
            readable("link", link, problems)?;
            if panes.len() > 1 {
                return Err(unread("link", link, words::ELEMENT_OF_BOARD));
            }
            panes.into_iter().next().unwrap_or_default()
        }
    };
    let view = &mut pane.location;
    if let Some(resource) = given("resource") {
        view.resource = part("resource", resource, &format!("/v/{}", segment(resource)), "")?.resource;
    }
    if let Some(cluster) = given("cluster") {
        let path = format!("/v/x@{}", segment(&cluster.replace(' ', "")));
        view.cluster = part("cluster", cluster, &path, "")?.cluster;
    }
    let themes = [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];
    let theme = one_of("theme", given("theme"), themes)?.unwrap_or_default();
    if shown == Shown::Object {
        object(view, given)?;
        if let Some(value) = given("at") {
            let (name, key, take) = AT;
            take(part(name, value, "", &format!("{key}={}", percent::encode(value)))?, view);
        }
        let Location { resource, cluster, place, panel, at, .. } = pane.location;
        let location = Location { resource, cluster, place, panel, at, ..Location::default() };
        return Ok(Settings { link: location.href(), theme, density: None });
    }
    if let Some(names) = given("namespaces") {
        let path = format!("/v/x/{}", segment(&names.replace(' ', "")));
        view.place = part("namespaces", names, &path, "")?.place;
    }
    if shown == Shown::Tally {
        if view.place == Place::Cluster {
            return Err(unread("namespaces", "-", words::ELEMENT_OF_NO_NAMESPACE));
        }
        let Location { cluster, place, .. } = pane.location;
        let link = Location { cluster, place, ..Location::default() }.href_of_all_kinds("/wrong");
        return Ok(Settings { link, theme, density: None });
    }
    for (name, key, take) in PARTS {
        let value = match (name, attributes.get(name).map(String::as_str)) {
            ("wide", Some("" | "true")) => "1",
            ("wide", Some("false")) => "0",
            (_, Some(value)) if !value.is_empty() => value,
            _ => continue,
        };
        take(part(name, value, "", &format!("{key}={}", percent::encode(value)))?, view);
    }
    if let Some((term, why)) = Filter::parse(&view.query).unread() {
        return Err(unread("filter", term, why));
    }
    pane.look =
        one_of("view", given("view"), [("table", Look::Table), ("changes", Look::Log)])?.unwrap_or(pane.look);
    if let Some(at) = pane.location.at.filter(|_| pane.look == Look::Log) {
        return Err(unread("at", &at.to_string(), words::ELEMENT_CHANGES_ARE_LIVE));
    }
    if pane.location.resource.is_empty() {
        return Err(Problem::bad_request(words::ELEMENT_WITHOUT_RESOURCE.to_owned()));
    }
    let densities = [("default", Density::Default), ("compact", Density::Compact)];
    let density = one_of("density", given("density"), densities)?;
    (pane.location.panel, pane.location.against) = (None, None);
    Ok(Settings { link: pane.href(), theme, density })
}

/// Puts an element's object into the location of its link.
fn object<'a>(view: &mut Location, given: impl Fn(&str) -> Option<&'a str>) -> Result<(), Problem> {
    if view.resource.is_empty() {
        return Err(Problem::bad_request(words::ELEMENT_WITHOUT_RESOURCE.to_owned()));
    }
    let held = view.panel.take().filter(|_| given("resource").is_none());
    let name = match given("name") {
        Some(name) => Some(ObjectName::parse(name).map_err(|why| unread("name", name, &why.message))?),
        None => held.as_ref().map(|held| held.name.clone()),
    };
    let name = name.ok_or_else(|| Problem::bad_request(words::ELEMENT_WITHOUT_NAME.to_owned()))?;
    let namespace = match given("namespace") {
        Some(name) => Some(Namespace::parse(name).map_err(|why| unread("namespace", name, &why.message))?),
        None => held.as_ref().and_then(|held| held.namespace.clone()),
    };
    view.place = namespace.clone().map_or(Place::Cluster, |name| Place::These(vec![name]));
    // The object of an Event's link is of another kind than the link's.
    if let Some(resource) = held.as_ref().and_then(|held| held.resource.clone()) {
        view.resource = resource;
    }
    let tabs = Tab::ALL.map(|tab| (tab.word(), tab));
    let tab = one_of("tab", given("tab"), tabs)?.or(held.map(|held| held.tab)).unwrap_or_default();
    view.panel = Some(PanelPlace { tab, ..PanelPlace::of(namespace, name) });
    Ok(())
}

/// One path segment. No part of it begins another one.
fn segment(text: &str) -> String {
    percent::encode(text).replace('/', "%2F")
}

fn part(name: &str, value: &str, path: &str, query: &str) -> Result<Location, Problem> {
    let parsed = location::parse(path, query);
    readable(name, value, parsed.problems)?;
    Ok(parsed.location)
}

fn readable(name: &str, value: &str, problems: Vec<Problem>) -> Result<(), Problem> {
    problems.into_iter().next().map_or(Ok(()), |problem| Err(unread(name, value, &problem.message)))
}

fn one_of<T: Copy, const N: usize>(
    name: &str,
    value: Option<&str>,
    words: [(&str, T); N],
) -> Result<Option<T>, Problem> {
    let Some(value) = value else { return Ok(None) };
    let found = words.iter().find(|(word, _)| *word == value).map(|(_, meant)| *meant);
    let expected = || words::element_expected(&words.map(|(word, _)| word));
    found.map(Some).ok_or_else(|| unread(name, value, &expected()))
}

fn unread(name: &str, value: &str, why: &str) -> Problem {
    Problem::bad_request(words::element_unread(name, value, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(attributes: &[(&str, &str)]) -> Result<Settings, String> {
        read_as(Shown::View, attributes)
    }

    fn read_as(shown: Shown, attributes: &[(&str, &str)]) -> Result<Settings, String> {
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        read(shown, &attributes.collect()).map_err(|problem| problem.message)
    }

    fn link(attributes: &[(&str, &str)]) -> String {
        settings(attributes).map_or_else(|why| why, |settings| settings.link)
    }

    #[test]
    fn an_element_of_one_object_has_the_link_of_its_panel() {
        for (attributes, expected) in [
            (
                &[("resource", "pods"), ("namespace", "shop"), ("name", "web-1")][..],
                "/v/pods/shop?o=shop/web-1",
            ),
            (
                &[("resource", "nodes"), ("cluster", "prod"), ("name", "node-1"), ("tab", "yaml")],
                "/v/nodes@prod/-?o=node-1&tab=yaml",
            ),
            (
                &[("link", "/v/pods/shop?at=2026-11-29T13:00:00Z&o=shop/a"), ("at", "2026-11-29T14:02:10Z")],
                "/v/pods/shop?at=2026-11-29T14:02:10Z&o=shop/a",
            ),
            (
                &[("link", "/v/pods@prod/shop,ledger?q=a&o=shop/web-1&tab=timeline&a=1&b=2")],
                "/v/pods@prod/shop?o=shop/web-1&tab=timeline",
            ),
            (
                &[("link", "/v/events/shop?o=deployments.apps/shop/web"), ("name", "cart")],
                "/v/deployments.apps/shop?o=shop/cart",
            ),
            (
                &[("link", "/v/pods/shop?o=shop/web-1"), ("resource", "nodes"), ("name", "node-1")],
                "/v/nodes/-?o=node-1",
            ),
        ] {
            let link = read_as(Shown::Object, attributes).map_or_else(|why| why, |read| read.link);
            assert_eq!(link, expected, "{attributes:?}");
        }
        let tabs = Tab::ALL.map(Tab::word);
        let [others @ .., last] = &tabs;
        let tabs = format!("{} or {last} is expected", others.join(", "));
        for (attributes, named) in [
            (&[("name", "web-1")][..], "`resource`"),
            (&[("resource", "pods"), ("namespace", "shop")], "`name`"),
            (&[("resource", "pods"), ("namespace", "Shop"), ("name", "a")], "namespace=\"Shop\""),
            (&[("resource", "pods"), ("name", "a/b")], "name=\"a/b\""),
            (&[("resource", "nodes"), ("name", "a"), ("tab", "shell")], &*tabs),
            (&[("resource", "nodes"), ("name", "a"), ("at", "yesterday")], "at=\"yesterday\""),
        ] {
            let why = read_as(Shown::Object, attributes).expect_err("nothing is guessed");
            assert!(why.contains(named), "{attributes:?}: {why}");
        }
    }

    #[test]
    fn a_chip_has_the_link_of_the_list() {
        let link = |attributes: &[(&str, &str)]| {
            read_as(Shown::Tally, attributes).map_or_else(|why| why, |read| read.link)
        };
        for (attributes, expected) in [
            (&[][..], "/wrong"),
            (&[("cluster", "prod")], "/wrong/@prod"),
            (&[("cluster", "eu, us"), ("namespaces", "shop, ledger")], "/wrong/@eu,us/ledger,shop"),
            (&[("namespaces", "shop")], "/wrong/@/shop"),
            (&[("namespaces", "*"), ("to-list", "")], "/wrong/@/*"),
        ] {
            let link = link(attributes);
            assert_eq!(link, expected, "{attributes:?}");
            let (read, problems) = address::parse(&link);
            assert_eq!((read.href(), problems.len()), (link, 0));
        }
        for (attributes, why) in [
            (&[("namespaces", "Shop")], "namespaces=\"Shop\""),
            (&[("namespaces", " ")], "namespaces=\" \": it is empty"),
            (&[("namespaces", "-")], "namespaces=\"-\""),
            (&[("theme", "blue")], "theme=\"blue\""),
        ] {
            assert!(link(attributes).starts_with(why), "{}", link(attributes));
        }
    }

    #[test]
    fn the_element_of_an_object_is_described_with_every_tab() {
        let source: serde_json::Value =
            serde_json::from_str(include_str!("../../element/custom-elements.json")).expect("JSON");
        let declared = source.pointer("/modules/0/declarations").and_then(serde_json::Value::as_array);
        let all = declared.expect("elements").iter().flat_map(|element| {
            let lists = ["attributes", "members"].map(|list| element[list].as_array().expect("a list"));
            lists.into_iter().flatten().filter(|held| held["name"] == "tab").collect::<Vec<_>>()
        });
        let words = Tab::ALL.map(|tab| format!("'{}'", tab.word())).join(" | ");
        let all: Vec<_> = all.collect();
        assert_eq!(all.len(), 2, "an attribute and its property");
        for held in all {
            assert_eq!(held["type"]["text"], words);
        }
        let guide = include_str!("../../docs/GUIDE.md");
        for tab in Tab::ALL {
            assert!(guide.contains(&format!("`{}`", tab.word())), "the guide names {tab:?}");
        }
    }

    #[test]
    fn the_attributes_of_an_element_become_the_link_of_a_view() {
        for (attributes, expected) in [
            (&[("resource", "pods")][..], "/v/pods"),
            (
                &[("resource", "deployments.apps"), ("cluster", "prod"), ("namespaces", "shop, ledger")],
                "/v/deployments.apps@prod/ledger,shop",
            ),
            (&[("resource", "nodes"), ("namespaces", "-"), ("wide", "")], "/v/nodes/-?wide=1"),
            (
                &[("resource", "pods"), ("namespaces", "*"), ("wide", "false"), ("sort", "-restarts")],
                "/v/pods/*?sort=-restarts&wide=0",
            ),
            (
                &[
                    ("resource", "pods"),
                    ("label-selector", "app in (a, b)"),
                    ("field-selector", "spec.nodeName=n-1"),
                ],
                "/v/pods?l=app%20in%20(a,b)&f=spec.nodeName=n-1",
            ),
            (
                &[("resource", "pods"), ("filter", "a&b=c#d"), ("columns", "name,ready")],
                "/v/pods?q=a%26b=c%23d&cols=name,ready",
            ),
            (&[("resource", "pods"), ("view", "changes")], "/log/pods"),
            (&[("link", "/log/pods/shop?lq=x"), ("view", "table")], "/v/pods/shop?lq=x"),
            (
                &[("link", "/v/pods@prod/shop?q=web&sort=age"), ("sort", "name"), ("namespaces", "*")],
                "/v/pods@prod/*?q=web&sort=name",
            ),
            (&[("link", "/v/pods?o=shop/web-1"), ("cluster", "a/b")], "/v/pods@a%2Fb"),
            (&[("resource", "pods"), ("cluster", "eu, us")], "/v/pods@eu,us"),
            (&[("resource", "pods"), ("cluster", "*")], "/v/pods@*"),
            (&[("resource", "pods"), ("filter", ""), ("sort", ""), ("columns", "")], "/v/pods"),
            (&[("resource", "pods"), ("at", "2026-11-29T14:02:10Z")], "/v/pods?at=2026-11-29T14:02:10Z"),
            (
                &[("link", "/v/pods?at=2026-11-29T14:02:10Z&vs=now"), ("at", "")],
                "/v/pods?at=2026-11-29T14:02:10Z",
            ),
        ] {
            assert_eq!(link(attributes), expected, "{attributes:?}");
        }
        let looks =
            settings(&[("resource", "pods"), ("theme", "dark"), ("density", "compact")]).expect("readable");
        assert_eq!((looks.theme, looks.density), (Theme::Dark, Some(Density::Compact)));
    }

    #[test]
    fn an_attribute_that_cannot_be_read_is_named_and_nothing_is_guessed() {
        for (attributes, named) in [
            (&[][..], "`resource`"),
            (&[("link", "garbage")], "link=\"garbage\""),
            (&[("link", "/b?v=pods&v=nodes")], "a board has several views"),
            (&[("link", "/v/pods?q=/(/")], "filter=\"/(/\""),
            (&[("resource", "pods"), ("filter", "web /(/")], "filter=\"/(/\""),
            (&[("resource", "pods"), ("namespaces", " ")], "namespaces=\" \": it is empty"),
            (&[("resource", "pods"), ("namespaces", ",")], "namespaces=\",\": it is empty"),
            (&[("resource", "pods"), ("cluster", " ")], "cluster=\" \": it is empty"),
            (&[("resource", "pods"), ("label-selector", "")], "label-selector=\"\": it is empty"),
            (&[("resource", "pods"), ("field-selector", "\t")], "field-selector=\"\t\": it is empty"),
            (&[("resource", "po ds")], "resource=\"po ds\""),
            (&[("resource", "pods"), ("namespaces", "Shop")], "namespaces=\"Shop\""),
            (&[("resource", "pods"), ("label-selector", "a in")], "label-selector=\"a in\""),
            (&[("resource", "pods"), ("wide", "very")], "wide=\"very\""),
            (&[("resource", "pods"), ("at", "14:02")], "at=\"14:02\": at=14:02 (a time such as"),
            (
                &[("resource", "pods"), ("view", "changes"), ("at", "2026-11-29T14:02:10Z")],
                "changes are followed live",
            ),
            (&[("resource", "pods"), ("view", "board")], "view=\"board\": table or changes is expected"),
            (&[("resource", "pods"), ("theme", "blue")], "theme=\"blue\": auto, light or dark is expected"),
            (&[("resource", "pods"), ("density", "0")], "density=\"0\": default or compact is expected"),
        ] {
            let why = settings(attributes).expect_err("nothing is guessed");
            assert!(why.contains(named), "{attributes:?}: {why}");
        }
    }
}
