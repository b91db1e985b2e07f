//! What a reader does: each action goes to its feature, and what a feature answers is carried out here, because it concerns
//! the panes, the address and the panel together.

use replica::client::{Input, SignIn};
use shared::name::Namespace;
use shared::problem::Problem;
use shared::row::RowId;
use shared::scope::Namespaces;

use super::Page;
use super::address_bar::{Host, first_pane};
use super::guest::activated;
use super::panes::AroundPast;
use super::pickers::Around;
use super::recent::view_label;
use crate::action::{
    Action, Key, PaletteAction, PaneAction, PaneId, PanelAction, PanelKey, PastAction, PickerAction,
    TellAction,
};
use crate::address::Look;
use crate::clusters;
use crate::effect::Effect;
use crate::limits::RIGHTS_AT_ONCE_MAX;
use crate::location::{ALL_CLUSTERS, Location, Place};
use crate::login::session::Session;
use crate::messages;
use crate::namespaces::Picked;
use crate::palette::{Chosen, Purpose, Target};
use crate::pane::Pane;
use crate::panel::PanelOutcome;
use crate::piece::MoreParts;
use crate::preferences::Change;
use crate::tell::part::Linked;
use crate::wrong;

impl Page {
    pub(super) fn apply(&mut self, from: Option<PaneId>, action: Action) {
        if let Some(object) = from.and_then(|id| self.panels.object_mut(id)) {
            // What is of a page around an object's element isn't done.
            let Some(action) = object.update(action, &mut self.cx) else { return };
            return self.apply(None, action);
        }
        let pane = from.unwrap_or(self.panes.active_id());
        if let Some(why) = self.panes.get(pane).and_then(|pane| pane.refusal(&action)) {
            return self.feedback.hint(why, &self.cx);
        }
        match action {
            Action::OpenKind(resource) => {
                self.panes.focus_rows();
                self.open_kind(resource.to_string().into(), None, "");
            }
            Action::FollowLink(link) => {
                if let Some(changed) = self.follow_link(&link) {
                    self.feedback.hint(changed, &self.cx);
                }
            }
            Action::OpenLink(link) => {
                self.cx.effect(Effect::PushAddress(link.clone()));
                self.go_to_address(&link);
            }
            Action::SetNamespaces(namespaces) => self.set_namespaces(pane, namespaces),
            Action::LookEverywhere => self.set_namespaces(pane, Namespaces::All),
            Action::OpenServed => self.push_change(pane, |pane| pane.place_mut().cluster = None),
            // An element's host chooses what it shows.
            Action::Namespaces(_) | Action::Clusters(_) if !self.history.is_own_page() => {}
            Action::Clusters(PickerAction::Open) if !self.can_choose_clusters() => {
                self.feedback.hint(messages::ONE_CLUSTER, &self.cx);
            }
            Action::Namespaces(action) => self.update_namespaces(action),
            Action::Clusters(action) => self.update_clusters(action),
            Action::NextTheme => {
                self.model.theme = self.model.theme.next();
                self.cx.prefer(Change::Theme(self.model.theme.word().into()));
            }
            Action::SetDensity(density) => self.cx.prefer(Change::Density(density)),
            Action::SetTheme(theme) => {
                if let Some(pane) = self.panes.get_mut(pane) {
                    pane.set_theme(theme);
                }
            }
            Action::ShowLogin(login) => Session::show_login(login, &mut self.model, &self.cx),
            Action::SignInAgain => {
                self.session.sign_in_again(&self.history, &mut self.model, &mut self.cx);
            }
            Action::SignIn(token) => {
                let token = SignIn::Bearer(token.trim().into());
                self.cx.client.handle(Input::SignIn(token), self.cx.now);
            }
            Action::SignOut => self.cx.effect(Effect::SignOut),
            Action::ReturnToViews => {
                self.model.login.take_if(|login| login.can_return);
            }
            Action::Who(is_open) => self.session.show_who(is_open),
            Action::Rights(is_open) => {
                self.session.show_rights(is_open, &self.cx);
                self.ask_rights(RIGHTS_AT_ONCE_MAX);
            }
            Action::TryNow => self.cx.client.handle(Input::Retry, self.cx.now),
            Action::DismissBar => {
                self.panes.dismiss_refusal();
                self.history.dismiss_unread();
                self.panes.forget_unknown_columns(&self.cx);
                self.history.replace(&self.panes, &mut self.cx);
            }
            Action::FetchAgain => self.pieces.again(self.cx.now_ms()),
            Action::Reload => self.cx.effect(Effect::Reload),
            Action::Copy(clip) => self.cx.effect(Effect::Copy(clip)),
            Action::ToggleLog => self.push_change(pane, Pane::toggle_look),
            Action::Palette(action) => self.update_palette(action),
            Action::Help(is_open) => {
                self.model.help = is_open;
                if is_open {
                    self.panels.lend_focus();
                } else {
                    self.return_focus();
                }
            }
            Action::ReturnFocus => self.return_focus(),
            Action::NoKey(name) => self.feedback.hint(messages::no_key(&name), &self.cx),
            Action::Kinds => self.model.kinds_asked += 1,
            Action::WhatIsWrong => {
                // The question is asked of all that there is, if that isn't too much.
                let is_of_all = (2..=wrong::CLUSTERS_MAX).contains(&self.cx.client.clusters().len());
                let open = |pane: &mut Pane| {
                    let held = pane.place();
                    let (cluster, at) = (held.cluster.clone(), held.at);
                    let cluster = if is_of_all { Some(ALL_CLUSTERS.into()) } else { cluster };
                    pane.lead_to(Look::Wrong, Location { cluster, at, ..Location::default() });
                };
                self.push_change(pane, open);
            }
            Action::Wrong(action) => {
                self.panes.update_wrong(pane, action);
                self.history.replace(&self.panes, &mut self.cx);
            }
            Action::Tell(action) => self.update_tell(pane, action),
            Action::Rollouts => self.open_kind("deployments.apps".into(), None, "health=changing"),
            Action::Past(action) => self.update_past(pane, action),
            Action::Pin(resource) => {
                let welcome = self.cx.client.welcome();
                let teams = welcome.map(|welcome| welcome.pinned.as_slice()).unwrap_or_default();
                let change = self.cx.preferences.toggle_pin(resource.to_string().into(), teams);
                self.cx.prefer(change);
                self.history.moved(true);
            }
            Action::ActivateAt(place) => {
                let has_moved = self.panes.activate_at(place);
                self.history.moved(has_moved);
            }
            Action::Activate(pane) => self.activate(pane),
            Action::Split
            | Action::ClosePane
            | Action::MovePane(_)
            | Action::PlacePane(_)
            | Action::ResizePane(..)
            | Action::SizePane(..)
            | Action::PauseAll
            | Action::SetTitle(_) => self.update_board(pane, action),
            Action::Panel(PanelAction::Open { row, key }) => {
                self.open_row(pane, row.as_deref().and_then(RowId::parse), key);
            }
            Action::Panel(PanelAction::HasFocus(has_focus)) => self.panels.has_focus(has_focus),
            Action::Panel(PanelAction::Back) if !self.panels.is_open() => {
                self.update_pane(pane, PaneAction::Key(Key::Back));
            }
            Action::Panel(action) => self.update_panel(action),
            // The panel is closed before anything in the pane.
            Action::In(PaneAction::Key(Key::Back)) if self.panels.is_open() => {
                self.update_panel(PanelAction::Close);
            }
            Action::In(action) => {
                let walks = matches!(action, PaneAction::Key(key) if key.moves_rows());
                self.update_pane(pane, action);
                if walks {
                    self.panel_follows_row(pane);
                }
            }
        }
    }

