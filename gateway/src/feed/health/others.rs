//! Kinds with a rule of their own besides pods and what runs them. Each links to the page that says what its fields mean.

use serde::Deserialize;
use serde::de::IgnoredAny;
use shared::instant;

use super::conditions::{self, Condition, Conditions, WithConditions, failing};
use super::{FAILING_AFTER_5_MIN, FAILING_AFTER_10_MIN, SOON_FAILING, Subject, Verdict};
use crate::feed::json::{Text, list, number, object, part, text, truth};

fn conditions<'a>(subject: &Subject<'a>) -> Conditions<'a> {
    part::<WithConditions<'a>>(subject.status).unwrap_or_default().conditions
}

/// <https://kubernetes.io/docs/reference/node/node-status/#condition>. A node that is cordoned takes no pods on purpose.
pub(super) fn node(subject: &Subject<'_>) -> Option<Verdict> {
    let conditions = conditions(subject);
    let is_bad = |condition: &&Condition<'_>| match condition.kind.as_deref() {
        Some("Ready") => condition.is_not_true(),
        Some("NetworkUnavailable") => condition.is_true(),
        Some(kind) => kind.ends_with("Pressure") && condition.is_true(),
        None => false,
    };
    let ready_first = conditions.find("Ready").into_iter().chain(&conditions.0);
    let mut bad = ready_first.filter(is_bad);
    bad.next().map(failing)
}

/// <https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions>
pub(super) fn job(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Started<'a> {
        #[serde(borrow, deserialize_with = "text")]
        start_time: Text<'a>,
    }
    let conditions = conditions(subject);
    let is = |kind: &str| conditions.find(kind).filter(|condition| condition.is_true());
    if let Some(failed) = is("Failed").or_else(|| is("FailureTarget")) {
        return Some(failing(failed));
    }
    if is("Complete").or_else(|| is("SuccessCriteriaMet")).is_some() {
        return None;
    }
    let started: Started<'_> = part(subject.status).unwrap_or_default();
    let since = started.start_time.as_deref().and_then(instant::seconds);
    Some(Verdict::changing("Running").since(since))
}

/// Its last run is over and later than its last success:
/// <https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/cron-job-v1/#CronJobStatus>.
pub(super) fn cron_job(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Runs<'a> {
        #[serde(deserialize_with = "list")]
        active: Vec<IgnoredAny>,
        #[serde(borrow, deserialize_with = "text")]
        last_schedule_time: Text<'a>,
        #[serde(borrow, deserialize_with = "text")]
        last_successful_time: Text<'a>,
    }
    let runs: Runs<'_> = part(subject.status)?;
    let last = instant::seconds(runs.last_schedule_time.as_deref()?)?;
    let success = runs.last_successful_time.as_deref().and_then(instant::seconds);
    let has_failed = runs.active.is_empty() && success.is_none_or(|success| success < last);
    has_failed.then(|| Verdict::failing("Its last run failed").since(Some(last)))
}

/// <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase>. A claim that waits for its first consumer looks
/// like any other of its class until a provisioner takes it, so only one that is being provisioned, or that has no class,
/// takes too long.
pub(super) fn claim(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Spec<'a> {
        #[serde(borrow, deserialize_with = "text")]
        storage_class_name: Text<'a>,
    }
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Annotated<'a> {
        #[serde(borrow, deserialize_with = "object")]
        annotations: Option<Annotations<'a>>,
    }
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Annotations<'a> {
        #[serde(rename = "volume.kubernetes.io/storage-provisioner", borrow, deserialize_with = "text")]
        provisioner: Text<'a>,
        /// The class, as it was written before the spec had it.
        #[serde(rename = "volume.beta.kubernetes.io/storage-class", borrow, deserialize_with = "text")]
        class: Text<'a>,
    }
    match phase(subject)?.as_ref() {
        "Lost" => Some(Verdict::failing("Lost")),
        "Pending" => {
            let spec: Spec<'_> = part(subject.spec).unwrap_or_default();
            let metadata: Annotated<'_> = part(subject.metadata).unwrap_or_default();
            let annotations = metadata.annotations.unwrap_or_default();
            // The API server writes the default class into a claim without any, where there is one.
            let class = spec.storage_class_name.or(annotations.class).filter(|class| !class.is_empty());
            let is_awaited = annotations.provisioner.is_some() || class.is_none();
            let pending = Verdict::changing("Pending").since(subject.lifetime.created);
            Some(if is_awaited { pending.then(FAILING_AFTER_5_MIN) } else { pending })
        }
        _ => unchanged(subject),
    }
}

/// A claim that is bound, but couldn't be made larger or given another class; it works as before:
/// <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#recovering-from-failure-when-expanding-volumes>.
fn unchanged(subject: &Subject<'_>) -> Option<Verdict> {
    let conditions = conditions(subject);
    let is_error = |kind: &str| kind.ends_with("Error");
    let error = conditions.0.iter().find(|it| it.is_true() && it.kind.as_deref().is_some_and(is_error))?;
    Some(Verdict::not_ready(error.reason()).since(error.since()))
}

pub(super) fn volume(subject: &Subject<'_>) -> Option<Verdict> {
    let phase = phase(subject)?;
    (phase == "Failed").then(|| Verdict::failing("Failed"))
}

fn phase<'a>(subject: &Subject<'a>) -> Text<'a> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Phase<'a> {
        #[serde(borrow, deserialize_with = "text")]
        phase: Text<'a>,
    }
    part::<Phase<'_>>(subject.status)?.phase
}

