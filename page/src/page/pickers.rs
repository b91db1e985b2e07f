//! What a reader opens to look elsewhere: the pickers of namespaces and of clusters, and "go to". While one of them looks
//! for a namespace, the cluster's namespaces are watched.

use replica::client::ViewKey;

use super::clusters::{ClusterChoice, ClusterPicker};
use super::namespaces::{NamespacePicker, Picked};
use super::palette::{Around, Chosen, GoTo, Palette};
use super::rights::Rights;
use crate::action::{PaletteAction, PickerAction};
use crate::cx::Cx;
use crate::model::PageModel;
use crate::pane::Pane;
use shared::scope::Namespaces;

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
        self.namespaces = NamespacePicker::default();
        self.go_to.close();
    }

    /// Returns the namespaces that the reader chose.
    pub(super) fn update_namespaces(
        &mut self,
        action: PickerAction,
        (pane, rights): (Option<&Pane>, &Rights),
        model: &PageModel,
        cx: &Cx,
    ) -> Option<Namespaces> {
        self.namespaces.update(&model.namespaces.chosen, action, Picked::of(pane, rights, cx))
    }

    pub(super) fn render_namespaces(
        &mut self,
        pane: Option<&Pane>,
        rights: &Rights,
        model: &mut PageModel,
        cx: &Cx,
    ) {
        self.namespaces.render(pane, rights, model, cx);
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

    /// Opens "go to". Its first hits are found by [`Self::search`].
    pub(super) fn open_palette(&mut self, palette: Palette) {
        self.go_to.open(palette);
    }

    pub(super) fn search(&mut self, text: String, around: Around<'_>) {
        self.go_to.search(text, &self.namespaces, around);
    }

    pub(super) fn search_again(&mut self, around: Around<'_>) {
        self.go_to.search_again(&self.namespaces, around);
    }

    /// Returns what the reader chose.
    pub(super) fn update_palette(&mut self, action: PaletteAction, around: Around<'_>) -> Option<Chosen> {
        self.go_to.update(action, &self.namespaces, around)
    }

    pub(super) fn show_palette(&self, model: &mut PageModel) {
        self.go_to.show(model);
    }
}
