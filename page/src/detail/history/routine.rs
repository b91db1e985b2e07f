//! The fields that always change with others, and say nothing by themselves.

use shared::diff;

const ROUTINE: [&str; 13] = [
    "containerID",
    "imageID",
    "startedAt",
    "finishedAt",
    "resourceVersion",
    "generation",
    "observedGeneration",
    "managedFields",
    "renewTime",
    "lastObservedTime",
    "lastTimestamp",
    "deployment.kubernetes.io/revision",
    "uid",
];

/// `path`: a JSON Pointer. Every time in a status is routine, whatever its name (`lastTransitionTime`, `syncTime`),
/// because the fields beside it say what happened then.
pub(super) fn is_routine(path: &str) -> bool {
    let is_time = |key: &str| key.ends_with("Time") || key.ends_with("Timestamp");
    diff::keys(path)
        .last()
        .is_some_and(|key| ROUTINE.contains(&&*key) || path.starts_with("/status/") && is_time(&key))
}
