//! The fields that always change with others.

use shared::diff;

/// Fields that change whenever others do, and say nothing by themselves.
const ROUTINE: [&str; 20] = [
    "lastTransitionTime",
    "lastUpdateTime",
    "lastHeartbeatTime",
    "lastProbeTime",
    "containerID",
    "imageID",
    "startedAt",
    "finishedAt",
    "startTime",
    "resourceVersion",
    "generation",
    "observedGeneration",
    "managedFields",
    "renewTime",
    "lastScheduleTime",
    "lastScaleTime",
    "lastObservedTime",
    "lastTimestamp",
    "deployment.kubernetes.io/revision",
    "uid",
];

/// `path`: a JSON Pointer.
pub fn is_routine(path: &str) -> bool {
    diff::keys(path).last().is_some_and(|key| ROUTINE.contains(&&*key))
}