    fn lend_focus_to(&mut self, picker: &PickerAction) {
        if *picker == PickerAction::Open {
            self.panels.lend_focus();
        }
    }

    /// The host of an element tells its users by itself.
    fn update_tell(&mut self, pane: PaneId, action: TellAction) {
        if !self.history.is_own_page() {
            return;
        }
        let (opens, closes) = (action.opens(), matches!(action, TellAction::Close));
        if opens {
            self.panels.lend_focus();
        }
        if closes || matches!(action, TellAction::Ask) {
            self.history.answer_question(None);
            self.history.replace(&self.panes, &mut self.cx);
        }
        let shown = self.history.shown();
        let pane = self.panes.get(pane).filter(|_| opens);
        let part = self.cx.more.map(|more| more.tell);
        let subjects =
            pane.zip(part).map(|(pane, part)| (part.subjects)(pane.asked_at(shown, &self.cx), &action));
        let left = self.feedback.telling().update(action, subjects.unwrap_or_default(), &mut self.cx);
        self.close_unused(left);
        if closes {
            self.return_focus();
        }
    }

    /// The question of the link is shown once it is known what it is about.
    pub(super) fn follow_question(&mut self) {
        let question = self.history.question();
        let waits = self.feedback.telling().waits_for(question) && self.history.is_own_page();
        let Some(pane) = self.panes.active().filter(|_| waits) else { return };
        let at = pane.asked_at(self.history.shown(), &self.cx);
        if let Some(Linked::Unread(unread)) = self.feedback.telling().link(question, &at) {
            self.history.answer_question(Some(Problem::bad_request(unread)));
            self.history.replace(&self.panes, &mut self.cx);
        }
    }

