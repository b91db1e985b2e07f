//! The reconciler of the second custom kind: the new pods get their share of the traffic in steps,
//! with a pause between them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::pods::template_hash;
use crate::fleet::stage::{Stage, name_of, namespace_of, owner_reference};
use crate::json::{int, list, set, text};

const RESOURCE: &str = "rollouts.argoproj.io";
const SETS: &str = "replicasets.apps";
pub(in crate::fleet) const MANAGER: &str = "rollouts-controller";
const HASH: &str = "rollouts-pod-template-hash";
/// Steps of the story between two steps of a rollout.
const PAUSE: u64 = 40;

pub(super) fn reconcile(stage: &mut Stage<'_>, rollout: &Value) {
    let sets = stage.owned(SETS, rollout);
    let hash = template_hash(rollout.pointer("/spec/template").unwrap_or(&Value::Null));
    let hash_of = |set: &Value| text(set, &format!("/metadata/labels/{HASH}")).to_owned();
    let Some(new) = sets.iter().find(|set| hash_of(set) == hash) else {
        return create_set(
            stage,
            rollout,
            &hash,
            if sets.is_empty() { int(rollout, "/spec/replicas") } else { 0 },
        );
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
    // What the new ones get is rounded up, the old ones keep the rest.
    let of_new = if is_stable { wanted } else { (wanted * weight + 99) / 100 };
    for set in &sets {
        let share = match hash_of(set) {
            found if found == hash => of_new,
            found if found == stable => wanted - of_new,
            _ => 0,
        };
        if int(set, "/spec/replicas") != share {
            stage.patch(SETS, set, MANAGER, json!({"spec": {"replicas": share}}));
        }
    }
    let is_there = int(new, "/status/readyReplicas") == of_new;
    let next = if !is_stable && is_known && is_there && stage.passed(RESOURCE, rollout, "pause", PAUSE) {
        at + 1
    } else {
        at
    };
    let last = i64::try_from(steps.len()).unwrap_or_default();
    let is_done = next >= last && !is_stable && is_there;
    update(
        stage,
        rollout,
        &sets,
        new,
        &Progress { hash, stable, next, weight, is_done, is_stable, is_there },
    );
    if let Some(old) = sets.iter().find(|set| {
        int(set, "/status/replicas") == 0 && hash_of(set) != text(new, &format!("/metadata/labels/{HASH}"))
    }) && is_stable
    {
        stage.delete(SETS, old, 0);
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

fn update(stage: &mut Stage<'_>, rollout: &Value, sets: &[Arc<Value>], new: &Value, progress: &Progress) {
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
    });
    let before = text(rollout, "/status/phase").to_owned();
    if stage.status(RESOURCE, rollout, MANAGER, status) && before != phase {
        let (reason, message) = match phase {
            "Healthy" => ("RolloutCompleted", "Rollout completed update"),
            "Paused" => ("RolloutPaused", "Rollout is paused (CanaryPauseStep)"),
            _ => ("RolloutUpdated", "Rollout updated to a new revision"),
        };
        stage.tell(RESOURCE, rollout, reason, message, MANAGER);
    }
}

fn create_set(stage: &mut Stage<'_>, rollout: &Value, hash: &str, replicas: i64) {
    let mut template = rollout.pointer("/spec/template").cloned().unwrap_or_default();
    set(&mut template, &["metadata", "labels", HASH], json!(hash));
    let labels = template.pointer("/metadata/labels").cloned().unwrap_or_default();
    let mut selector = rollout.pointer("/spec/selector").cloned().unwrap_or_default();
    set(&mut selector, &["matchLabels", HASH], json!(hash));
    let name = format!("{}-{hash}", name_of(rollout));
    stage.create(
        SETS,
        MANAGER,
        json!({
            "metadata": {
                "name": name, "namespace": namespace_of(rollout), "labels": labels,
                "ownerReferences": owner_reference(RESOURCE, rollout),
            },
            "spec": {"replicas": replicas, "selector": selector, "template": template},
            "status": {"replicas": 0},
        }),
    );
    stage.tell(RESOURCE, rollout, "NewReplicaSetCreated", &format!("Created ReplicaSet {name}"), MANAGER);
}
