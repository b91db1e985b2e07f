//! What is said of the changes of one object.

use shared::frame::timeline::EntryType;

use crate::numbers::{count, counted};

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

// Timeline

pub const ALL: &str = "All";
pub const SPEC: &str = "Spec";
pub const STATUS: &str = "Status";
pub const METADATA: &str = "Metadata";
// Headlines
pub const CREATED: &str = "Created";
pub const DELETED_WORD: &str = "Deleted";
pub const DELETING: &str = "Deletion began";
pub const STARTED: &str = "Started";
pub const TERMINATED: &str = "Terminated";
pub const SCALED: &str = "Scaled";
pub const IMAGE: &str = "Image";
pub const LABEL: &str = "Label";
pub const ANNOTATION: &str = "Annotation";
pub const REMOVED_WORD: &str = "removed";
pub const ROUTINE_CHANGE: &str = "Times and counters";

pub fn from_to(was: &str, now: &str) -> String {
    format!("{was} → {now}")
}

pub fn readiness(is_ready: bool) -> &'static str {
    if is_ready { "Not ready → ready" } else { "Ready → not ready" }
}

pub fn restart_number(count: i64) -> String {
    format!("restart {count}")
}

pub fn exit_code(code: i64) -> String {
    format!("exit code {code}")
}

/// `→ False, ContainersNotReady`
pub fn to_status(status: &str, reason: &str) -> String {
    let comma = if reason.is_empty() { "" } else { ", " };
    format!("→ {status}{comma}{reason}")
}

/// `, exit code 137, container app`
pub fn ended_in(code: Option<i64>, container: &str) -> String {
    let code = code.filter(|code| *code != 0).map(|code| format!(", {}", exit_code(code)));
    format!("{}, container {container}", code.unwrap_or_default())
}

pub fn named_set(key: &str, value: &str) -> String {
    format!("{key} set to {value}")
}

pub fn named_removed(key: &str) -> String {
    format!("{key} removed")
}

/// What folds away the fields that always change with the others.
pub fn routine_fields(fields: usize) -> String {
    format!("{} more {}", count(fields), if fields == 1 { "field" } else { "fields" })
}

pub const BECAME: &str = "became";
pub const SET_TO: &str = "set to";
pub const REMOVED: &str = "removed, was";
pub const SEEN_IN_A_LIST: &str = "Seen in a list, not as an event.";
pub const GAP_BOLD: &str = "Gap.";

pub fn filter_label(word: &str, changes: usize) -> String {
    format!("{word} {}", count(changes))
}

pub fn more_fields(fields: impl TryInto<u64>) -> String {
    format!("{} not sent.", counted(fields, "more field", "more fields"))
}

/// What follows the bold times of a gap.
pub fn not_seen(for_ms: i64, reason: &str) -> String {
    let span = shared::duration::human(for_ms.max(0) / 1_000);
    format!("{reason}: relisted. Changes in these {span} were not seen; the state after them is exact.")
}

pub fn entries_lost(lost: Option<u64>) -> String {
    match lost {
        Some(lost) => format!(
            "{} came faster than they could be sent and were dropped.",
            counted(lost, "change", "changes")
        ),
        None => "Earlier changes are no longer known; the state after them is exact.".to_owned(),
    }
}

// Comparison

pub fn more_lines(lines: usize) -> String {
    format!("… {}", counted(lines, "line", "lines"))
}

pub fn hidden_lines(lines: usize, path: &str) -> String {
    match (lines, path) {
        (0, path) => path.to_owned(),
        (lines, "") => more_lines(lines),
        (lines, path) => format!("{}, {path}", more_lines(lines)),
    }
}
