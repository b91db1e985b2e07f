//! The rows that a pane shows: those of a view of the client, or a paused copy of them. Never which of them are
//! mounted.

use std::rc::Rc;

use replica::client::ViewKey;
use replica::table::{Delta, Slot};
use shared::problem::Problem;
use shared::resource::Kind;
use shared::row::RowId;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::column::Column;
use crate::cx::Cx;
use crate::messages::Waiting;
use crate::query::{Index, ReaderId, Sort, Source};
use crate::status::Class;
use crate::table_view::{TableView, View};

#[derive(Default)]
pub(super) enum Displayed {
    /// Discovery hasn't named the kinds yet.
    #[default]
    Unresolved,
    /// The cluster serves no such resource.
    Unknown(Problem),
    /// The gateway serves another cluster than the address names.
    OtherCluster {
        served: Box<str>,
    },
    Open(Opened),
}

/// A view of the client, and this pane's index of it.
pub(super) struct Opened {
    key: ViewKey,
    reader: ReaderId,
    kind: Rc<Kind>,
    paused: Option<PausedCopy>,
}

/// The rows at the time when the reader paused, and the number of changes since.
pub(super) struct PausedCopy {
    view: Box<View>,
    pub(super) since_ms: UnixMillis,
    pub(super) waiting: Waiting,
}

/// The displayed rows, looked up once for an action or a frame.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) kind: &'a Kind,
    /// The view as it is now.
    pub(super) live: &'a View,
    /// The live view or its paused copy.
    pub(super) view: &'a View,
    pub(super) index: &'a Index,
    pub(super) reader: ReaderId,
    pub(super) paused: Option<&'a PausedCopy>,
}

impl Displayed {
    pub(super) fn open(&mut self, cx: &mut Cx, key: ViewKey, kind: Rc<Kind>) {
        let reader = cx.client.view_mut(key).map(View::add_reader).unwrap_or_default();
        *self = Self::Open(Opened { key, reader, kind, paused: None });
    }

    /// Removes the reader. Another pane may show the same view, so the page decides whether to close it.
    pub(super) fn leave(&mut self, cx: &mut Cx) -> Option<ViewKey> {
        let Self::Open(opened) = std::mem::take(self) else { return None };
        if let Some(view) = cx.client.view_mut(opened.key) {
            view.remove_reader(opened.reader);
        }
        Some(opened.key)
    }

    fn opened(&self) -> Option<&Opened> {
        if let Self::Open(opened) = self { Some(opened) } else { None }
    }

    fn opened_mut(&mut self) -> Option<&mut Opened> {
        if let Self::Open(opened) = self { Some(opened) } else { None }
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        self.opened().map(|opened| opened.key)
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.opened().map(|opened| &opened.kind)
    }

    pub(super) fn rows<'a>(&'a self, cx: &'a Cx) -> Option<Rows<'a>> {
        let opened = self.opened()?;
        let live = cx.client.view(opened.key)?;
        let paused = opened.paused.as_ref();
        let view = paused.map_or(live, |copy| &*copy.view);
        let (kind, reader) = (&*opened.kind, opened.reader);
        Some(Rows { kind, live, view, index: view.index(reader), reader, paused })
    }

