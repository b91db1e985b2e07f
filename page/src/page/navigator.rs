//! The board together with its address. Another kind, other namespaces or another pane push an entry of the
//! history; any other change replaces the entry.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use replica::now::Now;
use shared::name::Namespace;
use shared::resource::Resource;
use shared::row::RowId;
use shared::scope::Namespaces;

use super::address_bar::{AddressBar, Host, first_pane};
use super::board::Board;
use super::palette;
use super::places::Places;
use super::recent::RecentPlaces;
use crate::action::{Action, PaneAction, PaneId, PanelAction, PanelKey};
use crate::address::{self, Look};
use crate::effect::Effect;
use crate::location::{Location, Place};
use crate::messages;
use crate::palette::Target;
use crate::pane::Pane;
use crate::pane::links::PageLinks;
use crate::panel::PanelSlot;
use crate::panel::action::PanelOutcome;
use crate::preferences::{Change, Preferences};
use crate::query::Sort;
use crate::table_view::Client;

pub(super) struct Navigator {
    pub(super) board: Board,
    pub(super) address_bar: AddressBar,
    pub(super) preferences: Preferences,
    pub(super) effects: VecDeque<Effect>,
    places: Places,
    /// The first address was read.
    has_begun: bool,
    pub(super) recent: RecentPlaces,
    /// The order that each kind had when the reader left it, in this tab.
    orders: HashMap<Box<str>, Option<Sort>>,
    /// The navigation must be rendered again.
    pub(super) has_moved: bool,
}

impl Navigator {
    pub(super) fn new(host: Host, client: Client, panel: PanelSlot, preferences: Preferences) -> Self {
        Self {
            board: Board::new(client, panel),
            address_bar: AddressBar::new(host),
            preferences,
            effects: VecDeque::new(),
            places: Places::default(),
            has_begun: false,
            recent: RecentPlaces::default(),
            orders: HashMap::new(),
            has_moved: false,
        }
    }

    pub(super) fn embed(&mut self, link: &str, now: Now) -> PaneId {
        let id = self.board.add(address::Pane::default());
        self.lead(id, link, now);
        id
    }

    pub(super) fn lead(&mut self, pane: PaneId, link: &str, now: Now) {
        let first = first_pane(link);
        let location = Location { panel: None, ..first.location };
        let change = |pane: &mut Pane| (pane.look, pane.place) = (first.look, location);
        self.board.change_pane(pane, change, &self.preferences, now);
    }

    pub(super) fn update_pane(&mut self, id: PaneId, action: PaneAction, now: Now) {
        if let Some((pane, client)) = self.board.pane_mut(id) {
            let wide_before = pane.place.wide;
            self.effects.extend(pane.update(client, action, now));
            let (columns, wide) = (pane.columns_to_keep(), pane.place.wide);
            if let Some((resource, chosen)) = columns {
                self.prefer(Change::Columns { resource, chosen });
            }
            if wide != wide_before {
                self.prefer(Change::Wide(wide));
            }
        }
        self.board.reopen(id, &self.preferences, now);
        self.replace_address();
    }

    /// Returns whether there is such a row.
    pub(super) fn open_panel(&mut self, pane: PaneId, row: Option<RowId>, key: Option<PanelKey>) -> bool {
        // A click on another row leaves the tab that its reader chose.
        let shown = self.board.pane_of_panel().and_then(|held| Some(held.place.panel.as_ref()?.tab));
        let tab = key.map_or(shown.unwrap_or_default(), PanelKey::tab);
        let Some(is_other) = self.board.open_panel(pane, row, tab) else { return false };
        if is_other {
            self.push_address();
        } else if let Some(key) = key {
            let outcome = self.board.panel.key(&self.board.client, key);
            self.carry_out(outcome);
        }
        if key.is_some() {
            self.board.panel.take_focus();
        }
        true
    }

    /// The panel shows the object of the focused row, without an entry of the history for each.
    pub(super) fn panel_follows_row(&mut self, pane: PaneId) {
        let open = self.board.pane(pane).and_then(|pane| pane.place.panel.as_ref());
        let Some(tab) = open.map(|panel| panel.tab) else { return };
        if self.board.open_panel(pane, None, tab) == Some(true) {
            self.replace_address();
        }
    }

