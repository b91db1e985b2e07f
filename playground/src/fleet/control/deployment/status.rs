//! A deployment's status: the sums of its sets, and two conditions.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Bounds, RESOURCE};
use crate::fleet::context::{CONTROLLERS, Context, condition_of, count, name_of};
use crate::json::{int, set};

pub(super) fn update(
    context: &mut Context<'_>,
    deployment: &Value,
    new: Option<&Value>,
    sets: &[Arc<Value>],
) {
    let wanted = int(deployment, "/spec/replicas");
    let sum = |pointer: &str| sets.iter().map(|set| int(set, pointer)).sum::<i64>();
    let (all, ready, available) =
        (sum("/status/replicas"), sum("/status/readyReplicas"), sum("/status/availableReplicas"));
    let updated = new.map_or(0, |set| int(set, "/status/replicas"));
    let is_enough = available >= wanted - Bounds::of(deployment).unavailable;
    let is_done = updated == wanted && all == wanted && available == wanted;
    let now = context.now;
    let (holds, why, what) = if is_enough {
        ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    let mut available_condition = condition_of(deployment, "Available", holds, why, what, now);
    // Before its set exists, the real controller names the deployment.
    let subject = match new {
        Some(set) => format!("ReplicaSet \"{}\"", name_of(set)),
        None => format!("Deployment \"{}\"", name_of(deployment)),
    };
    let (reason, message) = if is_done {
        ("NewReplicaSetAvailable", format!("{subject} has successfully progressed."))
    } else {
        ("ReplicaSetUpdated", format!("{subject} is progressing."))
    };
    let mut progressing = condition_of(deployment, "Progressing", "True", reason, &message, now);
    // The time of the last update is that of the last transition.
    for condition in [&mut available_condition, &mut progressing] {
        let since = condition.get("lastTransitionTime").cloned().unwrap_or_default();
        set(condition, &["lastUpdateTime"], since);
    }
    let unavailable = (wanted - available).max(0);
    let status = json!({
        "observedGeneration": int(deployment, "/metadata/generation"), "replicas": count(all),
        "updatedReplicas": count(updated), "readyReplicas": count(ready),
        "availableReplicas": count(available), "unavailableReplicas": count(unavailable),
        "conditions": [available_condition, progressing],
    });
    context.status(RESOURCE, deployment, CONTROLLERS, status);
}
