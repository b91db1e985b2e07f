//! What the panel of one object says: labels of its facts, its tabs, its timeline. Kubernetes' own
//! words as they are; `kubectl describe` names a fact so, too.

mod history;

pub use history::*;

use super::{bytes, count, counted};
use crate::kubectl::quoted;

// Tabs and parts

pub const CONTAINERS: &str = "Containers";
pub const CONDITIONS: &str = "Conditions";
pub const OWNERS: &str = "Owner tree";
pub const EVENTS: &str = "Events";
pub const EVENTS_NOTE: &str = "core v1, newest first";
pub const ANNOTATIONS: &str = "Annotations";
pub const FINALIZERS: &str = "Finalizers";
pub const DATA: &str = "Data";
pub const CONTAINER_COLUMNS: [&str; 4] = ["NAME", "STATE", "RESTARTS", "LAST STATE"];
pub const CONDITION_COLUMNS: [&str; 4] = ["TYPE", "STATUS", "REASON, MESSAGE", "LAST TRANSITION"];
pub const EVENT_COLUMNS: [&str; 4] = ["LAST SEEN", "TYPE", "REASON, MESSAGE", "COUNT"];
pub const NONE: &str = "none";
pub const NO_EVENTS: &str = "No events. The API server keeps them for an hour.";
pub const NOT_SERVED: &str = "not served here";
pub const CLOSE: &str = "Close (Esc)";
pub const COPY_LINK: &str = "Copy the link";
pub const COPY_KUBECTL: &str = "Copy the kubectl command";
pub const COPY_NAME: &str = "Copy the name";
pub const RESIZE: &str = "Width of the panel ([ and ])";

/// `Pod in payments`
#[must_use]
pub fn kind_in(kind: &str, namespace: Option<&str>) -> String {
    namespace.map_or_else(|| kind.to_owned(), |namespace| format!("{kind} in {namespace}"))
}

/// What shows the same in a terminal.
#[must_use]
pub fn kubectl_get(resource: &str, namespace: Option<&str>, name: &str) -> String {
    let namespace = namespace.map_or_else(String::new, |namespace| format!(" -n {namespace}"));
    format!("kubectl get {resource} {}{namespace} -o yaml", quoted(name))
}

#[must_use]
pub fn and_more_events(more: usize) -> String {
    format!("and {} older ones", count(u64::try_from(more).unwrap_or(u64::MAX)))
}

#[must_use]
pub fn and_more_objects(more: usize) -> String {
    format!("and {} more", count(u64::try_from(more).unwrap_or(u64::MAX)))
}

// How the object stands

pub const ASKED_FOR_OBJECT: &str = "Asked for the object.";

#[must_use]
pub fn deleted_at(clock: &str) -> String {
    format!("Deleted at {clock}.")
}

pub const LAST_SEEN_STATE: &str = "What stands below is the last that was seen of it.";
pub const NOT_THERE: &str = "It isn't there.";
pub const APPEARS_BY_ITSELF: &str = "When one of this name is made, it appears here by itself.";

#[must_use]
pub fn may_not_get(resource: &str) -> String {
    format!("You may not get {resource} here.")
}

// Facts

pub const ACCESS_MODES: &str = "Access modes";
pub const ADDRESSES: &str = "Addresses";
pub const ALLOCATABLE: &str = "Allocatable";
pub const ARCHITECTURE: &str = "Architecture";
pub const BACKOFF_LIMIT: &str = "Backoff limit";
pub const CAPACITY: &str = "Capacity";
pub const CLAIM: &str = "Claim";
pub const CLUSTER_IPS: &str = "Cluster IPs";
pub const COMPLETED: &str = "Completed";
pub const COMPLETIONS: &str = "Completions";
pub const CONCURRENCY: &str = "Concurrency";
pub const CREATED: &str = "Created";
pub const DELETING: &str = "Deleting";
pub const DURATION: &str = "Duration";
pub const EXTERNAL_IPS: &str = "External IPs";
pub const EXTERNAL_NAME: &str = "External name";
pub const GENERATION: &str = "Generation";
pub const IMAGE: &str = "Image";
pub const IMAGES: &str = "Images";
pub const INGRESS_CLASS: &str = "Class";
pub const KERNEL: &str = "Kernel";
pub const KUBELET: &str = "Kubelet";
pub const LABELS: &str = "Labels";
pub const LAST_SCHEDULE: &str = "Last run";
pub const LAST_SUCCESS: &str = "Last success";
pub const LOAD_BALANCER: &str = "Load balancer";
pub const NODE: &str = "Node";
pub const PARALLELISM: &str = "Parallelism";
pub const PAUSED: &str = "Paused";
pub const PHASE: &str = "Phase";
pub const PODS: &str = "Pods";
pub const POD_CIDR: &str = "Pod CIDR";
pub const POD_IP: &str = "Pod IP";
pub const POD_MANAGEMENT: &str = "Management";
pub const PORTS: &str = "Ports";
pub const PRIORITY_CLASS: &str = "Priority";
pub const QOS_CLASS: &str = "QoS class";
pub const RANGE: &str = "Range";
pub const REASON: &str = "Reason";
pub const RECLAIM_POLICY: &str = "Reclaim";
pub const REPLICAS: &str = "Replicas";
pub const REQUESTED: &str = "Requested";
pub const REVISION: &str = "Revision";
pub const RULES: &str = "Rules";
pub const RUNTIME: &str = "Runtime";
pub const SCALES: &str = "Scales";
pub const SCHEDULE: &str = "Schedule";
pub const SCHEDULING: &str = "Scheduling";
pub const SELECTOR: &str = "Selector";
pub const SERVICE: &str = "Service";
pub const SERVICE_ACCOUNT: &str = "Account";
pub const STARTED: &str = "Started";
pub const STORAGE_CLASS: &str = "Storage class";
pub const STRATEGY: &str = "Strategy";
pub const SUSPENDED: &str = "Suspended";
pub const SYSTEM: &str = "System";
pub const TAINTS: &str = "Taints";
pub const TRAFFIC_POLICY: &str = "Traffic";
pub const TYPE: &str = "Type";
pub const VOLUME: &str = "Volume";
pub const VOLUME_MODE: &str = "Volume mode";

