//! How a hub reads the cells of columns that viewers ask for: a few in each turn, and not for ever.

use shared::problem::Problem;
use shared::row::RowId;

use super::Hub;
use crate::hub::columns::{ColumnsAsked, SetId};
use crate::hub::host::Host;

impl<H: Host> Hub<H> {
    /// Reads the cells of so many objects, or of fewer if they take long. Whether a view has waited for just these.
    pub fn read_cells(&mut self, objects_max: usize) -> bool {
        if !self.has_unread() {
            return false;
        }
        self.objects.read_cells(&mut self.columns, objects_max);
        if !self.columns.unread().is_empty() {
            return false;
        }
        // The members of a view are counted at a head.
        self.tick();
        self.views.end_waiting(&self.objects);
        self.find_waiting();
        true
    }

    /// A view waits until all cells of its columns are read.
    pub(super) fn look_for_unread(&mut self) {
        if self.columns.is_empty() {
            return;
        }
        let store = self.objects.store();
        self.columns.look_for_unread(store.iter().map(|(id, stored)| (id, &stored.custom, &*stored.row)));
        let columns = &self.columns;
        self.views.wait_where(|set| {
            let is_lacking = |id: &RowId| {
                let stored = store.get(*id);
                stored.is_some_and(|stored| columns.is_lacking(Some(set), &stored.custom, &stored.row))
            };
            columns.unread().iter().any(is_lacking)
        });
    }

    /// The hub looks at what else is to be done, and ends the sets of columns that cost too much, with the subscriptions
    /// to them. How many values the columns have visited since it did.
    pub(in crate::hub) fn end_columns_turn(&mut self) -> usize {
        let ended = self.columns.end_costly();
        self.refuse_sets(&ended);
        self.columns.end_turn()
    }

    /// What one person's columns and all columns of the gateway may take is known to the gateway alone: `weigh` is told
    /// the bytes of each set, if they have changed by much, and says which must end.
    pub(in crate::hub) fn report_columns(
        &mut self,
        weigh: impl FnOnce(Vec<(ColumnsAsked, usize)>) -> Vec<(ColumnsAsked, Problem)>,
    ) {
        if let Some(sizes) = self.columns.sizes_to_report() {
            let ended = self.columns.end_these(weigh(sizes));
            self.refuse_sets(&ended);
        }
    }

    fn refuse_sets(&mut self, ended: &[(SetId, Problem)]) {
        for (set, problem) in ended {
            for view in self.views.end_set(*set) {
                self.logs.forget(view);
            }
            let (subscribers, sources, _) = self.split();
            subscribers.refuse_without_view(&sources, problem);
        }
        if !ended.is_empty() {
            self.objects.forget_unknown_cells(&self.columns);
            self.subscribers.notify();
        }
    }
}