/// <https://kubernetes.io/docs/concepts/services-networking/service/#loadbalancer>
pub(super) fn service(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Spec<'a> {
        #[serde(rename = "type", borrow, deserialize_with = "text")]
        kind: Text<'a>,
    }
    let spec: Spec<'_> = part(subject.spec)?;
    if spec.kind.as_deref() == Some("LoadBalancer") { balanced(subject) } else { None }
}

/// <https://kubernetes.io/docs/concepts/services-networking/ingress/>
pub(super) fn ingress(subject: &Subject<'_>) -> Option<Verdict> {
    balanced(subject)
}

fn balanced(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Status {
        #[serde(deserialize_with = "object")]
        load_balancer: Option<LoadBalancer>,
    }
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct LoadBalancer {
        #[serde(deserialize_with = "list")]
        ingress: Vec<IgnoredAny>,
    }
    let status: Status = part(subject.status).unwrap_or_default();
    let has_address = status.load_balancer.is_some_and(|balancer| !balancer.ingress.is_empty());
    (!has_address).then(|| no_address(subject))
}

/// <https://gateway-api.sigs.k8s.io/reference/spec/#gatewaystatus>
pub(super) fn gateway(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Status {
        #[serde(deserialize_with = "list")]
        addresses: Vec<IgnoredAny>,
    }
    if let Ok(Some(verdict)) = conditions::verdict(subject) {
        return Some(verdict);
    }
    let status: Status = part(subject.status).unwrap_or_default();
    status.addresses.is_empty().then(|| no_address(subject))
}

fn no_address(subject: &Subject<'_>) -> Verdict {
    Verdict::changing("No address yet").since(subject.lifetime.created).then(FAILING_AFTER_10_MIN)
}

/// <https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough/#appendix-horizontal-pod-autoscaler-status-conditions>.
/// A target that is scaled to zero switches it off on purpose.
pub(super) fn autoscaler(subject: &Subject<'_>) -> Option<Verdict> {
    let conditions = conditions(subject);
    let mut both = ["AbleToScale", "ScalingActive"].into_iter().filter_map(|kind| conditions.find(kind));
    let is_bad = |condition: &&Condition<'_>| {
        condition.is_false() && condition.reason.as_deref() != Some("ScalingDisabled")
    };
    both.find(is_bad).map(failing)
}

/// <https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1/#PodDisruptionBudgetStatus>
///
/// A budget whose pods are replaced one by one is used up each time; it fails where fewer are healthy than it demands.
pub(super) fn disruption_budget(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Status<'a> {
        #[serde(borrow, deserialize_with = "conditions::read")]
        conditions: Conditions<'a>,
        #[serde(deserialize_with = "number")]
        desired_healthy: Option<i64>,
        #[serde(deserialize_with = "number")]
        disruptions_allowed: Option<i64>,
        #[serde(deserialize_with = "number")]
        current_healthy: Option<i64>,
        #[serde(deserialize_with = "number")]
        expected_pods: Option<i64>,
    }
    let status: Status<'_> = part(subject.status)?;
    let (healthy, expected) = (status.current_healthy.unwrap_or(0), status.expected_pods.unwrap_or(0));
    let is_blocked = status.disruptions_allowed.unwrap_or(0) == 0 && healthy < expected;
    let reason = format!("{healthy} of {expected} pods healthy, none may be evicted");
    match is_blocked {
        true if healthy < status.desired_healthy.unwrap_or(0) => Some(Verdict::failing(reason)),
        true => {
            let used_up = status.conditions.find("DisruptionAllowed").filter(|it| it.is_false());
            let since = used_up.and_then(Condition::since);
            Some(Verdict::changing(reason).since(since).then(SOON_FAILING))
        }
        false => None,
    }
}

/// <https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume-attachment-v1/#VolumeAttachmentStatus>.
/// Its driver tries again, and each attempt has its own time.
pub(super) fn volume_attachment(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Status {
        #[serde(deserialize_with = "truth")]
        attached: Option<bool>,
        #[serde(deserialize_with = "object")]
        attach_error: Option<IgnoredAny>,
    }
    let status: Status = part(subject.status)?;
    let is_refused = status.attached != Some(true) && status.attach_error.is_some();
    is_refused.then(|| Verdict::not_ready("AttachError").then(FAILING_AFTER_5_MIN))
}

/// <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/#APIServiceStatus> and
/// <https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/>.
pub(super) fn extension(subject: &Subject<'_>) -> Option<Verdict> {
    let conditions = conditions(subject);
    let needed = ["Available", "NamesAccepted", "Established"];
    let mut needed = needed.into_iter().filter_map(|kind| conditions.find(kind));
    let is_bad = |condition: &&Condition<'_>| {
        condition.is_not_true() && condition.reason.as_deref() != Some("Installing")
    };
    needed.find(is_bad).map(failing)
}

/// Its conditions stand beside its metadata:
/// <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/component-status-v1/>.
pub(super) fn component_status(subject: &Subject<'_>) -> Option<Verdict> {
    let whole: WithConditions<'_> = part(subject.whole)?;
    let healthy = whole.conditions.find("Healthy")?;
    (!healthy.is_true()).then(|| Verdict::failing("Unhealthy"))
}

/// <https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/>: Normal or Warning.
pub(super) fn event(subject: &Subject<'_>) -> Option<Verdict> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Type<'a> {
        #[serde(rename = "type", borrow, deserialize_with = "text")]
        kind: Text<'a>,
        #[serde(borrow, deserialize_with = "text")]
        reason: Text<'a>,
    }
    let event: Type<'_> = part(subject.whole)?;
    (event.kind.as_deref() == Some("Warning"))
        .then(|| Verdict::not_ready(event.reason.as_deref().unwrap_or("Warning")))
}
