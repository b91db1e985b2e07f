//! What goes wrong in the story: a container that crashes, an image that isn't there, a node that
//! goes silent and comes back.

use serde_json::{Value, json};

use crate::clock;
use crate::fleet::Mutation;
use crate::fleet::build::{self, KUBELET, Told};
use crate::fleet::plan::{App, Pod, ReplicaSet, World, status_patch};

/// The first pod of an app's newest set.
fn victim(world: &World, name: &str) -> Option<(App, ReplicaSet, Pod)> {
    let app = world.apps.iter().find(|app| app.name == name)?;
    let set = app.sets.last()?;
    Some((app.clone(), set.clone(), set.pods.first()?.clone()))
}

fn warn(world: &mut World, app: &App, pod: &Pod, reason: &str, message: &str, now_s: i64) -> Vec<Mutation> {
    let field_path = format!("spec.containers{{{}}}", app.name);
    let told = Told {
        namespace: &app.namespace,
        kind: "Pod",
        api_version: "v1",
        name: &pod.name,
        uid: &pod.uid,
        field_path: &field_path,
        is_warning: true,
        reason,
        message,
        component: KUBELET,
        host: &pod.node,
    };
    world.event(&told, now_s)
}

/// `recommendations` starts, fails after a while, and waits longer each time.
#[derive(Debug, Default)]
pub(super) enum CrashLoop {
    #[default]
    Running,
    Ended,
    /// So many turns until it is started again.
    BackOff(u64),
}

impl CrashLoop {
    pub(super) fn act(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        let Some((app, set, pod)) = victim(world, "recommendations") else {
            return Vec::new();
        };
        let now = clock::text_of(now_s);
        let ended = json!({"terminated": {
            "exitCode": 1, "reason": "Error", "startedAt": clock::text_of(now_s - 6), "finishedAt": now,
        }});
        let turns = pod.restarts.clamp(1, 5).unsigned_abs();
        match std::mem::take(self) {
            Self::Running => {
                *self = Self::Ended;
                vec![container(&app, &set, &pod, &ended, &json!({}), &now)]
            }
            Self::Ended => {
                *self = Self::BackOff(turns);
                let wait_s = (10_i64 << pod.restarts.clamp(0, 5)).min(300);
                let message =
                    format!("back-off {wait_s}s restarting failed container={} pod={}", app.name, pod.name);
                let state = json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}});
                let mut done = vec![container(&app, &set, &pod, &state, &ended, &now)];
                let told = format!("Back-off restarting failed container {} in pod {}", app.name, pod.name);
                done.extend(warn(world, &app, &pod, "BackOff", &told, now_s));
                done
            }
            Self::BackOff(left @ 2..) => {
                *self = Self::BackOff(left - 1);
                Vec::new()
            }
            Self::BackOff(_) => {
                *self = Self::Running;
                let mut started = pod;
                started.restarts += 1;
                keep(world, &started);
                vec![container(&app, &set, &started, &json!({"running": {"startedAt": now}}), &ended, &now)]
            }
        }
    }
}

fn keep(world: &mut World, changed: &Pod) {
    for app in &mut world.apps {
        for pod in app.sets.iter_mut().flat_map(|set| &mut set.pods) {
            if pod.uid == changed.uid {
                *pod = changed.clone();
            }
        }
    }
}

/// The state of an app's only container.
fn container(app: &App, set: &ReplicaSet, pod: &Pod, state: &Value, last: &Value, now: &str) -> Mutation {
    let is_running = state.get("running").is_some();
    let truth = if is_running { "True" } else { "False" };
    status_patch(
        "pods",
        &app.namespace,
        &pod.name,
        KUBELET,
        json!({
            "phase": "Running",
            "conditions": [
                {"type": "Ready", "status": truth, "lastTransitionTime": now},
                {"type": "ContainersReady", "status": truth, "lastTransitionTime": now},
            ],
            "containerStatuses": [{
                "name": app.name, "image": format!("{}:v1.{}.0", app.image, set.tag), "imageID": "",
                "ready": is_running, "started": is_running, "restartCount": pod.restarts,
                "state": state, "lastState": last,
            }],
        }),
    )
}

