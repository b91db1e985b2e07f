//! What runs several pods: <https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status> and
//! the status of the others.

use serde::Deserialize;
use shared::duration::UnixSeconds;

use super::conditions::{self, Condition, Conditions};
use super::{FAILING_AFTER_5_MIN, SOON_FAILING, Subject, Verdict, unobserved, written};
use crate::feed::json::{Text, number, object, part, text, truth};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec<'a> {
    /// A Deployment alone has it.
    #[serde(deserialize_with = "truth")]
    paused: Option<bool>,
    #[serde(deserialize_with = "number")]
    replicas: Option<i64>,
    #[serde(borrow, deserialize_with = "object")]
    update_strategy: Option<UpdateStrategy<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct UpdateStrategy<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    kind: Text<'a>,
    #[serde(deserialize_with = "object")]
    rolling_update: Option<RollingUpdate>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RollingUpdate {
    #[serde(deserialize_with = "number")]
    partition: Option<i64>,
}

/// Counts that are missing are zero: the API server leaves them out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status<'a> {
    #[serde(deserialize_with = "number")]
    observed_generation: Option<i64>,
    #[serde(deserialize_with = "number")]
    replicas: Option<i64>,
    #[serde(deserialize_with = "number")]
    updated_replicas: Option<i64>,
    #[serde(deserialize_with = "number")]
    ready_replicas: Option<i64>,
    #[serde(deserialize_with = "number")]
    available_replicas: Option<i64>,
    #[serde(deserialize_with = "number")]
    desired_number_scheduled: Option<i64>,
    #[serde(deserialize_with = "number")]
    updated_number_scheduled: Option<i64>,
    #[serde(deserialize_with = "number")]
    number_available: Option<i64>,
    #[serde(borrow, deserialize_with = "conditions::read")]
    conditions: Conditions<'a>,
}

/// What runs, and what should.
#[derive(Clone, Copy)]
struct Counts {
    available: i64,
    wanted: i64,
    updated: i64,
    /// How many must be of the new version.
    to_update: i64,
    /// More than are wanted.
    surplus: i64,
}

/// An object, read once.
pub(super) struct Workload<'a> {
    subject: &'a Subject<'a>,
    spec: Spec<'a>,
    status: Status<'a>,
}

/// `rule`: of its kind.
pub(super) fn verdict(subject: &Subject<'_>, rule: fn(&Workload<'_>) -> Option<Verdict>) -> Option<Verdict> {
    let spec: Spec<'_> = part(subject.spec).unwrap_or_default();
    let status: Status<'_> = part(subject.status).unwrap_or_default();
    if spec.paused == Some(true) {
        return Some(Verdict::fine("Paused"));
    }
    let observed = status.observed_generation;
    unobserved(subject, observed).or_else(|| rule(&Workload { subject, spec, status }))
}

pub(super) fn deployment(Workload { subject, spec, status }: &Workload<'_>) -> Option<Verdict> {
    let created = subject.lifetime.created;
    let wanted = spec.replicas.unwrap_or(1);
    if let Some(failure) = status.conditions.find("ReplicaFailure").filter(|it| it.is_true()) {
        return Some(conditions::failing(failure));
    }
    let available = status.available_replicas.unwrap_or(0);
    let updated = status.updated_replicas.unwrap_or(0);
    let is_updated = updated >= wanted;
    let progressing = status.conditions.find("Progressing");
    let short = status.conditions.find("Available").filter(|it| !it.is_true());
    match progressing.map(|it| (it, it.reason.as_deref())) {
        // Its deadline is over, or its replica set can't be made.
        Some((condition, _)) if condition.is_false() => Some(conditions::failing(condition)),
        Some((_, Some("NewReplicaSetAvailable"))) if is_updated => {
            let too_few =
                too_few(available, wanted, short.and_then(Condition::since), short.map(Condition::reason));
            // A deployment that is scaled keeps this reason, while its new pods start.
            too_few.map(|verdict| verdict.written(written(subject)))
        }
        // It has just come, and its controller will say more.
        None if wanted > 0 && created.is_some() && status.conditions.0.is_empty() => {
            Some(Verdict::changing("Progressing").since(created).then(FAILING_AFTER_5_MIN))
        }
        // A deployment without a deadline has no such condition: its rollout looks like one that doesn't get on.
        None => {
            let counts = Counts { available, wanted, updated, to_update: wanted, surplus: 0 };
            running(counts).map(|it| it.since(short.and_then(Condition::since)))
        }
        Some((condition, Some("NewReplicaSetAvailable"))) => {
            Some(Verdict::changing("ReplicaSetUpdated").since(condition.since()))
        }
        Some((condition, _)) => Some(Verdict::changing(condition.reason()).since(condition.since())),
    }
}

