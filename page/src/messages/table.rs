//! What a table says of its rows, and what is on the buttons over it.

pub const VIEW_PAUSED: &str = "Paused";
pub const RESUME: &str = "Resume";
/// The key.
pub const SPACE: &str = "Space";
/// The title of the column with the signs `+`, `~` and `−`, and what they say of a row, for a screen reader.
pub const CHANGE_COLUMN: &str = "Change";
pub const ROW_ADDED: &str = " added";
pub const ROW_MODIFIED: &str = " modified";
/// It belongs to the object at which the reader stands in another pane.
pub const ROW_LINKED: &str = " related";
pub const ROW_STALE: &str = " stale";
pub const ROW_MASKED: &str = " changed (masked)";
pub const ROW_DELETED: &str = " deleted";

pub const COPY_NAME_KEY: &str = "Copy name (C)";

/// Said of a row that the filter would hide, were it not open or focused.
pub const NO_LONGER_MATCHES: &str = "no longer matches the filter";

pub const EXPORT: &str = "Export";
/// On the button that changes between the two.
pub const CHANGES: &str = "Changes";
pub const TABLE: &str = "Table";
pub const CHANGES_OR_TABLE: &str = "Switch between changes and table";

/// In the head of a view: `apps/v1, changes`.
pub fn changes_of(group_version: &str) -> String {
    format!("{group_version}, changes")
}

/// No replica is wanted.
pub const SCALED_TO_ZERO: &str = "scaled to zero";
