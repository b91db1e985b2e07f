//! The places where the reader was in this tab, for "go to". Never stored.

use std::collections::VecDeque;

use super::words;
use crate::address::{self, Address};
use crate::limits::RECENT_PLACES_MAX;
use crate::location::Location;
use crate::messages;
use crate::palette::Recent;

#[derive(Default)]
pub(super) struct RecentPlaces {
    /// The newest first.
    places: VecDeque<Recent>,
    here: Recent,
}

impl RecentPlaces {
    /// The reader went from one place to another.
    pub(super) fn went(&mut self, address: &Address) {
        let left = std::mem::replace(&mut self.here, recent(address));
        let here = &self.here.link;
        self.places.retain(|place| place.link != left.link && place.link != *here);
        if left.link != *here && !left.label.is_empty() {
            self.places.push_front(left);
            self.places.truncate(RECENT_PLACES_MAX);
        }
    }

    /// The place where the reader is changed, for example its filter.
    pub(super) fn changed(&mut self, address: &Address) {
        self.here = recent(address);
    }

    pub(super) fn others(&self) -> Vec<&Recent> {
        self.places.iter().filter(|place| place.link != self.here.link).collect()
    }
}

fn recent(address: &Address) -> Recent {
    Recent { label: label(address), link: address.href().into() }
}

/// `shop/web-1 pods`, `pods shop status=Running`, or the board's title.
fn label(address: &Address) -> String {
    match address.panes.as_slice() {
        [address::Pane { location, .. }] => match &location.panel {
            Some(panel) => messages::view_of(&panel.object(), &location.resource, ""),
            None if location.resource.is_empty() => String::new(),
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
