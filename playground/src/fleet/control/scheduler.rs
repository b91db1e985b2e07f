//! kube-scheduler: a node for a pod that has none.

use serde_json::{Value, json};

use super::node::is_schedulable;
use crate::fleet::context::{Context, SCHEDULER, condition_of, is_true, name_of, namespace_of};
use crate::fleet::{filling, inventory};
use crate::json::{list, text};
use crate::resource::GroupResource;

pub(super) fn schedule(context: &mut Context<'_>, pod: &Value) {
    let wanted = text(
        pod,
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0/values/0",
    );
    let is_filling = filling::is_filling(namespace_of(pod));
    let nodes = context.store.objects(&GroupResource::of("nodes"), "");
    let fitting: Vec<&str> = nodes
        .iter()
        .filter(|node| match wanted {
            "" => inventory::is_filling_node(&node.name) == is_filling && is_schedulable(&node.value()),
            // An agent tolerates what keeps others away.
            name => node.name == name,
        })
        .map(|node| node.name.as_str())
        .collect();
    let Some(node) = context.memory.chance.choice(&fitting).copied() else {
        let message = format!(
            "0/{} nodes are available: no node is schedulable. preemption: 0/{} nodes are available: Preemption is not helpful for scheduling.",
            nodes.len(),
            nodes.len()
        );
        let condition = condition_of(pod, "PodScheduled", "False", "Unschedulable", &message, context.now);
        if context.status("pods", pod, SCHEDULER, json!({"conditions": [condition]})) {
            context.record("pods", pod, "FailedScheduling", &message, "default-scheduler");
        }
        return;
    };
    let mut conditions = list(pod, "/status/conditions").to_vec();
    if !is_true(pod, "PodScheduled") {
        conditions.retain(|found| text(found, "/type") != "PodScheduled");
        conditions.push(
            json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": context.now}),
        );
    }
    let patch = json!({"spec": {"nodeName": node}, "status": {"conditions": conditions}});
    context.patch("pods", pod, SCHEDULER, patch);
    let message = format!("Successfully assigned {}/{} to {node}", namespace_of(pod), name_of(pod));
    context.record("pods", pod, "Scheduled", &message, "default-scheduler");
}
