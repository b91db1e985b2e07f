//! The panes of the page: which there are, which one is active, and the views that they open. A view that no feature
//! uses any more is closed. Never the address bar.

mod frame;
mod past;
mod wrong;

use replica::client::ViewKey;
use replica::table::Delta;
use shared::row::RowId;
use shared::sorted;

use super::address_bar::Host;
use super::layout;
use crate::action::{Key, PaneId, WrongAction};
use crate::address::{self, Address, Look, PANES_MAX};
use crate::cx::Cx;
use crate::location::{Location, PanelPlace, Tab};
use crate::model::Standing;
use crate::pane::links::PageLinks;
use crate::pane::{IsHeld, Pane, Stand};
use crate::panel::Wanted;
use crate::past::comparisons::{Around, Comparisons, PaneTimes};
use crate::past::part::Shown;
use crate::past::{At, ReplacedRows, TimeBar};
use crate::table_view::TableView;
use crate::theme::Theme;
use crate::wrong::{TallyReport, WrongTally};
pub(super) use past::AroundPast;
use wrong::WhatIsWrong;

/// The panes in their order on the board. A page has one pane, a board several, another page one for each element.
/// [`super::Page`] passes it actions and the client's news; each pane keeps its own state.
#[derive(Default)]
pub(super) struct Panes {
    /// At least one after the first address.
    panes: Vec<Pane>,
    active: PaneId,
    last_id: u32,
    /// The title of the board.
    title: Box<str>,
    /// A view couldn't be added, because the board is full.
    is_refused: bool,
    time_bar: TimeBar,
    comparisons: Comparisons,
    wrong: WhatIsWrong,
}

/// Whether another feature than the panes uses a view.
pub(super) type HeldElsewhere<'a> = &'a dyn Fn(ViewKey) -> bool;

/// Which panes there are.
impl Panes {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Pane> {
        self.panes.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Pane> {
        self.panes.iter_mut()
    }

    pub(super) fn len(&self) -> usize {
        self.panes.len()
    }

    pub(super) fn active_id(&self) -> PaneId {
        self.active
    }

    /// The pane that the navigation, the pickers and the page's keys apply to.
    pub(super) fn active(&self) -> Option<&Pane> {
        self.get(self.active)
    }

