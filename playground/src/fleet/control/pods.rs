//! One pod, by whoever has to do with it: the scheduler, its node's kubelet, or, while that is
//! silent, the node controller. And a pod as a controller makes it from a template.

use serde_json::{Value, json};

use super::{kubelet, node, scheduler};
use crate::fleet::stage::{CONTROLLERS, Stage, name_of, namespace_of, owner_reference};
use crate::json::{set, text};

pub(super) fn pod(stage: &mut Stage<'_>, pod: &Value) {
    let on = text(pod, "/spec/nodeName");
    if on.is_empty() {
        if crate::fleet::stage::is_terminating(pod) {
            return stage.delete("pods", pod, 0);
        }
        return scheduler::schedule(stage, pod);
    }
    match stage.get("nodes", "", on) {
        None => stage.delete("pods", pod, 0),
        Some(_) if stage.memory.silent.contains(on) => node::lost_pod(stage, pod),
        Some(node) => kubelet::sync(stage, pod, &node),
    }
}

/// Makes a pod from the template of what controls it.
pub(super) fn create(
    stage: &mut Stage<'_>,
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
    stage.create("pods", CONTROLLERS, value);
    stage.tell(resource, owner, "SuccessfulCreate", &format!("Created pod: {name}"), component_of(resource));
}

/// Marks a pod, as its controller does when there are too many.
pub(super) fn remove(stage: &mut Stage<'_>, resource: &'static str, owner: &Value, pod: &Value) {
    stage.delete("pods", pod, 30);
    let message = format!("Deleted pod: {}", name_of(pod));
    stage.tell(resource, owner, "SuccessfulDelete", &message, component_of(resource));
}

fn component_of(resource: &str) -> &'static str {
    match resource {
        "replicasets.apps" => "replicaset-controller",
        "statefulsets.apps" => "statefulset-controller",
        "daemonsets.apps" => "daemonset-controller",
        _ => "job-controller",
    }
}

/// Limits equal to requests for all make it guaranteed; nothing asked for at all, best effort.
fn quality(template: &Value) -> &'static str {
    let asked = crate::json::list(template, "/spec/containers")
        .iter()
        .any(|container| container.pointer("/resources/requests").is_some());
    if asked { "Burstable" } else { "BestEffort" }
}

/// A hash of a template, as it stands in the names and labels of what comes from it.
pub(in crate::fleet) fn template_hash(template: &Value) -> String {
    let mut plain = template.clone();
    crate::json::remove(&mut plain, &["metadata", "labels", "pod-template-hash"]);
    crate::json::remove(&mut plain, &["metadata", "creationTimestamp"]);
    let hash = crate::fleet::recorder::hash_of(&[&plain.to_string()]);
    crate::random::Random::new(hash).suffix(10)
}
