//! What the navigation of kinds says.

use crate::messages::{count, counted};

pub const PINNED: &str = "Pinned";
pub const OFTEN: &str = "Often";
/// A kind that can't be opened, for screen readers.
pub const NOT_AVAILABLE: &str = "not available";
pub const KIND_POLLED: &str = "polled";
pub const KINDS_FILTER: &str = "Filter kinds";

pub fn kinds_filter(kinds: usize) -> String {
    format!("Filter {}", counted(kinds, "kind", "kinds"))
}

/// The last line of the navigation: `35 kinds, 1 hidden. Kubernetes v1.36.3`.
pub fn kinds_foot(kinds: usize, hidden: usize, version: &str) -> String {
    let hidden = if hidden == 0 { String::new() } else { format!(", {} hidden", count(hidden)) };
    let version = if version.is_empty() { String::new() } else { format!(" Kubernetes {version}") };
    format!("{}{hidden}.{version}", counted(kinds, "kind", "kinds"))
}

/// On the red number beside a kind.
pub fn failing_rows(failing: &str) -> String {
    format!("{failing} failing")
}

pub fn pin(is_pinned: bool, kind: &str) -> String {
    format!("{} {kind}", if is_pinned { "Unpin" } else { "Pin" })
}

pub fn no_kinds_of(named: &str) -> String {
    format!("No kinds: {named} isn't served here.")
}
