//! Where the reader is and was: the address bar, the browser's history, how far each view was scrolled, and in which
//! order each kind stood. Never which panes there are.

use std::collections::HashMap;
use std::rc::Rc;

use replica::client::ViewKey;
use shared::problem::Problem;

use super::address_bar::{AddressBar, Host};
use super::panes::Panes;
use super::places::Places;
use super::recent::RecentPlaces;
use crate::address::Address;
use crate::cx::Cx;
use crate::palette::Recent;
use crate::pane::links::PageLinks;
use crate::pane::{Pane, first_order};
use crate::query::Sort;

/// The address of the page and what it was before. Another kind, other namespaces or another pane push an entry of the
/// browser's history; any other change replaces the entry. [`super::Page`] calls it after each change of a pane.
pub(crate) struct History {
    bar: AddressBar,
    places: Places,
    recent: RecentPlaces,
    /// The order that each kind had when the reader left it, in this tab.
    orders: HashMap<Box<str>, Option<Sort>>,
    /// The first address was read.
    has_begun: bool,
    /// The navigation must be rendered again.
    has_moved: bool,
}

impl History {
    pub(super) fn new(host: Host) -> Self {
        Self {
            bar: AddressBar::new(host),
            places: Places::default(),
            recent: RecentPlaces::default(),
            orders: HashMap::new(),
            has_begun: false,
            has_moved: false,
        }
    }

    pub(super) fn host(&self) -> Host {
        self.bar.host()
    }

    /// The page isn't an element of another one.
    pub(crate) fn is_own_page(&self) -> bool {
        self.bar.host() == Host::Dogwatch
    }

    /// Path and query, as the browser shows them.
    pub(crate) fn shown(&self) -> &str {
        self.bar.shown()
    }

    /// The question of the link, until its reader has asked it or has not.
    pub(super) fn question(&self) -> &str {
        self.bar.question()
    }

    pub(super) fn answer_question(&mut self, unread: Option<Problem>) {
        self.bar.answer_question(unread);
    }

    /// The parts of the link that couldn't be read.
    pub(super) fn unread(&self) -> impl Iterator<Item = &str> {
        self.bar.unread()
    }

    pub(super) fn dismiss_unread(&mut self) {
        self.bar.dismiss_unread();
    }

    /// Reads the path and query that the browser shows. Returns what they name.
    pub(super) fn read(&mut self, address: &str, cx: &mut Cx) -> Address {
        let (shown, effect) = self.bar.read(address);
        cx.effect(effect);
        shown
    }

    /// The panes show what this address names. `before`: the views that were open.
    pub(super) fn arrived(&mut self, address: &str, before: &[ViewKey], panes: &mut Panes, cx: &mut Cx) {
        for (pane, top_px) in panes.iter_mut().zip(self.places.of(address)) {
            // A view that stays open is where it was.
            if pane.key().is_some_and(|key| !before.contains(&key)) {
                pane.resume_at(*top_px);
            }
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            panes.begin_in_rows();
        }
        self.recent.went(&panes.address());
        self.replace(panes, cx);
        self.has_moved = true;
    }

    /// Keeps where the reader is, before the address changes.
    pub(super) fn leave(&mut self, panes: &Panes) {
        self.remember_order(panes);
        let tops_px = panes.iter().map(Pane::scroll_top_px).collect();
        self.places.leave(self.bar.shown(), tops_px);
    }

    /// Pushes an entry for what the panes show.
    pub(super) fn push(&mut self, panes: &Panes, cx: &mut Cx) {
        let address = panes.address();
        self.recent.went(&address);
        cx.effects.extend(self.bar.push(address));
    }

    /// Pushes an entry for a view of another kind or place.
    pub(super) fn push_view(&mut self, panes: &Panes, cx: &mut Cx) {
        self.push(panes, cx);
        self.has_moved = true;
    }

    /// Replaces the entry by what the panes show.
    pub(super) fn replace(&mut self, panes: &Panes, cx: &mut Cx) {
        if let Some(effect) = self.bar.replace(panes.address()) {
            self.recent.changed(&panes.address());
            cx.effect(effect);
        }
    }

    /// From which the links of rows are made.
    pub(super) fn links(&mut self, panes: &Panes) -> Option<Rc<PageLinks>> {
        self.bar.links(|| panes.address())
    }

    /// The order that a kind had when the reader saw it last.
    pub(super) fn order_of(&mut self, resource: &str, panes: &Panes) -> Option<Sort> {
        self.remember_order(panes);
        self.orders.get(resource).cloned().unwrap_or_else(|| first_order(resource))
    }

    fn remember_order(&mut self, panes: &Panes) {
        if let Some(pane) = panes.active().filter(|pane| pane.kind().is_some()) {
            self.orders.insert(pane.place().resource.clone(), pane.place().sort.clone());
        }
    }

    /// The places where the reader was before, the newest first.
    pub(super) fn other_places(&self) -> Vec<Recent> {
        self.recent.others()
    }

    /// What the navigation shows has changed.
    pub(super) fn moved(&mut self, has_moved: bool) {
        self.has_moved |= has_moved;
    }

    /// Whether the navigation must be rendered again. Asked once.
    pub(super) fn take_moved(&mut self) -> bool {
        std::mem::take(&mut self.has_moved)
    }
}
