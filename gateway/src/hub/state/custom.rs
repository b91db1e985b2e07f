//! Columns that viewers ask for in a hub that runs already. The cells of the objects that are here are read
//! a few at a time; only the viewers of these columns wait until all are read.

use shared::frame::server::ViewId;
use shared::problem::{Problem, Reason};
use shared::row::{Row, RowId};

use super::Hub;
use crate::hub::columns::Columns;
use crate::hub::custom::{Custom, SetId, Unshown};
use crate::hub::host::Host;
use crate::hub::request::SubscriptionRequest;
use crate::hub::subscriber::SubscriberState;
use crate::limits::{CUSTOM_EFFORT_TOTAL_MAX, CUSTOM_SETS_MAX};

impl<H: Host> Hub<H> {
    /// The columns of a view: the server's, then its own. None before the server's are known.
    pub(super) fn columns_of(&self, view: ViewId) -> Columns {
        let set = self.views.get(&view).and_then(|view| view.set);
        match set.and_then(|set| self.custom.columns(set)) {
            Some(own) if !self.columns.hash.is_empty() => {
                Columns::new(self.columns.list.iter().cloned().chain(own).collect())
            }
            _ => self.columns.clone(),
        }
    }

    pub(super) fn set_of(&mut self, request: &SubscriptionRequest) -> Result<Option<SetId>, Problem> {
        let Some(asked) = request.columns_asked() else { return Ok(None) };
        let set = self.custom.enter(asked).map_err(|why| match why {
            Unshown::TooManySets => Problem::new(
                Reason::Limit,
                format!(
                    "{CUSTOM_SETS_MAX} different sets of columns of this resource are shown already; ask for one of them, or for none"
                ),
            ),
            Unshown::TooCostly(cost) => too_costly(cost),
        })?;
        Ok(Some(set))
    }

    /// The hub looks at what else is to be done. How many values the columns have visited since it did.
    pub(in crate::hub) fn end_columns_turn(&mut self) -> usize {
        self.end_costly_columns();
        self.custom.end_columns_turn()
    }

    /// Ends the sets of columns that cost too much, and the subscriptions to them.
    fn end_costly_columns(&mut self) {
        let ended = self.custom.end_costly();
        for (set, cost) in &ended {
            self.views.retain(|_, view| view.set != Some(*set));
            for subscriber in self.subscribers.values_mut() {
                let is_open = !matches!(subscriber.state, SubscriberState::Refused(_));
                if is_open && !self.views.contains_key(&subscriber.view) {
                    subscriber.state = SubscriberState::Refused(too_costly(*cost));
                }
            }
        }
        if !ended.is_empty() {
            self.forget_unknown_cells();
            self.notify();
        }
    }

    pub(super) fn drop_idle_columns(&mut self) {
        if self.custom.forget_idle(self.now_ms) {
            self.forget_unknown_cells();
        }
    }

    fn forget_unknown_cells(&mut self) {
        for stored in self.store.iter_mut() {
            self.custom.keep_known(&mut stored.custom);
        }
    }

    /// A view waits until all cells of its columns are read.
    pub(super) fn look_for_unread(&mut self) {
        if self.custom.is_empty() {
            return;
        }
        let lacks =
            self.store.iter().filter(|(_, stored)| !self.custom.is_complete(&stored.custom, &stored.row));
        self.unread = lacks.map(|(id, _)| id).collect();
        for view in self.views.values_mut().filter(|view| view.set.is_some()) {
            let lacks = |id: &RowId| {
                let stored = self.store.get(*id);
                stored.is_some_and(|stored| self.custom.is_lacking(view.set, &stored.custom, &stored.row))
            };
            view.is_waiting = view.is_waiting || self.unread.iter().any(lacks);
        }
    }

    /// The views wait whose columns these cells of a row aren't of.
    pub(super) fn wait_for_unread(&mut self, cells: &Custom, row: &Row) {
        for view in self.views.values_mut() {
            view.is_waiting = view.is_waiting || self.custom.is_lacking(view.set, cells, row);
        }
    }

    /// Whether cells are to be read.
    #[must_use]
    pub fn has_unread(&self) -> bool {
        !self.unread.is_empty() || self.views.values().any(|view| view.is_waiting)
    }

    /// Reads the cells of so many objects, or of fewer if they take long. Whether a view has waited for just these.
    pub fn read_cells(&mut self, objects_max: usize) -> bool {
        if !self.has_unread() {
            return false;
        }
        for _ in 0..objects_max {
            let Some(stored) = self.unread.last().map(|id| self.store.get_mut(*id)) else { break };
            let is_read = stored
                .is_none_or(|stored| self.custom.complete(&mut stored.custom, &stored.row, &stored.body));
            if is_read {
                self.unread.pop();
            }
            if self.custom.is_columns_turn_full() {
                break;
            }
        }
        if !self.unread.is_empty() {
            return false;
        }
        // The members of a view are counted at a head.
        self.tick();
        for view in self.views.values_mut().filter(|view| view.is_waiting) {
            view.is_waiting = false;
            view.recount(&self.store, self.head);
        }
        self.find_waiting();
        true
    }

    /// Whether the columns have cost so much in this turn that others come first.
    #[must_use]
    pub fn is_columns_turn_full(&self) -> bool {
        self.custom.is_columns_turn_full()
    }
}

fn too_costly(cost: usize) -> Problem {
    let message = format!(
        "these columns visit {cost} values of an object, and all columns of a resource together may visit {CUSTOM_EFFORT_TOTAL_MAX}; name fields instead of `..` and `[*]`"
    );
    Problem::new(Reason::Limit, message)
}