    /// What was opened over the page is closed: the panel or the rows have the focus as before.
    fn return_focus(&mut self) {
        if !self.panels.take_focus_back() {
            self.panes.focus_rows();
        }
    }

    fn activate(&mut self, pane: PaneId) {
        let has_moved = self.panes.activate(pane);
        self.history.moved(has_moved);
    }
}

/// The views of the panes, and their address.
impl Page {
    fn update_pane(&mut self, id: PaneId, action: PaneAction) {
        if let Some(pane) = self.panes.get_mut(id) {
            let wide_before = pane.place().wide;
            let effect = pane.update(action, &mut self.cx);
            self.cx.effects.extend(effect);
            let (columns, wide) = (pane.columns_to_keep(), pane.place().wide);
            if let Some((resource, chosen)) = columns {
                self.cx.prefer(Change::Columns { resource, chosen });
            }
            if wide != wide_before {
                self.cx.prefer(Change::Wide(wide));
            }
        }
        let held = held_elsewhere!(self);
        self.panes.reopen(id, &held, &mut self.cx);
        self.history.replace(&self.panes, &mut self.cx);
    }

    /// The logic of what a reader opens over a table has come: what was done there before is done now.
    pub(super) fn more_came(&mut self, more: &'static MoreParts) {
        if let Some(opened) = self.feedback.telling().fill(more.tell) {
            self.update_tell(self.panes.active_id(), opened);
        }
        let ids: Vec<PaneId> = self.panes.iter().map(Pane::id).collect();
        for id in ids {
            let Some(pane) = self.panes.get_mut(id) else { continue };
            for action in pane.more_came(more, &self.cx) {
                self.update_pane(id, action);
            }
        }
    }

    /// Changes a pane's place, and opens it. Returns whether there is such a pane.
    pub(super) fn change_pane(&mut self, pane: PaneId, change: impl FnOnce(&mut Pane)) -> bool {
        let held = held_elsewhere!(self);
        self.panes.change(pane, change, &held, &mut self.cx)
    }

    /// Changes a pane's place, and pushes an entry of the history.
    fn push_change(&mut self, pane: PaneId, change: impl FnOnce(&mut Pane)) {
        self.history.leave(&self.panes);
        if self.change_pane(pane, change) {
            self.history.push_view(&self.panes, &mut self.cx);
        }
    }

    pub(super) fn go_to_address(&mut self, address: &str) {
        self.history.leave(&self.panes);
        let before = self.panes.views(&self.cx);
        let shown = self.history.read(address, &mut self.cx);
        let held = held_elsewhere!(self);
        self.panes.show(shown, &held, &mut self.cx);
        self.history.arrived(address, &before, &mut self.panes, &mut self.cx);
    }

    /// Opens a kind in the active pane, in this namespace or in those of the pane, in the order that it had before. A
    /// panel that is docked keeps its object.
    fn open_kind(&mut self, resource: Box<str>, namespace: Option<Namespace>, query: &str) {
        let sort = self.history.order_of(&resource, &self.panes);
        let is_docked = self.panels.are_docked();
        let change = |pane: &mut Pane| {
            let held = pane.place();
            let place = match (namespace, &held.place) {
                (Some(name), _) => Place::These(vec![name]),
                // A cluster-scoped kind has no namespaces to keep: take those of the context.
                (None, Place::Cluster) => Place::Context,
                (None, place) => place.clone(),
            };
            let (query, wide, cluster, at) = (query.into(), held.wide, held.cluster.clone(), held.at);
            let panel = held.panel.clone().filter(|_| is_docked);
            let panel = panel.map(|panel| panel.beside(&held.resource, &resource));
            let place =
                Location { resource, cluster, place, query, sort, wide, at, panel, ..Location::default() };
            pane.lead_to(Look::Table, place);
        };
        self.push_change(self.panes.active_id(), change);
    }