    pub(super) fn get(&self, id: PaneId) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.id() == id)
    }

    pub(super) fn get_mut(&mut self, id: PaneId) -> Option<&mut Pane> {
        self.panes.iter_mut().find(|pane| pane.id() == id)
    }

    fn place_of(&self, id: PaneId) -> Option<usize> {
        self.panes.iter().position(|pane| pane.id() == id)
    }

    /// The pane that names the panel's object.
    pub(super) fn of_panel(&self) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.place().panel.is_some())
    }

    /// The pane that names the panel's object, to change it.
    pub(super) fn of_panel_mut(&mut self) -> Option<&mut Pane> {
        self.panes.iter_mut().find(|pane| pane.place().panel.is_some())
    }

    pub(super) fn address(&self) -> Address {
        let panes = self.panes.iter().map(Pane::address).collect();
        let bar = self.time_bar.link(self.at().is_some());
        Address { panes, title: self.title.clone(), bar, letters: true }
    }

    /// The panes' views, in order.
    pub(super) fn views(&self, cx: &Cx) -> Vec<ViewKey> {
        self.panes.iter().filter_map(Pane::key).filter(|key| cx.client.view(*key).is_some()).collect()
    }

    /// Whether a pane uses the view.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.panes.iter().any(|pane| pane.holds(key)) || self.comparisons.holds(key) || self.wrong.holds(key)
    }

    fn add(&mut self, shown: address::Pane) -> PaneId {
        let id = self.next_id();
        self.panes.push(Pane::new(id, shown));
        self.settle_active();
        id
    }

    /// Adds a pane that shows nothing yet.
    pub(super) fn add_empty(&mut self) -> PaneId {
        self.add(address::Pane::default())
    }

    /// Names a pane, or an element with an object.
    pub(super) fn next_id(&mut self) -> PaneId {
        self.last_id = self.last_id.wrapping_add(1);
        PaneId(self.last_id)
    }

    /// Adds a copy of a pane, which becomes the active one. Returns whether there was room for it: a full board says that
    /// it is full.
    pub(super) fn split(&mut self, id: PaneId, held: HeldElsewhere<'_>, cx: &mut Cx) -> bool {
        let place = self.get(id).filter(|_| self.panes.len() < PANES_MAX).map(|pane| pane.place().clone());
        self.is_refused = place.is_none();
        let Some(place) = place else { return false };
        let location = Location { panel: None, ..place };
        self.active = self.add(address::Pane { location, ..address::Pane::default() });
        self.open(self.panes.len() - 1, held, cx);
        true
    }

    /// Closes a pane, but never the last one. Returns whether it was closed.
    pub(super) fn close(&mut self, id: PaneId, held: HeldElsewhere<'_>, cx: &mut Cx) -> bool {
        let Some(at) = self.place_of(id).filter(|_| self.panes.len() > 1) else { return false };
        self.remove_at(at, held, cx);
        self.active = self.panes.get(at.min(self.panes.len() - 1)).map(Pane::id).unwrap_or_default();
        self.is_refused = false;
        // What had the focus is gone with its view.
        self.focus_rows();
        true
    }

    pub(super) fn remove(&mut self, id: PaneId, held: HeldElsewhere<'_>, cx: &mut Cx) {
        if let Some(at) = self.place_of(id) {
            self.remove_at(at, held, cx);
        }
    }

    fn remove_at(&mut self, at: usize, held: HeldElsewhere<'_>, cx: &mut Cx) {
        let mut pane = self.panes.remove(at);
        let left = pane.leave(cx);
        self.close_unused(left, held, cx);
        self.settle_active();
    }

    /// Removes all panes, before the reader leaves.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keeps one pane active.
    fn settle_active(&mut self) {
        if self.active().is_none() {
            self.active = self.panes.first().map(Pane::id).unwrap_or_default();
        }
    }

    /// Returns whether another pane was active before.
    pub(super) fn activate(&mut self, id: PaneId) -> bool {
        let is_other = self.active != id && self.get(id).is_some();
        if is_other {
            self.active = id;
        }
        is_other
    }

    /// Activates the pane at this place, and gives its rows the focus. Returns whether another one was active before.
    pub(super) fn activate_at(&mut self, at: usize) -> bool {
        let Some(pane) = self.panes.get_mut(at) else { return false };
        pane.wants_focus();
        let id = pane.id();
        self.activate(id)
    }

    pub(super) fn focus_rows(&mut self) {
        if let Some(pane) = self.get_mut(self.active) {
            pane.wants_focus();
        }
    }

    /// A page that has just begun has the focus in its rows, unless the reader is elsewhere by then.
    pub(super) fn begin_in_rows(&mut self) {
        if let Some(pane) = self.get_mut(self.active)
            && pane.look() == Look::Table
        {
            pane.begin_in_rows();
        }
    }

    /// A board is full, and said so.
    pub(super) fn is_refused(&self) -> bool {
        self.is_refused
    }

    pub(super) fn is_full(&mut self) -> bool {
        let is_full = self.panes.len() >= PANES_MAX;
        self.is_refused |= is_full;
        is_full
    }

    pub(super) fn dismiss_refusal(&mut self) {
        self.is_refused = false;
    }
}

/// Which views they show.
impl Panes {
    /// Shows these panes. A pane that shows the same view as before is kept.
    pub(super) fn show(&mut self, shown: Address, held: HeldElsewhere<'_>, cx: &mut Cx) {
        let Address { panes, title, bar, .. } = shown;
        self.title = title;
        self.time_bar.go_to(bar);
        while self.panes.len() > panes.len() {
            self.remove_at(self.panes.len() - 1, held, cx);
        }
        for (at, shown) in panes.into_iter().enumerate() {
            match self.panes.get_mut(at) {
                Some(pane) => pane.lead(shown),
                None => drop(self.add(shown)),
            }
            self.open(at, held, cx);
        }
    }

    /// Opens the view that the pane's place names.
    fn open(&mut self, at: usize, held: HeldElsewhere<'_>, cx: &mut Cx) {
        let of_time = self.panes.get(at).and_then(Pane::key).is_some_and(held);
        let is_held = IsHeld { with_clusters: self.are_clusters_named(at), of_time };
        let Some(pane) = self.panes.get_mut(at) else { return };
        let left = pane.open(is_held, cx);
        self.close_unused(left, held, cx);
    }

