//! Cells that the viewer adds to rows from another table, such as what a pod uses. They stand behind the gateway's
//! cells, frames and digests know nothing of them, and no change of them is a change of the row's object.

use std::collections::HashMap;

use shared::cell::Cell;
use shared::column::Column;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    pub columns: Vec<Column>,
    /// A cell for each of the columns, by `namespace/name`.
    pub cells: HashMap<Box<str>, Vec<Cell>>,
}

impl Joined {
    /// The cells of one row, one for each column.
    pub(super) fn of(&self, key: &str) -> impl Iterator<Item = Cell> {
        let cells = self.cells.get(key);
        (0..self.columns.len())
            .map(move |at| cells.and_then(|cells| cells.get(at)).cloned().unwrap_or(Cell::Null))
    }
}