    pub(super) fn update_panel(&mut self, action: PanelAction, now: Now) {
        if let PanelAction::Walk(by) = action {
            if let Some((pane, tab)) = self.board.walk(by)
                && self.board.open_panel(pane, None, tab) == Some(true)
            {
                // The panel of another object has other elements: the focus stays in it.
                self.board.panel.take_focus();
                self.replace_address();
            }
            return;
        }
        let Board { client, panel, .. } = &mut self.board;
        let outcome = panel.update(client, action, now.now_ms);
        self.carry_out(outcome);
    }

    fn carry_out(&mut self, outcome: PanelOutcome) {
        let pane = self.board.pane_of_panel();
        match (outcome, pane) {
            (PanelOutcome::Nothing, _) => {}
            (PanelOutcome::Copy(clip), _) => self.effects.push_back(Effect::Copy(clip)),
            (PanelOutcome::Prefer(change), _) => self.prefer(change),
            (PanelOutcome::Push(place), Some(pane)) => {
                pane.place.panel = Some(place);
                self.push_address();
            }
            (PanelOutcome::Replace(place), Some(pane)) => {
                pane.place.panel = Some(place);
                self.replace_address();
            }
            (PanelOutcome::Close, Some(pane)) => {
                pane.place.panel = None;
                // The keyboard's focus goes back to the rows.
                pane.wants_focus();
                self.push_address();
            }
            (PanelOutcome::Push(_) | PanelOutcome::Replace(_) | PanelOutcome::Close, None) => {}
        }
    }

    pub(super) fn activate(&mut self, pane: PaneId) {
        self.has_moved |= self.board.activate(pane);
    }

    pub(super) fn go_to_address(&mut self, address: &str, now: Now) {
        self.leave();
        let before = self.board.views();
        let (shown, effect) = self.address_bar.read(address);
        self.effects.push_back(effect);
        self.board.show(shown, &self.preferences, now);
        for (pane, top_px) in self.board.panes.iter_mut().zip(self.places.of(address)) {
            // A view that stays open is where it was.
            if pane.key().is_some_and(|key| !before.contains(&key)) {
                pane.resume_at(*top_px);
            }
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            self.board.begin_in_rows();
        }
        self.recent.went(&self.board.address());
        self.replace_address();
        self.has_moved = true;
    }

    /// Opens a kind in the active pane, in this namespace or in those of the pane, in the order that it had before.
    pub(super) fn open_kind(
        &mut self,
        resource: Box<str>,
        namespace: Option<Namespace>,
        query: &str,
        now: Now,
    ) {
        let sort = self.order_of(&resource);
        let change = |pane: &mut Pane| {
            let place = match (namespace, &pane.place.place) {
                (Some(name), _) => Place::These(vec![name]),
                // A cluster-scoped kind has no namespaces to keep: take those of the context.
                (None, Place::Cluster) => Place::Context,
                (None, place) => place.clone(),
            };
            let (query, wide, cluster) = (query.into(), pane.place.wide, pane.place.cluster.clone());
            pane.place = Location { resource, cluster, place, query, sort, wide, ..Location::default() };
        };
        self.push_change(self.board.active_id(), change, now);
    }

    /// The order that a kind had when the reader saw it last.
    fn order_of(&mut self, resource: &str) -> Option<Sort> {
        self.remember_order();
        self.orders.get(resource).cloned().flatten()
    }

    fn remember_order(&mut self) {
        if let Some(pane) = self.board.active().filter(|pane| pane.kind().is_some()) {
            self.orders.insert(pane.place.resource.clone(), pane.place.sort.clone());
        }
    }

    /// Opens the object of a link in the pane whose panel has the link. The reader's namespaces stay, unless the
    /// object is in none of them: then its namespace is added, and what is said about that is returned.
    pub(super) fn follow_link(&mut self, link: &str, now: Now) -> Option<String> {
        let mut linked = first_pane(link).location;
        let id = self.board.pane_of_panel().map(|pane| pane.id).unwrap_or(self.board.active_id());
        let sort = self.order_of(&linked.resource);
        let named = linked.clusters(self.board.client.clusters());
        let context =
            self.board.client.cluster_named(named.first()).map(|cluster| cluster.namespaces.clone());
        let pane = self.board.pane(id)?;
        // In a view of several clusters the object's stays among them.
        if let ([named], true) = (named.as_slice(), pane.clusters.len() > 1)
            && pane.clusters.contains(named)
        {
            linked.cluster.clone_from(&pane.place.cluster);
            if let Some(panel) = &mut linked.panel {
                panel.cluster = Some(named.clone());
            }
        }
        let held = &pane.place;
        let (place, added) = linked.place.within(&held.place, &context.unwrap_or_default());
        let object = linked.panel.as_ref().map(|panel| panel.name.as_str()).unwrap_or_default();
        let said = added.map(|added| messages::namespace_added(added.as_str(), object));
        let change = |pane: &mut Pane| {
            if pane.place.resource == linked.resource && pane.place.cluster == linked.cluster {
                (pane.place.place, pane.place.panel) = (place, linked.panel);
            } else {
                pane.look = Look::Table;
                pane.place = Location { place, sort, wide: pane.place.wide, ..linked };
            }
        };
        self.push_change(id, change, now);
        self.board.panel.take_focus();
        said
    }

