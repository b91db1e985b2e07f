//! Which rows a pane looks at: a view of the client, or the copy that a reader froze. Never what of
//! them is mounted.

use std::rc::Rc;

use replica::client::{Client, ViewKey};
use replica::query::{Index, Lens, Sort};
use replica::table::Delta;
use replica::text::Waiting;
use replica::view::View;
use shared::problem::Problem;
use shared::resource::Kind;
use shared::state::UnixMillis;

pub(super) struct Sight {
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
        lens: Lens,
        kind: Rc<Kind>,
    },
}

/// The rows as they were when the reader paused, and what came since.
pub(super) struct Frozen {
    view: Box<View>,
    pub(super) since_ms: UnixMillis,
    pub(super) waiting: Waiting,
}

impl Default for Sight {
    fn default() -> Self {
        Self { open: Open::Unresolved, frozen: None }
    }
}

impl Sight {
    pub(super) fn open(&mut self, client: &mut Client, key: ViewKey, kind: Rc<Kind>) {
        let lens = client.view_mut(key).map(View::lend).unwrap_or_default();
        self.open = Open::View { key, lens, kind };
    }

    pub(super) fn unknown(&mut self, problem: Problem) {
        self.open = Open::Unknown(problem);
    }

    /// Gives the lens back; the view itself may be another pane's too, so it is answered.
    pub(super) fn leave(&mut self, client: &mut Client) -> Option<ViewKey> {
        self.frozen = None;
        match std::mem::replace(&mut self.open, Open::Unresolved) {
            Open::View { key, lens, .. } => {
                if let Some(view) = client.view_mut(key) {
                    view.give_back(lens);
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

    pub(super) fn lens(&self) -> Lens {
        match &self.open {
            Open::View { lens, .. } => *lens,
            Open::Unresolved | Open::Unknown(_) => Lens::FIRST,
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
        Some((view, view.through(self.lens())))
    }

    pub(super) fn shown_mut<'a>(&'a mut self, client: &'a mut Client) -> Option<(&'a mut View, Lens)> {
        let (key, lens) = (self.key()?, self.lens());
        match &mut self.frozen {
            Some(frozen) => Some((&mut frozen.view, lens)),
            None => Some((client.view_mut(key)?, lens)),
        }
    }

    pub(super) fn set_query(&mut self, client: &mut Client, filter: &str, sort: Option<Sort>) {
        let Some(key) = self.key() else { return };
        let lens = self.lens();
        let frozen = self.frozen.as_mut().map(|frozen| &mut *frozen.view);
        for view in client.view_mut(key).into_iter().chain(frozen) {
            if view.through(lens).filter().text() != filter {
                view.set_filter(lens, filter);
            }
            if view.through(lens).sort() != sort.as_ref() {
                view.set_sort(lens, sort.clone());
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
