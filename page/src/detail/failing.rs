//! The container of a pod whose last lines say why the pod fails, and which of its runs wrote them. Only by the pod's
//! status. Never the lines.

use serde_json::Value;

use super::read;
use super::why::{ended, waits};

/// A run of a container that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedRun {
    pub(crate) container: Box<str>,
    /// Tells it from the other runs of the container.
    pub(crate) run: Box<str>,
    /// Another run takes its place, or has done so.
    pub(crate) is_previous: bool,
    /// The pod has no other container.
    pub(crate) is_only: bool,
}

impl FailedRun {
    /// Whether both are one run, which is the previous one once its container waits.
    pub(crate) fn is_of_run(&self, other: &Self) -> bool {
        (&self.container, &self.run) == (&other.container, &other.run)
    }
}

const STATUSES: [&str; 2] = ["/status/initContainerStatuses", "/status/containerStatuses"];
const CONTAINERS: [&str; 3] = ["/spec/initContainers", "/spec/containers", "/spec/ephemeralContainers"];

/// The first container that fails: its own end says so, it waits to be started again, or it runs without being well.
/// `goes_on`: the pod failed before and hasn't been fine since, so a container that runs again may be about to fail again.
pub(crate) fn failed_run(object: &Value, goes_on: bool) -> Option<FailedRun> {
    if read::group_and_kind(object) != Some(("", "Pod")) || read::deletion_began(object).is_some() {
        return None;
    }
    STATUSES.iter().flat_map(|list| read::list(object, list)).find_map(|status| {
        let last = || status.pointer("/lastState/terminated");
        let is_unready = || status.get("ready").and_then(Value::as_bool) == Some(false);
        let (end, is_previous) = match ended(status, "/state/terminated") {
            Some(end) => (end, false),
            None if waits(status).is_some() => (last()?, true),
            None if status.pointer("/state/running").is_some() && (goes_on || is_unready()) => {
                (ended(status, "/lastState/terminated")?, true)
            }
            None => return None,
        };
        let container = read::raw(status, "/name")?;
        let run =
            read::raw(end, "/containerID").or_else(|| read::raw(end, "/finishedAt")).unwrap_or_default();
        let containers: usize = CONTAINERS.iter().map(|list| read::list(object, list).len()).sum();
        let (container, run) = (container.into(), run.into());
        Some(FailedRun { container, run, is_previous, is_only: containers < 2 })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(statuses: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "shop"},
            "spec": {"containers": [{"name": "app"}, {"name": "proxy"}]},
            "status": {"containerStatuses": statuses}})
    }

    fn of(status: &Value) -> Option<(String, bool)> {
        let well = json!({"name": "proxy", "ready": true, "state": {"running": {}}});
        let found = failed_run(&pod(&json!([well, status])), false)?;
        assert!(&*found.container == "app" && !found.is_only);
        Some((found.run.to_string(), found.is_previous))
    }

    #[test]
    fn a_container_that_fails_is_found_with_the_run_whose_lines_say_why() {
        let error = json!({"terminated": {"exitCode": 1, "containerID": "c1"}});
        let done = json!({"terminated": {"exitCode": 0, "containerID": "c1"}});
        let waiting = |reason: &str| json!({"waiting": {"reason": reason}});
        let with = |state: &Value, last: &Value, ready: bool| {
            of(&json!({"name": "app", "ready": ready, "state": state, "lastState": last}))
        };
        let c1 = |is_previous| Some(("c1".to_owned(), is_previous));
        assert_eq!(with(&error, &json!({}), false), c1(false));
        assert_eq!(with(&waiting("CrashLoopBackOff"), &error, false), c1(true));
        assert_eq!(with(&waiting("CrashLoopBackOff"), &done, false), c1(true));
        assert_eq!(with(&waiting("ImagePullBackOff"), &json!({}), false), None, "it never ran");
        assert_eq!(with(&waiting("ContainerCreating"), &json!({}), false), None);
        assert_eq!(with(&json!({"running": {}}), &error, false), c1(true));
        assert_eq!(with(&json!({"running": {}}), &error, true), None, "it is well again");
        assert_eq!(with(&json!({"running": {}}), &done, false), None);
        assert_eq!(with(&done, &json!({}), false), None);
    }

    #[test]
    fn what_runs_again_after_it_failed_again_and_again_keeps_the_lines_of_its_last_end() {
        let status = json!([{"name": "app", "ready": true, "state": {"running": {}},
            "lastState": {"terminated": {"exitCode": 2, "finishedAt": "2026-01-01T10:00:00Z"}}}]);
        assert_eq!(failed_run(&pod(&status), false), None);
        let found = failed_run(&pod(&status), true).expect("found");
        assert_eq!((&*found.run, found.is_previous), ("2026-01-01T10:00:00Z", true));
        let mut ending = pod(&status);
        ending["metadata"]["deletionTimestamp"] = json!("2026-01-01T10:00:00Z");
        assert_eq!(failed_run(&ending, true), None);
        assert_eq!(failed_run(&json!({"apiVersion": "v1", "kind": "Node"}), true), None);
    }
}