    /// Opens the object of a link in the pane whose panel has the link. The reader's namespaces stay, unless the
    /// object is in none of them: then its namespace is added. Returns what is said about that, and about the way back
    /// from a view of another kind.
    fn follow_link(&mut self, link: &str) -> Option<String> {
        let mut linked = first_pane(link).location;
        let id = self.panes.of_panel().map_or(self.panes.active_id(), Pane::id);
        let sort = self.history.order_of(&linked.resource, &self.panes);
        let client = &self.cx.client;
        let named = linked.clusters(client.clusters());
        let context = client.cluster_named(named.first()).map(|cluster| cluster.namespaces.clone());
        let pane = self.panes.get(id)?;
        // In a view of several clusters the object's stays among them.
        if let ([named], true) = (named.as_slice(), pane.clusters().len() > 1)
            && pane.clusters().contains(named)
        {
            linked.cluster.clone_from(&pane.place().cluster);
            if let Some(panel) = &mut linked.panel {
                panel.cluster = Some(named.clone());
            }
        }
        let (place, added) = linked.place.within(&pane.place().place, &context.unwrap_or_default());
        let object = linked.panel.as_ref().map(|panel| panel.name.as_str()).unwrap_or_default();
        let said = added.map(|added| messages::namespace_added(added.as_str(), object));
        let former =
            pane.kind().map(|kind| &kind.resource).filter(|former| *former.to_string() != *linked.resource);
        let former = former.filter(|_| self.history.is_own_page());
        let back = former.map(|former| messages::back_returns_to(former.resource.as_str()));
        self.push_change(id, |pane| pane.follow_link(linked, place, sort));
        self.panels.take_focus();
        let said: Vec<String> = said.into_iter().chain(back).collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    fn set_namespaces(&mut self, pane: PaneId, namespaces: Namespaces) {
        let place = match namespaces {
            Namespaces::All => Place::All,
            Namespaces::These(names) => Place::These(names),
        };
        self.push_change(pane, |pane| pane.place_mut().place = place);
    }

    /// As an address names them; `None`: the gateway's own one.
    fn set_clusters(&mut self, pane: PaneId, clusters: Option<Box<str>>) {
        let change = |pane: &mut Pane| {
            let place = pane.place_mut();
            place.cluster = clusters;
            // Its object may be of a cluster that left.
            place.panel = None;
        };
        self.push_change(pane, change);
    }

    fn update_past(&mut self, pane: PaneId, action: PastAction) {
        let held = held_elsewhere!(self);
        let of_now = |key| self.pickers.holds(key);
        let (history, cx) = (&mut self.history, &mut self.cx);
        let mut around = AroundPast { history, held: &held, of_now: &of_now, cx };
        if let Some(why) = self.panes.update_past(pane, action, &mut around) {
            self.feedback.hint(why, &self.cx);
        }
        self.panes.ask_recorded(self.history.is_own_page(), &mut self.cx);
    }

    pub(super) fn follow_drag(&mut self) {
        let held = held_elsewhere!(self);
        let of_now = |key| self.pickers.holds(key);
        let (history, cx) = (&mut self.history, &mut self.cx);
        self.panes.follow_drag(&mut AroundPast { history, held: &held, of_now: &of_now, cx });
    }

    /// `pane`: the pane that the action came from, or the active one.
    fn update_board(&mut self, pane: PaneId, action: Action) {
        let held = held_elsewhere!(self);
        let is_other_board = match action {
            Action::Split => return self.ask_for_view(pane),
            Action::PauseAll => {
                for pane in self.panes.paused_or_all() {
                    self.update_pane(pane, PaneAction::TogglePause);
                }
                return;
            }
            Action::ClosePane => {
                let is_closed = self.panes.close(pane, &held, &mut self.cx);
                if !is_closed {
                    self.feedback.hint(messages::ONLY_VIEW, &self.cx);
                }
                is_closed
            }
            Action::MovePane(by) => self.panes.move_by(pane, by),
            Action::PlacePane(other) => self.panes.move_to_pane(pane, other),
            action => {
                if self.panes.update_frame(pane, action) {
                    self.history.replace(&self.panes, &mut self.cx);
                }
                return;
            }
        };
        if is_other_board {
            self.history.push_view(&self.panes, &mut self.cx);
        }
    }

    /// Opens "go to" for a view beside this one; an element of another page has none. A full board says that it is
    /// full.
    fn ask_for_view(&mut self, pane: PaneId) {
        let here = self.panes.get(pane).map(|pane| view_label(pane.place()));
        if let Some(here) = here.filter(|_| self.history.is_own_page())
            && !self.panes.is_full()
        {
            self.activate(pane);
            self.open_palette(Purpose::AddView { same: here });
        }
    }
}

/// The panel of an object.
impl Page {
    /// Opens the panel of a row. An element of another page has no panel: its host's page is told.
    fn open_row(&mut self, pane: PaneId, row: Option<RowId>, key: Option<PanelKey>) {
        let is_row = match self.history.host() {
            Host::Portal => {
                let row = self.panes.get(pane).and_then(|pane| activated(pane, row, &self.cx));
                let is_row = row.is_some();
                self.cx.effects.extend(row.map(|row| Effect::Activated(pane, row)));
                is_row
            }
            Host::Dogwatch => self.open_panel(pane, row, key),
        };
        if !is_row {
            self.feedback.hint(messages::NO_ROW_FOCUSED, &self.cx);
        }
    }