/// All pods are of the new version, and too few of them are available.
fn too_few(
    available: i64,
    wanted: i64,
    since: Option<UnixSeconds>,
    reason: Option<Box<str>>,
) -> Option<Verdict> {
    if available >= wanted {
        return None;
    }
    let reason = reason.unwrap_or_else(|| format!("{available} of {wanted} available").into());
    let verdict = if available == 0 { Verdict::failing(reason) } else { Verdict::not_ready(reason) };
    Some(verdict.since(since).then(if available == 0 { &[] } else { FAILING_AFTER_5_MIN }))
}

/// With OnDelete its pods are updated by others, with a partition only those above it.
pub(super) fn stateful_set(Workload { subject, spec, status }: &Workload<'_>) -> Option<Verdict> {
    let wanted = spec.replicas.unwrap_or(1);
    if status.replicas.is_none() {
        let counts = Counts { available: 0, wanted, updated: 0, to_update: 0, surplus: 0 };
        return running(counts).map(|verdict| verdict.since(subject.lifetime.created));
    }
    let strategy = spec.update_strategy.as_ref();
    let rolling = strategy.and_then(|strategy| strategy.rolling_update.as_ref());
    let partition = rolling.and_then(|rolling| rolling.partition).unwrap_or(0);
    let to_update = match strategy.and_then(|strategy| strategy.kind.as_deref()) {
        Some("OnDelete") => 0,
        _ => wanted - partition.min(wanted),
    };
    replicas(status, wanted, to_update)
}

pub(super) fn replica_set(Workload { spec, status, .. }: &Workload<'_>) -> Option<Verdict> {
    if let Some(failure) = status.conditions.find("ReplicaFailure").filter(|it| it.is_true()) {
        return Some(conditions::failing(failure));
    }
    replicas(status, spec.replicas.unwrap_or(1), 0)
}

fn replicas(status: &Status<'_>, wanted: i64, to_update: i64) -> Option<Verdict> {
    let ready = status.ready_replicas.unwrap_or(0);
    let available = status.available_replicas.unwrap_or(ready).min(ready);
    let updated = status.updated_replicas.unwrap_or(0);
    let surplus = (status.replicas.unwrap_or(0) - wanted).max(0);
    running(Counts { available, wanted, updated, to_update, surplus })
}

pub(super) fn daemon_set(Workload { spec, status, .. }: &Workload<'_>) -> Option<Verdict> {
    let wanted = status.desired_number_scheduled.unwrap_or(0);
    let to_update = match spec.update_strategy.as_ref().and_then(|it| it.kind.as_deref()) {
        Some("OnDelete") => 0,
        _ => wanted,
    };
    running(Counts {
        available: status.number_available.unwrap_or(0),
        wanted,
        updated: status.updated_number_scheduled.unwrap_or(0),
        to_update,
        surplus: 0,
    })
}

/// Its status has counts and no times: a pod that starts looks like one that doesn't. The reason has each count that
/// moves, so that each step forward begins the time anew.
fn running(counts: Counts) -> Option<Verdict> {
    let Counts { available, wanted, updated, to_update, surplus } = counts;
    let mut reason = format!("{} of {wanted} available", available.min(wanted));
    if updated < to_update {
        reason += &format!(", {updated} of {to_update} updated");
    }
    if surplus > 0 {
        reason += &format!(", {surplus} pending termination");
    }
    let is_short = available < wanted;
    let is_over = !is_short && updated >= to_update && surplus == 0;
    let steps = if is_short { SOON_FAILING } else { FAILING_AFTER_5_MIN };
    (!is_over).then(|| Verdict::changing(reason).then(steps))
}
