//! A pod: <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/>.

use serde::Deserialize;
use shared::duration::UnixSeconds;
use shared::health::HealthClass;
use shared::instant;

use super::conditions::{self, Condition, Conditions};
use super::{MINUTE_S, Step, Subject, Verdict, unobserved};
use crate::feed::json::{Text, list, number, object, part, text, truth};

/// Reasons of a waiting container that don't end by waiting: the kubelet's `pkg/kubelet/images/types.go` and
/// `pkg/kubelet/kuberuntime`, and <https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff>.
pub(super) const STUCK: [&str; 14] = [
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "ErrImageNeverPull",
    "ImageInspectError",
    "InvalidImageName",
    "RegistryUnavailable",
    "SignatureValidationFailed",
    "CreateContainerConfigError",
    "CreateContainerError",
    "PreCreateHookError",
    "PreStartHookError",
    "PostStartHookError",
    "RunContainerError",
];

/// An error that is this old is over.
const RESTARTED_S: i64 = 10 * MINUTE_S;

const UNSCHEDULABLE: &[Step] = &[(HealthClass::Failing, 2 * MINUTE_S)];
const STARTING: &[Step] = &[(HealthClass::NotReady, MINUTE_S), (HealthClass::Failing, 10 * MINUTE_S)];
const ENDED: &[Step] = &[(HealthClass::Failing, 10 * MINUTE_S)];
const RESTARTED: &[Step] = &[(HealthClass::Fine, RESTARTED_S)];

/// A pod's `status`, as far as a rule reads it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status<'a> {
    #[serde(deserialize_with = "number")]
    observed_generation: Option<i64>,
    #[serde(borrow, deserialize_with = "text")]
    phase: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    reason: Text<'a>,
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
    #[serde(borrow, deserialize_with = "object")]
    state: Option<State<'a>>,
    #[serde(borrow, deserialize_with = "object")]
    last_state: Option<State<'a>>,
    #[serde(deserialize_with = "number")]
    restart_count: Option<i64>,
    #[serde(deserialize_with = "truth")]
    ready: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    #[serde(borrow, deserialize_with = "text")]
    restart_policy: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::feed) struct State<'a> {
    #[serde(borrow, deserialize_with = "object")]
    waiting: Option<Waiting<'a>>,
    #[serde(borrow, deserialize_with = "object")]
    running: Option<Running<'a>>,
    #[serde(borrow, deserialize_with = "object")]
    pub(in crate::feed) terminated: Option<Terminated<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Running<'a> {
    #[serde(borrow, deserialize_with = "text")]
    started_at: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Waiting<'a> {
    #[serde(borrow, deserialize_with = "text")]
    reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(in crate::feed) struct Terminated<'a> {
    #[serde(deserialize_with = "number")]
    pub(in crate::feed) exit_code: Option<i64>,
    #[serde(borrow, deserialize_with = "text")]
    reason: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    finished_at: Text<'a>,
}

impl Status<'_> {
    fn containers(&self) -> impl Iterator<Item = &Container<'_>> {
        self.init_container_statuses.iter().chain(&self.container_statuses)
    }

    fn waiting(&self) -> impl Iterator<Item = &str> {
        self.containers().filter_map(Container::waits_for)
    }
}

impl Container<'_> {
    fn has_completed(&self) -> bool {
        let end = self.state.as_ref().and_then(|state| state.terminated.as_ref());
        end.is_some_and(|end| end.exit_code == Some(0))
    }

    fn waits_for(&self) -> Option<&str> {
        self.state.as_ref()?.waiting.as_ref()?.reason.as_deref()
    }
}

impl Terminated<'_> {
    fn is_error(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
    }

    pub(in crate::feed) fn at(&self) -> Option<UnixSeconds> {
        instant::seconds(self.finished_at.as_deref()?)
    }
}

pub(super) fn verdict(subject: &Subject<'_>) -> Option<Verdict> {
    let status: Status<'_> = part(subject.status).unwrap_or_default();
    unobserved(subject, status.observed_generation).or_else(|| observed(subject, &status))
}

