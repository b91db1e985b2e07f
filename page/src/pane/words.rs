//! What a view says in its head and of its rows.

use shared::duration;

use crate::messages::{bytes, count, counted, view_of};

pub fn close_view(resource: &str) -> String {
    format!("Close {resource}")
}

pub const SPLIT: &str = "Split";
pub const PANE_MOVE: &str = "Drag to move this view (m, M)";

pub fn filter_of(resource: &str, place: &str, query: &str) -> String {
    format!("Filter {}", view_of(resource, place, query))
}

/// A change of the focused row, for a screen reader: `STATUS CrashLoopBackOff, was Running`.
pub fn became(column: &str, now: &str, was: &str) -> String {
    format!("{column} {now}, was {was}")
}

/// Rows that were added above the window: `8 new rows above`.
pub fn rows_above(rows: usize) -> String {
    format!("{} above", counted(rows, "new row", "new rows"))
}

pub const PAUSE: &str = "Pause";

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

/// Over the changes that are recorded meanwhile.
pub fn rows_paused_at(at: &str) -> String {
    format!("The rows stay paused at {at}.")
}

/// `312 pending: +19 ~286 −7`, by the signs of the rows. The pill beside it has the word "changes".
pub fn waiting(waiting: Waiting) -> String {
    match waiting.all() {
        0 => "Nothing has changed since.".to_owned(),
        all => format!("{} pending: {}", count(all), signed(waiting)),
    }
}

/// `+19 ~286 −7`
pub fn signed(changes: Waiting) -> String {
    let Waiting { added, modified, deleted } = changes;
    let signed = [("+", added), ("~", modified), ("−", deleted)].into_iter();
    let signed = signed.filter(|(_, changes)| *changes > 0);
    signed.map(|(sign, changes)| format!("{sign}{}", count(changes))).collect::<Vec<_>>().join(" ")
}

/// What became of the rows during a pause: `+2 ~1 −1 rows`.
pub fn rows_changed(rows: Waiting) -> String {
    match rows.all() {
        1 => format!("{} row", signed(rows)),
        _ => format!("{} rows", signed(rows)),
    }
}

/// After those. What is first is seen in a narrow view, too.
pub fn while_paused(seconds: i64, from: &str, to: &str) -> String {
    format!("while paused for {}, {from} to {to}", duration::human(seconds))
}

pub const NO_CHANGE_MEANWHILE: &str = "No row to show that changed during a pause";
pub const NO_CHANGE_YET: &str = "No row has changed since the pause began";

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

/// Beside the name of a row that the pointer is at: `row 50,000 of 100,000`.
pub fn row_of(place: usize, all: usize) -> String {
    format!("row {} of {}", count(place), count(all))
}

/// The browser says by itself where to.
pub fn saved(file: &str) -> String {
    format!("Saved as {file}")
}

pub const NO_ROW_TO_GO_TO: &str = "No row to go to";

/// After a sort for which the reader chose no column. The column's head says in which direction.
pub fn sorted_by(column: &str, is_sorted: bool) -> String {
    match is_sorted {
        true => format!("Sorted by {column}; → chooses a column"),
        false => "Usual order; → chooses a column".to_owned(),
    }
}

pub const NO_FAILING_ROW: &str = "No row is failing";
pub const CHANGING_ROW: &str = "No row is failing; this one is changing";
pub const ONLY_FAILING_ROW: &str = "This is the only failing row";
pub const FIRST_FAILING_ROW: &str = "Wrapped to the first failing row";
pub const LAST_FAILING_ROW: &str = "Wrapped to the last failing row";

/// In the popover of the pill: `18 changes/s in this view`.
pub fn changes_a_second(changes: u32) -> String {
    format!("{} in this view", changes_per_second(changes))
}

pub fn changes_per_second(changes: u32) -> String {
    counted(usize::try_from(changes).unwrap_or(usize::MAX), "change/s", "changes/s")
}

/// Over the page's one socket: `5.3 kB received, 1.2 kB/s`.
pub fn received_in_all(all: u64, per_second: u64) -> String {
    format!("{} received, {}/s", bytes(all), bytes(per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_tells_what_waits() {
        assert_eq!(waiting(Waiting::default()), "Nothing has changed since.");
        let some = Waiting { added: 19, modified: 1_286, deleted: 7 };
        assert_eq!(waiting(some), "1,312 pending: +19 ~1,286 −7");
        assert_eq!(changes_waiting(Waiting { added: 1, ..Waiting::default() }), "1 change pending");
    }
}
