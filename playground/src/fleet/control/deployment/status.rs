//! A deployment's status: the sums of its sets, and two conditions.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Bounds, RESOURCE};
use crate::clock;
use crate::fleet::context::{CONTROLLERS, Context, condition_of, count, name_of};
use crate::json::{int, int_opt, list, set, text};

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
    let counts = Counts { updated, old: all - updated, ready, available };
    let is_enough = available >= wanted - Bounds::of(deployment).unavailable;
    let now = context.now;
    let (holds, why, what) = if is_enough {
        ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    let mut available_condition = condition_of(deployment, "Available", holds, why, what, now);
    // The time of the last update is that of the last transition.
    let since = available_condition.get("lastTransitionTime").cloned().unwrap_or_default();
    set(&mut available_condition, &["lastUpdateTime"], since);
    let deadline_s = int_opt(deployment, "/spec/progressDeadlineSeconds").unwrap_or(PROGRESS_DEADLINE_S);
    let is_late =
        text(progressing(deployment), "/lastUpdateTime") < &*clock::text_of(context.now_s - deadline_s);
    let mut conditions = vec![available_condition];
    if let Some(step) = progress(deployment, &counts, wanted, new, is_late) {
        let (holds, reason, message) = step.words(deployment, new);
        let mut condition = condition_of(deployment, "Progressing", holds, reason, &message, now);
        set(&mut condition, &["lastUpdateTime"], json!(now));
        conditions.push(condition);
    } else if !is_late && text(progressing(deployment), "/reason") != "NewReplicaSetAvailable" {
        // It is looked at again, because nothing else may happen until the deadline.
        context.passed(RESOURCE, deployment, "progress", LOOK_STEPS);
    }
    let unavailable = (wanted - available).max(0);
    let status = json!({
        "observedGeneration": int(deployment, "/metadata/generation"), "replicas": count(all),
        "updatedReplicas": count(updated), "readyReplicas": count(ready),
        "availableReplicas": count(available), "unavailableReplicas": count(unavailable),
        "conditions": conditions,
    });
    context.status(RESOURCE, deployment, CONTROLLERS, status);
}

/// As the API server fills it in.
const PROGRESS_DEADLINE_S: i64 = 600;

/// How many steps later a rollout that stands still is looked at again.
const LOOK_STEPS: u64 = 200;

/// The pods of all sets.
struct Counts {
    updated: i64,
    old: i64,
    ready: i64,
    available: i64,
}

/// What the condition Progressing says from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Created,
    Progressed,
    Complete,
    TimedOut,
}

impl Step {
    fn words(self, deployment: &Value, new: Option<&Value>) -> (&'static str, &'static str, String) {
        // Before its set exists, the real controller names the deployment.
        let subject = match new {
            Some(set) => format!("ReplicaSet \"{}\"", name_of(set)),
            None => format!("Deployment \"{}\"", name_of(deployment)),
        };
        match self {
            Self::Created => {
                let name = new.map(name_of).unwrap_or_default();
                ("True", "NewReplicaSetCreated", format!("Created new replica set \"{name}\""))
            }
            Self::Progressed => ("True", "ReplicaSetUpdated", format!("{subject} is progressing.")),
            Self::Complete => {
                ("True", "NewReplicaSetAvailable", format!("{subject} has successfully progressed."))
            }
            Self::TimedOut => {
                ("False", "ProgressDeadlineExceeded", format!("{subject} has timed out progressing."))
            }
        }
    }
}

fn progressing(deployment: &Value) -> &Value {
    let found =
        list(deployment, "/status/conditions").iter().find(|found| text(found, "/type") == "Progressing");
    found.unwrap_or(&Value::Null)
}

/// A rollout that was complete stays so while all pods are of the new set: one that fails later is no rollout. `None`: the
/// condition stays as it is. `is_late`: nothing has moved for as long as the deadline.
fn progress(
    deployment: &Value,
    now: &Counts,
    wanted: i64,
    new: Option<&Value>,
    is_late: bool,
) -> Option<Step> {
    let condition = progressing(deployment);
    let reason = text(condition, "/reason");
    let before = |field: &str| int(deployment, &format!("/status/{field}"));
    let is_other_set = new.is_some_and(|set| !text(condition, "/message").contains(name_of(set)));
    let was_complete = reason == "NewReplicaSetAvailable" && !is_other_set;
    if was_complete && now.old == 0 {
        return None;
    }
    let is_complete = now.updated == wanted && now.old == 0 && now.available == wanted;
    let has_moved = now.updated > before("updatedReplicas")
        || now.old < before("replicas") - before("updatedReplicas")
        || now.ready > before("readyReplicas")
        || now.available > before("availableReplicas");
    if is_complete {
        (reason != "NewReplicaSetAvailable" || is_other_set).then_some(Step::Complete)
    } else if is_other_set {
        Some(Step::Created)
    } else if has_moved {
        Some(Step::Progressed)
    } else {
        let can_be_late = !matches!(reason, "" | "NewReplicaSetAvailable" | "ProgressDeadlineExceeded");
        (is_late && can_be_late).then_some(Step::TimedOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(reason: &str, [updated, all, ready]: [i64; 3]) -> Value {
        json!({ "metadata": { "name": "web" }, "status": {
            "replicas": all, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready,
            "conditions": [{ "type": "Progressing", "status": "True", "reason": reason,
                "message": "ReplicaSet \"web-1\" is as it is." }],
        }})
    }

    fn step(reason: &str, before: [i64; 3], [updated, all, ready]: [i64; 3], is_late: bool) -> Option<Step> {
        let now = Counts { updated, old: all - updated, ready, available: ready };
        let set = json!({ "metadata": { "name": "web-1" } });
        progress(&deployment(reason, before), &now, 3, Some(&set), is_late)
    }

    #[test]
    fn a_rollout_moves_completes_and_stays_complete_when_a_pod_fails_later() {
        assert_eq!(step("ReplicaSetUpdated", [1, 3, 3], [2, 3, 3], true), Some(Step::Progressed));
        assert_eq!(step("ReplicaSetUpdated", [3, 3, 2], [3, 3, 3], false), Some(Step::Complete));
        assert_eq!(step("NewReplicaSetAvailable", [3, 3, 3], [3, 3, 1], false), None);
        assert_eq!(step("NewReplicaSetAvailable", [3, 3, 1], [3, 3, 2], true), None);
    }

    #[test]
    fn a_rollout_that_stands_still_times_out_once() {
        assert_eq!(step("ReplicaSetUpdated", [1, 4, 3], [1, 4, 3], false), None);
        assert_eq!(step("ReplicaSetUpdated", [1, 4, 3], [1, 4, 3], true), Some(Step::TimedOut));
        assert_eq!(step("ProgressDeadlineExceeded", [1, 4, 3], [1, 4, 3], true), None);
        assert_eq!(step("ProgressDeadlineExceeded", [1, 4, 3], [1, 4, 4], true), Some(Step::Progressed));
    }

    #[test]
    fn another_set_begins_a_rollout() {
        let set = json!({ "metadata": { "name": "web-2" } });
        let now = Counts { updated: 0, old: 3, ready: 3, available: 3 };
        let begun = progress(&deployment("NewReplicaSetAvailable", [3, 3, 3]), &now, 3, Some(&set), true);
        assert_eq!(begun, Some(Step::Created));
    }
}
