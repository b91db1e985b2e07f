//! Where the page is: what an address means, which panes that gives, and how the address follows.
//! Filter and sort replace the history's entry; another kind, other namespaces or another pane push
//! one.

use page::address::{self, Look, PANES_MAX, Pane};
use page::location::{Location, Place};
use shared::resource::Resource;
use shared::scope::Namespaces;

use super::page::Page;
use super::pane::PaneId;
use crate::dom;

impl Page {
    pub(super) fn kinds_came(&mut self) {
        for at in 0..self.panes.len() {
            if self.panes.get(at).is_some_and(|pane| !pane.is_open()) {
                self.open_pane(at);
            }
        }
        self.write_address();
        self.write_navigation();
    }

    /// At the start, and back and forward. A pane that shows the same view as before is kept.
    pub(super) fn go_where_the_address_says(&mut self) {
        let read = read_address();
        self.unread = read.problems;
        self.letters = read.address.letters;
        dom::element::take_letters(self.letters);
        let panes = read.address.panes;
        while self.panes.len() > panes.len() {
            self.remove_pane(self.panes.len() - 1);
        }
        for (at, Pane { look, location }) in panes.into_iter().enumerate() {
            match self.panes.get_mut(at) {
                Some(pane) => (pane.look, pane.place) = (look, location),
                None => drop(self.add_pane(look, location)),
            }
            self.open_pane(at);
        }
        self.write_address();
        self.write_navigation();
    }

    fn open_pane(&mut self, at: usize) {
        let now = self.now();
        let Some(pane) = self.panes.get_mut(at) else { return };
        for left in pane.open(&mut self.client, now) {
            self.close_unless_held(left);
        }
    }

    /// The entry of the history becomes what the page shows.
    pub(super) fn write_address(&self) {
        if !self.has_address {
            return;
        }
        let href = self.address().href();
        if href != dom::address::path() {
            dom::address::replace(&href);
        }
    }

    pub(super) fn open_kind(&mut self, resource: &Resource) {
        let Some(pane) = self.active() else { return };
        let place = match &pane.place.place {
            // A kind without namespaces doesn't remember them: the context's again.
            Place::Cluster => Place::Context,
            place => place.clone(),
        };
        let wide = pane.place.wide;
        let name = resource.to_string();
        self.go_to(self.active, Location { resource: name.into(), place, wide, ..Location::default() });
    }

    pub(super) fn set_namespaces(&mut self, pane: PaneId, namespaces: Namespaces) {
        let place = match namespaces {
            Namespaces::All => Place::All,
            Namespaces::These(names) => Place::These(names),
        };
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        self.go_to(pane, Location { place, ..held.place.clone() });
    }

    pub(super) fn go_to(&mut self, pane: PaneId, place: Location) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        if let Some(pane) = self.panes.get_mut(at) {
            pane.place = place;
        }
        self.push(at);
    }

    /// The history gets an entry for what the page shows from now on.
    fn push(&mut self, at: usize) {
        self.open_pane(at);
        self.push_address();
        self.write_navigation();
    }

    fn push_address(&self) {
        if self.has_address {
            dom::address::push(&self.address().href());
        }
    }

    /// One more view in other people's page.
    pub(super) fn embed(&mut self, link: &str) -> PaneId {
        let Pane { look, location } = one_of(link);
        let id = self.add_pane(look, location);
        self.open_pane(self.panes.len() - 1);
        id
    }

    /// The element's link became another.
    pub(super) fn lead(&mut self, pane: PaneId, link: &str) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        let Pane { look, location } = one_of(link);
        if let Some(pane) = self.panes.get_mut(at) {
            (pane.look, pane.place) = (look, location);
        }
        self.open_pane(at);
    }

    /// The element left its page.
    pub(super) fn unembed(&mut self, pane: PaneId) {
        if let Some(at) = self.panes.iter().position(|held| held.id == pane) {
            self.remove_pane(at);
        }
    }

    pub(super) fn toggle_log(&mut self, pane: PaneId) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        if let Some(pane) = self.panes.get_mut(at) {
            pane.toggle_look();
        }
        self.push(at);
    }

    /// One more pane, beside the one that it repeats; its reader goes on from there.
    pub(super) fn beside(&mut self, pane: PaneId) {
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        if self.panes.len() >= PANES_MAX {
            return;
        }
        self.active = self.add_pane(Look::Table, held.place.clone());
        self.push(self.panes.len() - 1);
    }

    /// The last one stays: a page without a view would say nothing.
    pub(super) fn close_pane(&mut self, pane: PaneId) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        if self.panes.len() == 1 {
            return;
        }
        self.remove_pane(at);
        self.active = self.panes.get(at.min(self.panes.len() - 1)).map(|pane| pane.id).unwrap_or_default();
        self.push_address();
        self.write_navigation();
    }
}

/// An element shows one view: of a board's link the first.
fn one_of(link: &str) -> Pane {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    address::parse(path, query).address.panes.into_iter().next().unwrap_or_default()
}

fn read_address() -> address::Read {
    let shown = dom::address::path();
    let (path, query) = shown.split_once('?').unwrap_or((&shown, ""));
    address::parse(path, query)
}
