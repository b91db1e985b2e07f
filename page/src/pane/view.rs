//! The view that a pane has open, and how it stands: its rows or a paused copy of them, what they use, its clusters and its
//! freshness. Never which rows are mounted.

use std::rc::Rc;

use replica::client::ViewKey;
use replica::freshness::{self, ClusterState, Freshness};
use replica::table::{Delta, Slot};
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::row::RowId;

use super::announcer::Announcer;
use super::column::Column;
use super::displayed::{Displayed, Rows};
use super::usage::Usage;
use crate::cx::Cx;
use crate::location::{Location, PanelPlace};
use crate::query::Sort;
use crate::table_view::TableView;

/// What a pane subscribes to for its table. [`super::Pane`] opens and leaves it, and asks it for the rows of an action or
/// of a frame. The log has a subscription of its own.
#[derive(Default)]
pub(super) struct PaneView {
    displayed: Displayed,
    usage: Usage,
    /// The clusters of the view.
    clusters: Vec<ClusterName>,
    /// The state of each cluster, if there are several.
    states: Vec<ClusterState>,
    /// The view's freshness at the last frame or second.
    freshness: Option<Freshness>,
    /// The view has to be opened again with other rows or cells.
    must_reopen: bool,
    /// The row of the open panel's object, while a filter may hide it.
    open_row: Option<RowId>,
    announcer: Announcer,
}

/// Which view it is.
impl PaneView {
    pub(super) fn key(&self) -> Option<ViewKey> {
        self.displayed.key()
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.displayed.kind()
    }

    /// Whether it uses a view.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        [self.key(), self.usage.key()].contains(&Some(key))
    }

    pub(super) fn clusters(&self) -> &[ClusterName] {
        &self.clusters
    }

    pub(super) fn set_clusters(&mut self, clusters: Vec<ClusterName>) {
        self.clusters = clusters;
    }

    pub(super) fn open(&mut self, key: ViewKey, kind: Rc<Kind>, cx: &mut Cx) {
        self.must_reopen = false;
        self.displayed.open(cx, key, kind);
    }

    /// What stands there without a view.
    pub(super) fn refuse(&mut self, refused: Displayed) {
        self.displayed = refused;
    }

    /// Returns the views that it no longer uses.
    pub(super) fn leave(&mut self, cx: &mut Cx) -> impl Iterator<Item = ViewKey> + use<> {
        let usage = self.usage.leave();
        self.displayed.leave(cx).into_iter().chain(usage)
    }

    pub(super) fn must_reopen(&self) -> bool {
        self.must_reopen
    }

    pub(super) fn reopen_if(&mut self, must_reopen: bool) {
        self.must_reopen |= must_reopen;
    }

    pub(super) fn reopens(&mut self) {
        self.must_reopen = false;
    }

    /// Opens what the rows use, where the cluster measures it. Returns a view that isn't needed any more.
    pub(super) fn follow_usage(
        &mut self,
        place: &Location,
        is_other_view: bool,
        cx: &mut Cx,
    ) -> Option<ViewKey> {
        let kind = self.displayed.kind()?.clone();
        let measured = (&*kind, place.namespaces(&[]), self.clusters.as_slice());
        self.usage.open(&self.displayed, measured, is_other_view, cx)
    }

    pub(super) fn set_query(&mut self, filter: &str, sort: Option<&Sort>, cx: &mut Cx) {
        self.displayed.set_query(cx, filter, sort);
    }

    /// Words of the filter are looked for in the cells that are shown.
    pub(super) fn set_searched(&mut self, shown: &[Column], cx: &mut Cx) {
        self.displayed.set_searched(cx, shown);
    }

    /// The view dropped all that it held: a copy of it that was paused goes on.
    pub(super) fn purged(&mut self, key: ViewKey) {
        if self.key() == Some(key) {
            self.displayed.drop_copy();
        }
    }
}

/// Its rows, and how they stand.
impl PaneView {
    pub(super) fn displayed(&self) -> &Displayed {
        &self.displayed
    }

    pub(super) fn displayed_mut(&mut self) -> &mut Displayed {
        &mut self.displayed
    }

    pub(super) fn rows<'a>(&'a self, cx: &'a Cx) -> Option<Rows<'a>> {
        self.displayed.rows(cx)
    }

    /// `None`: there is no view.
    pub(super) fn parts_mut(&mut self) -> Option<(&mut Displayed, &Freshness, &[ClusterState])> {
        Some((&mut self.displayed, self.freshness.as_ref()?, &self.states))
    }

    pub(super) fn freshness(&self) -> Option<&Freshness> {
        self.freshness.as_ref()
    }

    /// Each cluster of a view of several.
    pub(super) fn states(&self) -> &[ClusterState] {
        &self.states
    }

    pub(super) fn update_freshness(&mut self, cx: &Cx) {
        let live = self.displayed.rows(cx).map(|rows| rows.live);
        let (client, now_ms) = (&cx.client, cx.now_ms());
        self.freshness = live.map(|view| freshness::of(client, view, now_ms));
        self.states = live.map(|view| freshness::of_clusters(client, view, now_ms)).unwrap_or_default();
    }

    pub(super) fn is_stale(&self) -> bool {
        self.freshness.as_ref().is_some_and(Freshness::is_stale)
    }

    pub(super) fn rows_came(&mut self, delta: &Delta) {
        self.displayed.rows_came(delta);
    }

    /// Rows came of any view: those of what the rows use are joined to them.
    pub(super) fn source_rows_came(&mut self, key: ViewKey, delta: &Delta, cx: &mut Cx) {
        self.usage.rows_came(&self.displayed, (key, delta), cx);
    }

    /// Once a second.
    pub(super) fn second(&mut self, cx: &mut Cx) {
        self.usage.second(&self.displayed, cx);
        self.update_freshness(cx);
    }

    /// The row of the panel's object. It is looked for only where a filter may hide it.
    pub(super) fn follow_open_row(&mut self, open: Option<&PanelPlace>, cx: &Cx) {
        self.open_row = open.and_then(|panel| {
            let table = self.displayed.rows(cx)?.view.table();
            Some(table.rows().find(|row| panel.is_of_row(row, table))?.id)
        });
    }

    /// The open row and this one are shown, also where the filter hides them.
    pub(super) fn keep(&mut self, focused: Option<RowId>, cx: &mut Cx) {
        let Some(rows) = self.displayed.rows(cx) else { return };
        let table = rows.view.table();
        let kept = [focused, self.open_row].into_iter().flatten();
        let slots: Vec<Slot> = kept.filter_map(|row| table.slot_of(row)).collect();
        if let Some((view, reader)) = self.displayed.view_mut(cx) {
            view.keep(reader, slots);
        }
    }

    /// In the head of the columns that say what the rows use.
    pub(super) fn polled(&self, cx: &Cx) -> String {
        self.usage.polled(cx)
    }

    /// The message for screen readers, of the row that has the focus.
    pub(super) fn announce(&mut self, focused: Option<RowId>, cx: &Cx) -> Option<String> {
        self.announcer.announce(&self.displayed.rows(cx)?, focused?)
    }

    /// The number of rows, once all are here.
    pub(super) fn count(&self, cx: &Cx) -> Option<usize> {
        let table = self.displayed.rows(cx)?.live.table();
        (table.is_whole() && self.freshness.as_ref()?.shows_rows()).then(|| table.len())
    }
}
