//! What the panel of one object says: its tabs and parts, its containers, its YAML. The labels of its facts
//! stand in their table, in `detail/summary/facts.rs`.

mod history;

pub use history::*;

use super::{bytes, count, counted};
use crate::kubectl::shell::{quoted, with_name};

// Tabs and parts

pub const CONTAINERS: &str = "Containers";
pub const CONDITIONS: &str = "Conditions";
pub const OWNERS: &str = "Owners";
pub const CHILDREN: &str = "Children";
pub const OWNERS_AND_CHILDREN: &str = "Owners and children";
pub const PODS_ON_NODE: &str = "Pods on this node";
pub const PODS_OF_SERVICE: &str = "Pods of this service";
pub const ENDPOINT_SLICES: &str = "EndpointSlices";
pub const PODS_OF_CLAIM: &str = "Pods that mount it";
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
pub const CLOSE: &str = "Close (Esc)";
pub const COPY_KUBECTL: &str = "Copy kubectl command";
pub const COPY_NAME: &str = "Copy name";
pub const RESIZE: &str = "Width of the panel ([ and ])";

/// `Pod in payments`
pub fn kind_in(kind: &str, namespace: Option<&str>) -> String {
    namespace.map_or_else(|| kind.to_owned(), |namespace| format!("{kind} in {namespace}"))
}

/// The command that shows the same in a terminal.
pub fn kubectl_get(resource: &str, namespace: Option<&str>, name: &str) -> String {
    let namespace = namespace.map_or_else(String::new, |namespace| format!(" -n {namespace}"));
    with_name(&format!("kubectl get {resource}"), name, &format!("{namespace} -o yaml"))
}

/// The command that shows why a container ended.
pub fn kubectl_logs(name: &str, namespace: &str, container: &str, is_previous: bool) -> String {
    let previous = if is_previous { " --previous" } else { "" };
    let (namespace, container) = (quoted(namespace), quoted(container));
    with_name("kubectl logs", name, &format!(" -n {namespace} -c {container}{previous}"))
}

// Why it isn't well

pub const COPY_COMMAND: &str = "Copy the command";
pub const WHY: &str = "Why";
pub const SINCE: &str = "since";
/// A container goes from one reason to another while its pod isn't ready.
pub const NOT_READY_SINCE: &str = "not ready since";
pub const SCHEDULED_AT: &str = "scheduled";
pub const WHOLE_MESSAGE: &str = "Whole message";
pub const EXIT_CODE: &str = "exit code";
/// The exit code of a container's run before the one that goes on now.
pub const LAST_EXIT_CODE: &str = "last exit code";
pub const LIMIT: &str = "limit";
pub const READY: &str = "ready";
pub const SHORT_OF_PODS: &str = "Short of pods";

/// After what was wrong came to an end, or the object did.
pub fn was_before(reason: &str) -> String {
    format!("Before: {reason}")
}

pub fn why_label(reason: &str) -> String {
    format!("{WHY}: {reason}")
}

/// ` (3h12m)`
pub fn in_brackets(age: &str) -> String {
    format!("({age})")
}

pub fn restarts_word(count: i64) -> &'static str {
    if count == 1 { "restart" } else { "restarts" }
}

pub fn ready_of(ready: i64, wanted: i64) -> String {
    format!("{ready} of {wanted}")
}

pub fn condition_is(kind: &str, status: &str) -> String {
    format!("{kind} is {status}")
}

pub fn and_more_events(more: usize) -> String {
    format!("and {} older ones", count(more))
}

pub fn and_more_objects(more: usize) -> String {
    format!("and {} more", count(more))
}

// The object's existence

pub const ASKED_FOR_OBJECT: &str = "Asked for the object.";

