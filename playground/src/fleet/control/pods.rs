//! One pod, by the component that has to act on it: the scheduler, its node's kubelet, or, while that is
//! silent, the node controller. And a pod as a controller makes it from a template.

use serde_json::{Value, json};

use super::{kubelet, node, scheduler};
use crate::fleet::context::{CONTROLLERS, Context, is_terminating, name_of, namespace_of, owner_reference};
use crate::fleet::recorder::hash_of;
use crate::json::{list, remove, set, text};
use crate::random::{seeded, suffix};

pub(super) fn pod(context: &mut Context<'_>, pod: &Value) {
    let on = text(pod, "/spec/nodeName");
    if on.is_empty() {
        if is_terminating(pod) {
            return context.delete("pods", pod, 0);
        }
        return scheduler::schedule(context, pod);
    }
    match context.get("nodes", "", on) {
        None => context.delete("pods", pod, 0),
        Some(_) if context.memory.silent.contains(on) => node::lost_pod(context, pod),
        Some(node) => kubelet::sync(context, pod, &node),
    }
}

/// Makes a pod from the template of what controls it.
pub(super) fn create(
    context: &mut Context<'_>,
    resource: &'static str,
    owner: &Value,
    name: &str,
    change: impl FnOnce(&mut Value),
) {
    let mut value = owner.pointer("/spec/template").cloned().unwrap_or_default();
    for (path, new) in [
        (&["metadata", "name"][..], json!(name)),
        (&["metadata", "namespace"], json!(namespace_of(owner))),
        (&["metadata", "generateName"], json!(format!("{}-", name_of(owner)))),
        (&["metadata", "ownerReferences"], owner_reference(resource, owner)),
        (&["status"], json!({"phase": "Pending", "qosClass": quality(&value)})),
    ] {
        set(&mut value, path, new);
    }
    change(&mut value);
    context.create("pods", CONTROLLERS, value);
    let message = format!("Created pod: {name}");
    context.record(resource, owner, "SuccessfulCreate", &message, component_of(resource));
}

/// Marks a pod, as its controller does when there are too many.
pub(super) fn delete(context: &mut Context<'_>, resource: &'static str, owner: &Value, pod: &Value) {
    context.delete("pods", pod, 30);
    let message = format!("Deleted pod: {}", name_of(pod));
    context.record(resource, owner, "SuccessfulDelete", &message, component_of(resource));
}

fn component_of(resource: &str) -> &'static str {
    match resource {
        "replicasets.apps" => "replicaset-controller",
        "statefulsets.apps" => "statefulset-controller",
        "daemonsets.apps" => "daemonset-controller",
        _ => "job-controller",
    }
}

/// The QoS class. No template of the fleet has limits equal to its requests, which would be Guaranteed.
fn quality(template: &Value) -> &'static str {
    let mut containers = list(template, "/spec/containers").iter();
    if containers.any(|container| container.pointer("/resources/requests").is_some()) {
        "Burstable"
    } else {
        "BestEffort"
    }
}

/// The hash of an owner's template, as it stands in the names and labels of what comes from it.
pub(super) fn hash_of_template(owner: &Value) -> String {
    template_hash(owner.pointer("/spec/template").unwrap_or(&Value::Null))
}

pub(in crate::fleet) fn template_hash(template: &Value) -> String {
    let mut plain = template.clone();
    remove(&mut plain, &["metadata", "labels", "pod-template-hash"]);
    remove(&mut plain, &["metadata", "creationTimestamp"]);
    suffix(&mut seeded(hash_of(&[&plain.to_string()])), 10)
}