    /// Whether another pane shows the view of this one, and names its clusters.
    fn are_clusters_named(&self, at: usize) -> bool {
        let Some(key) = self.panes.get(at).and_then(Pane::key) else { return false };
        let mut others = self.panes.iter().enumerate().filter(|(place, _)| *place != at);
        others.any(|(_, pane)| pane.holds(key) && !pane.place().is_of_all_clusters())
    }

    /// Changes a pane's place, and opens it. Returns whether there is such a pane.
    pub(super) fn change(
        &mut self,
        id: PaneId,
        change: impl FnOnce(&mut Pane),
        held: HeldElsewhere<'_>,
        cx: &mut Cx,
    ) -> bool {
        let Some(at) = self.place_of(id) else { return false };
        self.panes.get_mut(at).map(change);
        self.open(at, held, cx);
        true
    }

    /// Other kinds are known: opens the panes that waited for theirs.
    pub(super) fn kinds_came(&mut self, held: HeldElsewhere<'_>, cx: &mut Cx) {
        for at in 0..self.panes.len() {
            match self.panes.get_mut(at) {
                Some(pane) if pane.key().is_some() => {
                    let left = pane.follow_usage(false, cx);
                    self.close_unused(left, held, cx);
                }
                _ => self.open(at, held, cx),
            }
        }
    }

    /// Views of all clusters follow those that come and go; panes without a view may have one now.
    pub(super) fn clusters_came(&mut self, held: HeldElsewhere<'_>, cx: &mut Cx) {
        for at in 0..self.panes.len() {
            let pane = self.panes.get(at);
            if pane.is_some_and(|pane| pane.key().is_none() || pane.place().is_of_all_clusters()) {
                self.open(at, held, cx);
            }
        }
    }

    /// Subscribes again if a pane needs other rows or cells than before.
    pub(super) fn reopen(&mut self, id: PaneId, held: HeldElsewhere<'_>, cx: &mut Cx) {
        let Some(at) = self.panes.iter().position(|pane| pane.id() == id && pane.must_reopen()) else {
            return;
        };
        let key = self.panes.get(at).and_then(Pane::key);
        let is_held = key
            .is_some_and(|key| held(key) || self.panes.iter().any(|pane| pane.id() != id && pane.holds(key)));
        let Some(pane) = self.panes.get_mut(at) else { return };
        let left = pane.open_again(is_held, cx);
        self.close_unused(left, held, cx);
    }

    /// Closes those that no feature uses.
    pub(super) fn close_unused(
        &self,
        left: impl IntoIterator<Item = ViewKey>,
        held: HeldElsewhere<'_>,
        cx: &mut Cx,
    ) {
        for key in left {
            if !held(key) && !self.holds(key) {
                cx.client.close(key);
            }
        }
    }

    /// A view dropped all that it held. What was copied from it goes as well.
    pub(super) fn purged(&mut self, key: ViewKey, cx: &mut Cx) {
        self.panes.iter_mut().for_each(|pane| pane.purged(key, cx));
    }

    /// Rows arrived.
    pub(super) fn rows_came(&mut self, key: ViewKey, delta: &Delta, cx: &mut Cx) {
        self.comparisons.rows_came(key);
        self.wrong.rows_came(key);
        for pane in &mut self.panes {
            pane.source_rows_came(key, delta, cx);
        }
        for pane in self.panes.iter_mut().filter(|pane| pane.key() == Some(key)) {
            pane.rows_came(delta, cx);
        }
    }

    /// Once a second. Returns whether a view is stale.
    pub(super) fn second(&mut self, cx: &mut Cx) -> bool {
        let mut is_stale = false;
        for pane in &mut self.panes {
            is_stale |= pane.second(cx);
        }
        self.grow_old(cx);
        self.wrong.second(cx);
        is_stale
    }

    /// Opens the views of the times that panes are compared with, and closes those that aren't needed any more.
    pub(super) fn follow_comparisons(&mut self, is_own_page: bool, held: HeldElsewhere<'_>, cx: &mut Cx) {
        let times: Vec<PaneTimes<'_>> =
            self.panes.iter().filter(|_| is_own_page).filter_map(Pane::times).collect();
        if times.is_empty() && self.comparisons.is_empty() {
            return;
        }
        let Some(part) = cx.more.map(|more| more.past) else { return };
        let left = (part.follow_comparisons)(&mut self.comparisons, &times, &mut cx.client, cx.now);
        self.close_unused(left, held, cx);
    }

