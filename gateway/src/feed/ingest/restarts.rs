//! A pod's `3 (5m ago)`: the number as it was printed, the instant from the containers' last
//! terminations, of those containers that the API server's printer counts.

use std::borrow::Cow;

use serde::Deserialize;
use shared::cell::{Ago, Cell};
use shared::duration::UnixSeconds;
use shared::instant;

use super::redact::Redacted;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    #[serde(borrow, default)]
    conditions: Vec<Condition<'a>>,
    #[serde(borrow, default)]
    init_container_statuses: Vec<Container<'a>>,
    #[serde(borrow, default)]
    container_statuses: Vec<Container<'a>>,
}

#[derive(Deserialize)]
struct Condition<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Container<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(default)]
    started: Option<bool>,
    #[serde(borrow, default)]
    state: State<'a>,
    #[serde(borrow, default)]
    last_state: State<'a>,
}

#[derive(Deserialize, Default)]
struct State<'a> {
    #[serde(borrow, default)]
    terminated: Option<Terminated<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Terminated<'a> {
    #[serde(default)]
    exit_code: i32,
    #[serde(borrow, default)]
    finished_at: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(borrow, default)]
    init_containers: Vec<InitContainer<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitContainer<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    restart_policy: Option<Cow<'a, str>>,
}

pub(super) fn cell(printed: Cell, pod: &Redacted) -> Cell {
    let Cell::Text(text) = &printed else { return printed };
    let Some((count, _)) = text.split_once(" (") else { return printed };
    match last_restart(pod) {
        Some(at) => Cell::Ago(Box::new(Ago { text: count.into(), at })),
        None => printed,
    }
}

fn last_restart(pod: &Redacted) -> Option<UnixSeconds> {
    let status: Status = serde_json::from_slice(pod.status()).ok()?;
    let restartable = if status.init_container_statuses.is_empty() { Vec::new() } else { restartable(pod) };
    let is_restartable = |container: &Container| restartable.contains(&container.name);
    let mut visited = Vec::new();
    let mut is_initializing = false;
    for container in &status.init_container_statuses {
        visited.push(container);
        let is_done = container.state.terminated.as_ref().is_some_and(|end| end.exit_code == 0);
        let is_serving = is_restartable(container) && container.started == Some(true);
        if !is_done && !is_serving {
            is_initializing = true;
            break;
        }
    }
    if is_initializing && !status.is_initialized() {
        return newest(visited.into_iter());
    }
    let sidecars = visited.into_iter().filter(|container| is_restartable(container));
    newest(sidecars.chain(&status.container_statuses))
}

fn restartable<'a>(pod: &'a Redacted) -> Vec<Cow<'a, str>> {
    let spec: Option<Spec<'a>> = serde_json::from_slice(pod.spec()).ok();
    let containers = spec.into_iter().flat_map(|spec| spec.init_containers);
    let always = containers.filter(|container| container.restart_policy.as_deref() == Some("Always"));
    always.map(|container| container.name).collect()
}

fn newest<'a>(containers: impl Iterator<Item = &'a Container<'a>>) -> Option<UnixSeconds> {
    let ends = containers.filter_map(|container| container.last_state.terminated.as_ref());
    ends.filter_map(|end| instant::seconds(end.finished_at.as_deref()?)).max()
}

impl Status<'_> {
    fn is_initialized(&self) -> bool {
        self.conditions.iter().any(|condition| condition.kind == "Initialized" && condition.status == "True")
    }
}
