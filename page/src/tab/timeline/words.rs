//! What the tab Timeline says: the entries, the status over time, and the comparison.

use crate::messages::{count, counted};

pub const WHICH_CHANGES: &str = "Which changes";
pub const COMPARE_A_B: &str = "Compare A and B";
pub const CLOSE_COMPARISON: &str = "Close the comparison";
pub const PICK_VERSION: &str = "Compare this version";
pub const COMPARE_ONE_VERSION: &str =
    "There is one version so far. When there are more, choose two by their circles: A, then B.";
pub const ADDED_WORD: &str = "added";
/// Over the dates that an object carries, beside what was recorded.
pub const FROM_THE_OBJECT: &str =
    "Not observed: dates that the object carries. It keeps the last one of each kind.";
pub const OLDER_DROPPED: &str = "Older entries were dropped.";

/// What follows the bold times of a gap.
pub fn not_recorded(for_ms: i64) -> String {
    let span = shared::duration::human(for_ms.max(0) / 1_000);
    format!("This object wasn't open for {span}, and nothing was recorded. The state after it is exact.")
}

pub const WRITER_NOT_KNOWN: &str = "unknown writer";
pub const STATUS_HISTORY_STATE: &str = "state";
pub const STATUS_HISTORY_CHANGES: &str = "changes";
pub const FORMER_OBJECT: &str = "Recreated. Below are the changes of the former object.";
pub const PICK_TWO: &str = "Choose two versions by their circles: A, then B.";
pub const VERSION_NOT_KEPT: &str = "This version is no longer kept, or its change came incomplete.";
pub const EQUAL_VERSIONS: &str = "The two versions differ only in their resourceVersion.";

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

pub fn compared(changes: usize, fields: usize) -> String {
    let fields = counted(fields, "field", "fields");
    format!("{}, {fields}", counted(changes, "change", "changes"))
}
