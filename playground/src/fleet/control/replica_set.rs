//! The ReplicaSet controller: as many pods as wanted, and how many of them are ready. And a ReplicaSet
//! as another controller makes it, for one version of its template.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods;
use crate::fleet::context::{
    CONTROLLERS, Context, count, is_active, is_true, name_of, namespace_of, owner_reference,
};
use crate::json::{int, set, text};
use crate::random::suffix;

pub(super) const RESOURCE: &str = "replicasets.apps";

pub(super) fn reconcile(context: &mut Context<'_>, owner: &Value) {
    let mut owned = context.owned("pods", owner);
    owned.retain(|pod| is_active(pod));
    let wanted = usize::try_from(int(owner, "/spec/replicas")).unwrap_or_default();
    if owned.len() < wanted {
        let name = format!("{}-{}", name_of(owner), suffix(&mut context.memory.chance, 5));
        pods::create(context, RESOURCE, owner, &name, |_| {});
    } else if owned.len() > wanted
        && let Some(victim) = first_to_go(&owned)
    {
        pods::delete(context, RESOURCE, owner, victim);
    }
    let ready = owned.iter().filter(|pod| is_true(pod, "Ready")).count();
    let status = json!({
        "replicas": owned.len(), "fullyLabeledReplicas": count(owned.len()), "readyReplicas": count(ready),
        "availableReplicas": count(ready), "observedGeneration": int(owner, "/metadata/generation"),
    });
    context.status(RESOURCE, owner, CONTROLLERS, status);
}

/// Unready ones before ready ones, young ones before old ones.
fn first_to_go(pods: &[Arc<Value>]) -> Option<&Arc<Value>> {
    pods.iter().max_by_key(|pod| {
        (!is_true(pod, "Ready"), text(pod, "/metadata/creationTimestamp").to_owned(), name_of(pod).to_owned())
    })
}

/// A set of `replicas` pods for the template with this hash, which stands in the label `hash_label`.
pub(super) fn of_owner(
    resource: &str,
    owner: &Value,
    (hash_label, hash): (&str, &str),
    replicas: i64,
    annotations: Value,
) -> Value {
    let part = |pointer: &str| owner.pointer(pointer).cloned().unwrap_or_default();
    let (mut template, mut selector) = (part("/spec/template"), part("/spec/selector"));
    set(&mut template, &["metadata", "labels", hash_label], json!(hash));
    set(&mut selector, &["matchLabels", hash_label], json!(hash));
    let labels = template.pointer("/metadata/labels");
    let mut made = json!({
        "metadata": {
            "name": format!("{}-{hash}", name_of(owner)), "namespace": namespace_of(owner), "labels": labels,
            "ownerReferences": owner_reference(resource, owner),
        },
        "spec": {"replicas": replicas, "selector": selector, "template": template},
        "status": {"replicas": 0},
    });
    if !annotations.is_null() {
        set(&mut made, &["metadata", "annotations"], annotations);
    }
    made
}
