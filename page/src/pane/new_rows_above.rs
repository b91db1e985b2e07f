//! Rows that came in above the window: named until their reader has been there. Never what else changed
//! up there.

use std::collections::VecDeque;

use crate::query::Index;
use replica::table::{Delta, Table};
use shared::row::RowId;

#[derive(Default)]
pub(super) struct NewRowsAbove {
    rows: VecDeque<RowId>,
}

/// Two figures say enough, and as many rows are found again in every frame.
pub(super) const ROWS_MAX: usize = 99;

impl NewRowsAbove {
    pub(super) fn note(&mut self, table: &Table, delta: &Delta) {
        let added = delta.added.iter().filter_map(|slot| Some(table.entry(*slot)?.row().id));
        self.rows.extend(added);
        while self.rows.len() > ROWS_MAX {
            self.rows.pop_front();
        }
    }

    /// How many are there now, above the first row that is seen. What was seen is no news any more.
    pub(super) fn count(&mut self, table: &Table, index: &Index, first_seen: usize) -> usize {
        let place = |id: RowId| index.position(table, table.slot_of(id)?);
        self.rows.retain(|id| place(*id).is_none_or(|place| place < first_seen));
        self.rows.iter().filter(|id| place(**id).is_some()).count()
    }
}