    pub(super) fn view_mut<'a>(&'a mut self, cx: &'a mut Cx) -> Option<(&'a mut View, ReaderId)> {
        let Opened { key, reader, paused, .. } = self.opened_mut()?;
        let view = match paused {
            Some(copy) => &mut copy.view,
            None => cx.client.view_mut(*key)?,
        };
        Some((view, *reader))
    }

    /// For the live view, and for its paused copy.
    pub(super) fn set_query(&mut self, cx: &mut Cx, filter: &str, sort: Option<&Sort>) {
        let Some(Opened { key, reader, paused, .. }) = self.opened_mut() else { return };
        let copy = paused.as_mut().map(|copy| &mut *copy.view);
        for view in cx.client.view_mut(*key).into_iter().chain(copy) {
            if view.index(*reader).filter().text() != filter {
                view.set_filter(*reader, filter);
            }
            if view.index(*reader).sort() != sort {
                view.set_sort(*reader, sort.cloned());
            }
        }
    }

    /// Words of the filter are looked for in the cells that are shown.
    pub(super) fn set_searched(&mut self, cx: &mut Cx, shown: &[Column]) {
        if let Some((view, reader)) = self.view_mut(cx) {
            let cells = shown.iter().filter_map(|column| match column.source {
                Source::Cell(at) => Some(at),
                Source::Namespace => None,
            });
            let cells: Vec<usize> = cells.collect();
            if !view.index(reader).searches(&cells) {
                view.set_searched(reader, cells);
            }
        }
    }

    /// Puts the rows that wait in order.
    pub(super) fn settle(&mut self, cx: &mut Cx) {
        if let Some((view, reader)) = self.view_mut(cx) {
            view.settle(reader);
        }
    }

    pub(super) fn dismiss_gap(&mut self, cx: &mut Cx) {
        if let Some((view, _)) = self.view_mut(cx) {
            view.dismiss_gap();
        }
    }

    pub(super) fn dismiss_withdrawn(&mut self, cx: &mut Cx) {
        if let Some((view, _)) = self.view_mut(cx) {
            view.dismiss_withdrawn();
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        self.opened().is_some_and(|opened| opened.paused.is_some())
    }

    /// A copy shares its rows with the live view, which copies a row before it changes it.
    pub(super) fn toggle_pause(&mut self, cx: &Cx) {
        let Some(opened) = self.opened_mut() else { return };
        opened.paused = match (&opened.paused, cx.client.view(opened.key)) {
            (None, Some(view)) => {
                let view = Box::new(view.clone());
                Some(PausedCopy { view, since_ms: cx.now_ms(), waiting: Waiting::default() })
            }
            _ => None,
        };
    }

    /// Shows the live view again.
    pub(super) fn drop_copy(&mut self) {
        if let Some(opened) = self.opened_mut() {
            opened.paused = None;
        }
    }

    /// Counts the changes of a pause.
    pub(super) fn rows_came(&mut self, delta: &Delta) {
        if let Some(Opened { paused: Some(PausedCopy { waiting, .. }), .. }) = self.opened_mut() {
            waiting.added += delta.added.len();
            waiting.modified += delta.changed.len();
            waiting.deleted += delta.removed.len();
        }
    }
}

impl Rows<'_> {
    /// The time for which they are drawn: a pause stops it.
    pub(super) fn drawn_ms(&self, now_ms: UnixMillis) -> UnixMillis {
        self.paused.map_or(now_ms, |copy| copy.since_ms)
    }

    /// The place of a row among the shown ones; `None`: the filter hides it, or it was removed.
    pub(super) fn place(&self, row: RowId) -> Option<usize> {
        self.index.position(self.view.table(), self.view.table().slot_of(row)?)
    }

    pub(super) fn slot(&self, place: usize) -> Option<Slot> {
        self.index.slots().get(place).copied()
    }

    pub(super) fn at(&self, place: usize) -> Option<RowId> {
        Some(self.view.table().entry(self.slot(place)?)?.row().id)
    }

    pub(super) fn is_trouble(&self, place: usize) -> bool {
        let class = self.slot(place).and_then(|slot| self.view.tally().class(slot));
        class.is_some_and(Class::is_trouble)
    }

    /// The rows may be of several namespaces.
    pub(super) fn has_namespaces(&self) -> bool {
        let scope = &self.live.subscription().scope;
        let is_one = matches!(&scope.namespaces, Namespaces::These(names) if names.len() == 1);
        self.kind.namespaced && !is_one
    }
}

/// The resourceVersion of the last cut; each of several clusters has one of its own.
pub(super) fn resource_version(view: &View) -> String {
    if view.table().has_clusters() {
        return String::new();
    }
    view.table().token().map_or_else(String::new, |token| token.resource_version.to_string())
}
