//! The ReplicaSet controller: as many pods as wanted, and how many of them are ready.

use serde_json::{Value, json};

use super::pods;
use crate::fleet::stage::{CONTROLLERS, Stage, count, is_active, is_true, name_of};
use crate::json::{int, text};

const RESOURCE: &str = "replicasets.apps";

pub(super) fn reconcile(stage: &mut Stage<'_>, set: &Value) {
    let owned: Vec<Value> = stage.owned("pods", set).into_iter().filter(is_active).collect();
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
fn first_to_go(pods: &[Value]) -> Option<&Value> {
    pods.iter().max_by_key(|pod| {
        (!is_true(pod, "Ready"), text(pod, "/metadata/creationTimestamp").to_owned(), name_of(pod).to_owned())
    })
}