    /// Returns whether there is such a row.
    fn open_panel(&mut self, pane: PaneId, row: Option<RowId>, key: Option<PanelKey>) -> bool {
        // A click on another row leaves the tab that its reader chose.
        let shown = self.panes.of_panel().and_then(|held| Some(held.place().panel.as_ref()?.tab));
        let tab = key.map_or(shown.unwrap_or_default(), PanelKey::tab);
        let Some(is_other) = self.panes.open_panel(pane, row, tab, &self.cx) else { return false };
        if is_other {
            self.history.push(&self.panes, &mut self.cx);
        } else if let Some(key) = key {
            let outcome = self.panels.key(key, &self.cx);
            self.carry_out(outcome);
        }
        if key.is_some() {
            self.panels.take_focus();
        }
        true
    }

    /// The panel shows the object of the focused row, without an entry of the history for each.
    fn panel_follows_row(&mut self, pane: PaneId) {
        let open = self.panes.get(pane).and_then(|pane| pane.place().panel.as_ref());
        let Some(tab) = open.map(|panel| panel.tab) else { return };
        if self.panes.open_panel(pane, None, tab, &self.cx) == Some(true) {
            self.history.replace(&self.panes, &mut self.cx);
        }
    }

    fn update_panel(&mut self, action: PanelAction) {
        if let PanelAction::Walk(by) = action {
            if let Some((pane, tab)) = self.panes.walk(by, &self.cx)
                && self.panes.open_panel(pane, None, tab, &self.cx) == Some(true)
            {
                // The panel of another object has other elements: the focus stays in it.
                self.panels.take_focus();
                self.history.replace(&self.panes, &mut self.cx);
            }
            return;
        }
        let outcome = self.panels.update(action, &self.cx);
        self.carry_out(outcome);
    }

    fn carry_out(&mut self, outcome: PanelOutcome) {
        let pane = self.panes.of_panel_mut();
        match (outcome, pane) {
            (PanelOutcome::Nothing, _) => {}
            (PanelOutcome::Copy(clip), _) => self.cx.effect(Effect::Copy(clip)),
            (PanelOutcome::Download(file), _) => self.cx.effect(Effect::Download(file)),
            (PanelOutcome::Prefer(change), _) => self.cx.prefer(change),
            (PanelOutcome::Say(why), _) => self.feedback.hint(why, &self.cx),
            (PanelOutcome::Push(place), Some(pane)) => {
                pane.place_mut().panel = Some(place);
                self.history.push(&self.panes, &mut self.cx);
            }
            (PanelOutcome::Replace(place), Some(pane)) => {
                pane.place_mut().panel = Some(place);
                self.history.replace(&self.panes, &mut self.cx);
            }
            (PanelOutcome::Close, Some(pane)) => {
                pane.place_mut().panel = None;
                self.panels.has_focus(false);
                // The keyboard's focus goes back to the rows.
                pane.wants_focus();
                self.history.push(&self.panes, &mut self.cx);
            }
            (PanelOutcome::Push(_) | PanelOutcome::Replace(_) | PanelOutcome::Close, None) => {}
        }
    }
}

/// The pickers, and "go to".
impl Page {
    fn update_namespaces(&mut self, action: PickerAction) {
        self.lend_focus_to(&action);
        let picked = Picked { pane: self.panes.active(), rights: &self.rights };
        let chosen = self.pickers.update_namespaces(action, picked, &self.model, &self.cx);
        if let Some(chosen) = chosen {
            self.set_namespaces(self.panes.active_id(), chosen);
        }
        self.watch_namespaces();
        self.ask_rights(1);
        self.render_namespaces();
    }

