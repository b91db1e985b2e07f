//! What the log of changes says.

use crate::messages::{count, counted};

pub const FILTER: &str = "Filter changes";
pub const HINT: &str = "Filter by object, field, value or writer, e.g. status.phase";
pub const CHANGES_OF: &str = "Changes of";
pub const ANY_CHANGE: &str = "Any change";
pub const CLEAR: &str = "Clear changes";
pub const COLUMNS: [&str; 6] = ["TIME", "EVENT", "OBJECT", "CHANGED", "WRITTEN BY", "RESOURCEVERSION"];
/// The gateway saw this change of the object before a viewer asked it to record the fields.
pub const LAST_CHANGE: &str = "last change before you opened this";
pub const BEFORE: &str = "before you opened this";
pub const UNFOLD: &str = "Show all changed fields";
pub const ALL_SEEN: &str = "no change is missing up to this resourceVersion";
/// The record has them, also those of objects that are gone.
pub const EARLIER_ONES: &str = "Earlier ones, with deletions: go back (,).";
pub const FOLLOWING: &str = "following";
pub const NOT_FOLLOWING: &str = "Not following";
pub const FOLLOW: &str = "Follow new entries";
pub const EMPTY: &str = "No changes yet";
pub const EMPTY_WHY: &str = "Recording since you opened this. New changes appear here.";
pub const NO_ENTRY_MATCHES: &str = "No entry matches";

/// In the notice line: `1,272 entries since 13:31:40, 3 from before. …`
pub fn recorded(events: u64, since: &str, kept: usize, dropped: u64, before: usize) -> String {
    let earlier = if before == 0 { String::new() } else { format!(", {} from before", count(before)) };
    let gone = match dropped {
        0 => String::new(),
        dropped => format!(" {} dropped.", counted(dropped, "older entry", "older entries")),
    };
    format!(
        "{} since {since}{earlier} (last {} kept).{gone} Since then every change has its own entry.",
        counted(events, "entry", "entries"),
        count(kept)
    )
}

/// In the status bar, in two parts: `41 of 1,272 entries`.
pub fn events_of(shown: usize, all: u64) -> (String, String) {
    if u64::try_from(shown) == Ok(all) {
        return (count(all), if all == 1 { " entry".to_owned() } else { " entries".to_owned() });
    }
    (count(shown), format!(" of {}", counted(all, "entry", "entries")))
}

/// In the notice line of a paused log.
pub fn events_wait(waiting: u64) -> String {
    match waiting {
        0 => "Nothing new since.".to_owned(),
        n => format!("{} pending.", counted(n, "entry", "entries")),
    }
}

/// Beside the pill's word.
pub fn events_waiting(events: u64) -> String {
    format!("{} pending", counted(events, "entry", "entries"))
}
