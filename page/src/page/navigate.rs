//! Where the page is: what an address means, which panes that gives, and how the address follows.
//! Filter and sort replace the history's entry; another kind, other namespaces or another pane push
//! one.

use crate::address::{self, Look, PANES_MAX, Pane};
use crate::location::{Location, Place};
use shared::resource::Resource;
use shared::scope::Namespaces;

use super::{Host, Page};
use crate::action::PaneId;
use crate::effect::Effect;
use replica::now::Now;

impl Page {
    pub(super) fn kinds_came(&mut self, now: Now) {
        for at in 0..self.panes.len() {
            if self.panes.get(at).is_some_and(|pane| pane.key().is_none()) {
                self.open_pane(at, now);
            }
        }
        self.write_address();
        self.render_navigation();
    }

    /// The address bar shows this path and query: at the start, and back and forward.
    pub fn address_changed(&mut self, address: &str, now: Now) {
        self.go_to_address(address, now);
        self.follow(now);
    }

    /// A pane that shows the same view as before is kept.
    pub(super) fn go_to_address(&mut self, address: &str, now: Now) {
        self.shown_address = address.to_owned();
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let read = address::parse(path, query);
        self.unread = read.problems;
        self.letters = read.address.letters;
        self.effects.push_back(Effect::TakeLetters(self.letters));
        let panes = read.address.panes;
        while self.panes.len() > panes.len() {
            self.remove_pane(self.panes.len() - 1);
        }
        for (at, Pane { look, location }) in panes.into_iter().enumerate() {
            match self.panes.get_mut(at) {
                Some(pane) => (pane.look, pane.place) = (look, location),
                None => drop(self.add_pane(look, location)),
            }
            self.open_pane(at, now);
        }
        self.write_address();
        self.render_navigation();
    }

    fn open_pane(&mut self, at: usize, now: Now) {
        let Some(pane) = self.panes.get_mut(at) else { return };
        for left in pane.open(&mut self.client, &self.preferences, now) {
            self.close_unless_held(left);
        }
    }

    /// The entry of the history becomes what the page shows.
    pub(super) fn write_address(&mut self) {
        let href = self.address().href();
        if self.host == Host::Dogwatch && href != self.shown_address {
            self.shown_address.clone_from(&href);
            self.effects.push_back(Effect::ReplaceAddress(href));
        }
    }

    pub(super) fn open_kind(&mut self, resource: &Resource, now: Now) {
        let Some(pane) = self.active() else { return };
        let place = match &pane.place.place {
            // A kind without namespaces doesn't remember them: the context's again.
            Place::Cluster => Place::Context,
            place => place.clone(),
        };
        let wide = pane.place.wide;
        let name = resource.to_string();
        self.go_to(self.active, Location { resource: name.into(), place, wide, ..Location::default() }, now);
    }

    pub(super) fn set_namespaces(&mut self, pane: PaneId, namespaces: Namespaces, now: Now) {
        let place = match namespaces {
            Namespaces::All => Place::All,
            Namespaces::These(names) => Place::These(names),
        };
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        self.go_to(pane, Location { place, ..held.place.clone() }, now);
    }

    pub(super) fn go_to(&mut self, pane: PaneId, place: Location, now: Now) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        if let Some(pane) = self.panes.get_mut(at) {
            pane.place = place;
        }
        self.push(at, now);
    }

    /// The history gets an entry for what the page shows from now on.
    fn push(&mut self, at: usize, now: Now) {
        self.open_pane(at, now);
        self.push_address();
        self.render_navigation();
    }

    pub(super) fn push_address(&mut self) {
        if self.host == Host::Dogwatch {
            self.shown_address = self.address().href();
            self.effects.push_back(Effect::PushAddress(self.shown_address.clone()));
        }
    }

    /// One more view in other people's page.
    pub fn embed(&mut self, link: &str, now: Now) -> PaneId {
        let Pane { look, location } = one_of(link);
        let id = self.add_pane(look, location);
        self.open_pane(self.panes.len() - 1, now);
        self.follow(now);
        id
    }

    /// The element's link became another.
    pub fn lead(&mut self, pane: PaneId, link: &str, now: Now) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        let Pane { look, location } = one_of(link);
        if let Some(pane) = self.panes.get_mut(at) {
            (pane.look, pane.place) = (look, location);
        }
        self.open_pane(at, now);
        self.follow(now);
    }

    /// The element left its page.
    pub fn unembed(&mut self, pane: PaneId, now: Now) {
        if let Some(at) = self.panes.iter().position(|held| held.id == pane) {
            self.remove_pane(at);
        }
        self.follow(now);
    }

    pub(super) fn toggle_log(&mut self, pane: PaneId, now: Now) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        if let Some(pane) = self.panes.get_mut(at) {
            pane.toggle_look();
        }
        self.push(at, now);
    }

    /// One more pane, beside the one that it repeats; its reader goes on from there.
    pub(super) fn split(&mut self, pane: PaneId, now: Now) {
        let Some(held) = self.panes.iter().find(|held| held.id == pane) else { return };
        if self.panes.len() >= PANES_MAX {
            return;
        }
        self.active = self.add_pane(Look::Table, held.place.clone());
        self.push(self.panes.len() - 1, now);
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
        self.render_navigation();
    }
}

/// An element shows one view: of a board's link the first.
fn one_of(link: &str) -> Pane {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    address::parse(path, query).address.panes.into_iter().next().unwrap_or_default()
}
