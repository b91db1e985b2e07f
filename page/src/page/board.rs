//! The panes, the panel and the namespace picker, which share one client. A view that none of them uses any more is
//! closed. Never the address bar.

use replica::client::ViewKey;
use replica::now::Now;
use replica::table::Delta;
use shared::frame::server;
use shared::row::RowId;
use shared::sorted;
use shared::state::UnixMillis;

use super::address_bar::Host;
use super::guest_object::GuestObject;
use super::layout;
use super::namespaces::NamespacePicker;
use super::rights::Rights;
use crate::action::{Key, PaneId};
use crate::address::{self, Address, Look, PANES_MAX};
use crate::location::{Location, PanelPlace, Tab};
use crate::model::Standing;
use crate::pane::Pane;
use crate::panel::{MakePanel, PanelSlot, Wanted};
use crate::preferences::Preferences;
use crate::table_view::{Client, TableView};
use crate::theme::{Density, Theme};

pub(super) struct Board {
    pub(super) client: Client,
    /// At least one after the first address.
    pub(super) panes: Vec<Pane>,
    active: PaneId,
    last_pane: u32,
    pub(super) panel: PanelSlot,
    /// The elements in another page that show one object: they have a panel and no rows.
    pub(super) objects: Vec<GuestObject>,
    /// Once the piece with the panel is there.
    pub(super) make_panel: Option<MakePanel>,
    pub(super) namespaces: NamespacePicker,
    pub(super) rights: Rights,
    pub(super) title: Box<str>,
}

impl Board {
    pub(super) fn new(client: Client, panel: PanelSlot) -> Self {
        Self {
            client,
            panes: Vec::new(),
            active: PaneId::default(),
            last_pane: 0,
            panel,
            objects: Vec::new(),
            make_panel: None,
            namespaces: NamespacePicker::default(),
            rights: Rights::default(),
            title: Box::default(),
        }
    }

    pub(super) fn active_id(&self) -> PaneId {
        self.active
    }

    /// The pane that the navigation, the pickers and the page's keys apply to.
    pub(super) fn active(&self) -> Option<&Pane> {
        self.pane(self.active)
    }

