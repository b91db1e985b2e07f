//! What a reader opens to look elsewhere: the pickers of namespaces and of clusters, and "go to". While one of them looks
//! for a namespace, the cluster's namespaces are watched.

use replica::client::ViewKey;

use super::history::History;
use super::panes::Panes;
use crate::action::{PaletteAction, PickerAction};
use crate::clusters::{ClusterChoice, ClusterPicker};
use crate::cx::Cx;
use crate::kinds::kinds_of;
use crate::model::PageModel;
use crate::namespaces::{NamespacePicker, Picked};
use crate::palette::part::{Part, SearchContext};
use crate::palette::{Chosen, GoTo, Purpose};
use crate::pane::Pane;
use shared::frame::server::Cluster;
use shared::scope::Namespaces;

/// Where the palette is open, and what is known there.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) panes: &'a Panes,
    pub(super) history: &'a History,
    pub(super) cx: &'a Cx,
}

impl<'a> Around<'a> {
    /// What the palette finds by. `namespaces`: those of the cluster that are known.
    fn context(self, namespaces: Vec<Box<str>>) -> SearchContext<'a> {
        let client = &self.cx.client;
        let pane = self.panes.active();
        let named = pane.map(|pane| pane.place().clusters(client.clusters())).unwrap_or_default();
        let here: Vec<&Cluster> = named.iter().filter_map(|name| client.cluster_named(Some(name))).collect();
        SearchContext {
            kinds: kinds_of(&here, client).unwrap_or_default(),
            clusters: client.clusters(),
            resource: pane.map(|pane| &*pane.place().resource).unwrap_or_default(),
            namespaces,
            recent: self.history.other_places(),
            views: self.panes.views(self.cx).iter().filter_map(|key| client.view(*key)).collect(),
            columns: pane.map(Pane::column_titles).unwrap_or_default(),
            boards: client.welcome().map(|welcome| welcome.boards.as_slice()).unwrap_or_default(),
        }
    }
}

/// The three share the list of namespaces. Each returns what its reader chose, and [`super::Page`] opens it.
#[derive(Default)]
pub(super) struct Pickers {
    namespaces: NamespacePicker,
    clusters: ClusterPicker,
    go_to: GoTo,
}

impl Pickers {
    /// Whether the list of namespaces uses the view.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.namespaces.holds(key)
    }

    /// A namespace is looked for.
    pub(super) fn look_for_namespaces(&self) -> bool {
        self.go_to.is_open() || self.namespaces.is_open()
    }

    pub(super) fn is_namespaces_open(&self) -> bool {
        self.namespaces.is_open()
    }

    /// Watches the namespaces of the active pane's clusters, or stops to. Returns the view that isn't used any more.
    pub(super) fn watch(&mut self, pane: Option<&Pane>, is_wanted: bool, cx: &mut Cx) -> Option<ViewKey> {
        if is_wanted {
            self.namespaces.watch(pane.map(Pane::clusters).unwrap_or_default(), cx)
        } else {
            // A pane may use the same list.
            self.namespaces.unwatch(cx)
        }
    }

    /// The view of all namespaces as they are now.
    pub(super) fn all_namespaces(&self, cx: &Cx) -> Option<ViewKey> {
        self.namespaces.current(cx)
    }

    /// The reader has left. What was known of namespaces goes as well.
    pub(super) fn leave(&mut self) {
        *self = Self::default();
    }

    /// Returns the namespaces that the reader chose.
    pub(super) fn update_namespaces(
        &mut self,
        action: PickerAction,
        picked: Picked<'_>,
        model: &PageModel,
        cx: &Cx,
    ) -> Option<Namespaces> {
        self.namespaces.update(&model.namespaces.chosen, action, picked, cx)
    }

    pub(super) fn render_namespaces(&mut self, picked: Picked<'_>, model: &mut PageModel, cx: &Cx) {
        self.namespaces.render(picked, model, cx);
    }

    /// Returns the clusters that the reader chose.
    pub(super) fn update_clusters(
        &mut self,
        action: PickerAction,
        pane: Option<&Pane>,
        cx: &Cx,
    ) -> Option<ClusterChoice> {
        self.clusters.update(action, pane, cx)
    }

    pub(super) fn render_clusters(&self, pane: Option<&Pane>, model: &mut PageModel, cx: &Cx) {
        self.clusters.render(pane, model, cx);
    }

    /// Opens "go to". Its first hits are found by [`Self::search_again`].
    pub(super) fn open_palette(&mut self, purpose: Purpose) {
        self.go_to.open(purpose);
    }

    /// Something else is known than before. Returns what the reader chose before there was a search.
    pub(super) fn search_again(&mut self, around: Around<'_>) -> Option<Chosen> {
        let (part, context) = self.context(around)?;
        self.go_to.search_again(part, &context)
    }

    /// Returns what the reader chose.
    pub(super) fn update_palette(&mut self, action: PaletteAction, around: Around<'_>) -> Option<Chosen> {
        let is_typed = matches!(action, PaletteAction::Type(_));
        let chosen = self.go_to.update(action);
        if is_typed && let Some((part, context)) = self.context(around) {
            self.go_to.search(part, &context);
        }
        chosen
    }

    /// `None`: nothing is searched, or the search isn't there.
    fn context<'a>(&self, around: Around<'a>) -> Option<(Part, SearchContext<'a>)> {
        let part = around.cx.more?.palette;
        self.go_to.is_open().then(|| (part, around.context(self.namespaces.names(around.cx))))
    }

    /// At once, because the next key goes to the open box.
    pub(super) fn show_palette(&self, model: &mut PageModel) {
        model.palette = self.go_to.model();
    }
}
