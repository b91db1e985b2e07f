//! How an object stands, by the rules of its kind. Pure: the object goes in, a [`Verdict`] comes out; the hub, which
//! knows the time and what was before, makes the row's [`Health`] of it.
//!
//! The rules follow kstatus
//! (<https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md>), Argo CD's health checks
//! (<https://argo-cd.readthedocs.io/en/stable/operator-manual/health/>) and the API reference of each kind
//! (<https://kubernetes.io/docs/reference/kubernetes-api/>). The first rule that applies decides.

pub(super) mod conditions;
mod others;
pub(super) mod pod;
pub(super) mod rows;
mod terminating;
mod third_party;
mod workload;

#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;

pub use rows::{HealthRow, WrittenRow};

use crate::feed::json::{Text, number, part, parts, text, truth};
use rows::RowsOfKind;
use serde::Deserialize;
use shared::duration::UnixSeconds;
use shared::health::{Health, HealthClass, Later};
use shared::instant;
use shared::resource::Resource;

const MINUTE_S: i64 = 60;
/// A step of a verdict: the class, and how long after its beginning.
type Step = (HealthClass, i64);

/// A verdict that comes to nothing good by itself: short after a minute, failing after five.
const SOON_FAILING: &[Step] = &[(HealthClass::NotReady, MINUTE_S), (HealthClass::Failing, 5 * MINUTE_S)];
const FAILING_AFTER_5_MIN: &[Step] = &[(HealthClass::Failing, 5 * MINUTE_S)];
const FAILING_AFTER_10_MIN: &[Step] = &[(HealthClass::Failing, 10 * MINUTE_S)];

/// What the rules say of an object that isn't simply fine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    class: HealthClass,
    reason: Box<str>,
    /// The object's own time. `None`: it has none, so only who watches it can know.
    since: Option<UnixSeconds>,
    /// What it becomes, so long after it began.
    steps: Vec<Step>,
    /// When its spec was written. What is missing since then was asked for by that, and has its time to come.
    written: Option<UnixSeconds>,
}

/// Which rules a kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judge {
    Pod,
    Deployment,
    StatefulSet,
    DaemonSet,
    /// Also a replication controller.
    ReplicaSet,
    Node,
    Job,
    CronJob,
    Claim,
    Volume,
    Service,
    Ingress,
    Gateway,
    Autoscaler,
    DisruptionBudget,
    Namespace,
    VolumeAttachment,
    ComponentStatus,
    Event,
    /// What the API server serves besides its own kinds: APIServices and CustomResourceDefinitions.
    Extension,
    /// A kind of Kubernetes that has conditions at most.
    BuiltIn,
    /// <https://tekton.dev/docs/pipelines/>
    TektonRun,
    /// <https://argoproj.github.io/argo-rollouts/>
    ArgoRollout,
    Custom,
}

/// The parts of an object that the rules read.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) lifetime: Lifetime<'a>,
    pub(super) metadata: &'a [u8],
    pub(super) spec: &'a [u8],
    pub(super) status: &'a [u8],
    /// The whole object.
    pub(super) whole: &'a [u8],
    /// Its managedFields, which say when its spec was written.
    pub(super) managed: &'a [u8],
}

/// The metadata that every kind has, as ingest has read it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lifetime<'a> {
    pub(super) created: Option<UnixSeconds>,
    /// When the grace period of its deletion ends.
    pub(super) deleted: Option<UnixSeconds>,
    pub(super) grace_s: Option<i64>,
    pub(super) finalizers: &'a [Cow<'a, str>],
    pub(super) generation: Option<i64>,
}

/// What any kind's `spec` may have.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Suspension {
    #[serde(deserialize_with = "truth")]
    suspend: Option<bool>,
}

/// What any kind's `status` may have.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Observed {
    #[serde(deserialize_with = "number")]
    observed_generation: Option<i64>,
}

/// When its spec was written, by one of its managers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Writer<'a> {
    #[serde(borrow, deserialize_with = "text")]
    time: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    subresource: Text<'a>,
}

impl Verdict {
    fn of(class: HealthClass, reason: impl Into<Box<str>>) -> Self {
        Self { class, reason: reason.into(), since: None, steps: Vec::new(), written: None }
    }

    fn failing(reason: impl Into<Box<str>>) -> Self {
        Self::of(HealthClass::Failing, reason)
    }

    fn changing(reason: impl Into<Box<str>>) -> Self {
        Self::of(HealthClass::Changing, reason)
    }

    fn not_ready(reason: impl Into<Box<str>>) -> Self {
        Self::of(HealthClass::NotReady, reason)
    }

