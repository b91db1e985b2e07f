//! The node controller: a kubelet that went silent, what that means for its pods, and its return.

use serde_json::{Value, json};

use crate::fleet::build::node_status;
use crate::fleet::context::{
    CONTROLLERS, Context, KUBELET, condition_of, controller, is_terminating, is_true, name_of, namespace_of,
};
use crate::fleet::recorder::Source;
use crate::json::{flag, list, text};

pub(in crate::fleet) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// Steps until the pods of a lost node are evicted (five minutes, in a real cluster).
const EVICTION: u64 = 60;

pub(super) fn is_schedulable(node: &Value) -> bool {
    is_true(node, "Ready") && !flag(node, "/spec/unschedulable") && list(node, "/spec/taints").is_empty()
}

pub(super) fn reconcile(context: &mut Context<'_>, node: &Value) {
    let is_silent = context.memory.silent.contains(name_of(node));
    let is_ready = is_true(node, "Ready");
    let taints = list(node, "/spec/taints");
    let is_tainted = taints.iter().any(|taint| text(taint, "/key") == UNREACHABLE);
    if is_silent && is_ready {
        let message = "Kubelet stopped posting node status.";
        let condition = |kind| condition_of(node, kind, "Unknown", "NodeStatusUnknown", message, context.now);
        let conditions = json!([
            condition("MemoryPressure"),
            condition("DiskPressure"),
            condition("PIDPressure"),
            condition("Ready"),
        ]);
        context.status("nodes", node, CONTROLLERS, json!({"conditions": conditions}));
        let message = format!("Node {} status is now: NodeNotReady", name_of(node));
        context.record("nodes", node, "NodeNotReady", &message, "node-controller");
    } else if is_silent && !is_tainted {
        let taint = |effect: &str| json!({"key": UNREACHABLE, "effect": effect, "timeAdded": context.now});
        let mut all = taints.to_vec();
        all.extend([taint("NoSchedule"), taint("NoExecute")]);
        context.patch("nodes", node, CONTROLLERS, json!({"spec": {"taints": all}}));
    } else if !is_silent && !is_ready && node.get("status").is_some() {
        let status = node_status(node, context.now);
        context.status("nodes", node, KUBELET, status);
        let message = format!("Node {} status is now: NodeReady", name_of(node));
        let source = Source { component: KUBELET, field_path: "", host: name_of(node) };
        context.record_at("nodes", node, "NodeReady", &message, source);
    } else if !is_silent && is_tainted {
        let rest: Vec<&Value> = taints.iter().filter(|taint| text(taint, "/key") != UNREACHABLE).collect();
        let rest = if rest.is_empty() { Value::Null } else { json!(rest) };
        context.patch("nodes", node, CONTROLLERS, json!({"spec": {"taints": rest}}));
    }
}

/// Marks a pod on a silent node as unready, and after a while for deletion. It stays until its kubelet
/// confirms that it is gone.
pub(super) fn lost_pod(context: &mut Context<'_>, pod: &Value) {
    if matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
        return;
    }
    if is_true(pod, "Ready") {
        let condition = condition_of(pod, "Ready", "False", "", "", context.now);
        context.status("pods", pod, CONTROLLERS, json!({"conditions": [condition]}));
        context.record("pods", pod, "NodeNotReady", "Node is not ready", "node-controller");
        return;
    }
    let is_agent = controller(pod).is_some_and(|owner| text(owner, "/kind") == "DaemonSet");
    if !is_agent && !is_terminating(pod) && context.passed("pods", pod, "evict", EVICTION) {
        context.delete("pods", pod, 30);
        let message = format!("Marking for deletion Pod {}/{}", namespace_of(pod), name_of(pod));
        context.record("pods", pod, "TaintManagerEviction", &message, "taint-eviction-controller");
    }
}
