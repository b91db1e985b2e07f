//! What the tab Timeline says: the entries, the status over time, and the comparison.

use crate::messages::{count, counted};

pub const WHICH_CHANGES: &str = "Which changes";
pub const COMPARE: &str = "Compare";
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

pub const WITH_CHILDREN: &str = "In words";
pub const WITH_CHILDREN_TITLE: &str =
    "Rollouts in words, with the changes of what the object owns and the Events";
pub const EVENT_WORD: &str = "Event";
pub const RESTART: &str = "Restart";
pub const ROLLOUT_OF_TEMPLATE: &str = "Rollout of a changed template";
pub const DELETED_DURING: &str = ", until the object was deleted";

/// `Rollout to api:v2`
pub fn rollout_to(version: &str) -> String {
    format!("Rollout to {version}")
}

/// `, 14s, 4 of 4`
pub fn rolled_out(took: Option<&str>, counts: Option<(i64, i64)>) -> String {
    let took = took.map_or_else(String::new, |took| format!(", {took}"));
    let counts = counts.map_or_else(String::new, |(ready, wanted)| format!(", {ready} of {wanted}"));
    format!("{took}{counts}")
}

pub fn replaced(took: Option<&str>) -> String {
    match took {
        Some(took) => format!(", replaced by another after {took}"),
        None => ", replaced by another".to_owned(),
    }
}

pub fn goes_on(is_stuck: bool, updated: i64, wanted: i64) -> String {
    if is_stuck {
        format!(", stuck at {updated} of {wanted}")
    } else {
        format!(", {updated} of {wanted} so far")
    }
}

/// `23 changes, 5 Events`
pub fn steps((changes, events): (usize, usize), is_cut: bool) -> String {
    let changes = (changes > 0).then(|| counted(changes, "change", "changes"));
    let events = (events > 0).then(|| counted(events, "Event", "Events"));
    let all = [changes, events].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if is_cut { format!("{all}; the newest {} below", crate::limits::PANEL_STEPS_MAX) } else { all }
}

/// `BackOff`, with its message and how often it came.
pub fn event_said(message: &str, count: &str) -> String {
    match count {
        "" | "0" | "1" | "<none>" => message.to_owned(),
        count => format!("{message}, {count} times"),
    }
}

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
pub const VERSION_AWAITED: &str = "Reading the record of this version.";
pub const EQUAL_VERSIONS: &str = "The two versions differ only in their resourceVersion.";

/// The last entry: where the log begins.
pub fn opened(clock: &str, changes: usize) -> String {
    if changes == 0 {
        format!("Recording since {clock}, no change since.")
    } else {
        format!("Recording since {clock}.")
    }
}

/// The same where older entries are of the record.
pub fn opened_with_record(clock: &str, changes: usize) -> String {
    if changes == 0 {
        format!("Opened {clock}, no change since. All below is from the record.")
    } else {
        format!("Opened {clock}. All below is from the record.")
    }
}

/// Between what is later than the time of the panes and the rest.
pub fn as_of(clock: &str) -> String {
    format!("as of {clock}")
}

pub const HIDE_LATER: &str = "Hide later ones";

/// What is later than the time of the panel isn't shown at first.
pub fn later(entries: usize) -> String {
    format!("Show {} later", count(entries))
}

pub const OLDER_OF_RECORD: &str = "Show older ones from the record";

pub fn older_entries(entries: usize) -> String {
    format!("Show {} older", count(entries))
}

pub const NOT_RECORDED: &str = "not recorded";

// What an object was, where it had no word of its own.
pub const FAILING: &str = "failing";
pub const NOT_READY: &str = "not ready";
pub const CHANGING: &str = "changing";
pub const UNKNOWN: &str = "unknown";
pub const FINE: &str = "fine";

/// Over a part of the strip.
pub fn state_between(word: &str, from: &str, to: &str) -> String {
    format!("{word} from {from} to {to}")
}

/// `Running, Restarted`; `Running, not ready`
pub fn state_but(word: &str, why: &str) -> String {
    format!("{word}, {why}")
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

/// `has_gap`: there may be more changes between the two versions.
pub fn compared(changes: usize, has_gap: bool, fields: usize) -> String {
    let (changes, fields) = (counted(changes, "change", "changes"), counted(fields, "field", "fields"));
    match has_gap {
        true => format!("{changes} seen, with a gap between; {fields}"),
        false => format!("{changes}, {fields}"),
    }
}
