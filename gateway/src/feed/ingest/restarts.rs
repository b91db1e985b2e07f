//! A pod's `3 (5m ago)`: the number as it was printed, the instant from the containers' last
//! terminations, of those containers that the API server's printer counts.

use serde_json::Value;
use shared::cell::{Ago, Cell};
use shared::duration::UnixSeconds;

use super::json::{list, text, time};
use super::redact::Redacted;

pub(super) fn cell(printed: Cell, pod: &Redacted) -> Cell {
    let Cell::Text(text) = &printed else { return printed };
    let Some((count, _)) = text.split_once(" (") else { return printed };
    match last_restart(pod) {
        Some(at) => Cell::Ago(Box::new(Ago { text: count.into(), at })),
        None => printed,
    }
}

fn last_restart(pod: &Redacted) -> Option<UnixSeconds> {
    let status: Value = serde_json::from_slice(pod.status()).ok()?;
    let spec: Value = serde_json::from_slice(pod.spec()).unwrap_or_default();
    let is_sidecar = |container: &&Value| {
        list(&spec, "initContainers").any(|init| {
            text(init, "name") == text(container, "name") && text(init, "restartPolicy") == Some("Always")
        })
    };
    let mut visited = Vec::new();
    let mut is_initializing = false;
    for container in list(&status, "initContainerStatuses") {
        visited.push(container);
        let is_done = ended(container, "state").is_some_and(|end| exit_code(end) == 0);
        let is_started = container.get("started").and_then(Value::as_bool) == Some(true);
        let is_serving = is_started && is_sidecar(&container);
        if !is_done && !is_serving {
            is_initializing = true;
            break;
        }
    }
    if is_initializing && !is_initialized(&status) {
        return newest(visited.into_iter());
    }
    let sidecars = visited.into_iter().filter(is_sidecar);
    newest(sidecars.chain(list(&status, "containerStatuses")))
}

fn newest<'a>(containers: impl Iterator<Item = &'a Value>) -> Option<UnixSeconds> {
    containers.filter_map(|container| time(ended(container, "lastState")?, "finishedAt")).max()
}

/// How the container ended, if the member `state` says that it did.
fn ended<'a>(container: &'a Value, state: &str) -> Option<&'a Value> {
    container.get(state)?.get("terminated").filter(|end| end.is_object())
}

fn exit_code(end: &Value) -> i64 {
    end.get("exitCode").and_then(Value::as_i64).unwrap_or_default()
}

fn is_initialized(status: &Value) -> bool {
    list(status, "conditions").any(|condition| {
        text(condition, "type") == Some("Initialized") && text(condition, "status") == Some("True")
    })
}
