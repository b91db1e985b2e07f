//! What a pod's status says of one of its containers. Pure.

use jiff::Timestamp;
use serde_json::Value;

use super::machine::{Container, EndedRun};

const STATUSES: [&str; 3] =
    ["/status/containerStatuses", "/status/initContainerStatuses", "/status/ephemeralContainerStatuses"];

/// The container as the kubelet chooses the run whose log it gives.
pub fn container_of(pod: &Value, name: &str) -> Container {
    let statuses = STATUSES.iter().filter_map(|at| pod.pointer(at)?.as_array()).flatten();
    let is_over = matches!(text(pod, "/status/phase"), Some("Succeeded" | "Failed"));
    let Some(status) = statuses.into_iter().find(|status| text(status, "/name") == Some(name)) else {
        return Container { is_over, ..Container::default() };
    };
    let ended = |at: &str| {
        let state = status.pointer(at)?;
        let exit_code = state.get("exitCode").and_then(Value::as_i64).unwrap_or_default();
        Some(EndedRun { id: text(state, "/containerID").filter(|id| !id.is_empty())?.into(), exit_code })
    };
    let running = status.pointer("/state/running").and_then(|_| text(status, "/containerID"));
    let (now, last) = (ended("/state/terminated"), ended("/lastState/terminated"));
    let at = |path: &str| Some(text(status, path)?.parse::<Timestamp>().ok()?.as_second());
    match (running, now) {
        (Some(id), _) => Container {
            run: Some(id.into()),
            is_running: true,
            before: last,
            began_s: at("/state/running/startedAt"),
            ..Container::default()
        },
        (None, Some(now)) => Container {
            run: Some(now.id),
            before: last,
            began_s: at("/state/terminated/startedAt"),
            exit_code: Some(now.exit_code),
            ended_s: at("/state/terminated/finishedAt"),
            is_over,
            ..Container::default()
        },
        // It waits, perhaps to be started again.
        (None, None) => Container {
            exit_code: last.as_ref().map(|last| last.exit_code),
            run: last.map(|last| last.id),
            ended_s: at("/lastState/terminated/finishedAt"),
            is_over,
            ..Container::default()
        },
    }
}

fn text<'v>(value: &'v Value, at: &str) -> Option<&'v str> {
    value.pointer(at)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_run_is_the_one_whose_log_the_kubelet_gives() {
        let ended = |id: &str| json!({"terminated": {"exitCode": 7, "containerID": id}});
        let of = |state: Value, last: Value| {
            let status = json!({"name": "app", "containerID": "now", "state": state, "lastState": last});
            let pod = json!({"status": {"phase": "Running", "containerStatuses": [status]}});
            let Container { run, is_running, before, exit_code, .. } = container_of(&pod, "app");
            (run.unwrap_or_default().to_string(), is_running, before.map(|run| run.id.to_string()), exit_code)
        };
        let none = || json!({});
        assert_eq!(of(json!({"running": {}}), none()), ("now".into(), true, None, None));
        assert_eq!(of(json!({"running": {}}), ended("a")), ("now".into(), true, Some("a".into()), None));
        assert_eq!(of(ended("b"), ended("a")), ("b".into(), false, Some("a".into()), Some(7)));
        assert_eq!(of(json!({"waiting": {}}), ended("a")), ("a".into(), false, None, Some(7)));
        assert_eq!(of(json!({"waiting": {}}), none()), (String::new(), false, None, None));
        let times = json!({"terminated": {
            "containerID": "a", "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:00:41Z",
        }});
        let pod = json!({"status": {"containerStatuses": [{"name": "app", "state": times}]}});
        let Container { began_s, ended_s, .. } = container_of(&pod, "app");
        assert_eq!((began_s, ended_s), (Some(1_772_359_200), Some(1_772_359_241)));
        let done = json!({"status": {"phase": "Failed"}});
        assert!(container_of(&done, "app").is_over && container_of(&done, "app").run.is_none());
    }
}
