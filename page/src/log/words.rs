//! What the changes of a view say.

use shared::frame::timeline::EntryType;

use super::{count, counted};

pub const LOG_HINT: &str = "Filter by object, field, value or writer, e.g. status.phase";
pub const LOG_COLUMNS: [&str; 6] = ["TIME", "EVENT", "OBJECT", "CHANGED", "WRITTEN BY", "RESOURCEVERSION"];
pub const ANY_CHANGE: &str = "Any change";
/// Button and palette.
pub const CHANGES: &str = "Changes";
pub const TABLE: &str = "Table";
pub const CHANGES_OR_TABLE: &str = "Switch between changes and table";
/// The gateway saw this change of the object before a viewer asked it to record the fields.
pub const LAST_CHANGE: &str = "last change before you opened this";
pub const BEFORE: &str = "before you opened this";
pub const UNFOLD: &str = "Show all changed fields";
pub const ALL_SEEN: &str = "everything up to this resourceVersion was seen";
pub const FOLLOWING: &str = "following";
pub const SCROLLED: &str = "Paused by scrolling; press End to follow";
pub const CLEAR: &str = "Clear";
pub const LOG_EMPTY: &str = "No changes yet";
pub const LOG_EMPTY_WHY: &str = "Recording since you opened this. New changes appear here.";
pub const NO_ENTRY_MATCHES: &str = "No entry matches";

/// Kubernetes' own word.
pub fn event_word(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Added => "ADDED",
        EntryType::Modified => "MODIFIED",
        EntryType::Deleted => "DELETED",
        EntryType::Bookmark => "BOOKMARK",
        EntryType::Error => "ERROR",
        EntryType::Gap => "GAP",
        EntryType::Unknown => "UNKNOWN",
    }
}

/// `1,272 entries since 13:31:40, 3 from before. …`
pub fn log_line(events: u64, since: &str, kept: usize, dropped: u64, before: usize) -> String {
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

pub const LOG_FILTER: &str = "Filter changes";
pub const LOG_CHANGES_OF: &str = "Changes of";

/// `+9 fields`
pub fn further_fields(fields: usize) -> String {
    format!("+{}", counted(fields, "field", "fields"))
}

/// `41 of 1,272 entries`
pub fn events_of(shown: usize, all: u64) -> (String, String) {
    if u64::try_from(shown) == Ok(all) {
        return (count(all), if all == 1 { " entry".to_owned() } else { " entries".to_owned() });
    }
    (count(shown), format!(" of {}", counted(all, "entry", "entries")))
}

pub fn events_wait(waiting: u64) -> String {
    match waiting {
        0 => "Nothing new since.".to_owned(),
        n => format!("{} pending.", counted(n, "entry", "entries")),
    }
}

pub fn changes_of(group_version: &str) -> String {
    format!("{group_version}, changes")
}

pub fn events_to_export(events: usize) -> String {
    counted(events, "visible entry", "visible entries")
}

/// Beside the pill's word.
pub fn events_waiting(events: u64) -> String {
    format!("{} pending", counted(events, "entry", "entries"))
}
