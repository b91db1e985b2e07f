//! What is said of the changes of one object.

use crate::messages::{count, counted};

pub const ALL: &str = "All";
pub const SPEC: &str = "Spec";
pub const STATUS: &str = "Status";
pub const METADATA: &str = "Metadata";
pub const CREATED: &str = "Created";
/// A list showed it, which may be long after it was made.
pub const FIRST_SEEN: &str = "First seen";
pub const DELETED_WORD: &str = "Deleted";
pub const DELETING: &str = "Deletion began";
pub const DELETION_MOVED: &str = "Deletion brought forward";
pub const STARTED: &str = "Started";
pub const TERMINATED: &str = "Terminated";
pub const SCALED: &str = "Scaled";
pub const IMAGE: &str = "Image";
pub const LABEL: &str = "Label";
pub const ANNOTATION: &str = "Annotation";
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

/// `pod/web-1: Back-off restarting, 62 times`
pub fn event(object: Option<(&str, &str)>, message: &str, count: Option<i64>) -> String {
    let object = object.map(|(kind, name)| format!("{}/{name}", kind.to_lowercase()));
    let parts = [object, Some(message.to_owned()).filter(|message| !message.is_empty())];
    let said = parts.into_iter().flatten().collect::<Vec<_>>().join(": ");
    match count {
        Some(count) => format!("{said}, {count} times"),
        None => said,
    }
}

pub fn event_deleted(said: &str) -> String {
    format!("{said} (the Event is gone)")
}

pub const GAP_BOLD: &str = "Gap.";

pub fn filter_label(word: &str, changes: usize) -> String {
    format!("{word} {}", count(changes))
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

/// `12 versions before it were counted, not kept.`: beside a change that is shown.
pub fn not_kept(versions: u32) -> String {
    format!("{} counted, not kept.", counted(versions, "version before it was", "versions before it were"))
}