pub const YES: &str = "yes";
pub const CORDONED: &str = "disabled";
pub const DESIRED: &str = "desired";
pub const CURRENT: &str = "current";
pub const UPDATED: &str = "updated";
pub const READY: &str = "ready";
pub const AVAILABLE: &str = "available";
pub const ACTIVE: &str = "active";
pub const SUCCEEDED: &str = "succeeded";
pub const FAILED_PODS: &str = "failed";

/// `13:41:02, 21m ago`
#[must_use]
pub fn detail_at(clock: &str, age: &str) -> String {
    format!("{clock}, {age} ago")
}

/// ` (4m29s ago)`, as kubectl writes it behind a count.
#[must_use]
pub fn in_brackets_ago(age: &str) -> String {
    format!(" ({age} ago)")
}

#[must_use]
pub fn observed_generation(observed: i64, generation: i64) -> String {
    format!("{observed} of {generation} observed")
}

/// `8 desired, 6 ready`
#[must_use]
pub fn replicas(counts: &[(i64, &str)]) -> String {
    counts.iter().map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

#[must_use]
pub fn strategy(kind: &str, unavailable: Option<String>, surge: Option<String>) -> String {
    let parts = [
        Some(kind.to_owned()),
        unavailable.map(|part| format!("{part} max unavailable")),
        surge.map(|part| format!("{part} max surge")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[must_use]
pub fn range(least: i64, most: i64) -> String {
    format!("{least} to {most} replicas")
}

/// `80/TCP to web, node port 30080`
#[must_use]
pub fn port(port: &str, protocol: &str, target: Option<String>, node_port: Option<String>) -> String {
    let target = target.filter(|target| target != port).map_or_else(String::new, |to| format!(" to {to}"));
    let node_port = node_port.map_or_else(String::new, |port| format!(", node port {port}"));
    format!("{port}/{protocol}{target}{node_port}")
}

// Containers

pub const WAITING: &str = "Waiting";
pub const RUNNING: &str = "Running";
pub const NOT_STARTED: &str = "Not started";

#[must_use]
pub fn container_state(state: &str, reason: &str) -> String {
    if reason.is_empty() { state.to_owned() } else { format!("{state}: {reason}") }
}

/// `Terminated: Error, exit code 1, ran 9s`
#[must_use]
pub fn terminated(reason: &str, code: Option<i64>, signal: Option<i64>, ran: Option<String>) -> String {
    let parts = [
        Some(reason.to_owned()).filter(|reason| !reason.is_empty()),
        code.filter(|code| *code != 0).map(|code| format!("exit code {code}")),
        signal.filter(|signal| *signal != 0).map(|signal| format!("signal {signal}")),
        ran.map(|ran| format!("ran {ran}")),
    ];
    container_state("Terminated", &parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

#[must_use]
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
#[must_use]
pub fn state_in_words(state: &str, reason: &str, code: Option<i64>) -> String {
    let code = code.filter(|code| *code != 0).map(|code| format!("exit code {code}"));
    let parts = [Some(reason.to_owned()).filter(|reason| !reason.is_empty()), code];
    container_state(state, &parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

// YAML

pub const MASKED: &str = "masked by the gateway";
pub const FOLLOW: &str = "Follow";
pub const FOLD_ALL: &str = "Fold all";
pub const UNFOLD_ALL: &str = "Unfold all";
pub const COPY: &str = "Copy";
pub const SEARCH_HINT: &str = "Find in the YAML";
pub const SEARCH_NEXT: &str = "Next match (Enter)";
pub const SEARCH_PREVIOUS: &str = "Previous match (Shift+Enter)";

#[must_use]
pub fn matches(at: usize, of: usize) -> String {
    if of == 0 { "no match".to_owned() } else { format!("{at} of {of}") }
}

#[must_use]
pub fn folded_lines(lines: usize) -> String {
    counted(u64::try_from(lines).unwrap_or(u64::MAX), "line", "lines")
}

#[must_use]
pub fn cut_line(bytes_more: usize) -> String {
    format!("… {} more", bytes(u64::try_from(bytes_more).unwrap_or(u64::MAX)))
}

/// While the YAML doesn't follow: how old it is.
#[must_use]
pub fn held_since(clock: &str) -> String {
    format!("held since {clock}")
}

#[must_use]
pub fn yaml_foot(annotations: usize, environment: usize, others: usize) -> String {
    let part = |number: usize, one: &str, many: &str| {
        let number = u64::try_from(number).unwrap_or(u64::MAX);
        (number > 0).then(|| counted(number, one, many))
    };
    let parts = [
        part(annotations, "annotation", "annotations"),
        part(environment, "env value", "env values"),
        part(others, "value", "values"),
    ];
    let masked = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let left_out = "Left out by the gateway: managedFields, last-applied-configuration.";
    if masked.is_empty() {
        format!("{left_out} Masked: nothing.")
    } else {
        format!("{left_out} Masked: {masked}. A mask has eight dots whatever it hides.")
    }
}