    fn update_clusters(&mut self, action: PickerAction) {
        self.lend_focus_to(&action);
        if let Some(chosen) = self.pickers.update_clusters(action, self.panes.active(), &self.cx) {
            self.set_clusters(self.panes.active_id(), chosen);
        }
        self.pickers.render_clusters(self.panes.active(), &mut self.model, &self.cx);
    }

    fn update_palette(&mut self, action: PaletteAction) {
        if action == PaletteAction::Open {
            return self.open_palette(Purpose::GoTo);
        }
        let is_closed = action == PaletteAction::Close;
        let (panes, history, cx) = (&self.panes, &self.history, &self.cx);
        let chosen = self.pickers.update_palette(action, Around { panes, history, cx });
        if is_closed {
            self.return_focus();
        }
        if let Some(chosen) = chosen {
            self.choose(chosen);
        }
        self.watch_namespaces();
        self.pickers.show_palette(&mut self.model);
    }

    fn open_palette(&mut self, purpose: Purpose) {
        self.panels.lend_focus();
        self.pickers.open_palette(purpose);
        // The namespaces that are known already are found at once.
        self.watch_namespaces();
        self.search_again();
    }

    /// The palette's piece came, or something else is known than before.
    pub(super) fn search_again(&mut self) {
        let (panes, history, cx) = (&self.panes, &self.history, &self.cx);
        let chosen = self.pickers.search_again(Around { panes, history, cx });
        if let Some(chosen) = chosen {
            self.choose(chosen);
        }
        self.pickers.show_palette(&mut self.model);
    }

    fn choose(&mut self, chosen: Chosen) {
        let Chosen { target, adds_view } = chosen;
        let held = held_elsewhere!(self);
        if adds_view && !self.panes.split(self.panes.active_id(), &held, &mut self.cx) {
            return;
        }
        // An object's panel takes the focus, or the box that an action opens.
        let takes_focus = match &target {
            Some(Target::Object { .. }) => true,
            Some(Target::Action(number)) => self.opens_box(*number),
            _ => false,
        };
        if !takes_focus {
            self.panes.focus_rows();
        }
        if let Some(action) = target.and_then(|target| self.go_to(target)) {
            self.apply(None, action);
        }
    }

    /// Whether the action of this number opens a box in the active pane as it is.
    fn opens_box(&self, number: usize) -> bool {
        let action = self.cx.more.and_then(|more| (more.palette.action)(number));
        action.filter(Action::opens_box).is_some_and(|action| match &action {
            Action::Clusters(_) => self.can_choose_clusters(),
            action => self.panes.active().is_none_or(|pane| pane.refusal(action).is_none()),
        })
    }

    /// There are several, or there were when the view was opened.
    fn can_choose_clusters(&self) -> bool {
        let shown = self.panes.active().map_or(0, |pane| pane.clusters().len());
        clusters::is_replay(&self.cx) || self.cx.client.clusters().len().max(shown) > 1
    }

    /// Goes to a hit of the palette. If the hit is an action of the page, returns it.
    fn go_to(&mut self, target: Target) -> Option<Action> {
        let active = self.panes.active_id();
        match target {
            Target::Kind { resource, namespace, cluster } => {
                // The view of that cluster is opened with the kind.
                if let (Some(cluster), Some(pane)) = (cluster, self.panes.get_mut(active)) {
                    pane.place_mut().cluster = Some(cluster);
                }
                self.open_kind(resource, namespace.and_then(|name| Namespace::parse(&name).ok()), "");
            }
            Target::Filtered { resource, query } => self.open_kind(resource, None, &query),
            Target::SameView => self.history.push_view(&self.panes, &mut self.cx),
            Target::Namespace(name) => {
                let namespaces = Namespaces::These(vec![Namespace::parse(&name).ok()?]);
                self.set_namespaces(active, namespaces);
            }
            Target::Clusters(clusters) => self.set_clusters(active, Some(clusters)),
            Target::Object { view, row } => {
                let pane = self.panes.go_to_row(view, row, &self.cx)?;
                self.open_panel(pane, Some(row), Some(PanelKey::Open));
            }
            Target::Sort(column) => return Some(PaneAction::Sort(column).into()),
            Target::Link(link) => return Some(Action::OpenLink(link.into())),
            Target::Action(number) => {
                let action = (self.cx.more?.palette.action)(number)?;
                return Some(match action {
                    // The object that is open is meant, whichever row has the focus.
                    Action::Panel(PanelAction::Open { key: Some(key), .. }) if self.panels.is_open() => {
                        PanelAction::Key(key).into()
                    }
                    action => action,
                });
            }
        }
        None
    }
}
