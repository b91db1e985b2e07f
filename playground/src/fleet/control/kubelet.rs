//! kubelet: the containers of a pod, one change of state after another. The pod's own status is its
//! only memory, so that a pod of a person's lives like the fleet's.

mod containers;

use serde_json::{Value, json};

use crate::fleet::cast::{can_pull, crashes};
use crate::fleet::recorder::hash_of;
use crate::fleet::stage::{KUBELET, Stage, condition_of, is_terminating, is_true, name_of, namespace_of};
use crate::json::{int, list, text, text_opt};
use containers::{Container, State};

/// Steps that things take.
const STOPPING: u64 = 4;
const STARTING: u64 = 2;
const UNTIL_CRASH: u64 = 24;
const BACK_OFF: u64 = 36;
const JOB_RUNS: u64 = 40;
/// One job in so many percent fails.
const FAILS_PERCENT: u64 = 20;

pub(super) fn sync(stage: &mut Stage<'_>, pod: &Value, node: &Value) {
    if is_terminating(pod) {
        return stop(stage, pod);
    }
    let is_over = matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
    if is_over {
        return;
    }
    let container = Container::first(pod);
    let image = text(pod, "/spec/containers/0/image").to_owned();
    match container.state() {
        State::None => create(stage, pod, node),
        State::Waiting("ContainerCreating" | "PodInitializing") => start(stage, pod, &image),
        State::Waiting("ErrImagePull") => {
            if stage.passed("pods", pod, "back off", STARTING) {
                wait(stage, pod, "ImagePullBackOff", &format!("Back-off pulling image \"{image}\""));
                tell(stage, pod, "BackOff", &format!("Back-off pulling image \"{image}\""));
            }
        }
        State::Waiting("ImagePullBackOff") => {
            if stage.passed("pods", pod, "pull", BACK_OFF) {
                start(stage, pod, &image);
            }
        }
        State::Waiting(_) => {
            if stage.passed("pods", pod, "restart", BACK_OFF) {
                run(stage, pod, false);
            }
        }
        State::Running if !is_true(pod, "Ready") => {
            if stage.passed("pods", pod, "probe", STARTING) {
                run(stage, pod, true);
            }
        }
        State::Running => live(stage, pod, &image),
        State::Ended => back_off(stage, pod),
    }
}

fn stop(stage: &mut Stage<'_>, pod: &Value) {
    if stage.passed("pods", pod, "stop", STOPPING) {
        stage.delete("pods", pod, 0);
        return;
    }
    if let State::Running = Container::first(pod).state() {
        for container in list(pod, "/spec/containers") {
            let name = text(container, "/name");
            tell_container(stage, pod, name, "Killing", &format!("Stopping container {name}"));
        }
    }
}

/// The pod was bound to this node: its containers are being created.
fn create(stage: &mut Stage<'_>, pod: &Value, node: &Value) {
    let address = list(node, "/status/addresses")
        .iter()
        .find(|found| text(found, "/type") == "InternalIP")
        .map_or("", |found| text(found, "/address"));
    let has_init = !list(pod, "/spec/initContainers").is_empty();
    let waiting = if has_init { "PodInitializing" } else { "ContainerCreating" };
    let mut status = json!({
        "phase": "Pending", "startTime": stage.now, "observedGeneration": int(pod, "/metadata/generation"),
        "hostIP": address, "hostIPs": [{"ip": address}],
        "conditions": conditions(stage, pod, !has_init, false),
        "containerStatuses": containers::all(pod, |container| container.waiting(waiting, "")),
    });
    if has_init {
        let waits = containers::all_init(pod, |container| container.waiting("PodInitializing", ""));
        crate::json::set(&mut status, &["initContainerStatuses"], waits);
    }
    stage.status("pods", pod, KUBELET, status);
}

fn start(stage: &mut Stage<'_>, pod: &Value, image: &str) {
    if !can_pull(image) {
        let message = format!(
            "failed to pull and unpack image \"{image}\": failed to resolve reference \"{image}\": {image}: not found"
        );
        wait(stage, pod, "ErrImagePull", &message);
        tell(stage, pod, "Failed", &format!("Failed to pull image \"{image}\": {message}"));
        return;
    }
    if !list(pod, "/spec/initContainers").is_empty() && !is_true(pod, "Initialized") {
        return initialize(stage, pod);
    }
    run(stage, pod, false);
    tell(stage, pod, "Pulled", &format!("Container image \"{image}\" already present on machine"));
    tell(stage, pod, "Started", "Container started");
}

