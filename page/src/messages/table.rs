//! What a table says when a reader pauses, selects or exports rows.

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
pub const LINK_TO_VIEW: &str = "Link to this view";
pub const SAME_IN_KUBECTL: &str = "Equivalent kubectl command";
pub const DOWNLOAD: &str = "Download";
pub const EMBED: &str = "Embed in a web page";
pub const COPY_HTML: &str = "Copy HTML";
pub const EMBED_NOTE: &str = "The gateway must name that page's site: --allowed-origin.";
pub const COPY_AS_TSV: &str = "Copy as TSV";

/// `16 visible rows, current columns`
pub fn rows_to_export(rows: usize, are_selected: bool) -> String {
    let which = if are_selected { "selected" } else { "visible" };
    format!("{}, current columns", counted(rows, &format!("{which} row"), &format!("{which} rows")))
}

// What the kubectl command prints otherwise

/// The gateway runs in a pod, where no kubeconfig names the cluster.
pub const KUBECTL_CURRENT_CONTEXT: &str = "kubectl asks its current context: check that it is this cluster.";
pub const KUBECTL_COLUMN_ORDER: &str = "Columns stand in the API server's order.";
pub const KUBECTL_AGE: &str = "AGE is printed as the time of creation.";
pub const KUBECTL_NO_LOG_FILTER: &str = "Only this page filters the changes.";
pub const KUBECTL_NO_FIELDS: &str = "kubectl prints the row after each change, not the changed fields.";

pub fn kubectl_no_filter(query: &str) -> String {
    format!("kubectl can't express the filter {query}; only this page applies it.")
}

pub fn kubectl_no_sort(column: &str) -> String {
    format!("Sorted by {column} only on this page.")
}

pub fn kubectl_one_namespace(of: usize) -> String {
    format!("kubectl takes one namespace at a time: this is the first of {of}.")
}

pub fn kubectl_no_columns(titles: &str) -> String {
    format!("Left out: {titles}. kubectl can't print that beside custom columns.")
}

pub fn kubectl_more_columns(titles: &str) -> String {
    format!("kubectl also prints {titles}, hidden here.")
}

pub fn kubectl_no_usage(titles: &str, resource: &str) -> String {
    format!("Left out: {titles}. kubectl top {resource} prints that.")
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
