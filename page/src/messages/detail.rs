//! What several features say of one object and its changes: the panel, its tabs, the log and the export.

use shared::frame::timeline::EntryType;

use super::{count, counted};
use crate::kubectl::shell::with_name;

pub const CHILDREN: &str = "Children";

/// The command that shows the same in a terminal.
pub fn kubectl_get(resource: &str, namespace: Option<&str>, name: &str) -> String {
    let namespace = namespace.map_or_else(String::new, |namespace| format!(" -n {namespace}"));
    with_name(&format!("kubectl get {resource}"), name, &format!("{namespace} -o yaml"))
}

pub const COPY_COMMAND: &str = "Copy the command";

pub const MASKED: &str = "masked by the gateway";
/// Beside a value whose list says who masks it.
pub const MASKED_VALUE: &str = "masked";
/// In place of a changed value that is masked.
pub const CHANGED_MASKED: &str = "changed (masked)";
pub const COPY: &str = "Copy";

// Changes

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

pub const REMOVED_WORD: &str = "removed";

/// What folds away the fields that always change with the others.
pub fn routine_fields(fields: usize) -> String {
    format!("{} more {}", count(fields), if fields == 1 { "field" } else { "fields" })
}

/// `+9 fields`
pub fn further_fields(fields: usize) -> String {
    format!("+{}", counted(fields, "field", "fields"))
}

pub const BECAME: &str = "became";
pub const SET_TO: &str = "set to";
pub const REMOVED: &str = "removed, was";
pub const SEEN_IN_A_LIST: &str = "Seen in a list, not as an event.";

pub fn more_fields(fields: impl TryInto<u64>) -> String {
    format!("{} not sent.", counted(fields, "more field", "more fields"))
}