    /// `is_own_page`: its tally goes on after the list was left.
    pub(super) fn follow_wrong(&mut self, is_own_page: bool, held: HeldElsewhere<'_>, cx: &mut Cx) {
        let left = self.wrong.follow(&self.panes, is_own_page, cx);
        self.close_unused(left, held, cx);
    }

    pub(super) fn render_wrong(&mut self, links: Option<&PageLinks>, cx: &Cx) {
        self.wrong.render(&mut self.panes, links, cx);
    }

    pub(super) fn wrong_tally(&self, cx: &Cx) -> Option<WrongTally> {
        self.wrong.tally(cx)
    }

    /// What the chip of another page is told.
    pub(super) fn wrong_report(&self, id: PaneId, cx: &Cx) -> Option<TallyReport> {
        self.wrong.report(self.get(id)?, cx)
    }

    pub(super) fn update_wrong(&mut self, id: PaneId, action: WrongAction) {
        if let Some(pane) = self.panes.iter_mut().find(|pane| pane.id() == id) {
            self.wrong.update(pane, action);
        }
    }

    /// Shows what differs in place of the rows.
    pub(super) fn render_comparisons(&mut self, links: Option<&PageLinks>, cx: &mut Cx) {
        let part = cx.more.map(|more| more.past).filter(|_| !self.comparisons.is_empty());
        for (place, pane) in self.panes.iter_mut().enumerate() {
            let shown = match pane.times().zip(part) {
                Some((times, part)) => {
                    let href = |panel: PanelPlace| Some(links?.of_panel(place, panel));
                    let around = Around { href: &href, now_ms: cx.now_ms(), zone: cx.zone };
                    (part.comparison)(&mut self.comparisons, &times, &mut cx.client, around)
                }
                None => ReplacedRows::default(),
            };
            pane.replace_rows(shown);
        }
        let place = match self.time_bar.is_searching() {
            true => self.place_of(self.active),
            false => self.panes.iter().position(Pane::shows_past_changes),
        };
        if let Some(place) = place {
            self.render_found(place, links, cx);
        }
    }

    /// Shows what had a word in place of the rows, or what was recorded until the time of the page.
    fn render_found(&mut self, place: usize, links: Option<&PageLinks>, cx: &Cx) {
        let here = self.here(None, cx);
        let (Some(part), Some(pane)) = (cx.more.map(|more| more.past), self.panes.get_mut(place)) else {
            return;
        };
        let href = |panel: PanelPlace, at: At| Some(links?.of_panel_at(place, panel, at));
        let shown = Shown { here, resource: &pane.place().resource, counts: None };
        let found = (part.found)(&mut self.time_bar, &shown, &href);
        pane.replace_rows(found);
    }

    /// The views that are shown, each once.
    fn keys(&self) -> Vec<ViewKey> {
        let mut keys: Vec<ViewKey> = self.panes.iter().filter_map(Pane::key).collect();
        sorted::sort(&mut keys);
        keys.dedup();
        keys
    }

    /// Removes expired tombstones and marks, once for each view, but no row that a pane's reader still needs.
    fn grow_old(&mut self, cx: &mut Cx) {
        let now_ms = cx.now_ms();
        for key in self.keys() {
            let looking = || self.panes.iter().filter(|pane| pane.key() == Some(key));
            let is_alone = looking().count() == 1;
            let held: Vec<_> = looking().flat_map(|pane| pane.held_slots(is_alone, cx)).collect();
            let is_stale = looking().all(Pane::is_stale);
            let Some(view) = cx.client.view_mut(key) else { continue };
            let mut moved = view.expire(&held, now_ms);
            // Rows of a stale table don't move.
            moved |= !is_stale && view.grow_old(now_ms);
            for pane in self.panes.iter_mut().filter(|pane| moved && pane.key() == Some(key)) {
                pane.rows_grew_old();
            }
        }
    }
}

