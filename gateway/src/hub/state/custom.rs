//! Columns that viewers ask for in a hub that runs already. The cells of the objects that are here are read
//! a few at a time; only the viewers of these columns wait until all are read.

use shared::custom_column::CustomColumns;
use shared::problem::{Problem, Reason};
use shared::row::RowId;

use super::Hub;
use crate::hub::columns::Columns;
use crate::hub::custom::SetId;
use crate::hub::host::Host;
use crate::hub::view::ViewKey;
use crate::limits::CUSTOM_SETS_MAX;

impl<H: Host> Hub<H> {
    /// The columns of a view: the server's, then its own. None before the server's are known.
    pub(super) fn columns_of(&self, view: ViewKey) -> Columns {
        let set = self.views.get(&view).and_then(|view| view.set);
        match set.and_then(|set| self.custom.columns(set)) {
            Some(own) if !self.columns.hash.is_empty() => {
                Columns::new(self.columns.list.iter().cloned().chain(own).collect())
            }
            _ => self.columns.clone(),
        }
    }

    pub(super) fn set_of(&mut self, columns: &CustomColumns) -> Result<Option<SetId>, Problem> {
        if columns.is_empty() {
            return Ok(None);
        }
        let set = self.custom.enter(columns).ok_or_else(|| {
            let message = format!(
                "{CUSTOM_SETS_MAX} different sets of columns of this resource are shown already; ask for one of them, or for none"
            );
            Problem::new(Reason::Limit, message)
        })?;
        Ok(Some(set))
    }

    pub(super) fn drop_idle_columns(&mut self) {
        if self.custom.forget_idle(self.now_ms) {
            for stored in self.store.iter_mut() {
                self.custom.keep_known(&mut stored.custom);
            }
        }
    }

    /// A view waits until all cells of its columns are read.
    pub(super) fn look_for_unread(&mut self) {
        if self.custom.is_empty() {
            return;
        }
        let lacks = self.store.iter().filter(|(_, stored)| !self.custom.is_complete(&stored.custom));
        self.unread = lacks.map(|(id, _)| id).collect();
        for view in self.views.values_mut().filter(|view| view.set.is_some()) {
            let lacks =
                |id: &RowId| self.store.get(*id).is_some_and(|stored| stored.hash_in(view.set).is_none());
            view.is_waiting = view.is_waiting || self.unread.iter().any(lacks);
        }
    }

    /// Whether cells are to be read.
    #[must_use]
    pub fn has_unread(&self) -> bool {
        !self.unread.is_empty() || self.views.values().any(|view| view.is_waiting)
    }

    /// Reads the cells of so many objects. Whether a view has waited for just these.
    pub fn read_cells(&mut self, objects_max: usize) -> bool {
        if !self.has_unread() {
            return false;
        }
        let from = self.unread.len().saturating_sub(objects_max);
        for id in self.unread.split_off(from) {
            if let Some(stored) = self.store.get_mut(id) {
                self.custom.complete(&mut stored.custom, &stored.row, &stored.body);
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
}