    /// Goes to a hit of the palette. If the hit is an action of the page, returns it.
    pub(super) fn go_to(&mut self, target: Target, now: Now) -> Option<Action> {
        match target {
            Target::Kind { resource, namespace, cluster } => {
                if let Some(cluster) = cluster {
                    let change = |pane: &mut Pane| pane.place.cluster = Some(cluster);
                    self.board.change_place(self.board.active_id(), change);
                }
                self.open_kind(resource, namespace.and_then(|name| Namespace::parse(&name).ok()), "", now);
            }
            Target::Filtered { resource, query } => self.open_kind(resource, None, &query, now),
            Target::SameView => self.pushed(),
            Target::Namespace(name) => {
                let namespaces = Namespaces::These(vec![Namespace::parse(&name).ok()?]);
                self.set_namespaces(self.board.active_id(), namespaces, now);
            }
            Target::Clusters(clusters) => self.set_clusters(self.board.active_id(), Some(clusters), now),
            Target::Object { view, row } => {
                let pane = self.board.go_to_row(view, row)?;
                self.open_panel(pane, Some(row), Some(PanelKey::Open));
            }
            Target::Link(link) => return Some(Action::OpenLink(link.into())),
            Target::Action(number) => return palette::action(number),
        }
        None
    }

    pub(super) fn set_namespaces(&mut self, pane: PaneId, namespaces: Namespaces, now: Now) {
        let place = match namespaces {
            Namespaces::All => Place::All,
            Namespaces::These(names) => Place::These(names),
        };
        self.push_change(pane, |pane| pane.place.place = place, now);
    }

    /// As an address names them; `None`: the gateway's own one.
    pub(super) fn set_clusters(&mut self, pane: PaneId, clusters: Option<Box<str>>, now: Now) {
        let change = |pane: &mut Pane| {
            pane.place.cluster = clusters;
            // Its object may be of a cluster that left.
            pane.place.panel = None;
        };
        self.push_change(pane, change, now);
    }

    /// Changes a pane's place, and pushes an entry of the history.
    pub(super) fn push_change(&mut self, pane: PaneId, change: impl FnOnce(&mut Pane), now: Now) {
        self.leave();
        if self.board.change_pane(pane, change, &self.preferences, now) {
            self.pushed();
        }
    }

    pub(super) fn pushed(&mut self) {
        self.push_address();
        self.has_moved = true;
    }

    /// Keeps where the reader is, before the address changes.
    fn leave(&mut self) {
        self.remember_order();
        let tops_px = self.board.panes.iter().map(Pane::scroll_top_px).collect();
        self.places.leave(self.address_bar.shown(), tops_px);
    }

    fn push_address(&mut self) {
        let address = self.board.address();
        self.recent.went(&address);
        self.effects.extend(self.address_bar.push(address));
    }

    pub(super) fn links(&mut self) -> Option<Rc<PageLinks>> {
        let Self { address_bar, board, .. } = self;
        address_bar.links(|| board.address())
    }

    pub(super) fn replace_address(&mut self) {
        if let Some(effect) = self.address_bar.replace(self.board.address()) {
            self.recent.changed(&self.board.address());
            self.effects.push_back(effect);
        }
    }

    /// Changes one preference, and none that another tab stored meanwhile.
    pub(super) fn prefer(&mut self, change: Change) {
        change.apply(&mut self.preferences);
        self.effects.push_back(Effect::Keep(change));
    }

    pub(super) fn toggle_pin(&mut self, resource: &Resource) {
        let teams = self.board.client.welcome().map(|welcome| welcome.pinned.as_slice()).unwrap_or_default();
        let change = self.preferences.toggle_pin(resource.to_string().into(), teams);
        self.prefer(change);
        self.has_moved = true;
    }
}
