//! kubelet: the containers of a pod, one change of state after another. Its only memory is the status
//! of the pod, so that a pod which a person creates lives like the fleet's.

mod containers;

use serde_json::{Value, json};

use crate::fleet::context::{Context, KUBELET, condition_of, is_terminating, is_true, name_of, namespace_of};
use crate::fleet::inventory::{can_pull, crashes};
use crate::fleet::recorder::{Source, hash_of};
use crate::json::{int, list, text, text_opt};
use containers::{Container, State};

/// How many steps each phase takes.
const STOPPING: u64 = 4;
const STARTING: u64 = 2;
const UNTIL_CRASH: u64 = 24;
/// 20 s at the speed of the demo, as the kubelet says of a container that crashed.
const BACK_OFF: u64 = 36;
const JOB_RUNS: u64 = 40;
/// The percentage of jobs that fail.
const FAILS_PERCENT: u64 = 20;

pub(super) fn sync(context: &mut Context<'_>, pod: &Value, node: &Value) {
    if is_terminating(pod) {
        return stop(context, pod);
    }
    let is_over = matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
    if is_over {
        return;
    }
    let container = Container::first(pod);
    let image = text(pod, "/spec/containers/0/image").to_owned();
    match container.state() {
        State::None => create(context, pod, node),
        State::Waiting("ContainerCreating" | "PodInitializing") => start(context, pod, &image),
        State::Waiting("ErrImagePull") => {
            if context.passed("pods", pod, "back off", STARTING) {
                let message = format!("Back-off pulling image \"{image}\"");
                // The status names the error of the last try, since Kubernetes 1.32.
                let status = format!("{message}: ErrImagePull: {}", pull_error(&image));
                wait(context, pod, "ImagePullBackOff", &status);
                record(context, pod, "BackOff", &message);
            }
        }
        State::Waiting("ImagePullBackOff") => {
            if context.passed("pods", pod, "pull", BACK_OFF) {
                start(context, pod, &image);
            }
        }
        State::Waiting(_) => {
            if context.passed("pods", pod, "restart", BACK_OFF) {
                run(context, pod, false);
            }
        }
        State::Running if !is_true(pod, "Ready") => {
            if context.passed("pods", pod, "probe", STARTING) {
                run(context, pod, true);
            }
        }
        State::Running => live(context, pod, &image),
        State::Ended => back_off(context, pod),
    }
}

fn stop(context: &mut Context<'_>, pod: &Value) {
    if context.passed("pods", pod, "stop", STOPPING) {
        context.delete("pods", pod, 0);
        return;
    }
    if let State::Running = Container::first(pod).state() {
        for container in list(pod, "/spec/containers") {
            let name = text(container, "/name");
            record_of(context, pod, name, "Killing", &format!("Stopping container {name}"));
        }
    }
}

/// Reports of a pod that was just bound to this node that its containers are being created.
fn create(context: &mut Context<'_>, pod: &Value, node: &Value) {
    let address = list(node, "/status/addresses")
        .iter()
        .find(|found| text(found, "/type") == "InternalIP")
        .map_or("", |found| text(found, "/address"));
    let has_init = !list(pod, "/spec/initContainers").is_empty();
    let waiting = if has_init { "PodInitializing" } else { "ContainerCreating" };
    let mut status = json!({
        "phase": "Pending", "startTime": context.now, "observedGeneration": int(pod, "/metadata/generation"),
        "hostIP": address, "hostIPs": [{"ip": address}],
        "conditions": conditions(context, pod, !has_init, false),
        "containerStatuses": containers::all(pod, |container| container.waiting(waiting, "")),
    });
    if has_init {
        let waits = containers::all_init(pod, |container| container.waiting("PodInitializing", ""));
        crate::json::set(&mut status, &["initContainerStatuses"], waits);
    }
    context.status("pods", pod, KUBELET, status);
}

fn pull_error(image: &str) -> String {
    format!(
        "failed to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: not found"
    )
}

fn start(context: &mut Context<'_>, pod: &Value, image: &str) {
    if !can_pull(image) {
        let message = pull_error(image);
        wait(context, pod, "ErrImagePull", &message);
        record(context, pod, "Failed", &format!("Failed to pull image \"{image}\": {message}"));
        return;
    }
    if !list(pod, "/spec/initContainers").is_empty() && !is_true(pod, "Initialized") {
        return initialize(context, pod);
    }
    run(context, pod, false);
    record(context, pod, "Pulled", &format!("Container image \"{image}\" already present on machine"));
    record(context, pod, "Started", "Container started");
}

/// Init containers run one after the other; the step from running to done is one change each.
fn initialize(context: &mut Context<'_>, pod: &Value) {
    let now = context.now;
    let is_running = pod.pointer("/status/initContainerStatuses/0/state/running").is_some();
    let status = if is_running {
        json!({
            "conditions": conditions(context, pod, true, false),
            "initContainerStatuses": containers::all_init(pod, |container| container.completed(now)),
            "podIP": address_of(pod, context), "podIPs": [{"ip": address_of(pod, context)}],
        })
    } else {
        json!({"initContainerStatuses": containers::all_init(pod, |container| container.running(now, false))})
    };
    context.status("pods", pod, KUBELET, status);
}

