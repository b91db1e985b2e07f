//! What the timeline of one object says, and the comparison below it.

use super::{count, counted};

// Timeline

pub const ALL: &str = "All";
pub const SPEC: &str = "Spec";
pub const STATUS: &str = "Status";
pub const METADATA: &str = "Metadata";
pub const WHICH_CHANGES: &str = "Which changes";
pub const COMPARE_A_B: &str = "Compare A and B";
pub const CLOSE_COMPARISON: &str = "Close the comparison";
pub const PICK_VERSION: &str = "Compare this version";
pub const COMPARE_ONE_VERSION: &str =
    "There is one version so far. When there are more, choose two by their circles: A, then B.";
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
pub const ADDED_WORD: &str = "added";
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

/// Over the dates that an object carries, beside what was recorded.
pub const FROM_THE_OBJECT: &str =
    "Not observed: dates that the object carries. It keeps the last one of each kind.";
pub const OLDER_DROPPED: &str = "Older entries were dropped.";

/// Beside the word of the tab. Without changes there may still be dates to read.
pub fn changes_beside_tab(changes: usize) -> String {
    if changes == 0 { String::new() } else { count(changes) }
}

/// What follows the bold times of a gap.
pub fn not_recorded(for_ms: i64) -> String {
    let span = shared::duration::human(for_ms.max(0) / 1_000);
    format!("This object wasn't open for {span}, and nothing was recorded. The state after it is exact.")
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

pub const WRITER_NOT_KNOWN: &str = "unknown writer";
pub const BECAME: &str = "became";
pub const SET_TO: &str = "set to";
pub const REMOVED: &str = "removed, was";
pub const STATUS_HISTORY_STATE: &str = "state";
pub const STATUS_HISTORY_CHANGES: &str = "changes";
pub const SEEN_IN_A_LIST: &str = "Seen in a list, not as an event.";
pub const GAP_BOLD: &str = "Gap.";
pub const FORMER_OBJECT: &str = "Recreated. Below are the changes of the former object.";
pub const PICK_TWO: &str = "Choose two versions by their circles: A, then B.";
pub const VERSION_NOT_KEPT: &str = "This version is no longer kept, or its change came incomplete.";
pub const EQUAL_VERSIONS: &str = "The two versions differ only in their resourceVersion.";

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

/// The last entry: where the log begins.
pub fn opened(clock: &str, changes: usize) -> String {
    if changes == 0 {
        format!("Recording since {clock}, no change since.")
    } else {
        format!("Recording since {clock}.")
    }
}

pub fn older_entries(entries: usize) -> String {
    format!("Show {} older", count(entries))
}

pub const NOT_RECORDED: &str = "not recorded";

/// Over a part of the strip.
pub fn state_between(word: &str, from: &str, to: &str) -> String {
    format!("{word} from {from} to {to}")
}

/// `Running, not ready`
pub fn state_but(word: &str, short: &str) -> String {
    format!("{word}, {short}")
}

pub fn status_from(word: &str, clock: &str) -> String {
    format!("{word} from {clock}")
}

pub fn status_history(words: &[String], gaps: usize) -> String {
    let gaps = match gaps {
        0 => String::new(),
        gaps => {
            format!("; {}", counted(gaps, "gap", "gaps"))
        }
    };
    let skipped = words.len().saturating_sub(8);
    let last = words.get(skipped..).unwrap_or_default();
    format!("The object's state over time: {}{gaps}", last.join(", "))
}

// Comparison

pub fn compared(changes: usize, fields: usize) -> String {
    let fields = counted(fields, "field", "fields");
    format!("{}, {fields}", counted(changes, "change", "changes"))
}

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