    pub(super) fn pane(&self, id: PaneId) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.id == id)
    }

    /// A pane and the client that it reads.
    pub(super) fn pane_mut(&mut self, id: PaneId) -> Option<(&mut Pane, &mut Client)> {
        Some((self.panes.iter_mut().find(|pane| pane.id == id)?, &mut self.client))
    }

    /// Returns whether another pane was active before.
    pub(super) fn activate(&mut self, id: PaneId) -> bool {
        let is_other = self.active != id && self.pane(id).is_some();
        if is_other {
            self.active = id;
        }
        is_other
    }

    pub(super) fn focus_rows(&mut self) {
        if let Some((pane, _)) = self.pane_mut(self.active) {
            pane.wants_focus();
        }
    }

    /// A page that has just begun has the focus in its rows, unless the reader is elsewhere by then.
    pub(super) fn begin_in_rows(&mut self) {
        if let Some((pane, _)) = self.pane_mut(self.active)
            && pane.look == Look::Table
        {
            pane.begin_in_rows();
        }
    }

    /// Scrolls to a row of the open view of this number. Returns the pane.
    pub(super) fn go_to_row(&mut self, view: usize, row: RowId) -> Option<PaneId> {
        let Self { client, panes, active, .. } = self;
        let pane = panes.iter_mut().filter(|pane| pane.key().is_some()).nth(view)?;
        *active = pane.id;
        pane.go_to_row(client, row);
        Some(pane.id)
    }

    /// Sets each pane's standing, theme and density.
    pub(super) fn stand(&mut self, host: Host, theme: Theme, density: Density) {
        let (count, active) = (self.panes.len(), self.active);
        let slots = layout::layout(&self.sizes());
        let has_nodes = self.panes.iter().any(Pane::shows_nodes);
        for (pane, slot) in self.panes.iter_mut().zip(slots) {
            pane.model.slot = slot;
            pane.stand_beside_nodes(has_nodes);
            pane.model.standing = match count {
                _ if host == Host::Portal => Standing::Guest,
                1 => Standing::Alone,
                _ if active == pane.id => Standing::Active,
                _ => Standing::Aside,
            };
            pane.model.density = pane.density.unwrap_or(density);
            pane.model.theme = pane.theme.unwrap_or(theme);
        }
    }

    pub(super) fn set_theme(&mut self, id: PaneId, theme: Theme) {
        if let Some((pane, _)) = self.pane_mut(id) {
            pane.theme = Some(theme);
        }
    }

    pub(super) fn forget_unknown_columns(&mut self) {
        let Self { client, panes, .. } = self;
        panes.iter_mut().for_each(|pane| pane.forget_unknown_columns(client));
    }

    /// The active pane's message for screen readers.
    pub(super) fn announce(&mut self) -> Option<String> {
        let (pane, client) = self.pane_mut(self.active)?;
        pane.announce(client)
    }

    pub(super) fn address(&self) -> Address {
        let panes = self.panes.iter().map(Pane::address).collect();
        Address { panes, title: self.title.clone(), letters: true }
    }

    /// The panes' views, in order.
    pub(super) fn views(&self) -> Vec<ViewKey> {
        self.panes.iter().filter_map(Pane::key).filter(|key| self.client.view(*key).is_some()).collect()
    }

    /// Shows these panes. A pane that shows the same view as before is kept.
    pub(super) fn show(&mut self, shown: Address, preferences: &Preferences, now: Now) {
        let Address { panes, title, .. } = shown;
        self.title = title;
        while self.panes.len() > panes.len() {
            self.remove(self.panes.len() - 1);
        }
        for (at, shown) in panes.into_iter().enumerate() {
            match self.panes.get_mut(at) {
                Some(pane) => (pane.look, pane.place, pane.size) = (shown.look, shown.location, shown.size),
                None => drop(self.add(shown)),
            }
            self.open(at, preferences, now);
        }
    }

    pub(super) fn add(&mut self, shown: address::Pane) -> PaneId {
        let id = self.next_id();
        self.panes.push(Pane::new(id, shown));
        self.settle_active();
        id
    }

    pub(super) fn next_id(&mut self) -> PaneId {
        self.last_pane = self.last_pane.wrapping_add(1);
        PaneId(self.last_pane)
    }

    /// Adds a copy of a pane. Returns whether there was room for it.
    pub(super) fn split(&mut self, id: PaneId, preferences: &Preferences, now: Now) -> bool {
        let place = self.pane(id).filter(|_| self.panes.len() < PANES_MAX).map(|pane| pane.place.clone());
        let Some(place) = place else { return false };
        let location = Location { panel: None, ..place };
        self.active = self.add(address::Pane { location, ..address::Pane::default() });
        self.open(self.panes.len() - 1, preferences, now);
        true
    }

    /// Closes a pane, but never the last one. Returns whether it was closed.
    pub(super) fn close(&mut self, id: PaneId) -> bool {
        let Some(at) = self.place_of(id).filter(|_| self.panes.len() > 1) else { return false };
        self.remove(at);
        self.active = self.panes.get(at.min(self.panes.len() - 1)).map(|pane| pane.id).unwrap_or_default();
        true
    }

    pub(super) fn remove_pane(&mut self, id: PaneId) {
        if let Some(at) = self.place_of(id) {
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        let mut pane = self.panes.remove(at);
        let left = pane.leave(&mut self.client);
        self.close_unless_held(left);
        self.settle_active();
    }

    /// Keeps one pane active.
    fn settle_active(&mut self) {
        if self.active().is_none() {
            self.active = self.panes.first().map(|pane| pane.id).unwrap_or_default();
        }
    }

    /// Opens the view that the pane's place names.
    pub(super) fn open(&mut self, at: usize, preferences: &Preferences, now: Now) {
        let is_held = self.are_clusters_named(at);
        let Some(pane) = self.panes.get_mut(at) else { return };
        let left = pane.open(&mut self.client, preferences, is_held, now);
        self.close_unless_held(left);
    }

    /// Changes a pane's place, and opens it. Returns whether there is such a pane.
    pub(super) fn change_pane(
        &mut self,
        id: PaneId,
        change: impl FnOnce(&mut Pane),
        preferences: &Preferences,
        now: Now,
    ) -> bool {
        let Some(at) = self.place_of(id) else { return false };
        self.panes.get_mut(at).map(change);
        self.open(at, preferences, now);
        true
    }

    /// Other kinds are known: opens the panes that waited for theirs.
    pub(super) fn kinds_came(&mut self, preferences: &Preferences, now: Now) {
        for at in 0..self.panes.len() {
            match self.panes.get_mut(at) {
                Some(pane) if pane.key().is_some() => {
                    let left = pane.follow_usage(&mut self.client, false, now);
                    self.close_unless_held(left);
                }
                _ => self.open(at, preferences, now),
            }
        }
    }

    /// Subscribes again if a pane needs other rows or cells than before.
    pub(super) fn reopen(&mut self, id: PaneId, preferences: &Preferences, now: Now) {
        let Some(at) = self.panes.iter().position(|pane| pane.id == id && pane.must_reopen) else {
            return;
        };
        let key = self.panes.get(at).and_then(Pane::key);
        let is_held = key.is_some_and(|key| self.is_held(key, Some(id)));
        let Some(pane) = self.panes.get_mut(at) else { return };
        let left = pane.open_again(&mut self.client, preferences, is_held, now);
        self.close_unless_held(left);
    }

    /// Watches the cluster's namespaces, or stops to.
    pub(super) fn watch_namespaces(&mut self, is_wanted: bool, now: Now) {
        if is_wanted {
            let clusters = self.active().map(|pane| pane.clusters.clone()).unwrap_or_default();
            let left = self.namespaces.watch(&mut self.client, &clusters, now);
            self.close_unless_held(left);
        } else {
            // A pane may use the same list.
            let left = self.namespaces.unwatch(&self.client);
            self.close_unless_held(left);
        }
    }

    fn is_held(&self, key: ViewKey, except: Option<PaneId>) -> bool {
        self.namespaces.holds(key)
            || self.panels_held().any(|panel| panel.holds(key))
            || self.panes.iter().any(|pane| Some(pane.id) != except && pane.holds(key))
    }

    pub(super) fn close_unless_held(&mut self, left: impl IntoIterator<Item = ViewKey>) {
        for key in left {
            if !self.is_held(key, None) {
                self.client.close(key);
            }
        }
    }

    /// Shows the object that the address names; at most one pane has one.
    pub(super) fn follow_panel(&mut self, now: Now) {
        let wanted = self.panes.iter().find_map(|pane| {
            let panel = pane.place.panel.clone()?;
            let cluster = panel.cluster.as_ref().or(pane.clusters.first()).cloned();
            let kind = match &panel.resource {
                Some(resource) => Wanted::kind_of(&self.client, resource, cluster.as_ref())?,
                None => pane.kind()?.clone(),
            };
            let is_of_view = cluster.as_ref().is_some_and(|cluster| pane.clusters.contains(cluster));
            let has_rows = panel.resource.is_none() && pane.place.fields.is_none() && is_of_view;
            Some(Wanted { kind, cluster, table: Some(pane.key()?), has_rows, panel })
        });
        let left = self.panel.follow(&mut self.client, wanted, now);
        self.close_unless_held(left);
        self.follow_objects(now);
    }

    /// The pane that names the panel's object.
    pub(super) fn pane_of_panel(&mut self) -> Option<&mut Pane> {
        self.panes.iter_mut().find(|pane| pane.place.panel.is_some())
    }

    /// Sets the panel's object to that of a row. Returns whether it is another one than before.
    pub(super) fn open_panel(&mut self, id: PaneId, row: Option<RowId>, tab: Tab) -> Option<bool> {
        let held = self.pane(id)?;
        let place = held.panel_place(&self.client, row)?;
        if held.place.panel.as_ref().is_some_and(|open| open.is_same_object(&place)) {
            return Some(false);
        }
        for held in &mut self.panes {
            held.place.panel = (held.id == id).then(|| PanelPlace { tab, ..place.clone() });
            held.follow_open_row(&self.client);
        }
        Some(true)
    }

    /// Moves to the row after or before the panel's. Returns the pane and the tab that is shown.
    pub(super) fn walk(&mut self, by: isize) -> Option<(PaneId, Tab)> {
        let Self { client, panes, .. } = self;
        let pane = panes.iter_mut().find(|pane| pane.place.panel.is_some())?;
        pane.walk(client, if by > 0 { Key::Down } else { Key::Up });
        Some((pane.id, pane.place.panel.as_ref()?.tab))
    }

    /// A view dropped all that it held. What was copied from it goes as well.
    pub(super) fn purged(&mut self, key: ViewKey, now: Now) {
        for pane in &mut self.panes {
            pane.purged(key);
        }
        let left: Vec<ViewKey> = self.panels().flat_map(|panel| panel.purged(key, now)).collect();
        self.close_unless_held(left);
    }

    /// A view's state, rows or rights changed.
    pub(super) fn view_changed(&mut self, key: ViewKey, now_ms: UnixMillis) {
        self.rights.note(&self.client, key, now_ms);
        self.panel_news(key);
    }

    pub(super) fn rights_answered(&mut self, answer: server::Rights, now_ms: UnixMillis) {
        self.rights.answered(&self.client, answer, now_ms);
    }

    /// Rows arrived.
    pub(super) fn rows_came(&mut self, key: ViewKey, delta: &Delta, now_ms: UnixMillis) {
        for pane in &mut self.panes {
            pane.source_rows_came(&mut self.client, key, delta, now_ms);
        }
        for pane in self.panes.iter_mut().filter(|pane| pane.key() == Some(key)) {
            pane.rows_came(&self.client, delta, now_ms);
        }
    }

    /// Once a second. Returns whether a view is stale.
    pub(super) fn second(&mut self, now_ms: UnixMillis) -> bool {
        let mut is_stale = false;
        for pane in &mut self.panes {
            is_stale |= pane.second(&mut self.client, now_ms);
        }
        self.grow_old(now_ms);
        self.objects_second(now_ms);
        is_stale
    }

    /// Removes expired tombstones and marks, once for each view, but no row that a pane's reader still needs.
    fn grow_old(&mut self, now_ms: UnixMillis) {
        let mut keys: Vec<ViewKey> = self.panes.iter().filter_map(Pane::key).collect();
        sorted::sort(&mut keys);
        keys.dedup();
        for key in keys {
            let looking = || self.panes.iter().filter(|pane| pane.key() == Some(key));
            let held: Vec<_> = looking().flat_map(|pane| pane.held_slots(&self.client, now_ms)).collect();
            let is_stale = looking().all(Pane::is_stale);
            let Some(view) = self.client.view_mut(key) else { continue };
            let mut moved = view.expire(&held, now_ms);
            // Rows of a stale table don't move.
            moved |= !is_stale && view.grow_old(now_ms);
            for pane in self.panes.iter_mut().filter(|pane| moved && pane.key() == Some(key)) {
                pane.rows_grew_old();
            }
        }
    }
}