/// Reports that the containers run, and whether they are ready.
fn run(context: &mut Context<'_>, pod: &Value, ready: bool) {
    let now = context.now;
    let ip = address_of(pod, context);
    let status = json!({
        "phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}],
        "conditions": conditions(context, pod, true, ready),
        "containerStatuses": containers::all(pod, |container| container.running(now, ready)),
    });
    context.status("pods", pod, KUBELET, status);
}

/// A job's pod ends after a while, and the container of a crashing image fails.
fn live(context: &mut Context<'_>, pod: &Value, image: &str) {
    if text(pod, "/spec/restartPolicy") == "Never" {
        if context.passed("pods", pod, "end", JOB_RUNS) {
            end(context, pod);
        }
        return;
    }
    if !context.memory.is_settling && crashes(image) && context.passed("pods", pod, "crash", UNTIL_CRASH) {
        let now = context.now;
        let status = json!({
            "conditions": conditions(context, pod, true, false),
            "containerStatuses": containers::all(pod, |container| container.ended((1, "Error", CRASHED), now)),
        });
        context.status("pods", pod, KUBELET, status);
    }
}

fn end(context: &mut Context<'_>, pod: &Value) {
    let fails = !context.memory.is_settling && context.memory.chance.u64(..100) < FAILS_PERCENT;
    let (phase, why, code, reason) = if fails {
        ("Failed", "PodFailed", 3, "Error")
    } else {
        ("Succeeded", "PodCompleted", 0, "Completed")
    };
    let now = context.now;
    let condition = |kind| condition_of(pod, kind, "False", why, "", now);
    let status = json!({
        "phase": phase,
        "conditions": [condition("Ready"), condition("ContainersReady"), condition_of(pod, "PodReadyToStartContainers", "False", "", "", now)],
        "containerStatuses": containers::all(pod, |container| container.ended((code, reason, ""), now)),
    });
    context.status("pods", pod, KUBELET, status);
}

/// What the program that crashes writes to its termination log.
const CRASHED: &str = "settlements can't be imported: 2026-11.csv has no column \"currency\" (line 1)\n";

fn back_off(context: &mut Context<'_>, pod: &Value) {
    let name = text(pod, "/spec/containers/0/name").to_owned();
    let place = format!("{}_{}({})", name_of(pod), namespace_of(pod), text(pod, "/metadata/uid"));
    let message = format!("back-off 20s restarting failed container={name} pod={place}");
    wait(context, pod, "CrashLoopBackOff", &message);
    let message = format!("Back-off restarting failed container {name} in pod {place}");
    record_of(context, pod, &name, "BackOff", &message);
}

fn wait(context: &mut Context<'_>, pod: &Value, reason: &str, message: &str) {
    let status = json!({
        "conditions": conditions(context, pod, true, false),
        "containerStatuses": containers::all(pod, |container| container.waiting(reason, message)),
    });
    context.status("pods", pod, KUBELET, status);
}

fn conditions(context: &Context<'_>, pod: &Value, initialized: bool, ready: bool) -> Value {
    let names: Vec<&str> = list(pod, "/spec/containers").iter().map(|found| text(found, "/name")).collect();
    let unready = format!("containers with unready status: [{}]", names.join(" "));
    let now = context.now;
    let condition = |kind, holds: bool, reason, message| match holds {
        true => condition_of(pod, kind, "True", "", "", now),
        false => condition_of(pod, kind, "False", reason, message, now),
    };
    let uninitialized = "containers with incomplete status";
    json!([
        condition("PodReadyToStartContainers", initialized, "", ""),
        condition("Initialized", initialized, "ContainersNotInitialized", uninitialized),
        condition("Ready", ready, "ContainersNotReady", &unready),
        condition("ContainersReady", ready, "ContainersNotReady", &unready),
        condition("PodScheduled", true, "", ""),
    ])
}

/// A pod keeps its address; a new one gets one of its node's range.
fn address_of(pod: &Value, context: &Context<'_>) -> String {
    if let Some(ip) = text_opt(pod, "/status/podIP") {
        return ip.to_owned();
    }
    let node = context.get("nodes", "", text(pod, "/spec/nodeName")).unwrap_or_default();
    let range = text(&node, "/spec/podCIDR");
    let mut parts = range.split('.');
    let (first, second) = (parts.next().unwrap_or("10"), parts.next().unwrap_or("64"));
    let hash = hash_of(&[text(pod, "/metadata/uid")]);
    format!("{first}.{second}.{}.{}", hash % 250, 2 + (hash >> 16) % 250)
}

fn record(context: &mut Context<'_>, pod: &Value, reason: &str, message: &str) {
    record_of(context, pod, text(pod, "/spec/containers/0/name"), reason, message);
}

/// An Event of one container.
fn record_of(context: &mut Context<'_>, pod: &Value, container: &str, reason: &str, message: &str) {
    let field_path = format!("spec.containers{{{container}}}");
    let source = Source { component: KUBELET, field_path: &field_path, host: text(pod, "/spec/nodeName") };
    context.record_at("pods", pod, reason, message, source);
}
