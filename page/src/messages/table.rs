//! What a table says when a reader pauses, selects or takes rows along.

use super::counted;

pub const VIEW_PAUSED: &str = "Paused";
pub const RESUME: &str = "Resume";

/// What came since a pause began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub added: usize,
    pub modified: usize,
    pub deleted: usize,
}

impl Waiting {
    #[must_use]
    pub fn all(self) -> usize {
        self.added + self.modified + self.deleted
    }
}

/// Beside the pill's word: `312 changes waiting`.
#[must_use]
pub fn changes_waiting(waiting: Waiting) -> String {
    format!("{} waiting", counted(number_of(waiting.all()), "change", "changes"))
}

#[must_use]
pub fn paused_at(at: &str) -> String {
    format!("Paused at {at}.")
}

/// `312 changes wait: 19 added, 286 modified, 7 deleted.`
#[must_use]
pub fn waiting(waiting: Waiting) -> String {
    let number = |n: usize| super::count(number_of(n));
    match waiting.all() {
        0 => "Nothing has changed since.".to_owned(),
        all => format!(
            "{} {}: {} added, {} modified, {} deleted.",
            counted(number_of(all), "change", "changes"),
            if all == 1 { "waits" } else { "wait" },
            number(waiting.added),
            number(waiting.modified),
            number(waiting.deleted),
        ),
    }
}

/// In the status bar: `1 selected`, `3 selected, 2 hidden by the filter`.
#[must_use]
pub fn selected(all: usize, hidden: usize) -> String {
    let number = |n: usize| super::count(number_of(n));
    match (all, hidden) {
        (0, _) => String::new(),
        (all, 0) => format!("{} selected", number(all)),
        (all, hidden) if all == hidden => format!("{} selected, hidden by the filter", number(all)),
        (all, hidden) => format!("{} selected, {} hidden by the filter", number(all), number(hidden)),
    }
}

fn number_of(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

pub const SAME_IN_KUBECTL: &str = "The same in kubectl";
pub const AS_A_FILE: &str = "As a file";

#[must_use]
pub fn rows_to_export(rows: usize, are_selected: bool) -> String {
    let which = if are_selected { "selected" } else { "shown" };
    format!("{}, the {which} ones, in these columns.", counted(number_of(rows), "row", "rows"))
}

#[must_use]
pub fn kubectl_no_filter(query: &str) -> String {
    format!("kubectl has no word for the filter {query}; it is applied here.")
}

#[must_use]
pub fn kubectl_no_sort(column: &str) -> String {
    format!("The order by {} is this page's.", column.to_uppercase())
}

#[must_use]
pub fn kubectl_one_namespace(of: usize) -> String {
    format!("kubectl takes one namespace at a time: this is the first of {of}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_tells_what_waits() {
        assert_eq!(waiting(Waiting::default()), "Nothing has changed since.");
        let some = Waiting { added: 19, modified: 1_286, deleted: 7 };
        assert_eq!(waiting(some), "1,312 changes wait: 19 added, 1,286 modified, 7 deleted.");
        assert_eq!(changes_waiting(Waiting { added: 1, ..Waiting::default() }), "1 change waiting");
    }

    #[test]
    fn a_selection_tells_what_of_it_is_not_seen() {
        assert_eq!(selected(0, 0), "");
        assert_eq!(selected(1, 1), "1 selected, hidden by the filter");
        assert_eq!(selected(3, 1), "3 selected, 1 hidden by the filter");
    }
}