/// `fraud-check` wants an image that nobody pushed.
#[derive(Debug, Default)]
pub(super) enum ImagePull {
    #[default]
    Pulling,
    BackingOff,
}

impl ImagePull {
    pub(super) fn act(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        let Some((app, set, pod)) = victim(world, "fraud-check") else {
            return Vec::new();
        };
        let now = clock::text_of(now_s);
        let image = format!("{}:v1.{}.0", app.image, set.tag);
        let (reason, told, message) = match self {
            Self::Pulling => {
                *self = Self::BackingOff;
                ("ErrImagePull", "Failed", format!("Failed to pull image \"{image}\": not found"))
            }
            Self::BackingOff => {
                *self = Self::Pulling;
                ("ImagePullBackOff", "BackOff", format!("Back-off pulling image \"{image}\""))
            }
        };
        let mut done = vec![build::waiting(&app, &set, &pod, reason, &now)];
        done.extend(warn(world, &app, &pod, told, &message, now_s));
        done
    }
}

/// The last node goes silent for a while, and comes back.
#[derive(Debug, Default)]
pub(super) struct NodeTrouble {
    turns: u64,
    silent_since: Option<String>,
}

/// Turns between two acts that change something; between them the other nodes report.
const NODE_TURNS: u64 = 6;

impl NodeTrouble {
    pub(super) fn act(&mut self, world: &mut World, now_s: i64) -> Vec<Mutation> {
        self.turns += 1;
        let now = clock::text_of(now_s);
        let Some(node) = world.nodes.last().cloned() else {
            return Vec::new();
        };
        if !self.turns.is_multiple_of(NODE_TURNS) {
            let others = world.nodes.len().saturating_sub(1).max(1) as u64;
            let at = usize::try_from(self.turns % others).unwrap_or_default();
            let healthy = world.nodes.get(at).cloned();
            let since = clock::text_of(now_s - 86_400);
            return healthy
                .map(|healthy| build::node_status(&healthy, true, &since, &now))
                .into_iter()
                .collect();
        }
        let is_back = self.silent_since.take().is_some();
        if !is_back {
            self.silent_since = Some(now.clone());
        }
        let (reason, message) = if is_back {
            ("NodeReady", format!("Node {} status is now: NodeReady", node.name))
        } else {
            ("NodeNotReady", format!("Node {} status is now: NodeNotReady", node.name))
        };
        let told = Told {
            namespace: "",
            kind: "Node",
            api_version: "v1",
            name: &node.name,
            uid: &node.uid,
            field_path: "",
            is_warning: false,
            reason,
            message: &message,
            component: "node-controller",
            host: "",
        };
        let mut done = vec![build::node_status(&node, is_back, &now, &now)];
        done.extend(readiness_on(world, &node.name, is_back, &now));
        done.extend(world.event(&told, now_s));
        done
    }
}

/// Pods on a silent node aren't ready: the controller says so, for nobody else can.
fn readiness_on(world: &World, node: &str, ready: bool, now: &str) -> Vec<Mutation> {
    let truth = if ready { "True" } else { "False" };
    let status = json!({"conditions": [{"type": "Ready", "status": truth, "lastTransitionTime": now}]});
    let healthy =
        |app: &&App| !app.is_filling && !matches!(app.name.as_str(), "recommendations" | "fraud-check");
    world
        .apps
        .iter()
        .filter(healthy)
        .flat_map(|app| app.sets.iter().flat_map(move |set| set.pods.iter().map(move |pod| (app, pod))))
        .filter(|(_, pod)| pod.node == node)
        .map(|(app, pod)| status_patch("pods", &app.namespace, &pod.name, build::CONTROLLERS, status.clone()))
        .collect()
}