pub fn deleted_at(clock: &str) -> String {
    format!("Deleted at {clock}.")
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

// Owners

pub const NOT_A_CONTROLLER: &str = "not the controller";
pub const DELETED: &str = "deleted";
pub const DELETED_BEFORE: &str = "deleted; another object has its name";

pub fn deleted_since(clock: &str) -> String {
    format!("deleted at {clock}")
}

pub fn may_not_get(resource: &str) -> String {
    format!("You may not get {resource} here.")
}

// Facts

/// `13:41:02, 21m ago`
pub fn detail_at(clock: &str, age: &str) -> String {
    format!("{clock}, {age} ago")
}

/// ` (4m29s ago)`, as kubectl writes it behind a count.
pub fn in_brackets_ago(age: &str) -> String {
    format!(" ({age} ago)")
}

// Containers

pub const WAITING: &str = "Waiting";
pub const RUNNING: &str = "Running";
pub const NOT_STARTED: &str = "Not started";

pub fn container_state(state: &str, reason: &str) -> String {
    if reason.is_empty() { state.to_owned() } else { format!("{state}: {reason}") }
}

/// `Terminated: Error, exit code 1, ran 9s`
pub fn terminated(reason: &str, code: Option<i64>, signal: Option<i64>, ran: Option<String>) -> String {
    let parts = [
        Some(reason.to_owned()).filter(|reason| !reason.is_empty()),
        code.filter(|code| *code != 0).map(|code| format!("exit code {code}")),
        signal.filter(|signal| *signal != 0).map(|signal| format!("signal {signal}")),
        ran.map(|ran| format!("ran {ran}")),
    ];
    container_state("Terminated", &parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

pub fn container_details(
    is_unready: bool,
    ports: &[String],
    requests: &[String],
    limits: &[String],
) -> String {
    let listed =
        |word: &str, parts: &[String]| (!parts.is_empty()).then(|| format!("{word} {}", parts.join(" ")));
    let parts = [
        is_unready.then(|| "not ready".to_owned()),
        listed("ports", ports),
        listed("requests", requests),
        listed("limits", limits),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// In a line of the timeline: `terminated: Error, exit code 1`.
pub fn state_in_words(state: &str, reason: &str, code: Option<i64>) -> String {
    let code = code.filter(|code| *code != 0).map(|code| format!("exit code {code}"));
    let parts = [Some(reason.to_owned()).filter(|reason| !reason.is_empty()), code];
    container_state(state, &parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

// YAML

pub const CHANGED: &str = "changed";
pub const MASKED: &str = "masked by the gateway";
/// In place of a changed value that is masked.
pub const CHANGED_MASKED: &str = "changed (masked)";
/// On the value of a ConfigMap.
pub const MASKED_CONFIG_MAP: &str =
    "The gateway masks the values of ConfigMaps; started with --config-map-values it shows them.";
/// On the values of a Secret.
pub const SECRET_VALUES: &str =
    "The gateway reads the metadata of Secrets alone: their values never leave the cluster.";
pub const FOLLOW: &str = "Follow";
pub const FOLD_ALL: &str = "Fold all";
pub const UNFOLD_ALL: &str = "Unfold all";
pub const COPY: &str = "Copy";
pub const COPY_PATH: &str = "Copy the path";
/// Beside a masked value, for those who wonder about a harmless one.
pub const MASKED_ALWAYS: &str = "The gateway masks every literal env value, whatever its name, and values whose names announce a credential.";
pub const SEARCH_HINT: &str = "Find in the YAML";
pub const SEARCH_NEXT: &str = "Next match (Enter)";
pub const SEARCH_PREVIOUS: &str = "Previous match (Shift+Enter)";

pub fn matches(at: usize, of: usize) -> String {
    if of == 0 { "no match".to_owned() } else { format!("{at} of {of}") }
}

pub fn folded_lines(lines: usize) -> String {
    counted(lines, "line", "lines")
}

pub fn cut_line(bytes_more: usize) -> String {
    format!("… {} more", bytes(bytes_more))
}

/// While the YAML doesn't follow the object: how old it is.
pub fn held_since(clock: &str) -> String {
    format!("Not following since {clock}")
}

/// `why`: a sentence about what is hidden of this kind, or nothing.
pub fn yaml_foot(annotations: usize, environment: usize, others: usize, why: &str) -> String {
    let part = |number: usize, one: &str, many: &str| (number > 0).then(|| counted(number, one, many));
    let parts = [
        part(annotations, "annotation", "annotations"),
        part(environment, "env value", "env values"),
        part(others, "value", "values"),
    ];
    let masked = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let left_out = "Hidden by the gateway: managedFields, last-applied-configuration.";
    let how = if why.is_empty() { String::new() } else { format!(" {why}") };
    if masked.is_empty() {
        format!("{left_out} Masked: nothing.{how}")
    } else {
        format!("{left_out} Masked: {masked}. Masks don't show length.{how}")
    }
}
