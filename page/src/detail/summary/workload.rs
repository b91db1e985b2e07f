//! The facts of workloads: Deployments and their like, Jobs, autoscalers.

use serde_json::Value;

use super::super::read::{self, Now};
use super::super::reference::Reference;
use super::Fact;
use super::pod::images;
use crate::cells::shown;
use crate::messages;

const TEMPLATE: &str = "/spec/template/spec";
const REVISION: &str = "/metadata/annotations/deployment.kubernetes.io~1revision";

pub(super) fn deployment(object: &Value) -> Vec<Option<Fact>> {
    let count = |pointer: &str| read::whole(object, pointer).unwrap_or(0);
    let replicas = messages::replicas(&[
        (read::whole(object, "/spec/replicas").unwrap_or(1), messages::DESIRED),
        (count("/status/updatedReplicas"), messages::UPDATED),
        (count("/status/readyReplicas"), messages::READY),
        (count("/status/availableReplicas"), messages::AVAILABLE),
    ]);
    let is_paused = object.pointer("/spec/paused").and_then(Value::as_bool) == Some(true);
    let rolling = |what: &str| read::text(object, &format!("/spec/strategy/rollingUpdate/{what}"));
    let strategy = read::text(object, "/spec/strategy/type")
        .map(|kind| messages::strategy(&kind, rolling("maxUnavailable"), rolling("maxSurge")));
    let mut facts = vec![
        Fact::some(messages::REPLICAS, Some(replicas)).map(Fact::wide),
        Fact::some(messages::STRATEGY, strategy).map(Fact::wide),
        Fact::some(messages::REVISION, read::text(object, REVISION)),
        Fact::some(messages::PAUSED, is_paused.then(|| messages::YES.to_owned())),
    ];
    facts.push(selector(object));
    facts.extend(images(object, TEMPLATE));
    facts
}

pub(super) fn replica_set(object: &Value) -> Vec<Option<Fact>> {
    let mut facts =
        vec![kept(object), Fact::some(messages::REVISION, read::text(object, REVISION)), selector(object)];
    facts.extend(images(object, TEMPLATE));
    facts
}

pub(super) fn stateful_set(object: &Value) -> Vec<Option<Fact>> {
    let service = read::raw(object, "/spec/serviceName");
    let namespace = read::raw(object, "/metadata/namespace");
    let mut facts = vec![
        kept(object),
        Fact::some(messages::SERVICE, read::text(object, "/spec/serviceName")).map(|fact| {
            fact.mono().linked(Reference::new("v1", "Service", namespace, service.unwrap_or_default()))
        }),
        Fact::some(messages::STRATEGY, read::text(object, "/spec/updateStrategy/type")),
        Fact::some(messages::POD_MANAGEMENT, read::text(object, "/spec/podManagementPolicy")),
        selector(object),
    ];
    facts.extend(images(object, TEMPLATE));
    facts
}

pub(super) fn daemon_set(object: &Value) -> Vec<Option<Fact>> {
    let count = |pointer: &str| read::whole(object, pointer).unwrap_or(0);
    let scheduled = messages::replicas(&[
        (count("/status/desiredNumberScheduled"), messages::DESIRED),
        (count("/status/currentNumberScheduled"), messages::CURRENT),
        (count("/status/updatedNumberScheduled"), messages::UPDATED),
        (count("/status/numberReady"), messages::READY),
        (count("/status/numberAvailable"), messages::AVAILABLE),
    ]);
    let mut facts = vec![
        Fact::some(messages::PODS, Some(scheduled)).map(Fact::wide),
        Fact::some(messages::STRATEGY, read::text(object, "/spec/updateStrategy/type")),
        selector(object),
    ];
    facts.extend(images(object, TEMPLATE));
    facts
}

