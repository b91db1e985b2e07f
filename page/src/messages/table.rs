//! What a table says when a reader pauses or selects rows, and what is on the buttons over it.

use super::{count, counted};

pub const VIEW_PAUSED: &str = "Paused";
pub const PAUSE: &str = "Pause";
pub const RESUME: &str = "Resume";
/// The key.
pub const SPACE: &str = "Space";
/// The title of the column with the signs `+`, `~` and `−`, and what they say of a row, for a screen reader.
pub const CHANGE_COLUMN: &str = "Change";
pub const ROW_ADDED: &str = " added";
pub const ROW_MODIFIED: &str = " modified";
pub const ROW_STALE: &str = " stale";
pub const ROW_MASKED: &str = " changed (masked)";
pub const ROW_DELETED: &str = " deleted";
pub const LOOK_EVERYWHERE: &str = "Show all namespaces";

/// How many changes came since a pause began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub added: usize,
    pub modified: usize,
    pub deleted: usize,
}

impl Waiting {
    pub fn all(self) -> usize {
        self.added + self.modified + self.deleted
    }
}

/// Beside the pill's word: `312 changes pending`.
pub fn changes_waiting(waiting: Waiting) -> String {
    format!("{} pending", counted(waiting.all(), "change", "changes"))
}

pub fn paused_at(at: &str) -> String {
    format!("Paused at {at}.")
}

/// `312 changes pending: 19 added, 286 modified, 7 deleted.`
pub fn waiting(waiting: Waiting) -> String {
    match waiting.all() {
        0 => "Nothing has changed since.".to_owned(),
        all => format!(
            "{} pending: {} added, {} modified, {} deleted.",
            counted(all, "change", "changes"),
            count(waiting.added),
            count(waiting.modified),
            count(waiting.deleted),
        ),
    }
}

/// `rows in shop and ledger, which you may see`, after the number of `rows`.
pub fn rows_that_you_may_see(rows: &str, namespaces: &[&str]) -> String {
    match namespaces {
        [one] => format!("{rows} in {one}, which you may see"),
        [first, last] => format!("{rows} in {first} and {last}, which you may see"),
        many => format!("{rows} in the {} namespaces that you may see", many.len()),
    }
}

/// In the status bar: `1 selected`, `3 selected, 2 hidden by the filter`.
pub fn selected(all: usize, hidden: usize) -> String {
    match (all, hidden) {
        (0, _) => String::new(),
        (all, 0) => format!("{} selected", count(all)),
        (all, hidden) if all == hidden => format!("{} selected, hidden by the filter", count(all)),
        (all, hidden) => format!("{} selected, {} hidden by the filter", count(all), count(hidden)),
    }
}

/// In the head of the columns that say what pods and nodes use.
pub fn usage_polled(at: &str) -> String {
    format!("From metrics.k8s.io, rounded as kubectl top does. Polled, last at {at}.")
}

pub fn usage_awaited() -> String {
    "From metrics.k8s.io, which is polled. No answer yet.".to_owned()
}

pub fn usage_stale(at: Option<&str>) -> String {
    match at {
        Some(at) => format!("From metrics.k8s.io, which doesn't answer. The figures of {at} are not shown."),
        None => "From metrics.k8s.io, which doesn't answer.".to_owned(),
    }
}

pub const COPY_NAME_KEY: &str = "Copy name (C)";

/// Said of a row that the filter would hide, were it not open or focused.
pub const NO_LONGER_MATCHES: &str = "no longer matches the filter";

/// Beside the name of a row that the pointer is at: `row 50,000 of 100,000`.
pub fn row_of(place: usize, all: usize) -> String {
    format!("row {} of {}", count(place), count(all))
}

pub const NO_FAILING_ROW: &str = "No row is failing";
pub const ONLY_FAILING_ROW: &str = "This is the only failing row";
pub const FIRST_FAILING_ROW: &str = "Wrapped to the first failing row";
pub const LAST_FAILING_ROW: &str = "Wrapped to the last failing row";

pub const EXPORT: &str = "Export";
/// On the button that changes between the two.
pub const CHANGES: &str = "Changes";
pub const TABLE: &str = "Table";
pub const CHANGES_OR_TABLE: &str = "Switch between changes and table";

/// In the head of a view: `apps/v1, changes`.
pub fn changes_of(group_version: &str) -> String {
    format!("{group_version}, changes")
}

// How rows stand: the entries of the tally

/// No replica is wanted.
pub const SCALED_TO_ZERO: &str = "scaled to zero";

pub const ROWS_BY_HEALTH: &str = "Rows by health";
pub const TROUBLE_FIRST: &str = "Trouble first";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_tells_what_waits() {
        assert_eq!(waiting(Waiting::default()), "Nothing has changed since.");
        let some = Waiting { added: 19, modified: 1_286, deleted: 7 };
        assert_eq!(waiting(some), "1,312 changes pending: 19 added, 1,286 modified, 7 deleted.");
        assert_eq!(changes_waiting(Waiting { added: 1, ..Waiting::default() }), "1 change pending");
    }

    #[test]
    fn a_selection_tells_what_of_it_is_not_seen() {
        assert_eq!(selected(0, 0), "");
        assert_eq!(selected(1, 1), "1 selected, hidden by the filter");
        assert_eq!(selected(3, 1), "3 selected, 1 hidden by the filter");
    }
}
