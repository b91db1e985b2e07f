//! What the table asks of the list of columns. The list itself comes with a piece of the program, and is called through
//! these functions alone.

use super::model::ColumnEntry;
use super::settings::{AvailableColumns, ColumnSettings};
use crate::action::ColumnsAction;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// What the open list has.
    pub(crate) entries: fn(&ColumnSettings, AvailableColumns<'_>) -> Vec<ColumnEntry>,
    /// Does what a reader does in the list. An error says why a written text can't be a column.
    pub(crate) change: fn(&mut ColumnSettings, ColumnsAction, AvailableColumns<'_>) -> Result<(), String>,
}
