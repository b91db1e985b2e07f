//! Words of what is fine, from `printPod`, `printNode`, `printJob` and the other printers in Kubernetes'
//! `pkg/printers/internalversion`. They choose a shape and no health.

use super::Class;

/// Columns of custom resources in which `True` is good and `False` is bad.
pub(super) const CONDITIONS: [&str; 5] = ["ready", "available", "synced", "healthy", "accepted"];

/// `is_counted`: the cell counts what is ready.
pub(super) fn fine(word: &str, is_counted: bool) -> Class {
    // A node: `Ready,SchedulingDisabled`.
    let first = word.split(',').next().unwrap_or(word);
    match first {
        "Running" | "Ready" | "Active" | "Bound" | "Available" | "Established" | "True" | "Healthy"
        | "Synced" | "Accepted" | "Approved" | "Succeeding" => Class::Ok,
        "Completed" | "Complete" | "Succeeded" | "SuccessCriteriaMet" => Class::Done,
        _ if is_counted => Class::Ok,
        _ => Class::Idle,
    }
}