/// Init containers run one after the other; the step from running to done is one change each.
fn initialize(stage: &mut Stage<'_>, pod: &Value) {
    let now = stage.now;
    let is_running = pod.pointer("/status/initContainerStatuses/0/state/running").is_some();
    let status = if is_running {
        json!({
            "conditions": conditions(stage, pod, true, false),
            "initContainerStatuses": containers::all_init(pod, |container| container.completed(now)),
            "podIP": address_of(pod, stage), "podIPs": [{"ip": address_of(pod, stage)}],
        })
    } else {
        json!({"initContainerStatuses": containers::all_init(pod, |container| container.running(now, false))})
    };
    stage.status("pods", pod, KUBELET, status);
}

/// Its containers run; ready or not yet.
fn run(stage: &mut Stage<'_>, pod: &Value, ready: bool) {
    let now = stage.now;
    let ip = address_of(pod, stage);
    let status = json!({
        "phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}],
        "conditions": conditions(stage, pod, true, ready),
        "containerStatuses": containers::all(pod, |container| container.running(now, ready)),
    });
    stage.status("pods", pod, KUBELET, status);
}

/// A pod that runs may come to its end, or to harm.
fn live(stage: &mut Stage<'_>, pod: &Value, image: &str) {
    if text(pod, "/spec/restartPolicy") == "Never" {
        if stage.passed("pods", pod, "end", JOB_RUNS) {
            end(stage, pod);
        }
        return;
    }
    if !stage.memory.is_settling && crashes(image) && stage.passed("pods", pod, "crash", UNTIL_CRASH) {
        let now = stage.now;
        let status = json!({
            "conditions": conditions(stage, pod, true, false),
            "containerStatuses": containers::all(pod, |container| container.ended(1, "Error", now)),
        });
        stage.status("pods", pod, KUBELET, status);
    }
}

fn end(stage: &mut Stage<'_>, pod: &Value) {
    let fails = !stage.memory.is_settling && stage.memory.chance.chance(FAILS_PERCENT);
    let (phase, why, code, reason) = if fails {
        ("Failed", "PodFailed", 3, "Error")
    } else {
        ("Succeeded", "PodCompleted", 0, "Completed")
    };
    let now = stage.now;
    let condition = |kind| condition_of(pod, kind, "False", why, "", now);
    let status = json!({
        "phase": phase,
        "conditions": [condition("Ready"), condition("ContainersReady"), condition_of(pod, "PodReadyToStartContainers", "False", "", "", now)],
        "containerStatuses": containers::all(pod, |container| container.ended(code, reason, now)),
    });
    stage.status("pods", pod, KUBELET, status);
}

fn back_off(stage: &mut Stage<'_>, pod: &Value) {
    let name = text(pod, "/spec/containers/0/name").to_owned();
    let place = format!("{}_{}({})", name_of(pod), namespace_of(pod), text(pod, "/metadata/uid"));
    let message = format!("back-off 5m0s restarting failed container={name} pod={place}");
    wait(stage, pod, "CrashLoopBackOff", &message);
    let told = format!("Back-off restarting failed container {name} in pod {place}");
    tell_container(stage, pod, &name, "BackOff", &told);
}

fn wait(stage: &mut Stage<'_>, pod: &Value, reason: &str, message: &str) {
    let status = json!({
        "conditions": conditions(stage, pod, true, false),
        "containerStatuses": containers::all(pod, |container| container.waiting(reason, message)),
    });
    stage.status("pods", pod, KUBELET, status);
}

fn conditions(stage: &Stage<'_>, pod: &Value, initialized: bool, ready: bool) -> Value {
    let names: Vec<&str> = list(pod, "/spec/containers").iter().map(|found| text(found, "/name")).collect();
    let unready = format!("containers with unready status: [{}]", names.join(" "));
    let now = stage.now;
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
fn address_of(pod: &Value, stage: &Stage<'_>) -> String {
    if let Some(ip) = text_opt(pod, "/status/podIP") {
        return ip.to_owned();
    }
    let node = stage.get("nodes", "", text(pod, "/spec/nodeName")).unwrap_or_default();
    let range = text(&node, "/spec/podCIDR");
    let mut parts = range.split('.');
    let (first, second) = (parts.next().unwrap_or("10"), parts.next().unwrap_or("64"));
    let hash = hash_of(&[text(pod, "/metadata/uid")]);
    format!("{first}.{second}.{}.{}", hash % 250, 2 + (hash >> 16) % 250)
}

fn tell(stage: &mut Stage<'_>, pod: &Value, reason: &str, message: &str) {
    let name = text(pod, "/spec/containers/0/name").to_owned();
    tell_container(stage, pod, &name, reason, message);
}

fn tell_container(stage: &mut Stage<'_>, pod: &Value, container: &str, reason: &str, message: &str) {
    let host = text(pod, "/spec/nodeName");
    let field_path = format!("spec.containers{{{container}}}");
    stage.tell_of("pods", pod, &field_path, reason, message, KUBELET, host);
}
