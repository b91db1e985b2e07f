//! The list of columns, as it is on the screen.

/// The open column chooser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnList {
    pub entries: Vec<ColumnEntry>,
    /// Why the written text isn't a column.
    pub error: String,
}

/// A column in the list of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnEntry {
    pub key: String,
    pub title: String,
    pub note: String,
    pub is_own: bool,
    pub is_shown: bool,
    /// It can't be hidden, because it names the row.
    pub is_always: bool,
}
