//! Which rows a pane looks at: a view of the client, or the copy that a reader froze. Never what of
//! them is mounted.

use std::rc::Rc;

use crate::messages::Waiting;
use crate::query::{Index, ReaderId, Sort};
use crate::table_view::Client;
use crate::table_view::{TableView, View};
use replica::client::ViewKey;
use replica::table::Delta;
use shared::problem::Problem;
use shared::resource::Kind;
use shared::state::UnixMillis;

pub(super) struct Displayed {
    open: Open,
    frozen: Option<Frozen>,
}

/// What is shown in the view's place.
enum Open {
    /// Discovery hasn't said yet what the address means.
    Unresolved,
    /// The cluster serves no such resource.
    Unknown(Problem),
    View {
        key: ViewKey,
        reader: ReaderId,
        kind: Rc<Kind>,
    },
}

/// The rows as they were when the reader paused, and what came since.
pub(super) struct Frozen {
    view: Box<View>,
    pub(super) since_ms: UnixMillis,
    pub(super) waiting: Waiting,
}

impl Default for Displayed {
    fn default() -> Self {
        Self { open: Open::Unresolved, frozen: None }
    }
}

impl Displayed {
    pub(super) fn open(&mut self, client: &mut Client, key: ViewKey, kind: Rc<Kind>) {
        let reader = client.view_mut(key).map(View::add_reader).unwrap_or_default();
        self.open = Open::View { key, reader, kind };
    }

    pub(super) fn unknown(&mut self, problem: Problem) {
        self.open = Open::Unknown(problem);
    }

    /// Gives the reader back; the view itself may be another pane's too, so it is answered.
    pub(super) fn leave(&mut self, client: &mut Client) -> Option<ViewKey> {
        self.frozen = None;
        match std::mem::replace(&mut self.open, Open::Unresolved) {
            Open::View { key, reader, .. } => {
                if let Some(view) = client.view_mut(key) {
                    view.remove_reader(reader);
                }
                Some(key)
            }
            Open::Unresolved | Open::Unknown(_) => None,
        }
    }

    pub(super) fn key(&self) -> Option<ViewKey> {
        match &self.open {
            Open::View { key, .. } => Some(*key),
            Open::Unresolved | Open::Unknown(_) => None,
        }
    }

    pub(super) fn kind(&self) -> Option<&Rc<Kind>> {
        match &self.open {
            Open::View { kind, .. } => Some(kind),
            Open::Unresolved | Open::Unknown(_) => None,
        }
    }

    /// Why there is nothing to look at.
    pub(super) fn problem(&self) -> Option<&Problem> {
        match &self.open {
            Open::Unknown(problem) => Some(problem),
            Open::Unresolved | Open::View { .. } => None,
        }
    }

    pub(super) fn reader(&self) -> ReaderId {
        match &self.open {
            Open::View { reader, .. } => *reader,
            Open::Unresolved | Open::Unknown(_) => ReaderId::FIRST,
        }
    }

    /// The view as it is now, whatever the reader froze.
    pub(super) fn live<'a>(&self, client: &'a Client) -> Option<&'a View> {
        client.view(self.key()?)
    }

    /// What is shown.
    pub(super) fn shown<'a>(&'a self, client: &'a Client) -> Option<(&'a View, &'a Index)> {
        let view = match &self.frozen {
            Some(frozen) => &*frozen.view,
            None => self.live(client)?,
        };
        Some((view, view.index(self.reader())))
    }

    pub(super) fn shown_mut<'a>(&'a mut self, client: &'a mut Client) -> Option<(&'a mut View, ReaderId)> {
        let (key, reader) = (self.key()?, self.reader());
        match &mut self.frozen {
            Some(frozen) => Some((&mut frozen.view, reader)),
            None => Some((client.view_mut(key)?, reader)),
        }
    }

    pub(super) fn set_query(&mut self, client: &mut Client, filter: &str, sort: Option<Sort>) {
        let Some(key) = self.key() else { return };
        let reader = self.reader();
        let frozen = self.frozen.as_mut().map(|frozen| &mut *frozen.view);
        for view in client.view_mut(key).into_iter().chain(frozen) {
            if view.index(reader).filter().text() != filter {
                view.set_filter(reader, filter);
            }
            if view.index(reader).sort() != sort.as_ref() {
                view.set_sort(reader, sort.clone());
            }
        }
    }

    pub(super) fn frozen(&self) -> Option<&Frozen> {
        self.frozen.as_ref()
    }

    /// Shares the rows with the view: what changes is written beside them.
    pub(super) fn freeze(&mut self, client: &Client, now_ms: UnixMillis) {
        let Some(view) = self.live(client) else { return };
        let view = Box::new(view.clone());
        self.frozen = Some(Frozen { view, since_ms: now_ms, waiting: Waiting::default() });
    }

    pub(super) fn thaw(&mut self) {
        self.frozen = None;
    }

    pub(super) fn count(&mut self, delta: &Delta) {
        if let Some(frozen) = &mut self.frozen {
            frozen.waiting.added += delta.added.len();
            frozen.waiting.modified += delta.changed.len();
            frozen.waiting.deleted += delta.removed.len();
        }
    }
}
