//! What the tab Overview says. The labels of its facts stand in their table, in `detail/summary/facts.rs`.

use crate::messages::{count, counted};

pub const CONTAINERS: &str = "Containers";
pub const CONDITIONS: &str = "Conditions";
pub const SPEC: &str = "Spec";
pub const STATUS: &str = "Status";

pub fn more_in_yaml(more: usize) -> String {
    format!("and {} more in the YAML", count(more))
}

pub const OWNERS: &str = "Owners";
pub const OWNERS_AND_CHILDREN: &str = "Owners and children";
pub const EVENTS: &str = "Events";
pub const OPEN_EVENT: &str = "Open the Event itself";
pub const EVENTS_NOTE: &str = "core v1, newest first";
pub const ANNOTATIONS: &str = "Annotations";
pub const FINALIZERS: &str = "Finalizers";
pub const DATA: &str = "Data";
pub const RESTARTS: &str = "RESTARTS";
pub const LAST_STATE: &str = "LAST STATE";
pub const LAST_TRANSITION: &str = "LAST TRANSITION";
pub const CONTAINER_COLUMNS: [&str; 4] = ["NAME", "STATE", RESTARTS, LAST_STATE];
pub const CONDITION_COLUMNS: [&str; 4] = ["TYPE", "STATUS", "REASON, MESSAGE", LAST_TRANSITION];
pub const COUNT: &str = "COUNT";
pub const EVENT_COLUMNS: [&str; 4] = ["LAST SEEN", "TYPE", "REASON, MESSAGE", COUNT];
pub const NO_EVENTS: &str =
    "No events now. Older ones are deleted: after an hour by default, sooner in some clusters.";

/// Above the Events of the record.
pub fn events_of_record(since: &str) -> String {
    format!("From the record since {since}; the API server has them no more")
}

/// Above them in the past, when the API server isn't asked.
pub fn events_until_then(since: &str) -> String {
    format!("As they were then, from the record since {since}")
}

/// `since`: of the record of Events, if there is one.
pub fn no_events_until(clock: &str, since: Option<&str>) -> String {
    match since {
        Some(since) => format!("No events until {clock}. The record of events begins at {since}."),
        None => "Events aren't recorded by this gateway.".to_owned(),
    }
}

/// An object that has none may be explained by those of what made it.
pub fn events_of_owner(kind: &str, name: &str) -> String {
    format!("Those of {kind} {name}")
}

pub const ROLLOUT: &str = "Rollout";
pub const BECOMES: &str = "to";

/// How a rollout stands.
pub const COMPLETE: &str = "Complete";
pub const ROLLING_OUT: &str = "Rolling out";
pub const STUCK: &str = "Stuck";
pub const HELD_UP: &str = "Held up";
pub const PAUSED: &str = "Paused";
pub const NOT_OBSERVED: &str = "Not begun";
pub const ON_DELETE: &str = "Held by OnDelete";
pub const SCALING: &str = "Scaling";
pub const SHORT_OF_PODS: &str = "Short of pods";
pub const SCALED_TO_0: &str = "Scaled to 0";

pub fn held_at_partition(partition: i64) -> String {
    format!("Held at partition {partition}")
}

/// `since 13:41:02 (12s)`
pub fn since(clock: &str, age: &str) -> String {
    format!("since {clock} ({age})")
}

/// The time of a rollout that doesn't say when it began.
pub fn first_new_pod(clock: &str, age: &str) -> String {
    format!("first new pod {clock} ({age})")
}

/// `ended 13:41:16, 21m ago, took 14s`
pub fn ended(at: &str, took: Option<&str>) -> String {
    let took = took.map_or_else(String::new, |took| format!(", took {took}"));
    format!("ended {at}{took}")
}

pub fn revisions(old: Option<&str>, new: &str) -> String {
    match old {
        Some(old) => format!("revision {old} → {new}"),
        None => format!("revision {new}"),
    }
}

pub const SAME_IMAGES: &str = "same images";

/// What the pods of a rollout are counted as.
pub const NEW_READY: &str = "new, ready";
pub const NEW_STARTING: &str = "new, starting";
pub const NEW_NOT_READY: &str = "new, not ready";
pub const OLD_PODS: &str = "old";
pub const ENDING_PODS: &str = "ending";
pub const MISSING_PODS: &str = "missing";
pub const PODS_READY: &str = "ready";
pub const PODS_STARTING: &str = "starting";
pub const PODS_NOT_READY: &str = "not ready";

/// `2 new, ready; 1 new, starting; 2 old`
pub fn bar(counts: &[String]) -> String {
    format!("Pods: {}", counts.join("; "))
}

pub const WAITS_FOR: &str = "Waits for";
pub const BLOCKED_BY: &str = "Blocked by";

/// `: ContainerCreating, and 2 more`
pub fn held_by(word: &str, more: usize) -> String {
    if more == 0 { format!(": {word}") } else { format!(": {word}, and {} more", count(more)) }
}

pub const RUNNING_NOT_READY: &str = "running, not ready";

pub fn waits_for_old(ending: usize) -> String {
    format!("Waits for {} to end", counted(ending, "old pod", "old pods"))
}

pub fn waits_for_missing(missing: usize) -> String {
    format!("Waits for {} to be created", counted(missing, "pod", "pods"))
}

pub fn waits_for_min_ready(seconds: i64) -> String {
    format!("Waits for new pods to be ready for {seconds} s (minReadySeconds)")
}

pub fn not_observed(generation: i64) -> String {
    format!("The controller hasn't observed generation {generation} yet")
}

pub const PAUSED_IN_SPEC: &str = "spec.paused is true: nothing is replaced until it is resumed";

pub fn below_partition(old: usize) -> String {
    let keeps = if old == 1 { "keeps" } else { "keep" };
    format!("{} below the partition {keeps} the old revision", counted(old, "pod", "pods"))
}

pub const UNTIL_DELETED: &str = "An old pod is replaced when it is deleted";

/// Where the pods may not be listed: the workload's own counts.
pub fn own_counts(updated: i64, ready: i64, wanted: i64) -> String {
    format!("{updated} of {wanted} updated, {ready} ready; its pods aren't available")
}

pub fn former_revisions(number: usize) -> String {
    counted(number, "former revision", "former revisions")
}

/// `revision 3, cart:1.42.0`
pub fn revision(revision: &str, images: &str) -> String {
    format!("revision {revision}, {images}")
}

pub const NOT_SERVED: &str = "not served here";

pub fn and_more_events(more: usize) -> String {
    format!("and {} older ones", count(more))
}

pub fn and_more_objects(more: usize) -> String {
    format!("and {} more", count(more))
}

/// Where the gateway didn't look at all kinds for children.
pub fn kinds_looked_at(looked_at: usize, of: usize) -> String {
    format!("{} of {} kinds looked at", count(looked_at), count(of))
}

pub const NOT_A_CONTROLLER: &str = "not the controller";
pub const DELETED: &str = "deleted";
pub const DELETED_BEFORE: &str = "deleted; another object has its name";

pub fn deleted_since(clock: &str) -> String {
    format!("deleted at {clock}")
}
