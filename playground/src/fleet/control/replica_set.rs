//! The ReplicaSet controller: as many pods as wanted, and how many of them are ready.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods;
use crate::fleet::stage::{CONTROLLERS, Stage, count, is_active, is_true, name_of};
use crate::json::{int, text};

const RESOURCE: &str = "replicasets.apps";

pub(super) fn reconcile(stage: &mut Stage<'_>, set: &Value) {
    let mut owned = stage.owned("pods", set);
    owned.retain(|pod| is_active(pod));
    let wanted = usize::try_from(int(set, "/spec/replicas")).unwrap_or_default();
    if owned.len() < wanted {
        let name = format!("{}-{}", name_of(set), stage.memory.chance.suffix(5));
        pods::create(stage, RESOURCE, set, &name, |_| {});
    } else if owned.len() > wanted
        && let Some(victim) = first_to_go(&owned)
    {
        pods::remove(stage, RESOURCE, set, victim);
    }
    let ready = owned.iter().filter(|pod| is_true(pod, "Ready")).count();
    let status = json!({
        "replicas": owned.len(), "fullyLabeledReplicas": count(owned.len()), "readyReplicas": count(ready),
        "availableReplicas": count(ready), "observedGeneration": int(set, "/metadata/generation"),
    });
    stage.status(RESOURCE, set, CONTROLLERS, status);
}

/// Unready ones before ready ones, young ones before old ones.
fn first_to_go(pods: &[Arc<Value>]) -> Option<&Arc<Value>> {
    pods.iter().max_by_key(|pod| {
        (!is_true(pod, "Ready"), text(pod, "/metadata/creationTimestamp").to_owned(), name_of(pod).to_owned())
    })
}
