//! Counts new rows above the window until the reader has scrolled to them. Other changes above aren't counted.

use std::collections::VecDeque;

use replica::table::{Delta, Table};
use shared::row::RowId;

use super::displayed::Rows;

#[derive(Default)]
pub(super) struct NewRowsAbove(VecDeque<RowId>);

/// A count of two digits is enough, and each of these rows is looked up in every frame.
const ROWS_MAX: usize = 99;

impl NewRowsAbove {
    pub(super) fn rows_came(&mut self, table: &Table, delta: &Delta) {
        self.0.extend(delta.added.iter().filter_map(|slot| Some(table.entry(*slot)?.row().id)));
        let surplus = self.0.len().saturating_sub(ROWS_MAX);
        self.0.drain(..surplus);
    }

    /// The number of new rows above the first seen one. Seen rows are no longer new.
    pub(super) fn count(&mut self, rows: &Rows<'_>, first_seen: usize) -> usize {
        self.0.retain(|row| rows.place(*row).is_none_or(|place| place < first_seen));
        self.0.iter().filter(|row| rows.place(**row).is_some()).count()
    }
}