pub(super) fn job(object: &Value, now: Now) -> Vec<Option<Fact>> {
    let count = |pointer: &str| read::whole(object, pointer).unwrap_or(0);
    let pods = messages::replicas(&[
        (count("/status/active"), messages::ACTIVE),
        (count("/status/succeeded"), messages::SUCCEEDED),
        (count("/status/failed"), messages::FAILED_PODS),
    ]);
    let (start, end) =
        (read::time(object, "/status/startTime"), read::time(object, "/status/completionTime"));
    let ran = start.map(|start| shared::duration::human(end.unwrap_or(now.cluster_s).saturating_sub(start)));
    let mut facts = vec![
        Fact::some(messages::PODS, Some(pods)).map(Fact::wide),
        Fact::some(messages::COMPLETIONS, read::text(object, "/spec/completions")),
        Fact::some(messages::PARALLELISM, read::text(object, "/spec/parallelism")),
        Fact::some(messages::STARTED, start.map(|at| now.clock(at))),
        Fact::some(messages::COMPLETED, end.map(|at| now.clock(at))),
        Fact::some(messages::DURATION, ran),
        Fact::some(messages::BACKOFF_LIMIT, read::text(object, "/spec/backoffLimit")),
    ];
    facts.extend(images(object, TEMPLATE));
    facts
}

pub(super) fn cron_job(object: &Value, now: Now) -> Vec<Option<Fact>> {
    let is_suspended = object.pointer("/spec/suspend").and_then(Value::as_bool) == Some(true);
    let last = |pointer| read::time(object, pointer).map(|at| now.clock_and_age(at));
    let mut facts = vec![
        Fact::some(messages::SCHEDULE, read::text(object, "/spec/schedule"))
            .map(|fact| fact.mono().noted(read::text(object, "/spec/timeZone").unwrap_or_default())),
        Fact::some(messages::SUSPENDED, is_suspended.then(|| messages::YES.to_owned())),
        Fact::some(messages::CONCURRENCY, read::text(object, "/spec/concurrencyPolicy")),
        Fact::some(messages::LAST_SCHEDULE, last("/status/lastScheduleTime")),
        Fact::some(messages::LAST_SUCCESS, last("/status/lastSuccessfulTime")),
    ];
    facts.extend(images(object, "/spec/jobTemplate/spec/template/spec"));
    facts
}

pub(super) fn autoscaler(object: &Value) -> Vec<Option<Fact>> {
    let target = || {
        let of = |part: &str| read::raw(object, &format!("/spec/scaleTargetRef/{part}"));
        let namespace = read::raw(object, "/metadata/namespace");
        let version = of("apiVersion").unwrap_or("apps/v1");
        Some(Reference::new(version, of("kind")?, namespace, of("name")?))
    };
    let replicas = messages::replicas(&[
        (read::whole(object, "/status/currentReplicas").unwrap_or(0), messages::CURRENT),
        (read::whole(object, "/status/desiredReplicas").unwrap_or(0), messages::DESIRED),
    ]);
    let range = read::whole(object, "/spec/maxReplicas")
        .map(|most| messages::range(read::whole(object, "/spec/minReplicas").unwrap_or(1), most));
    vec![
        target().map(|to| {
            Fact::of(messages::SCALES, shown(&format!("{} {}", to.kind, to.name)).into_owned())
                .mono()
                .linked(to)
        }),
        Fact::some(messages::REPLICAS, Some(replicas)),
        Fact::some(messages::RANGE, range),
    ]
}

/// ReplicaSets and StatefulSets.
fn kept(object: &Value) -> Option<Fact> {
    let count = |pointer: &str| read::whole(object, pointer).unwrap_or(0);
    let replicas = messages::replicas(&[
        (read::whole(object, "/spec/replicas").unwrap_or(1), messages::DESIRED),
        (count("/status/replicas"), messages::CURRENT),
        (count("/status/readyReplicas"), messages::READY),
    ]);
    Fact::some(messages::REPLICAS, Some(replicas)).map(Fact::wide)
}

fn selector(object: &Value) -> Option<Fact> {
    let labels = match object.pointer("/spec/selector/matchLabels") {
        Some(_) => read::pairs(object, "/spec/selector/matchLabels"),
        None => read::pairs(object, "/spec/selector"),
    };
    Fact::some(messages::SELECTOR, Some(read::joined(&labels))).map(|fact| fact.mono().wide())
}
