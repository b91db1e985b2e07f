//! What is said of one object: the objects around it, its facts, its containers, why it isn't well, and what of it is
//! masked.

use crate::kubectl::shell::{quoted, with_name};
use crate::messages::counted;

pub const PODS_ON_NODE: &str = "Pods on this node";
pub const PODS_OF_SERVICE: &str = "Pods of this service";
pub const ENDPOINT_SLICES: &str = "EndpointSlices";
pub const USED_BY: &str = "Used by";

/// In place of the objects under a heading, once it is known that there are none. Empty: the heading isn't shown.
pub fn none_under(heading: &str) -> &'static str {
    match heading {
        USED_BY => "No pod or workload of its namespace names it.",
        PODS_OF_SERVICE => "No pod matches its selector.",
        PODS_ON_NODE => "No pod is on it.",
        _ => "",
    }
}

/// In place of a path: all that no rule of an Ingress has.
pub const OTHER_PATHS: &str = "other paths";

/// `shop.example.com/cart → web:80`
pub fn answered_by(place: &str, backend: &str) -> String {
    format!("{place} → {backend}")
}

/// The command that shows why a container ended.
pub fn kubectl_logs(name: &str, namespace: &str, container: &str, is_previous: bool) -> String {
    let previous = if is_previous { " --previous" } else { "" };
    let (namespace, container) = (quoted(namespace), quoted(container));
    with_name("kubectl logs", name, &format!(" -n {namespace} -c {container}{previous}"))
}

/// `8 CPU`, `7.91 CPU`
pub fn cores(cores: f64) -> String {
    format!("{} CPU", (cores * 100.0).round() / 100.0)
}

pub fn memory(bytes: f64) -> String {
    format!("{} memory", binary(bytes))
}

/// `0.48 of 7.91 CPU (6%)`
pub fn cores_of(used: f64, has: Option<f64>) -> String {
    let Some(has) = has else { return cores(used) };
    let rounded = (used * 100.0).round() / 100.0;
    format!("{rounded} of {} ({})", cores(has), share(used, has))
}

/// `1.8 of 31 GiB memory (6%)`
pub fn memory_of(used: f64, has: Option<f64>) -> String {
    let Some(has) = has else { return memory(used) };
    let (amount, whole) = (binary(used), binary(has));
    // Where both amounts have the same unit, the second one says it.
    let amount = match (amount.split_once(' '), whole.split_once(' ')) {
        (Some((amount, unit)), Some((_, of))) if unit == of => amount,
        _ => amount.as_str(),
    };
    format!("{amount} of {} ({})", memory(has), share(used, has))
}

/// `12 of 110 pods (11%)`
pub fn pods_of(used: usize, has: Option<f64>) -> String {
    match (has, u32::try_from(used)) {
        (Some(has), Ok(used)) => {
            format!("{used} of {} ({})", pods(&has.to_string()), share(used.into(), has))
        }
        _ => pods(&used.to_string()),
    }
}

fn share(part: f64, whole: f64) -> String {
    let percent = 100.0 * part / whole;
    if percent > 0.0 && percent < 0.5 { "<1%".to_owned() } else { format!("{percent:.0}%") }
}

pub fn storage(bytes: f64) -> String {
    format!("{} storage", binary(bytes))
}

pub fn pods(pods: &str) -> String {
    format!("{pods} pods")
}

/// `31 GiB`, `3.8 GiB`, `512 MiB`
fn binary(bytes: f64) -> String {
    let units =
        [(1_099_511_627_776.0, "TiB"), (1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1_024.0, "KiB")];
    let (unit, name) = units.into_iter().find(|(unit, _)| bytes >= *unit).unwrap_or((1.0, "bytes"));
    let amount = bytes / unit;
    // More digits than these say nothing to a reader.
    if amount < 10.0 {
        format!("{} {name}", (amount * 10.0).round() / 10.0)
    } else {
        format!("{amount:.0} {name}")
    }
}

pub const SINCE: &str = "since";
pub const TERMINATING: &str = "Terminating";
pub const GRACE_PERIOD: &str = "grace period";
pub const HELD_BY: &str = "held by";
pub const FINALIZERS_HOLD: &str =
    "Each finalizer is removed by its controller when that is done; the object goes with the last one.";
pub const NO_FINALIZER: &str = "No finalizer holds it.";
pub const CONTENT_GOES_FIRST: &str = "It goes when all that is in it is deleted.";

/// `until 14:02:40`
pub fn grace_until(clock: &str, is_over: bool) -> String {
    if is_over { format!("over since {clock}") } else { format!("until {clock}") }
}

/// No finalizer holds the pod.
pub fn kubelet_ends_it(node: &str) -> String {
    format!("No finalizer holds it; it goes when the kubelet of {node} has ended its containers.")
}

/// A container goes from one reason to another while its pod isn't ready.
pub const NOT_READY_SINCE: &str = "not ready since";
pub const AGAIN_AND_AGAIN: &str = "again and again since";

/// `or before (54m): 9 times, never ready for 10m between`
pub fn relapses(age: &str, times: usize, well: &str, is_cut: bool) -> String {
    let or_before = if is_cut { "or before " } else { "" };
    format!("{or_before}({age}): {} times, never ready for {well} between", crate::messages::count(times))
}

pub const SCHEDULED_AT: &str = "scheduled";
pub const EXIT_CODE: &str = "exit code";
/// The exit code of a container's run before the one that goes on now.
pub const LAST_EXIT_CODE: &str = "last exit code";
pub const LIMIT: &str = "limit";
pub const READY: &str = "ready";
pub const SHORT_OF_PODS: &str = "Short of pods";

/// `2 Pods ImagePullBackOff`
pub fn failing(count: usize, kind: &str, reason: &str) -> String {
    format!("{} {reason}", counted(count, kind, &format!("{kind}s")))
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

/// `13:41:02, 21m ago`
pub fn detail_at(clock: &str, age: &str) -> String {
    format!("{clock}, {age} ago")
}

/// `2027-02-23 18:20:41, in 86d`
pub fn detail_ahead(clock: &str, distance: &str) -> String {
    format!("{clock}, in {distance}")
}

/// ` (4m29s ago)`, as kubectl writes it behind a count.
pub fn in_brackets_ago(age: &str) -> String {
    format!(" ({age} ago)")
}

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

/// On the value of a ConfigMap.
pub const MASKED_CONFIG_MAP: &str =
    "The gateway masks the values of ConfigMaps; started with --config-map-values it shows them.";
/// On the values of a Secret.
pub const SECRET_VALUES: &str =
    "The gateway reads the metadata of Secrets alone: their values never leave the cluster.";

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

pub fn more_lines(lines: usize) -> String {
    format!("… {}", counted(lines, "line", "lines"))
}

pub fn hidden_lines(lines: usize, path: &str) -> String {
    match (lines, path) {
        (0, path) => path.to_owned(),
        (lines, "") => more_lines(lines),
        (lines, path) => format!("{}, {path}", more_lines(lines)),
    }
}
