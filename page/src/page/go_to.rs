//! Where a reader goes to another view: "go to", the namespace picker and the navigation, as parts of the page; and the
//! sheet of keys.

use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use shared::frame::server::Cluster;
use shared::state::UnixMillis;

use super::namespaces::Picked;
use super::navigation::{Navigation, kinds_of};
use super::palette::{self, Palette};
use super::rights::{Known, Rights, is_reviewed};
use super::{Board, Page};
use crate::action::{PaletteAction, PickerAction};
use crate::messages;
use crate::palette::{SearchContext, Target};
use crate::pane::Pane;
use crate::table_view::Client;

impl Page {
    pub(super) fn update_palette(&mut self, action: PaletteAction, now: Now) {
        match (action, &mut self.palette) {
            (PaletteAction::Open, _) => return self.open_palette(Palette::default(), now),
            (PaletteAction::Type(text), Some(_)) => self.search(text),
            (PaletteAction::Move(by), Some(palette)) => palette.move_by(by),
            (PaletteAction::Choose(number), _) => self.choose(number, false, now),
            (PaletteAction::ChooseBeside(number), _) => self.choose(number, true, now),
            (PaletteAction::Close, _) => {
                self.palette = None;
                self.navigator.board.focus_rows();
            }
            (PaletteAction::Type(_) | PaletteAction::Move(_), None) => {}
        }
        self.watch_namespaces(now);
        self.show_palette();
    }

    fn choose(&mut self, number: Option<usize>, is_beside: bool, now: Now) {
        let Some(palette) = self.palette.take() else { return };
        let adds_view = palette.adds_view();
        let target = palette.choose(number);
        let adds_view = target.as_ref().is_some_and(|target| adds_view || is_beside && target.is_view());
        if adds_view && !self.add_pane(self.navigator.board.active_id(), now) {
            return;
        }
        // An object's panel takes the focus.
        if !matches!(target, Some(Target::Object { .. })) {
            self.navigator.board.focus_rows();
        }
        if let Some(action) = target.and_then(|target| self.navigator.go_to(target, now)) {
            self.apply(None, action, now);
        }
    }

    pub(super) fn open_palette(&mut self, palette: Palette, now: Now) {
        self.palette = Some(palette);
        // The namespaces that are known already are found at once.
        self.watch_namespaces(now);
        self.search(String::new());
        self.show_palette();
    }

    fn search(&mut self, text: String) {
        self.with_context(|palette, context| palette.search(text, context));
    }

    /// Other namespaces are known than before.
    pub(super) fn search_again(&mut self) {
        self.with_context(Palette::search_again);
        self.show_palette();
    }

    fn with_context(&mut self, search: impl FnOnce(&mut Palette, &SearchContext<'_>)) {
        if let Some(palette) = &mut self.palette {
            let board = &self.navigator.board;
            let namespaces = board.namespaces.names(&board.client);
            let recent = self.navigator.recent.others();
            let resource = board.active().map(|pane| &*pane.place.resource).unwrap_or_default();
            let here =
                board.active().map(|pane| pane.place.clusters(board.client.clusters())).unwrap_or_default();
            let here: Vec<&Cluster> =
                here.iter().filter_map(|name| board.client.cluster_named(Some(name))).collect();
            let kinds = kinds_of(&here, &board.client).unwrap_or_default();
            let views = board.views();
            search(
                palette,
                &palette::context(&board.client, (resource, &kinds, &views), &namespaces, recent),
            );
        }
    }

    /// At once, because the next key goes to the open box.
    fn show_palette(&mut self) {
        self.model.palette = self.palette.as_ref().map(|palette| palette.shown().clone());
    }

    pub(super) fn update_namespaces(&mut self, action: PickerAction, now: Now) {
        let zone = self.zone;
        let view = self.navigator.board.active().and_then(Pane::key);
        let Board { client, namespaces, rights, .. } = &mut self.navigator.board;
        let picked = Picked { view, known: reviewed(client, rights, view), now_ms: now.now_ms, zone };
        if let Some(chosen) = namespaces.update(client, &self.model.namespaces.chosen, action, picked) {
            self.navigator.set_namespaces(self.navigator.board.active_id(), chosen, now);
        }
        self.watch_namespaces(now);
        self.ask_rights(1, now.now_ms);
        self.render_namespaces(now.now_ms);
    }

    pub(super) fn show_help(&mut self, is_open: bool) {
        self.model.help = is_open;
        if !is_open {
            self.navigator.board.focus_rows();
        }
    }

    /// They are watched while the reader looks for one, or sees no rows of one that may not exist.
    pub(super) fn watch_namespaces(&mut self, now: Now) {
        let board = &mut self.navigator.board;
        let wants = |pane: &Pane| pane.wants_namespaces(&board.client, now.now_ms);
        let is_wanted = self.palette.is_some() || board.namespaces.is_open() || board.panes.iter().any(wants);
        board.watch_namespaces(is_wanted, now);
    }

    pub(super) fn render_namespaces(&mut self, now_ms: UnixMillis) {
        let pane = self.navigator.board.active();
        let chosen = pane.map(|pane| pane.place.namespaces(&[])).unwrap_or_default();
        let is_cluster_scoped = pane.and_then(Pane::kind).is_some_and(|kind| !kind.namespaced);
        let view = pane.and_then(Pane::key);
        let Board { client, namespaces, rights, .. } = &mut self.navigator.board;
        let picked = Picked { view, known: reviewed(client, rights, view), now_ms, zone: self.zone };
        let model = namespaces.model(client, chosen, is_cluster_scoped, picked);
        if *self.model.namespaces != model {
            self.model.namespaces = Arc::new(model);
        }
    }

    pub(super) fn render_navigation(&mut self) {
        let pane = self.navigator.board.active();
        let here = pane.map(|pane| pane.place.clone()).unwrap_or_default();
        let current = pane.and_then(Pane::kind).map(|kind| kind.resource.clone());
        let clusters = pane.map(|pane| pane.clusters.as_slice()).unwrap_or_default();
        match (clusters, &here.cluster) {
            ([_, ..], _) => self.model.cluster = messages::clusters_named(clusters),
            ([], Some(cluster)) => self.model.cluster = cluster.to_string(),
            ([], None) => {}
        }
        let count = self.model.navigation.count.clone();
        let navigation =
            Navigation::of(&self.navigator.board.client, &self.navigator.preferences, &here, current, count);
        if let Some(navigation) = navigation {
            self.model.navigation = Arc::new(navigation);
        }
    }
}

/// What is known of the rights to a view, where those are reviewed.
fn reviewed<'a>(client: &Client, rights: &'a Rights, view: Option<ViewKey>) -> Option<&'a Known> {
    let subscription = client.view(view?)?.subscription();
    // Each of several clusters has rights of its own.
    if !is_reviewed(client) || !subscription.clusters.is_empty() {
        return None;
    }
    rights.of(client, &subscription.scope)
}
