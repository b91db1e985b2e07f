//! What the picker of clusters says.

use shared::frame::server::ReplayedFile;

use crate::messages::counted;

/// On the button.
pub const LABEL: &str = "cluster";
pub const FIND: &str = "Find a cluster";
/// Beside the option of all clusters.
pub const ALL_NOTE: &str = "also those that are added later";
pub const NOT_REACHED: &str = "Not reached";
/// The title of what is said of a replayed record.
pub const RECORD: &str = "Replay of a record";
/// It was chosen, and the gateway no longer has it.
pub const NOT_HERE: &str = "Not here";

/// Below the list.
pub fn chosen_of(chosen: usize, all: usize) -> String {
    format!(
        "{chosen} of {} in this view. Each is watched by itself: one that can't be reached leaves the others live.",
        counted(all, "cluster", "clusters")
    )
}

/// What is said of a record that is replayed: the cluster and the time, then whose rights it has, and what is masked in it.
pub fn record(cluster: &str, (from, to): (&str, &str), file: Option<&ReplayedFile>) -> Vec<String> {
    let mut said = vec![format!("A record of {cluster}, from {from} to {to}. Nothing here is live.")];
    if let Some(ReplayedFile { account, namespace, masks }) = file {
        if !account.is_empty() {
            said.push(format!(
                "Recorded with the rights of {account}: what that account can't list isn't in it."
            ));
        }
        if !namespace.is_empty() {
            said.push(format!("Only the namespace {namespace} was recorded."));
        }
        if !masks.is_empty() {
            said.push(format!("Masked before it was written: {masks}."));
        }
    }
    said
}

pub fn none_like(typed: &str) -> String {
    format!("No cluster is called like {typed}.")
}
