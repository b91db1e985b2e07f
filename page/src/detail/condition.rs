//! The conditions of an object of any kind, from its `status.conditions`. Whether True is good or
//! bad is known from Kubernetes' own names; any other condition is good when it is True.

use serde_json::Value;
use shared::duration::UnixSeconds;

use super::read;
use crate::status::Class;

/// One condition, with the texts that the panel shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    pub kind: String,
    pub status: String,
    pub class: Class,
    pub reason: String,
    pub message: String,
    pub since: Option<UnixSeconds>,
}

/// Conditions that are True if something is wrong (abnormal-true in Kubernetes' API conventions).
const BAD_WHEN_TRUE: [&str; 20] = [
    "MemoryPressure",
    "DiskPressure",
    "PIDPressure",
    "NetworkUnavailable",
    "ReplicaFailure",
    "Failed",
    "FailureTarget",
    "DisruptionTarget",
    "Stalled",
    "Degraded",
    "NonStructuralSchema",
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionContentFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
    "ResizePending",
    "PodResizePending",
    "ControllerResizeError",
    "NodeResizeError",
    "InvalidSpec",
    "Dangling",
];

/// Conditions that are neither good nor bad, whatever their status.
const NEUTRAL: [&str; 12] = [
    "Suspended",
    "Paused",
    "Complete",
    "Completed",
    "HealthyAndCompleted",
    "SuccessCriteriaMet",
    "Progressing",
    "Reconciling",
    "Issuing",
    "ScalingLimited",
    "PodResizeInProgress",
    "NamespaceContentRemaining",
];

/// In the object's order: none moves when it flips.
pub fn conditions(object: &Value) -> Vec<Condition> {
    read::list(object, "/status/conditions").iter().filter_map(condition).collect()
}

fn condition(value: &Value) -> Option<Condition> {
    let kind = read::text(value, "/type")?;
    let status = read::text(value, "/status").unwrap_or_default();
    let reason = read::text(value, "/reason").unwrap_or_default();
    Some(Condition {
        class: class(&kind, &status, &reason),
        message: read::text(value, "/message").unwrap_or_default(),
        since: read::time(value, "/lastTransitionTime"),
        kind,
        status,
        reason,
    })
}

fn class(kind: &str, status: &str, reason: &str) -> Class {
    let is_bad_when_true = BAD_WHEN_TRUE.contains(&kind);
    match (kind, status) {
        (_, "Unknown") => Class::Unknown,
        // A completed pod is no longer ready, and nothing is wrong.
        ("Ready" | "ContainersReady", "False") if reason == "PodCompleted" => Class::Done,
        // So before the pod's sandbox exists, and after the pod completed: no trouble by itself.
        ("PodReadyToStartContainers", "False") => Class::Idle,
        ("Complete" | "SuccessCriteriaMet", "True") => Class::Done,
        ("Progressing", "False") => Class::Bad,
        ("Progressing", "True") if reason == "NewReplicaSetAvailable" => Class::Ok,
        ("Progressing" | "Reconciling" | "Issuing", "True") => Class::Busy,
        (kind, _) if NEUTRAL.contains(&kind) => Class::Idle,
        (_, "True") if is_bad_when_true => Class::Bad,
        (_, "False") if is_bad_when_true => Class::Ok,
        (_, "True") => Class::Ok,
        (_, "False") => Class::Bad,
        _ => Class::Idle,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_means_trouble_is_known_whether_it_is_true_or_false() {
        let node = json!({"status": {"conditions": [
            {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting",
             "lastTransitionTime": "1970-01-01T00:00:09Z"},
            {"type": "MemoryPressure", "status": "False"},
            {"type": "DiskPressure", "status": "True", "reason": "KubeletHasDiskPressure"},
            {"type": "PIDPressure", "status": "Unknown"},
            {"type": "Paused", "status": "False"},
            {"type": "Mine.example/Thing", "status": "Perhaps"},
            {"status": "True"}, "x",
        ]}});
        let found: Vec<(String, Class)> =
            conditions(&node).into_iter().map(|condition| (condition.kind, condition.class)).collect();
        let expected = [
            ("Ready", Class::Ok),
            ("MemoryPressure", Class::Ok),
            ("DiskPressure", Class::Bad),
            ("PIDPressure", Class::Unknown),
            ("Paused", Class::Idle),
            ("Mine.example/Thing", Class::Idle),
        ];
        assert_eq!(found, expected.map(|(kind, class)| (kind.to_owned(), class)));
        assert_eq!(conditions(&node)[0].since, Some(9));
    }

    #[test]
    fn a_condition_is_read_with_its_reason() {
        for (kind, status, reason, expected) in [
            ("Ready", "False", "ContainersNotReady", Class::Bad),
            ("Ready", "False", "PodCompleted", Class::Done),
            ("PodReadyToStartContainers", "False", "", Class::Idle),
            ("Available", "True", "MinimumReplicasAvailable", Class::Ok),
            ("Progressing", "True", "NewReplicaSetAvailable", Class::Ok),
            ("Progressing", "True", "ReplicaSetUpdated", Class::Busy),
            ("Progressing", "False", "ProgressDeadlineExceeded", Class::Bad),
            ("Failed", "True", "BackoffLimitExceeded", Class::Bad),
            ("Complete", "True", "", Class::Done),
            ("Suspended", "True", "JobSuspended", Class::Idle),
        ] {
            assert_eq!(class(kind, status, reason), expected, "{kind}={status} {reason}");
        }
        assert_eq!(conditions(&json!({"status": {"conditions": {"a": 1}}})), []);
    }
}
