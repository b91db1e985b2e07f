//! Columns of pods: the states of the containers summed up in one word, as kubectl shows it.
//! It never decides anything; it reads `status`.

use kubernetes_api::pod_conditions;
use serde_json::{Value, json};
use shared::instant;

use super::column::Cell::{Made, TextOr};
use super::column::{AGE, BuiltInColumn, NAME, shown, since, wide};
use crate::json::{condition, flag, int, list, text, text_opt};

pub(super) const POD: &[BuiltInColumn] = &[
    NAME,
    shown("Ready", Made(|it, _| json!(format!("{}/{}", Summary::of(it).ready, total(it))))),
    shown("Status", Made(|it, _| json!(Summary::of(it).reason))),
    shown("Restarts", Made(|it, now_s| json!(Summary::of(it).restarts(now_s)))),
    AGE,
    wide("IP", TextOr("/status/podIPs/0/ip", "<none>")),
    wide("Node", TextOr("/spec/nodeName", "<none>")),
    wide("Nominated Node", TextOr("/status/nominatedNodeName", "<none>")),
    wide("Readiness Gates", Made(|it, _| json!(readiness_gates(it)))),
];

/// What the walk over the containers has found so far.
#[derive(Default)]
struct Summary {
    reason: String,
    ready: usize,
    restarts: i64,
    /// The newest time at which a container ended before it was started again.
    restarted_at: Option<(i64, String)>,
}

impl Summary {
    fn of(pod: &Value) -> Self {
        let mut summary = Self { reason: first_reason(pod), ..Self::default() };
        let mut of_sidecars = Self::default();
        let initializing = walk_init(pod, &mut summary, &mut of_sidecars);
        if !initializing || is_true(pod, "Initialized") {
            summary.restarts = of_sidecars.restarts;
            summary.restarted_at = of_sidecars.restarted_at;
            walk_containers(pod, &mut summary);
        }
        if pod.pointer("/metadata/deletionTimestamp").is_some() {
            if text(pod, "/status/reason") == "NodeLost" {
                summary.reason = "Unknown".to_owned();
            } else if !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
                summary.reason = "Terminating".to_owned();
            }
        }
        summary
    }

    fn restarts(&self, now_s: i64) -> String {
        match &self.restarted_at {
            Some((_, ended)) if self.restarts != 0 => {
                format!("{} ({} ago)", self.restarts, since(ended, now_s))
            }
            _ => self.restarts.to_string(),
        }
    }

    fn count_restarts(&mut self, container: &Value) {
        self.restarts += int(container, "/restartCount");
        let ended = text(container, "/lastState/terminated/finishedAt");
        let Some(seconds) = instant::seconds(ended) else {
            return;
        };
        if self.restarted_at.as_ref().is_none_or(|(newest, _)| *newest < seconds) {
            self.restarted_at = Some((seconds, ended.to_owned()));
        }
    }
}

fn is_true(pod: &Value, kind: &str) -> bool {
    condition(pod, kind).is_some_and(|(status, _)| status == "True")
}

/// The names of the init containers that go on running beside the others.
fn sidecars(pod: &Value) -> impl Iterator<Item = &str> {
    let all = list(pod, "/spec/initContainers").iter();
    all.filter(|found| text(found, "/restartPolicy") == "Always").map(|found| text(found, "/name"))
}

fn total(pod: &Value) -> usize {
    list(pod, "/spec/containers").len() + sidecars(pod).count()
}

fn first_reason(object: &Value) -> String {
    if condition(object, "PodScheduled").is_some_and(|(_, reason)| reason == "SchedulingGated") {
        return "SchedulingGated".to_owned();
    }
    text_opt(object, "/status/reason").unwrap_or_else(|| text(object, "/status/phase")).to_owned()
}

/// Walks the init containers up to the first that isn't done, and says whether there is such a one.
fn walk_init(object: &Value, summary: &mut Summary, of_sidecars: &mut Summary) -> bool {
    let count = list(object, "/spec/initContainers").len();
    for (at, container) in list(object, "/status/initContainerStatuses").iter().enumerate() {
        let sidecar = sidecars(object).any(|name| name == text(container, "/name"));
        summary.count_restarts(container);
        if sidecar {
            of_sidecars.count_restarts(container);
        }
        let ended = container.pointer("/state/terminated");
        if ended.is_some_and(|ended| int(ended, "/exitCode") == 0) {
            continue;
        }
        if sidecar && flag(container, "/started") {
            if flag(container, "/ready") {
                summary.ready += 1;
            }
            continue;
        }
        let waiting = text(container, "/state/waiting/reason");
        summary.reason = match ended {
            Some(ended) => format!("Init:{}", end_of(ended)),
            None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
            None => format!("Init:{at}/{count}"),
        };
        return true;
    }
    false
}

fn walk_containers(object: &Value, summary: &mut Summary) {
    let mut running = false;
    for container in list(object, "/status/containerStatuses").iter().rev() {
        summary.count_restarts(container);
        let waiting = text(container, "/state/waiting/reason");
        if !waiting.is_empty() {
            summary.reason = waiting.to_owned();
        } else if let Some(ended) = container.pointer("/state/terminated") {
            summary.reason = end_of(ended);
        } else if flag(container, "/ready") && container.pointer("/state/running").is_some() {
            running = true;
            summary.ready += 1;
        }
    }
    // One container has completed, another still runs: the pod isn't complete.
    if summary.reason == "Completed" && running {
        summary.reason = if is_true(object, "Ready") { "Running" } else { "NotReady" }.to_owned();
    }
}

fn end_of(ended: &Value) -> String {
    match (text_opt(ended, "/reason"), int(ended, "/signal")) {
        (Some(reason), _) => reason.to_owned(),
        (None, 0) => format!("ExitCode:{}", int(ended, "/exitCode")),
        (None, signal) => format!("Signal:{signal}"),
    }
}

fn readiness_gates(object: &Value) -> String {
    let gates = list(object, "/spec/readinessGates");
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let open = gates.iter().filter(|gate| is_true(object, text(gate, "/conditionType"))).count();
    format!("{open}/{}", gates.len())
}

/// What a row says of itself beside its cells: finished pods alone do.
pub fn row_conditions(object: &Value) -> Option<Value> {
    pod_conditions(text(object, "/status/phase"))
}
