//! Which rows a pane shows: those of a view of the client, or the copy that its reader paused. Never which of
//! them are mounted.

use std::rc::Rc;

use replica::client::ViewKey;
use replica::table::{Delta, Slot};
use shared::problem::Problem;
use shared::resource::Kind;
use shared::row::RowId;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use crate::messages::Waiting;
use crate::query::{Index, ReaderId, Sort};
use crate::table_view::{Client, TableView, View};

#[derive(Default)]
pub(super) enum Displayed {
    /// Discovery hasn't said yet what the address means.
    #[default]
    Unresolved,
    /// The cluster serves no such resource.
    Unknown(Problem),
    Live(Opened),
    Paused(Opened, PausedCopy),
}

/// A view of the client, and this pane's index of it.
pub(super) struct Opened {
    key: ViewKey,
    reader: ReaderId,
    kind: Rc<Kind>,
}

/// The rows as they were when the reader paused, and what came since.
pub(super) struct PausedCopy {
    view: Box<View>,
    pub(super) since_ms: UnixMillis,
    pub(super) waiting: Waiting,
}

/// What a pane shows, looked up once for an action or a frame.
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
    pub(super) fn open(&mut self, client: &mut Client, key: ViewKey, kind: Rc<Kind>) {
        let reader = client.view_mut(key).map(View::add_reader).unwrap_or_default();
        *self = Self::Live(Opened { key, reader, kind });
    }

    /// Gives the reader back. The view may be another pane's too, so the page decides whether to close it.
    pub(super) fn leave(&mut self, client: &mut Client) -> Option<ViewKey> {
        let (Self::Live(opened) | Self::Paused(opened, _)) = std::mem::take(self) else { return None };
        if let Some(view) = client.view_mut(opened.key) {
            view.remove_reader(opened.reader);
        }
        Some(opened.key)
    }

    fn opened(&self) -> Option<&Opened> {
        match self {
            Self::Live(opened) | Self::Paused(opened, _) => Some(opened),
            Self::Unresolved | Self::Unknown(_) => None,
        }
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        self.opened().map(|opened| opened.key)
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        self.opened().map(|opened| &opened.kind)
    }

    pub(super) fn rows<'a>(&'a self, client: &'a Client) -> Option<Rows<'a>> {
        let opened = self.opened()?;
        let live = client.view(opened.key)?;
        let paused = match self {
            Self::Paused(_, copy) => Some(copy),
            _ => None,
        };
        let view = paused.map_or(live, |copy| &*copy.view);
        let (kind, reader) = (&*opened.kind, opened.reader);
        Some(Rows { kind, live, view, index: view.index(reader), reader, paused })
    }

    pub(super) fn view_mut<'a>(&'a mut self, client: &'a mut Client) -> Option<(&'a mut View, ReaderId)> {
        match self {
            Self::Live(opened) => Some((client.view_mut(opened.key)?, opened.reader)),
            Self::Paused(opened, copy) => Some((&mut copy.view, opened.reader)),
            Self::Unresolved | Self::Unknown(_) => None,
        }
    }

    /// In the live view, and in its paused copy.
    pub(super) fn set_query(&mut self, client: &mut Client, filter: &str, sort: Option<&Sort>) {
        let (opened, copy) = match self {
            Self::Live(opened) => (opened, None),
            Self::Paused(opened, copy) => (opened, Some(&mut *copy.view)),
            Self::Unresolved | Self::Unknown(_) => return,
        };
        for view in client.view_mut(opened.key).into_iter().chain(copy) {
            if view.index(opened.reader).filter().text() != filter {
                view.set_filter(opened.reader, filter);
            }
            if view.index(opened.reader).sort() != sort {
                view.set_sort(opened.reader, sort.cloned());
            }
        }
    }

    /// Puts the rows that wait in order.
    pub(super) fn settle(&mut self, client: &mut Client) {
        if let Some((view, reader)) = self.view_mut(client) {
            view.settle(reader);
        }
    }

    pub(super) fn dismiss_gap(&mut self, client: &mut Client) {
        if let Some((view, _)) = self.view_mut(client) {
            view.dismiss_gap();
        }
    }

    /// A copy shares its rows with the live view, which writes its changes elsewhere from then on.
    pub(super) fn toggle_pause(&mut self, client: &Client, now_ms: UnixMillis) {
        *self = match std::mem::take(self) {
            Self::Live(opened) => match client.view(opened.key) {
                Some(view) => {
                    let view = Box::new(view.clone());
                    Self::Paused(opened, PausedCopy { view, since_ms: now_ms, waiting: Waiting::default() })
                }
                None => Self::Live(opened),
            },
            Self::Paused(opened, _) => Self::Live(opened),
            closed => closed,
        };
    }

    /// Counts what came while the reader paused.
    pub(super) fn rows_came(&mut self, delta: &Delta) {
        if let Self::Paused(_, PausedCopy { waiting, .. }) = self {
            waiting.added += delta.added.len();
            waiting.modified += delta.changed.len();
            waiting.deleted += delta.removed.len();
        }
    }
}

impl Rows<'_> {
    /// Where a row stands among those that are shown; `None`: the filter hides it, or it is gone.
    pub(super) fn place(&self, row: RowId) -> Option<usize> {
        self.index.position(self.view.table(), self.view.table().slot_of(row)?)
    }

    pub(super) fn slot(&self, place: usize) -> Option<Slot> {
        self.index.slots().get(place).copied()
    }

    pub(super) fn at(&self, place: usize) -> Option<RowId> {
        Some(self.view.table().entry(self.slot(place)?)?.row().id)
    }

    /// The kind has namespaces, and the rows may be of several.
    pub(super) fn has_namespaces(&self) -> bool {
        let scope = &self.live.subscription().scope;
        let is_one = matches!(&scope.namespaces, Namespaces::These(names) if names.len() == 1);
        self.kind.namespaced && !is_one
    }
}

/// Of the last exact cut.
pub(super) fn resource_version(view: &View) -> String {
    view.table().token().map_or_else(String::new, |token| token.resource_version.to_string())
}
