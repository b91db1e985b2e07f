//! What the picker of clusters says.

use crate::messages::counted;

/// On the button.
pub const LABEL: &str = "cluster";
pub const FIND: &str = "Find a cluster";
/// Beside the option of all clusters.
pub const ALL_NOTE: &str = "also those that are added later";
pub const NOT_REACHED: &str = "Not reached";
/// It was chosen, and the gateway no longer has it.
pub const NOT_HERE: &str = "Not here";

/// Below the list.
pub fn chosen_of(chosen: usize, all: usize) -> String {
    format!(
        "{chosen} of {} in this view. Each is watched by itself: one that can't be reached leaves the others live.",
        counted(all, "cluster", "clusters")
    )
}

pub fn none_like(typed: &str) -> String {
    format!("No cluster is called like {typed}.")
}
