//! The instants of those durations that the API server prints into cells, from the fields that its printers read:
//! <https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go>.

use serde::Deserialize;
use shared::cell::Span;
use shared::duration::UnixSeconds;
use shared::instant;

use crate::feed::health::conditions::{self, Condition, Conditions};
use crate::feed::health::pod::State;
use crate::feed::json::{Text, list, object, part, text, truth};

/// An Event of either group.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Event<'a> {
    #[serde(alias = "deprecatedFirstTimestamp", borrow, deserialize_with = "text")]
    first_timestamp: Text<'a>,
    #[serde(alias = "deprecatedLastTimestamp", borrow, deserialize_with = "text")]
    last_timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    event_time: Text<'a>,
    #[serde(borrow, deserialize_with = "object")]
    series: Option<Series<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Series<'a> {
    #[serde(borrow, deserialize_with = "text")]
    last_observed_time: Text<'a>,
}

impl Event<'_> {
    fn first_seen(&self) -> Option<UnixSeconds> {
        seconds(&self.first_timestamp).or_else(|| seconds(&self.event_time))
    }
}

pub(super) fn first_seen(event: &[u8]) -> Option<UnixSeconds> {
    part::<Event<'_>>(event)?.first_seen()
}

pub(super) fn last_seen(event: &[u8]) -> Option<UnixSeconds> {
    let event: Event<'_> = part(event)?;
    match &event.series {
        Some(series) => seconds(&series.last_observed_time),
        None => seconds(&event.last_timestamp).or_else(|| event.first_seen()),
    }
}

/// `status`: a CronJob's.
pub(super) fn last_schedule(status: &[u8]) -> Option<UnixSeconds> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Status<'a> {
        #[serde(borrow, deserialize_with = "text")]
        last_schedule_time: Text<'a>,
    }
    seconds(&part::<Status<'_>>(status)?.last_schedule_time)
}

/// `status`: a Job's.
pub(super) fn run(status: &[u8]) -> Option<Span> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Status<'a> {
        #[serde(borrow, deserialize_with = "text")]
        start_time: Text<'a>,
        #[serde(borrow, deserialize_with = "text")]
        completion_time: Text<'a>,
    }
    let status: Status<'_> = part(status)?;
    Some(Span { start: seconds(&status.start_time)?, end: seconds(&status.completion_time) })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PodStatus<'a> {
    #[serde(borrow, deserialize_with = "conditions::read")]
    conditions: Conditions<'a>,
    #[serde(borrow, deserialize_with = "list")]
    init_container_statuses: Vec<Container<'a>>,
    #[serde(borrow, deserialize_with = "list")]
    container_statuses: Vec<Container<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Container<'a> {
    #[serde(borrow, deserialize_with = "text")]
    name: Text<'a>,
    #[serde(deserialize_with = "truth")]
    started: Option<bool>,
    #[serde(borrow, deserialize_with = "object")]
    state: Option<State<'a>>,
    #[serde(borrow, deserialize_with = "object")]
    last_state: Option<State<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PodSpec<'a> {
    #[serde(borrow, deserialize_with = "list")]
    init_containers: Vec<InitContainer<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct InitContainer<'a> {
    #[serde(borrow, deserialize_with = "text")]
    name: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    restart_policy: Text<'a>,
}

impl Container<'_> {
    fn has_completed(&self) -> bool {
        let end = self.state.as_ref().and_then(|state| state.terminated.as_ref());
        end.is_some_and(|end| end.exit_code.unwrap_or(0) == 0)
    }

    fn last_ended(&self) -> Option<UnixSeconds> {
        self.last_state.as_ref()?.terminated.as_ref()?.at()
    }
}

/// The last end of those containers whose restarts the API server's printer counts.
pub(super) fn last_restart(spec: &[u8], status: &[u8]) -> Option<UnixSeconds> {
    let status: PodStatus<'_> = part(status)?;
    let spec: PodSpec<'_> = part(spec).unwrap_or_default();
    let is_sidecar = |container: &&Container<'_>| {
        let is_it = |init: &InitContainer<'_>| {
            init.name == container.name && init.restart_policy.as_deref() == Some("Always")
        };
        spec.init_containers.iter().any(is_it)
    };
    let init = &status.init_container_statuses;
    let is_waited_for = |container: &Container<'_>| {
        let is_serving = container.started == Some(true) && is_sidecar(&container);
        !container.has_completed() && !is_serving
    };
    let waited_for = init.iter().position(is_waited_for);
    let visited = waited_for.and_then(|place| init.get(..=place)).unwrap_or(init);
    let is_initialized = status.conditions.find("Initialized").is_some_and(Condition::is_true);
    if waited_for.is_some() && !is_initialized {
        return visited.iter().filter_map(Container::last_ended).max();
    }
    let sidecars = visited.iter().filter(is_sidecar);
    sidecars.chain(&status.container_statuses).filter_map(Container::last_ended).max()
}

fn seconds(text: &Text<'_>) -> Option<UnixSeconds> {
    instant::seconds(text.as_deref()?)
}
