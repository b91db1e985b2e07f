//! The places where the reader was in this tab, for "go to". Never stored.

use std::collections::VecDeque;

use shared::name::{ClusterName, Namespace};

use super::words;
use crate::address::{self, Address, Look};
use crate::limits::RECENT_PLACES_MAX;
use crate::location::Location;
use crate::messages;
use crate::palette::Recent;
use crate::wrong;

#[derive(Default)]
pub(super) struct RecentPlaces {
    /// The newest first.
    places: VecDeque<Place>,
    here: Place,
}

/// A link, and what it is about: an object is one, in whatever tab and beside whatever table.
#[derive(Default)]
struct Place {
    about: String,
    cluster: Option<Box<str>>,
    recent: Recent,
}

impl RecentPlaces {
    /// The reader went from one place to another.
    pub(super) fn went(&mut self, address: &Address) {
        let left = std::mem::replace(&mut self.here, place(address));
        let here = &self.here.about;
        self.places.retain(|place| place.about != left.about && place.about != *here);
        if left.about != *here && !left.recent.label.is_empty() {
            self.places.push_front(left);
            self.places.truncate(RECENT_PLACES_MAX);
        }
    }

    /// The place where the reader is changed, for example its filter.
    pub(super) fn changed(&mut self, address: &Address) {
        self.here = place(address);
    }

    /// A place in another cluster says so.
    pub(super) fn others(&self) -> Vec<Recent> {
        let others = self.places.iter().filter(|place| place.about != self.here.about);
        let named = |place: &Place| {
            let Recent { label, link } = place.recent.clone();
            let cluster = place.cluster.as_ref().filter(|_| place.cluster != self.here.cluster);
            let label =
                cluster.map_or(label.clone(), |name| messages::of_cluster(&label, &format!("@{name}")));
            Recent { label, link }
        };
        others.map(named).collect()
    }
}

fn place(address: &Address) -> Place {
    let recent = Recent { label: label(address), link: address.href().into() };
    let about = object(address).unwrap_or_else(|| view(address, &recent));
    let cluster = match address.panes.as_slice() {
        [pane] => pane.location.cluster.clone(),
        _ => None,
    };
    Place { about, cluster, recent }
}

/// A table or its changes, in whatever order and with whatever columns: what its label says, and the cluster.
fn view(address: &Address, recent: &Recent) -> String {
    let [address::Pane { location, look, .. }] = address.panes.as_slice() else {
        return recent.link.to_string();
    };
    let selectors = (&location.labels, &location.fields);
    format!("{:?} {look:?} {} {selectors:?}", location.cluster, recent.label)
}

/// The object whose panel is open beside a view.
fn object(address: &Address) -> Option<String> {
    let [address::Pane { location, .. }] = address.panes.as_slice() else { return None };
    let panel = location.panel.as_ref()?;
    let resource = panel.resource.as_ref().unwrap_or(&location.resource);
    let cluster = panel.cluster.as_ref().map(ClusterName::as_str).or(location.cluster.as_deref());
    let namespace = panel.namespace.as_ref().map(Namespace::as_str);
    Some(format!("{cluster:?} {resource} {namespace:?} {}", panel.name))
}

/// `shop/web-1 pods`, `pods shop status=Running`, or the board's title.
fn label(address: &Address) -> String {
    match address.panes.as_slice() {
        [address::Pane { location, look, .. }] => match &location.panel {
            Some(panel) => messages::view_of(&panel.object(), &location.resource, ""),
            None if *look == Look::Wrong => wrong::words::TITLE.to_owned(),
            None if location.resource.is_empty() => String::new(),
            None if *look == Look::Log => words::changes_of(&view_label(location)),
            None => view_label(location),
        },
        _ if !address.title.is_empty() => address.title.to_string(),
        panes => {
            let resources: Vec<&str> = panes.iter().map(|pane| &*pane.location.resource).collect();
            words::board_named(&resources)
        }
    }
}

/// `pods shop status=Running`
pub(super) fn view_label(location: &Location) -> String {
    let place = messages::place_of(&location.namespaces(&[]), location.is_namespaced());
    messages::view_of(&location.resource, &place, &location.query)
}
