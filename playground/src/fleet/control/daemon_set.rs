//! The DaemonSet controller: one pod on each node that fits.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods;
use crate::fleet::context::{CONTROLLERS, Context, count, is_terminating, is_true, name_of};
use crate::fleet::follow::selects;
use crate::json::{int, set, text, texts};
use crate::random::suffix;
use crate::resource::GroupResource;

const RESOURCE: &str = "daemonsets.apps";
const HASH: &str = "controller-revision-hash";

pub(super) fn reconcile(context: &mut Context<'_>, daemon: &Value) {
    let selector = texts(daemon, "/spec/template/spec/nodeSelector");
    let nodes: Vec<String> = context
        .store
        .objects(&GroupResource::of("nodes"), "")
        .iter()
        .filter(|node| selector.is_empty() || selects(&selector, node))
        .map(|node| node.name.clone())
        .collect();
    let hash = pods::hash_of_template(daemon);
    let owned = context.owned("pods", daemon);
    let on = |node: &str| owned.iter().find(|pod| wanted_node(pod) == node);
    let is_of_now = |pod: &Value| text(pod, &format!("/metadata/labels/{HASH}")) == hash;
    let is_ready = |pod: &Value| is_true(pod, "Ready") && !is_terminating(pod);
    let placed: Vec<&Arc<Value>> = nodes.iter().filter_map(|node| on(node)).collect();
    let ready = placed.iter().filter(|pod| is_ready(pod)).count();
    if let Some(node) = nodes.iter().find(|node| on(node).is_none()) {
        create(context, daemon, node, &hash);
    } else if let Some(stray) =
        owned.iter().find(|pod| !is_terminating(pod) && !nodes.iter().any(|node| node == wanted_node(pod)))
    {
        pods::delete(context, RESOURCE, daemon, stray);
    } else if let Some(old) = placed.iter().find(|pod| !is_of_now(pod) && !is_terminating(pod))
        && ready == nodes.len()
    {
        pods::delete(context, RESOURCE, daemon, old);
    }
    let updated = placed.iter().filter(|pod| is_of_now(pod)).count();
    let status = json!({
        "currentNumberScheduled": placed.len(), "desiredNumberScheduled": nodes.len(), "numberMisscheduled": 0,
        "numberReady": ready, "numberAvailable": count(ready),
        "numberUnavailable": count(nodes.len() - ready.min(nodes.len())), "updatedNumberScheduled": count(updated),
        "observedGeneration": int(daemon, "/metadata/generation"),
    });
    context.status(RESOURCE, daemon, CONTROLLERS, status);
}

const AFFINITY: &str =
    "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

fn wanted_node(pod: &Value) -> &str {
    text(pod, &format!("{AFFINITY}/0/matchFields/0/values/0"))
}

fn create(context: &mut Context<'_>, daemon: &Value, node: &str, hash: &str) {
    let name = format!("{}-{}", name_of(daemon), suffix(&mut context.memory.chance, 5));
    let terms = json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]);
    let tolerate = |condition: &str, effect: &str| json!({"key": format!("node.kubernetes.io/{condition}"), "operator": "Exists", "effect": effect});
    let execute = ["not-ready", "unreachable"].map(|key| tolerate(key, "NoExecute"));
    let schedule = ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];
    let tolerations = [&execute[..], &schedule.map(|key| tolerate(key, "NoSchedule"))].concat();
    pods::create(context, RESOURCE, daemon, &name, |pod| {
        let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}});
        set(pod, &["spec", "affinity"], affinity);
        set(pod, &["spec", "tolerations"], json!(tolerations));
        set(pod, &["metadata", "labels", HASH], json!(hash));
    });
}