fn observed(subject: &Subject<'_>, status: &Status<'_>) -> Option<Verdict> {
    let created = subject.lifetime.created;
    let ready = status.conditions.find("Ready");
    match status.phase.as_deref() {
        Some("Succeeded") => return None,
        Some("Failed") => {
            let since = ended(status).map(|(_, at)| at).max().or_else(|| ready?.since());
            return Some(Verdict::failing(why_failed(status)).since(since));
        }
        _ => {}
    }
    if let Some(scheduled) = status.conditions.find("PodScheduled").filter(|it| it.is_not_true()) {
        // https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/
        let verdict = match scheduled.reason.as_deref() {
            Some("SchedulingGated") => Verdict::changing("SchedulingGated"),
            _ => Verdict::not_ready(scheduled.reason()).then(UNSCHEDULABLE),
        };
        return Some(verdict.since(scheduled.since()));
    }
    if let Some(reason) = status.waiting().find(|reason| STUCK.contains(reason)) {
        // What it does now began when it was last well.
        let since = ready.filter(|ready| ready.is_not_true()).and_then(|ready| ready.since());
        return Some(Verdict::failing(reason).since(since.or(created)));
    }
    match ready {
        Some(ready) if ready.is_true() => restarted(status).or_else(|| not_resized(status)),
        Some(ready) if is_completing(subject, status, ready) => restarted(status),
        ready => {
            // What ended by an error isn't starting.
            if let Some((end, at)) = ended(status).max_by_key(|(_, at)| *at) {
                let reason = end.reason.as_deref().unwrap_or("Error");
                return Some(Verdict::not_ready(reason).since(Some(at)).then(ENDED));
            }
            if let Some(ready) = ready.filter(|ready| was_ready(status, ready)) {
                return Some(Verdict::not_ready(ready.reason()).since(ready.since()).then(ENDED));
            }
            let waits = status.waiting().next().map(Into::into);
            let reason = waits.or_else(|| ready.map(|ready| ready.reason()));
            let since = ready.map_or(created, |ready| ready.since());
            let phase = || status.phase.as_deref().unwrap_or("Pending").into();
            Some(Verdict::changing(reason.unwrap_or_else(phase)).since(since).then(STARTING))
        }
    }
}

/// It became unready after its containers had started: a pod that starts has that condition from before they do.
fn was_ready(status: &Status<'_>, ready: &Condition<'_>) -> bool {
    let started = |container: &Container<'_>| {
        let running = container.state.as_ref()?.running.as_ref()?;
        instant::seconds(running.started_at.as_deref()?)
    };
    let last = status.container_statuses.iter().map(started).collect::<Option<Vec<_>>>();
    let last = last.and_then(|started| started.into_iter().max());
    last.zip(ready.since()).is_some_and(|(started, since)| since > started)
}

/// A pod that runs to its end isn't ready from the moment when its first container has done its work:
/// <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy>.
fn is_completing(subject: &Subject<'_>, status: &Status<'_>, ready: &Condition<'_>) -> bool {
    let spec: Spec<'_> = part(subject.spec).unwrap_or_default();
    matches!(spec.restart_policy.as_deref(), Some("Never" | "OnFailure"))
        && ready.reason.as_deref() == Some("ContainersNotReady")
        && status.container_statuses.iter().any(Container::has_completed)
        && status.containers().all(|container| container.ready == Some(true) || container.has_completed())
}

/// It is ready, but a container of it ended by an error a while ago.
fn restarted(status: &Status<'_>) -> Option<Verdict> {
    let last = |container: &Container<'_>| {
        let end = container.last_state.as_ref()?.terminated.as_ref().filter(|end| end.is_error())?;
        Some((end.at()?, container.restart_count.unwrap_or(1)))
    };
    let (at, count) = status.containers().filter_map(last).max()?;
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    Some(Verdict::not_ready(format!("Restarted {times}")).since(Some(at)).then(RESTARTED))
}

/// It is ready, with other resources than its spec wants:
/// <https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/#pod-resize-status>.
fn not_resized(status: &Status<'_>) -> Option<Verdict> {
    let refused = [("PodResizePending", "Infeasible"), ("PodResizeInProgress", "Error")];
    refused.into_iter().find_map(|(kind, reason)| {
        let condition = status.conditions.find(kind).filter(|it| it.is_true())?;
        let is_refused = condition.reason.as_deref() == Some(reason);
        is_refused.then(|| Verdict::not_ready(format!("{kind} {reason}")).since(condition.since()))
    })
}

/// The containers that ended by an error.
fn ended<'a>(status: &'a Status<'_>) -> impl Iterator<Item = (&'a Terminated<'a>, UnixSeconds)> {
    let ends = status.containers().filter_map(|container| container.state.as_ref()?.terminated.as_ref());
    ends.filter(|end| end.is_error()).filter_map(|end| Some((end, end.at()?)))
}

fn why_failed(status: &Status<'_>) -> Box<str> {
    let of_pod = status.reason.as_deref().filter(|reason| !reason.is_empty());
    let of_container = || ended(status).find_map(|(end, _)| end.reason.as_deref());
    of_pod.or_else(of_container).unwrap_or("Failed").into()
}
