//! The DaemonSet controller: one pod on each node that fits.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods::{self, template_hash};
use crate::fleet::follow::selects;
use crate::fleet::stage::{CONTROLLERS, Stage, count, group_resource, is_terminating, is_true, name_of};
use crate::json::{int, set, text, texts};

const RESOURCE: &str = "daemonsets.apps";
const HASH: &str = "controller-revision-hash";

pub(super) fn reconcile(stage: &mut Stage<'_>, daemon: &Value) {
    let selector = texts(daemon, "/spec/template/spec/nodeSelector");
    let nodes: Vec<String> = stage
        .store
        .objects(&group_resource("nodes"), "")
        .iter()
        .filter(|node| selector.is_empty() || selects(&selector, node))
        .map(|node| node.name.clone())
        .collect();
    let hash = template_hash(daemon.pointer("/spec/template").unwrap_or(&Value::Null));
    let owned = stage.owned("pods", daemon);
    let on = |node: &str| owned.iter().find(|pod| wanted_node(pod) == node);
    let is_of_now = |pod: &Value| text(pod, &format!("/metadata/labels/{HASH}")) == hash;
    let is_ready = |pod: &Value| is_true(pod, "Ready") && !is_terminating(pod);
    let placed: Vec<&Arc<Value>> = nodes.iter().filter_map(|node| on(node)).collect();
    let ready = placed.iter().filter(|pod| is_ready(pod)).count();
    if let Some(node) = nodes.iter().find(|node| on(node).is_none()) {
        create(stage, daemon, node, &hash);
    } else if let Some(stray) =
        owned.iter().find(|pod| !is_terminating(pod) && !nodes.iter().any(|node| node == wanted_node(pod)))
    {
        pods::remove(stage, RESOURCE, daemon, stray);
    } else if let Some(old) = placed.iter().find(|pod| !is_of_now(pod) && !is_terminating(pod))
        && ready == nodes.len()
    {
        pods::remove(stage, RESOURCE, daemon, old);
    }
    let updated = placed.iter().filter(|pod| is_of_now(pod)).count();
    let status = json!({
        "currentNumberScheduled": placed.len(), "desiredNumberScheduled": nodes.len(), "numberMisscheduled": 0,
        "numberReady": ready, "numberAvailable": count(ready),
        "numberUnavailable": count(nodes.len() - ready.min(nodes.len())), "updatedNumberScheduled": count(updated),
        "observedGeneration": int(daemon, "/metadata/generation"),
    });
    stage.status(RESOURCE, daemon, CONTROLLERS, status);
}

const AFFINITY: &str =
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

fn wanted_node(pod: &Value) -> &str {
    text(pod, &format!("{AFFINITY}/0/matchFields/0/values/0"))
}

fn create(stage: &mut Stage<'_>, daemon: &Value, node: &str, hash: &str) {
    let name = format!("{}-{}", name_of(daemon), stage.memory.chance.suffix(5));
    let terms = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]);
    let tolerate = |key: &str, effect: &str| json!({"key": key, "operator": "Exists", "effect": effect});
    let tolerations = json!([
        tolerate("node.kubernetes.io/not-ready", "NoExecute"),
        tolerate("node.kubernetes.io/unreachable", "NoExecute"),
        tolerate("node.kubernetes.io/disk-pressure", "NoSchedule"),
        tolerate("node.kubernetes.io/memory-pressure", "NoSchedule"),
        tolerate("node.kubernetes.io/pid-pressure", "NoSchedule"),
        tolerate("node.kubernetes.io/unschedulable", "NoSchedule"),
    ]);
    pods::create(stage, RESOURCE, daemon, &name, |pod| {
        let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}});
        set(pod, &["spec", "affinity"], affinity);
        set(pod, &["spec", "tolerations"], tolerations);
        set(pod, &["metadata", "labels", HASH], json!(hash));
    });
}
