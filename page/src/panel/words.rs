//! What the panel says around its tabs.

use crate::messages::count;

pub const CLOSE: &str = "Close (Esc)";
pub const COPY_KUBECTL: &str = "Copy kubectl command";
pub const COPY_NAME: &str = "Copy name";
pub const NO_OWNERS: &str = "This object has no owners and no children.";
pub const NO_LOGS: &str = "No logs are shown of this object";
pub const RESIZE: &str = "Width of the panel ([ and ])";

/// `Pod in payments`
pub fn kind_in(kind: &str, namespace: Option<&str>) -> String {
    namespace.map_or_else(|| kind.to_owned(), |namespace| format!("{kind} in {namespace}"))
}

pub const ASKED_FOR_OBJECT: &str = "Asked for the object.";

pub const DELETED: &str = "Deleted";
pub const LAST_SEEN: &str = "Last seen";

pub fn deleted_at(clock: &str) -> String {
    format!("Deleted at {clock}.")
}

/// A list showed that it was gone.
pub fn deleted_before(clock: &str) -> String {
    format!("Deleted before {clock}.")
}

/// `Below is its state of 14:01:58.`
pub fn state_of(clock: &str) -> String {
    format!("Below is its state of {clock}.")
}

/// Another object of the name took a deleted one's place.
pub fn recreated_at(clock: &str) -> String {
    format!("Recreated at {clock}.")
}

pub const FORMER_IN_TIMELINE: &str =
    "The former object was deleted; its changes are at the end of the timeline.";
pub const LAST_SEEN_STATE: &str = "Last known state below.";
pub const NOT_THERE: &str = "Not found.";
pub const APPEARS_BY_ITSELF: &str = "It will appear here if it is created.";

pub fn may_not_get(resource: &str) -> String {
    format!("You may not get {resource} here.")
}

pub const WHY: &str = "Why";

pub fn why_label(reason: &str) -> String {
    format!("{WHY}: {reason}")
}

pub const WHOLE_MESSAGE: &str = "Whole message";

pub const DISMISS_BEFORE: &str = "Dismiss what was before";

/// After what was wrong came to an end, or the object did.
pub fn was_before(reason: &str, from: Option<&str>, to: &str) -> String {
    match from {
        Some(from) => format!("Before: {reason}, {from} to {to}"),
        None => format!("Before: {reason}, until {to}"),
    }
}

/// Beside the word of the tab. Without changes there may still be dates to read.
pub fn changes_beside_tab(changes: usize) -> String {
    if changes == 0 { String::new() } else { count(changes) }
}