    fn fine(reason: impl Into<Box<str>>) -> Self {
        Self::of(HealthClass::Fine, reason)
    }

    fn since(self, since: Option<UnixSeconds>) -> Self {
        Self { since, ..self }
    }

    fn then(self, steps: &[Step]) -> Self {
        Self { steps: steps.to_vec(), ..self }
    }

    fn written(self, written: Option<UnixSeconds>) -> Self {
        Self { written, ..self }
    }

    fn is_lasting(&self, before: &Health) -> bool {
        before.reason == self.reason && before.then.is_empty() == self.steps.is_empty()
    }

    /// The health of a row at the time when its object was seen. `before`: of the same object, where it was known; what
    /// lasts began then. `is_new`: the gateway didn't see what was before, so the beginning stays unknown.
    #[must_use]
    pub fn seen(&self, before: Option<&Health>, is_new: bool, now_s: UnixSeconds) -> Option<Health> {
        let health = match (self.since, before) {
            (None, Some(before)) if self.is_lasting(before) => {
                let class = if self.written.is_some() { before.class } else { self.class };
                Health { class, ..before.clone() }
            }
            _ => {
                let from = self.since.unwrap_or(now_s);
                let later = |(class, after_s): &Step| Later { class: *class, at: from + after_s };
                let health = Health {
                    class: self.class,
                    reason: self.reason.clone(),
                    since: self.since.or((!is_new).then_some(now_s)),
                    then: self.steps.iter().map(later).collect(),
                    failed: before.and_then(|before| before.failing_since(now_s)),
                };
                let health = Health { failed: health.failed.filter(|at| is_former(&health, *at)), ..health };
                match self.written {
                    Some(written) if (written..written + MINUTE_S).contains(&from) => eased(health, written),
                    _ => health,
                }
            }
        };
        // What is over is nothing that a row has to say.
        let is_over = health.class != HealthClass::Fine && health.at(now_s) == HealthClass::Fine;
        (!is_over).then_some(health)
    }
}

/// Whether a failing that began then is more than what the health says without it.
fn is_former(health: &Health, failed_s: UnixSeconds) -> bool {
    match health.class {
        HealthClass::Fine => false,
        HealthClass::Failing => health.since.is_none_or(|since| failed_s < since),
        HealthClass::NotReady | HealthClass::Changing | HealthClass::Unknown => true,
    }
}

/// What its spec asked for comes step by step: each time has the milder class of what the rule says, and of what
/// [`SOON_FAILING`] says from then on.
fn eased(health: Health, written: UnixSeconds) -> Health {
    let since_written = |at| {
        let over = SOON_FAILING.iter().rev().find(|(_, after_s)| written + after_s <= at);
        over.map_or(HealthClass::Changing, |(class, _)| *class)
    };
    let mildness = |class: &HealthClass| HealthClass::ALL.iter().position(|other| other == class);
    let milder = |at| [health.at(at), since_written(at)].into_iter().max_by_key(mildness);
    let written_steps = SOON_FAILING.iter().map(|(_, after_s)| written + after_s);
    let mut times: Vec<UnixSeconds> = health.then.iter().map(|later| later.at).chain(written_steps).collect();
    times.sort_unstable();
    let mut then: Vec<Later> = Vec::new();
    for at in times {
        let before = then.last().map_or(HealthClass::Changing, |later| later.class);
        then.extend(milder(at).filter(|class| *class != before).map(|class| Later { class, at }));
    }
    Health { class: HealthClass::Changing, then, ..health }
}

impl Judge {
    pub(super) fn of(resource: &Resource) -> Self {
        let group = resource.group.as_str();
        match (group, resource.resource.as_str()) {
            ("", "pods") => Self::Pod,
            ("apps", "deployments") => Self::Deployment,
            ("apps", "statefulsets") => Self::StatefulSet,
            ("apps", "daemonsets") => Self::DaemonSet,
            ("apps", "replicasets") | ("", "replicationcontrollers") => Self::ReplicaSet,
            ("", "nodes") => Self::Node,
            ("batch", "jobs") => Self::Job,
            ("batch", "cronjobs") => Self::CronJob,
            ("", "persistentvolumeclaims") => Self::Claim,
            ("", "persistentvolumes") => Self::Volume,
            ("", "services") => Self::Service,
            ("networking.k8s.io", "ingresses") => Self::Ingress,
            ("gateway.networking.k8s.io", "gateways") => Self::Gateway,
            ("autoscaling", "horizontalpodautoscalers") => Self::Autoscaler,
            ("policy", "poddisruptionbudgets") => Self::DisruptionBudget,
            ("", "namespaces") => Self::Namespace,
            ("storage.k8s.io", "volumeattachments") => Self::VolumeAttachment,
            ("", "componentstatuses") => Self::ComponentStatus,
            ("" | "events.k8s.io", "events") => Self::Event,
            ("apiregistration.k8s.io", "apiservices") => Self::Extension,
            ("apiextensions.k8s.io", "customresourcedefinitions") => Self::Extension,
            ("tekton.dev", "pipelineruns" | "taskruns" | "customruns" | "runs") => Self::TektonRun,
            ("argoproj.io", "rollouts") => Self::ArgoRollout,
            _ if is_of_kubernetes(group) => Self::BuiltIn,
            _ => Self::Custom,
        }
    }

