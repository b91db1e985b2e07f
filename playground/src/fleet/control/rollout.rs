//! The reconciler of the second custom kind: the new pods get their share of the traffic in steps,
//! with a pause between them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods::hash_of_template;
use super::replica_set::{self, RESOURCE as SETS};
use crate::fleet::context::{Context, condition_of, name_of};
use crate::json::{int, list, text};

const RESOURCE: &str = "rollouts.argoproj.io";
pub(in crate::fleet) const MANAGER: &str = "rollouts-controller";
const HASH: &str = "rollouts-pod-template-hash";
/// Steps of the scenario between two steps of a rollout.
const PAUSE: u64 = 40;

pub(super) fn reconcile(context: &mut Context<'_>, rollout: &Value) {
    let sets = context.owned(SETS, rollout);
    let hash = hash_of_template(rollout);
    let hash_of = |set: &Value| text(set, &format!("/metadata/labels/{HASH}")).to_owned();
    let Some(new) = sets.iter().find(|set| hash_of(set) == hash) else {
        let replicas = if sets.is_empty() { int(rollout, "/spec/replicas") } else { 0 };
        return create_set(context, rollout, &hash, replicas);
    };
    let wanted = int(rollout, "/spec/replicas");
    let stable = match text(rollout, "/status/stableRS") {
        "" => hash.clone(),
        stable => stable.to_owned(),
    };
    let steps = list(rollout, "/spec/strategy/canary/steps");
    let is_known = text(rollout, "/status/currentPodHash") == hash;
    let at = if is_known { int(rollout, "/status/currentStepIndex") } else { 0 };
    let step = usize::try_from(at).ok().and_then(|at| steps.get(at));
    let is_stable = stable == hash;
    let weight = match step {
        Some(step) if !is_stable => int(step, "/setWeight"),
        _ => 100,
    };
    // The share of the new pods is rounded up; the old ones keep the rest.
    let of_new = if is_stable { wanted } else { (wanted * weight + 99) / 100 };
    for set in &sets {
        let share = match hash_of(set) {
            found if found == hash => of_new,
            found if found == stable => wanted - of_new,
            _ => 0,
        };
        if int(set, "/spec/replicas") != share {
            context.patch(SETS, set, MANAGER, json!({"spec": {"replicas": share}}));
        }
    }
    let is_there = int(new, "/status/readyReplicas") == of_new;
    let has_paused = !is_stable && is_known && is_there && context.passed(RESOURCE, rollout, "pause", PAUSE);
    let next = at + i64::from(has_paused);
    let last = i64::try_from(steps.len()).unwrap_or_default();
    let is_done = next >= last && !is_stable && is_there;
    let is_left = |set: &&Arc<Value>| int(set, "/status/replicas") == 0 && hash_of(set) != hash;
    let left = sets.iter().find(is_left).filter(|_| is_stable);
    let progress = Progress { hash: hash.clone(), stable, next, weight, is_done, is_stable, is_there };
    update(context, rollout, &sets, new, &progress);
    if let Some(old) = left {
        context.delete(SETS, old, 0);
    }
}

struct Progress {
    hash: String,
    stable: String,
    next: i64,
    weight: i64,
    is_done: bool,
    is_stable: bool,
    is_there: bool,
}

fn update(context: &mut Context<'_>, rollout: &Value, sets: &[Arc<Value>], new: &Value, progress: &Progress) {
    let sum = |pointer: &str| sets.iter().map(|set| int(set, pointer)).sum::<i64>();
    let is_over = progress.is_stable || progress.is_done;
    let phase = match (is_over, progress.is_there) {
        (true, true) => "Healthy",
        (false, true) => "Paused",
        _ => "Progressing",
    };
    let status = json!({
        "replicas": sum("/status/replicas"), "readyReplicas": sum("/status/readyReplicas"),
        "availableReplicas": sum("/status/availableReplicas"), "updatedReplicas": int(new, "/status/replicas"),
        "currentPodHash": progress.hash,
        "stableRS": if progress.is_done { &progress.hash } else { &progress.stable },
        "currentStepIndex": progress.next, "phase": phase, "controllerPause": phase == "Paused",
        "canary": {"weight": if is_over { 0 } else { progress.weight }},
        "observedGeneration": int(rollout, "/metadata/generation").to_string(),
        "conditions": conditions(context, rollout, phase, sum("/status/availableReplicas")),
    });
    let before = text(rollout, "/status/phase").to_owned();
    if context.status(RESOURCE, rollout, MANAGER, status) && before != phase {
        let (reason, message) = match phase {
            "Healthy" => ("RolloutCompleted", "Rollout completed update"),
            "Paused" => ("RolloutPaused", "Rollout is paused (CanaryPauseStep)"),
            _ => ("RolloutUpdated", "Rollout updated to a new revision"),
        };
        context.record(RESOURCE, rollout, reason, message, MANAGER);
    }
}

/// As its own controller writes them beside the phase.
fn conditions(context: &Context<'_>, rollout: &Value, phase: &str, available: i64) -> Value {
    let now = context.now;
    let word = |holds: bool| if holds { "True" } else { "False" };
    let (progressing, step) = match phase {
        "Healthy" => ("True", "NewReplicaSetAvailable"),
        "Paused" => ("Unknown", "RolloutPaused"),
        _ => ("True", "ReplicaSetUpdated"),
    };
    let is_available = available >= int(rollout, "/spec/replicas");
    let of = |kind, status, reason| condition_of(rollout, kind, status, reason, "", now);
    json!([
        of("Available", word(is_available), "AvailableReason"),
        of("Healthy", word(phase == "Healthy"), "RolloutHealthy"),
        of("Paused", word(phase == "Paused"), "RolloutPaused"),
        of("Progressing", progressing, step),
    ])
}

fn create_set(context: &mut Context<'_>, rollout: &Value, hash: &str, replicas: i64) {
    let set = replica_set::of_owner(RESOURCE, rollout, (HASH, hash), replicas, Value::Null);
    let message = format!("Created ReplicaSet {}", name_of(&set));
    context.create(SETS, MANAGER, set);
    context.record(RESOURCE, rollout, "NewReplicaSetCreated", &message, MANAGER);
}
