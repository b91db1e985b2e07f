//! The filling of a large cluster: deployments of many pods on nodes of their own, all there from the
//! start, whose containers restart now and then.

mod copier;

use serde_json::{Value, json};

pub(super) use copier::Copier;

use super::context::{Context, KUBELET};
use super::inventory::NODE_PREFIX;
use super::{Mutation, build};
use crate::json::{list, set};
use crate::resource::GroupResource;

/// Pods of one deployment.
pub(super) const PODS: usize = 50;
/// A node takes two deployments' pods: a kubelet takes 110.
const DEPLOYMENTS_PER_NODE: usize = 2;
const NAMESPACES: usize = 20;
const NAMESPACE_PREFIX: &str = "scale-";

pub(super) fn is_filling(namespace: &str) -> bool {
    namespace.starts_with(NAMESPACE_PREFIX)
}

/// One deployment of the filling and its pods.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    number: usize,
}

/// So many batches that there are at least `missing` objects more: each is pods, a set, a deployment.
pub(super) fn batches(missing: usize) -> Vec<Batch> {
    let count = missing.saturating_sub(NAMESPACES).div_ceil(PODS + 2);
    (0..count).map(|number| Batch { number }).collect()
}

pub(super) fn namespaces() -> impl Iterator<Item = Mutation> {
    (0..NAMESPACES).flat_map(|number| build::namespace(&format!("{NAMESPACE_PREFIX}{number:02}")))
}

impl Batch {
    pub(super) fn namespace(self) -> String {
        format!("{NAMESPACE_PREFIX}{:02}", self.number % NAMESPACES)
    }

    pub(super) fn name(self) -> String {
        format!("load-{:04}", self.number)
    }

    fn node_name(self) -> String {
        format!("{NODE_PREFIX}{:04}", self.number / DEPLOYMENTS_PER_NODE)
    }

    /// The address of one of its pods.
    fn address(self, pod: usize) -> String {
        let number = 100 * (self.number % DEPLOYMENTS_PER_NODE) + pod;
        let node = 6 + self.number / DEPLOYMENTS_PER_NODE;
        format!("10.{}.{}.{}", 64 + node % 128, node / 128, 2 + number)
    }

    /// Its node, if it is the first batch there.
    pub(super) fn node(self) -> Vec<Mutation> {
        let is_first = self.number.is_multiple_of(DEPLOYMENTS_PER_NODE);
        if !is_first {
            return Vec::new();
        }
        build::node(&self.node_name(), 6 + self.number / DEPLOYMENTS_PER_NODE, false)
    }

    pub(super) fn deployment(self, pod_bytes: usize) -> Vec<Mutation> {
        let image = "registry.example.com/scale/load:v1.14.0";
        let mut template = build::template(&self.namespace(), &self.name(), image, "10m");
        if pod_bytes > 0 {
            grow(&mut template, pod_bytes);
        }
        build::deployment(&self.namespace(), &self.name(), template, i64::try_from(PODS).unwrap_or_default())
    }
}

/// A pod of the filling restarts its container: the five fields of one status patch.
pub(super) fn restart_container(context: &mut Context<'_>) -> bool {
    let at = GroupResource::of("deployments.apps");
    let number = context.memory.chance.u64(..NAMESPACES as u64);
    let deployments = context.store.objects(&at, &format!("{NAMESPACE_PREFIX}{number:02}"));
    let Some(deployment) = context.memory.chance.choice(&deployments).cloned() else {
        return false;
    };
    let prefix = format!("{}-", deployment.name);
    let pods = context.store.named(&GroupResource::of("pods"), &deployment.namespace, &prefix);
    let Some(pod) = context.memory.chance.choice(&pods).map(|pod| pod.value()) else {
        return false;
    };
    let now = context.now;
    let mut statuses = list(&pod, "/status/containerStatuses").to_vec();
    for status in &mut statuses {
        let restarts = crate::json::int(status, "/restartCount") + 1;
        let started = status.pointer("/state/running/startedAt").cloned();
        let ended = json!({"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": started, "finishedAt": now,
        }});
        set(status, &["restartCount"], json!(restarts));
        set(status, &["lastState"], ended);
        set(status, &["state"], json!({"running": {"startedAt": now}}));
    }
    // It is the next change: nothing else is due.
    context.memory.restarted_revision = context.store.next_revision();
    context.status("pods", &pod, KUBELET, json!({"containerStatuses": statuses}))
}

/// What one environment variable costs, its share of managedFields included.
const VARIABLE_BYTES: usize = 171;
/// The value of a variable: long enough that managedFields are two fifths of the whole.
const VALUE: &str = "postgresql.ledger.svc.cluster.local:5432/settlements?sslmode=full";
/// A pod with its sidecar, init container and status, before any variable is added.
const GROWN_BYTES: usize = 5_050;

/// Makes a pod as large as the benches' exemplar: a sidecar, an init container, many variables.
fn grow(template: &mut Value, pod_bytes: usize) {
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/platform/{name}:v2.3.1"),
            "imagePullPolicy": "IfNotPresent", "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        })
    };
    let variable =
        |number| json!({"name": format!("SETTING_{number:03}"), "value": format!("{number:03}-{VALUE}")});
    let count = pod_bytes.saturating_sub(GROWN_BYTES) / VARIABLE_BYTES;
    let variables: Vec<Value> = (0..count).map(variable).collect();
    let patch =
        json!({"spec": {"initContainers": [container("migrate")], "containers": [container("proxy")]}});
    crate::patch::strategic(template, &patch);
    if let Some(first) = template.pointer_mut("/spec/containers/0") {
        crate::patch::strategic(first, &json!({"env": variables}));
    }
}