    /// `None`: it is fine. `rows`: of the configuration. They win over every rule but that of a deletion: who writes one
    /// knows the kind better.
    pub(super) fn verdict(self, subject: &Subject<'_>, rows: Option<&RowsOfKind>) -> Option<Verdict> {
        let lifetime = &subject.lifetime;
        if let Some(verdict) = terminating::verdict(subject, self == Self::Namespace) {
            return Some(verdict);
        }
        if let Some(by_row) = rows.and_then(|rows| rows.verdict(subject.whole)) {
            return by_row.0;
        }
        let rule: fn(&Subject<'_>) -> Option<Verdict> = match self {
            // What changes most reads its spec and its status once.
            Self::Pod => return pod::verdict(subject),
            Self::Deployment => return workload::verdict(subject, workload::deployment),
            Self::StatefulSet => return workload::verdict(subject, workload::stateful_set),
            Self::DaemonSet => return workload::verdict(subject, workload::daemon_set),
            Self::ReplicaSet => return workload::verdict(subject, workload::replica_set),
            Self::Node => others::node,
            Self::Job => others::job,
            Self::CronJob => others::cron_job,
            Self::Claim => others::claim,
            Self::Volume => others::volume,
            Self::Service => others::service,
            Self::Ingress => others::ingress,
            Self::Gateway => others::gateway,
            Self::Autoscaler => others::autoscaler,
            Self::DisruptionBudget => others::disruption_budget,
            Self::VolumeAttachment => others::volume_attachment,
            Self::ComponentStatus => others::component_status,
            Self::Event => others::event,
            Self::Extension => others::extension,
            Self::BuiltIn | Self::Namespace => |subject| conditions::verdict(subject).ok()?,
            Self::TektonRun => {
                |subject| third_party::tekton_run(subject).or_else(|| conditions::or_unknown(subject))
            }
            Self::ArgoRollout => third_party::argo_rollout,
            Self::Custom => conditions::or_unknown,
        };
        let unobserved = || {
            lifetime.generation?;
            unobserved(subject, part::<Observed>(subject.status)?.observed_generation)
        };
        self.suspended(subject).or_else(unobserved).or_else(|| rule(subject))
    }

    /// <https://kubernetes.io/docs/concepts/workloads/controllers/job/#suspending-a-job>, and what other kinds do alike.
    fn suspended(self, subject: &Subject<'_>) -> Option<Verdict> {
        let can_be_suspended =
            matches!(self, Self::Job | Self::CronJob | Self::TektonRun | Self::ArgoRollout | Self::Custom);
        let spec: Suspension = can_be_suspended.then(|| part(subject.spec))??;
        (spec.suspend == Some(true)).then(|| Verdict::fine("Suspended"))
    }
}

/// Groups of Kubernetes itself have no dot, or end with `k8s.io`; gateway.networking.k8s.io and the like are custom
/// kinds, and have conditions.
fn is_of_kubernetes(group: &str) -> bool {
    const GROUPS: [&str; 18] = [
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "metrics.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    ];
    !group.contains('.') || GROUPS.contains(&group)
}

/// Its controller hasn't seen its spec:
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/#object-spec-and-status>.
fn unobserved(subject: &Subject<'_>, observed: Option<i64>) -> Option<Verdict> {
    (subject.lifetime.generation? > observed?)
        .then(|| Verdict::changing("Unobserved").since(written(subject)).then(FAILING_AFTER_5_MIN))
}

/// When the spec was written last. The subresource `scale` is a part of the spec:
/// <https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management>.
fn written(subject: &Subject<'_>) -> Option<UnixSeconds> {
    let writers: Vec<Writer<'_>> = parts(subject.managed);
    let of_spec = writers.iter().filter(|it| matches!(it.subresource.as_deref(), None | Some("" | "scale")));
    of_spec.filter_map(|writer| instant::seconds(writer.time.as_deref()?)).max()
}