/// The object that the panel shows, and where readers stand.
impl Panes {
    /// The object that the address names; at most one pane has one.
    pub(super) fn wanted_object(&self, cx: &Cx) -> Option<Wanted> {
        self.panes.iter().find_map(|pane| {
            let panel = pane.place().panel.clone()?;
            let cluster = panel.cluster.as_ref().or(pane.clusters().first()).cloned();
            let kind = match &panel.resource {
                Some(resource) => Wanted::kind_of(&cx.client, resource, cluster.as_ref())?,
                None => pane.kind()?.clone(),
            };
            let is_of_view = cluster.as_ref().is_some_and(|cluster| pane.clusters().contains(cluster));
            let has_rows = panel.resource.is_none() && pane.place().fields.is_none() && is_of_view;
            let place = pane.place();
            let (at, table) = match (place.at, place.against) {
                // Beside two times the object is as of the later one, where the rows are of another.
                (Some(at), Some(against)) => (against.later(at), None),
                (at, _) if pane.wrong_place().is_some() => (at, None),
                (at, _) => (at, Some(pane.key()?)),
            };
            let has_rows = has_rows && table.is_some();
            Some(Wanted { kind, cluster, table, has_rows, panel, at_ms: at.map(At::ms) })
        })
    }

    /// Sets the panel's object to that of a row. Returns whether it is another one than before.
    pub(super) fn open_panel(&mut self, id: PaneId, row: Option<RowId>, tab: Tab, cx: &Cx) -> Option<bool> {
        let held = self.get(id)?;
        let place = held.panel_place(row, cx)?;
        if held.place().panel.as_ref().is_some_and(|open| open.is_same_object(&place)) {
            return Some(false);
        }
        for held in &mut self.panes {
            held.place_mut().panel = (held.id() == id).then(|| PanelPlace { tab, ..place.clone() });
            held.follow_open_row(cx);
        }
        Some(true)
    }

    /// Moves to the row after or before the panel's. Returns the pane and the tab that is shown.
    pub(super) fn walk(&mut self, by: isize, cx: &Cx) -> Option<(PaneId, Tab)> {
        let pane = self.of_panel_mut()?;
        pane.walk(if by > 0 { Key::Down } else { Key::Up }, cx);
        Some((pane.id(), pane.place().panel.as_ref()?.tab))
    }

    /// Scrolls to a row of the open view of this number. Returns the pane.
    pub(super) fn go_to_row(&mut self, view: usize, row: RowId, cx: &Cx) -> Option<PaneId> {
        let pane = self.panes.iter_mut().filter(|pane| pane.key().is_some()).nth(view)?;
        self.active = pane.id();
        pane.go_to_row(row, cx);
        Some(pane.id())
    }

    /// Sets each pane's standing, theme and density.
    pub(super) fn stand(&mut self, host: Host, theme: Theme, cx: &Cx) {
        let (count, active) = (self.panes.len(), self.active);
        let slots = layout::layout(&self.sizes());
        let has_nodes = self.panes.iter().any(Pane::shows_nodes);
        for (pane, slot) in self.panes.iter_mut().zip(slots) {
            let standing = match count {
                _ if host == Host::Portal => Standing::Guest,
                1 => Standing::Alone,
                _ if active == pane.id() => Standing::Active,
                _ => Standing::Aside,
            };
            let density = cx.preferences.density;
            pane.stand(Stand { slot, standing, theme, density, is_beside_nodes: has_nodes });
        }
    }

    /// Marks in each other pane what belongs to the object at which the reader stands in the active one.
    pub(super) fn link(&mut self, cx: &Cx) {
        let part = cx.more.map(|more| more.linked).filter(|_| self.panes.len() > 1);
        let object = part.and_then(|part| Some((part, self.active()?.stands_at(part, cx)?)));
        for pane in &mut self.panes {
            let is_active = pane.id() == self.active;
            pane.link(object.clone().filter(|_| !is_active));
        }
    }

    pub(super) fn forget_unknown_columns(&mut self, cx: &Cx) {
        self.panes.iter_mut().for_each(|pane| pane.forget_unknown_columns(cx));
    }

    /// The active pane's message for screen readers.
    pub(super) fn announce(&mut self, cx: &Cx) -> Option<String> {
        self.get_mut(self.active)?.announce(cx)
    }

    pub(super) fn is_paused(&self) -> bool {
        self.panes.iter().any(Pane::is_paused)
    }
}
