//! A pod's row: the states of its containers summed up in one word, as kubectl shows it.
//! It never decides anything; it reads `status`.

use serde_json::{Value, json};

use super::duration::{seconds_of, since};
use crate::json::{condition, flag, int, list, text, text_opt};

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
    fn count_restarts(&mut self, container: &Value) {
        self.restarts += int(container, "/restartCount");
        let ended = text(container, "/lastState/terminated/finishedAt");
        let Some(seconds) = seconds_of(ended) else {
            return;
        };
        if self.restarted_at.as_ref().is_none_or(|(newest, _)| *newest < seconds) {
            self.restarted_at = Some((seconds, ended.to_owned()));
        }
    }
}

pub(super) fn pod(object: &Value, now_s: i64) -> Vec<Value> {
    let restartable = |name: &str| {
        list(object, "/spec/initContainers")
            .iter()
            .any(|found| text(found, "/name") == name && text(found, "/restartPolicy") == "Always")
    };
    let sidecars = list(object, "/spec/initContainers")
        .iter()
        .filter(|found| text(found, "/restartPolicy") == "Always")
        .count();
    let total = list(object, "/spec/containers").len() + sidecars;

    let mut summary = Summary { reason: first_reason(object), ..Summary::default() };
    let mut of_sidecars = Summary::default();
    let initializing = walk_init(object, &restartable, &mut summary, &mut of_sidecars);
    if !initializing || condition(object, "Initialized").is_some_and(|(status, _)| status == "True") {
        summary.restarts = of_sidecars.restarts;
        summary.restarted_at = of_sidecars.restarted_at;
        walk_containers(object, &mut summary);
    }
    if object.pointer("/metadata/deletionTimestamp").is_some() {
        if text(object, "/status/reason") == "NodeLost" {
            summary.reason = "Unknown".to_owned();
        } else if !matches!(text(object, "/status/phase"), "Succeeded" | "Failed") {
            summary.reason = "Terminating".to_owned();
        }
    }
    let restarts = match &summary.restarted_at {
        Some((_, ended)) if summary.restarts != 0 => {
            format!("{} ({} ago)", summary.restarts, since(ended, now_s))
        }
        _ => summary.restarts.to_string(),
    };
    let or_none = |pointer| text_opt(object, pointer).unwrap_or("<none>").to_owned();
    vec![
        json!(text(object, "/metadata/name")),
        json!(format!("{}/{total}", summary.ready)),
        json!(summary.reason),
        json!(restarts),
        json!(since(text(object, "/metadata/creationTimestamp"), now_s)),
        json!(or_none("/status/podIPs/0/ip")),
        json!(or_none("/spec/nodeName")),
        json!(or_none("/status/nominatedNodeName")),
        json!(readiness_gates(object)),
    ]
}

fn first_reason(object: &Value) -> String {
    if condition(object, "PodScheduled").is_some_and(|(_, reason)| reason == "SchedulingGated") {
        return "SchedulingGated".to_owned();
    }
    text_opt(object, "/status/reason").unwrap_or_else(|| text(object, "/status/phase")).to_owned()
}

/// Walks the init containers up to the first that isn't done. The answer: is one not done?
fn walk_init(
    object: &Value,
    restartable: &dyn Fn(&str) -> bool,
    summary: &mut Summary,
    of_sidecars: &mut Summary,
) -> bool {
    let count = list(object, "/spec/initContainers").len();
    for (at, container) in list(object, "/status/initContainerStatuses").iter().enumerate() {
        let sidecar = restartable(text(container, "/name"));
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
            None if !waiting.is_empty() && waiting != "PodInitializing" => {
                format!("Init:{waiting}")
            }
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
        let ready = condition(object, "Ready").is_some_and(|(status, _)| status == "True");
        summary.reason = if ready { "Running" } else { "NotReady" }.to_owned();
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
    let open = gates
        .iter()
        .filter(|gate| {
            condition(object, text(gate, "/conditionType")).is_some_and(|(status, _)| status == "True")
        })
        .count();
    format!("{open}/{}", gates.len())
}

pub(super) fn row_conditions(object: &Value) -> Option<Value> {
    let (reason, message) = match text(object, "/status/phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]))
}
