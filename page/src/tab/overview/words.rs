//! What the tab Overview says. The labels of its facts stand in their table, in `detail/summary/facts.rs`.

use crate::messages::count;

pub const CONTAINERS: &str = "Containers";
pub const CONDITIONS: &str = "Conditions";
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
pub const NONE: &str = "none";
pub const NO_EVENTS: &str =
    "No events now. Older ones are deleted: after an hour by default, sooner in some clusters.";

/// An object that has none may be explained by those of what made it.
pub fn events_of_owner(kind: &str, name: &str) -> String {
    format!("Those of {kind} {name}")
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

pub const NOT_A_CONTROLLER: &str = "not the controller";
pub const DELETED: &str = "deleted";
pub const DELETED_BEFORE: &str = "deleted; another object has its name";

pub fn deleted_since(clock: &str) -> String {
    format!("deleted at {clock}")
}
