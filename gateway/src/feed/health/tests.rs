//! Each rule by its cases. Times are seconds after `T`.

pub(crate) mod failures;
mod healthy;
mod rows;
mod third_party;

use std::borrow::Cow;

use super::rows::RowsOfKind;
use serde_json::{Value, json};
use shared::health::{Health, HealthClass};
use shared::instant;
use shared::resource::Resource;

use super::{Judge, Lifetime, Subject, Verdict};

/// 2026-11-01T12:00:00Z, written as `T` in a case.
pub(crate) const T: i64 = 1_793_534_400;

fn resource(kind: &str) -> Resource {
    let (plural, group) = kind.split_once('.').unwrap_or((kind, ""));
    Resource::parse(group, "v1", plural).expect("valid")
}

fn verdict(kind: &str, object: &Value) -> Option<Verdict> {
    verdict_by(None, kind, object)
}

fn verdict_by(rows: Option<&RowsOfKind>, kind: &str, object: &Value) -> Option<Verdict> {
    let part = |name: &str| object.get(name).map(Value::to_string).unwrap_or_default();
    let managed = object.pointer("/metadata/managedFields").map(Value::to_string).unwrap_or_default();
    let (metadata, spec, status, whole) =
        (part("metadata"), part("spec"), part("status"), object.to_string());
    let time = |name: &str| instant::seconds(object["metadata"][name].as_str()?);
    let finalizers = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    let finalizers: Vec<Cow<'_, str>> = finalizers.filter_map(|name| Some(name.as_str()?.into())).collect();
    let subject = Subject {
        lifetime: Lifetime {
            created: time("creationTimestamp"),
            deleted: time("deletionTimestamp"),
            grace_s: object["metadata"]["deletionGracePeriodSeconds"].as_i64(),
            finalizers: &finalizers,
            generation: object["metadata"]["generation"].as_i64(),
        },
        metadata: metadata.as_bytes(),
        spec: spec.as_bytes(),
        status: status.as_bytes(),
        whole: whole.as_bytes(),
        managed: managed.as_bytes(),
    };
    Judge::of(&resource(kind)).verdict(&subject, rows)
}

/// `changing ContainerCreating since 0, not-ready 60, failing 600`, as the row says it at `T + 5`.
fn said(kind: &str, object: &str) -> String {
    said_by(None, kind, object)
}

fn said_by(rows: Option<&RowsOfKind>, kind: &str, object: &str) -> String {
    let object = object.replace('\'', "\"").replace("T+0", "2026-11-01T12:00:00Z");
    let object: Value = serde_json::from_str(&object).unwrap_or_else(|error| panic!("{object}: {error}"));
    match verdict_by(rows, kind, &object).and_then(|verdict| verdict.seen(None, true, T + 5)) {
        Some(health) => words(&health),
        None => "fine".to_owned(),
    }
}

fn words(health: &Health) -> String {
    let class = |class: HealthClass| json!(class).as_str().unwrap_or_default().to_owned();
    let mut words = format!("{} {}", class(health.class), health.reason).trim_end().to_owned();
    if let Some(since) = health.since {
        words += &format!(" since {}", since - T);
    }
    health.then.iter().for_each(|later| words += &format!(", {} {}", class(later.class), later.at - T));
    health.failed.iter().for_each(|failed| words += &format!(", failed {}", failed - T));
    words
}

fn check(kind: &str, cases: &[(&str, &str)]) {
    for (object, expected) in cases {
        assert_eq!(said(kind, object), *expected, "{kind} {object}");
    }
}

#[test]
fn what_is_deleted_changes_until_its_grace_period_and_half_a_minute_are_over() {
    check(
        "pods",
        &[
            (
                "{'metadata': {'deletionTimestamp': 'T+0', 'deletionGracePeriodSeconds': 30}, 'status': {'phase': 'Failed'}}",
                "changing Terminating since -30, failing 30",
            ),
            (
                "{'metadata': {'deletionTimestamp': 'T+0', 'finalizers': ['a.test/x', 'b']}}",
                "changing Terminating, held by a.test/x, b since 0, failing 30",
            ),
        ],
    );
    check(
        "things.acme.test",
        &[("{'metadata': {'deletionTimestamp': 'T+0'}}", "changing Terminating since 0, failing 30")],
    );
}

#[test]
fn what_its_spec_suspends_is_fine() {
    check("jobs.batch", &[("{'spec': {'suspend': true}, 'status': {}}", "fine Suspended")]);
    check("cronjobs.batch", &[("{'spec': {'suspend': true}}", "fine Suspended")]);
    check("deployments.apps", &[("{'spec': {'paused': true}, 'status': {}}", "fine Paused")]);
    check(
        "kustomizations.kustomize.toolkit.fluxcd.io",
        &[(
            "{'spec': {'suspend': true}, 'status': {'conditions': [{'type': 'Ready', 'status': 'False'}]}}",
            "fine Suspended",
        )],
    );
}

#[test]
fn a_spec_that_its_controller_has_not_seen_is_changing() {
    const WRITTEN: &str =
        "[{'time': 'T+0', 'operation': 'Apply'}, {'time': '2027-01-01T00:00:00Z', 'subresource': 'status'}]";
    let object = |managed: &str| {
        format!(
            "{{'metadata': {{'generation': 2, 'managedFields': {managed}}}, 'status': {{'observedGeneration': 1}}}}"
        )
    };
    assert_eq!(said("things.acme.test", &object(WRITTEN)), "changing Unobserved since 0, failing 300");
    assert_eq!(
        said("things.acme.test", &object("[]")),
        "changing Unobserved, failing 305",
        "from when it was seen"
    );
    check(
        "things.acme.test",
        &[("{'metadata': {'generation': 2}, 'status': {'observedGeneration': 2}}", "unknown")],
    );
}

/// The kubelet's reasons of waiting containers, and what a pod's phases and conditions say.
#[test]
fn a_pod_is_as_its_containers_and_conditions_are() {
    for reason in super::pod::STUCK {
        let waits = format!(
            "{{'metadata': {{'creationTimestamp': 'T+0'}}, 'status': {{'phase': 'Pending', 'containerStatuses': [{{'state': {{'waiting': {{'reason': '{reason}'}}}}}}]}}}}"
        );
        assert_eq!(said("pods", &waits), format!("failing {reason} since 0"));
    }
    check(
        "pods",
        &[
            (
                "{'metadata': {'creationTimestamp': 'T+0'}, 'status': {'phase': 'Pending'}}",
                "changing Pending since 0, not-ready 60, failing 600",
            ),
            (
                "{'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'Unschedulable', 'lastTransitionTime': 'T+0'}]}}",
                "not-ready Unschedulable since 0, failing 120",
            ),
            (
                "{'status': {'phase': 'Pending', 'conditions': [{'type': 'PodScheduled', 'status': 'False', 'reason': 'SchedulingGated', 'lastTransitionTime': 'T+0'}]}}",
                "changing SchedulingGated since 0",
            ),
            (
                "{'status': {'phase': 'Pending', 'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'ContainersNotReady', 'lastTransitionTime': 'T+0'}], 'containerStatuses': [{'state': {'waiting': {'reason': 'ContainerCreating'}}}]}}",
                "changing ContainerCreating since 0, not-ready 60, failing 600",
            ),
            (
                "{'status': {'phase': 'Pending', 'conditions': [{'type': 'Ready', 'status': 'False', 'lastTransitionTime': 'T+0'}], 'initContainerStatuses': [{'state': {'waiting': {'reason': 'CrashLoopBackOff'}}}], 'containerStatuses': [{'state': {'waiting': {'reason': 'PodInitializing'}}}]}}",
                "failing CrashLoopBackOff since 0",
            ),
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'ReadinessGatesNotReady', 'lastTransitionTime': 'T+0'}], 'containerStatuses': [{'ready': true, 'state': {'running': {}}}]}}",
                "changing ReadinessGatesNotReady since 0, not-ready 60, failing 600",
            ),
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}], 'containerStatuses': [{'restartCount': 43, 'state': {'running': {}}, 'lastState': {'terminated': {'exitCode': 1, 'finishedAt': 'T+0'}}}]}}",
                "not-ready Restarted 43 times since 0, fine 600",
            ),
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}], 'containerStatuses': [{'restartCount': 1, 'lastState': {'terminated': {'exitCode': 0, 'finishedAt': 'T+0'}}}]}}",
                "fine",
            ),
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'True'}], 'containerStatuses': [{'restartCount': 1, 'lastState': {'terminated': {'exitCode': 1, 'finishedAt': '2026-11-01T11:00:00Z'}}}]}}",
                "fine",
            ),
            (
                "{'status': {'phase': 'Succeeded', 'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'PodCompleted'}]}}",
                "fine",
            ),
            // Its node is silent: https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/util/node/controller_utils.go
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'False', 'lastTransitionTime': 'T+0'}], 'containerStatuses': [{'ready': true, 'state': {'running': {}}}]}}",
                "changing Ready False since 0, not-ready 60, failing 600",
            ),
            // Its container ended, and kubectl says `Error` until it waits in CrashLoopBackOff or runs again.
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'ContainersNotReady', 'lastTransitionTime': 'T+0'}], 'containerStatuses': [{'ready': false, 'restartCount': 2, 'state': {'terminated': {'exitCode': 1, 'reason': 'Error', 'finishedAt': 'T+0'}}}]}}",
                "not-ready Error since 0, failing 600",
            ),
            // Its node went away under it, or its probe fails now: it isn't starting.
            (
                "{'status': {'phase': 'Running', 'conditions': [{'type': 'Ready', 'status': 'False', 'reason': 'NodeNotReady', 'lastTransitionTime': 'T+0'}], 'containerStatuses': [{'ready': true, 'state': {'running': {'startedAt': '2026-11-01T11:00:00Z'}}}]}}",
                "not-ready NodeNotReady since 0, failing 600",
            ),
            ("{'status': {'phase': 'Failed', 'reason': 'Evicted'}}", "failing Evicted"),
            (
                "{'status': {'phase': 'Failed', 'containerStatuses': [{'state': {'terminated': {'exitCode': 137, 'reason': 'OOMKilled', 'finishedAt': 'T+0'}}}]}}",
                "failing OOMKilled since 0",
            ),
        ],
    );
}

fn deployment(spec: &str, status: &str) -> String {
    let object =
        format!("{{'metadata': {{'creationTimestamp': 'T+0'}}, 'spec': {spec}, 'status': {status}}}");
    said("deployments.apps", &object)
}

#[test]
fn a_deployment_in_rollout_is_changing_and_one_that_is_over_counts_its_pods() {
    let progressing = |status: &str, reason: &str, counts: &str| {
        let condition = format!(
            "{{'type': 'Progressing', 'status': '{status}', 'reason': '{reason}', 'lastTransitionTime': 'T+0'}}"
        );
        deployment("{'replicas': 4}", &format!("{{{counts}, 'conditions': [{condition}]}}"))
    };
    for (status, reason, counts, expected) in [
        ("True", "NewReplicaSetCreated", "'replicas': 4", "changing NewReplicaSetCreated since 0"),
        (
            "True",
            "ReplicaSetUpdated",
            "'replicas': 4, 'updatedReplicas': 1",
            "changing ReplicaSetUpdated since 0",
        ),
        (
            "True",
            "ReplicaSetUpdated",
            "'updatedReplicas': 4, 'availableReplicas': 0",
            "changing ReplicaSetUpdated since 0",
        ),
        (
            "False",
            "ProgressDeadlineExceeded",
            "'updatedReplicas': 4",
            "failing ProgressDeadlineExceeded since 0",
        ),
        ("True", "NewReplicaSetAvailable", "'updatedReplicas': 4, 'availableReplicas': 4", "fine"),
        (
            "True",
            "NewReplicaSetAvailable",
            "'updatedReplicas': 4, 'availableReplicas': 3",
            "not-ready 3 of 4 available, failing 305",
        ),
        ("True", "NewReplicaSetAvailable", "'updatedReplicas': 4", "failing 0 of 4 available"),
        (
            "True",
            "NewReplicaSetAvailable",
            "'updatedReplicas': 1, 'availableReplicas': 3",
            "changing ReplicaSetUpdated since 0",
        ),
    ] {
        assert_eq!(progressing(status, reason, counts), expected, "{reason} {counts}");
    }
    assert_eq!(
        deployment("{'replicas': 4}", "{}"),
        "changing Progressing since 0, failing 300",
        "it has just come"
    );
    assert_eq!(deployment("{'replicas': 0}", "{}"), "fine");
    let without_deadline = |counts: &str| {
        let condition = "{'type': 'Available', 'status': 'False', 'reason': 'MinimumReplicasUnavailable', 'lastTransitionTime': 'T+0'}";
        deployment("{'replicas': 4}", &format!("{{{counts}, 'conditions': [{condition}]}}"))
    };
    assert_eq!(
        without_deadline("'updatedReplicas': 4"),
        "changing 0 of 4 available since 0, not-ready 60, failing 300"
    );
    assert_eq!(without_deadline("'updatedReplicas': 4, 'availableReplicas': 4"), "fine");
    let failure = "{'conditions': [{'type': 'ReplicaFailure', 'status': 'True', 'reason': 'FailedCreate', 'lastTransitionTime': 'T+0'}]}";
    assert_eq!(deployment("{}", failure), "failing FailedCreate since 0");
}

#[test]
fn the_others_that_run_pods_are_judged_by_their_counts() {
    check(
        "statefulsets.apps",
        &[
            (
                "{'spec': {'replicas': 3}, 'status': {'replicas': 3, 'updatedReplicas': 3, 'readyReplicas': 3, 'availableReplicas': 3}}",
                "fine",
            ),
            (
                "{'spec': {'replicas': 3}, 'status': {'replicas': 3, 'updatedReplicas': 3, 'readyReplicas': 2}}",
                "changing 2 of 3 available, not-ready 65, failing 305",
            ),
            (
                "{'spec': {'replicas': 3, 'updateStrategy': {'type': 'RollingUpdate', 'rollingUpdate': {'partition': 2}}}, 'status': {'replicas': 3, 'updatedReplicas': 1, 'readyReplicas': 3, 'availableReplicas': 3}}",
                "fine",
            ),
            (
                "{'spec': {'replicas': 3, 'updateStrategy': {'type': 'OnDelete'}}, 'status': {'replicas': 3, 'readyReplicas': 3, 'availableReplicas': 3}}",
                "fine",
            ),
            (
                "{'spec': {'replicas': 3}, 'status': {'replicas': 3, 'updatedReplicas': 1, 'readyReplicas': 3, 'availableReplicas': 3}}",
                "changing 3 of 3 available, 1 of 3 updated, failing 305",
            ),
        ],
    );
    check(
        "daemonsets.apps",
        &[
            (
                "{'status': {'desiredNumberScheduled': 8, 'updatedNumberScheduled': 8, 'numberAvailable': 8}}",
                "fine",
            ),
            (
                "{'status': {'desiredNumberScheduled': 8, 'updatedNumberScheduled': 8, 'numberAvailable': 7}}",
                "changing 7 of 8 available, not-ready 65, failing 305",
            ),
            ("{'status': {}}", "fine"),
        ],
    );
    check(
        "replicasets.apps",
        &[
            ("{'spec': {'replicas': 0}, 'status': {'replicas': 0}}", "fine"),
            (
                "{'spec': {'replicas': 2}, 'status': {'replicas': 2, 'readyReplicas': 2, 'availableReplicas': 2}}",
                "fine",
            ),
            (
                "{'spec': {'replicas': 2}, 'status': {'conditions': [{'type': 'ReplicaFailure', 'status': 'True', 'reason': 'FailedCreate'}]}}",
                "failing FailedCreate",
            ),
        ],
    );
}

#[test]
fn nodes_jobs_claims_and_what_waits_for_an_address() {
    let condition = |kind: &str, status: &str| {
        format!(
            "{{'status': {{'conditions': [{{'type': '{kind}', 'status': '{status}', 'reason': 'Said', 'lastTransitionTime': 'T+0'}}]}}}}"
        )
    };
    for (resource, kind, status, expected) in [
        ("nodes", "Ready", "True", "fine"),
        ("nodes", "Ready", "False", "failing Said since 0"),
        ("nodes", "Ready", "Unknown", "failing Said since 0"),
        ("nodes", "MemoryPressure", "True", "failing Said since 0"),
        ("nodes", "DiskPressure", "False", "fine"),
        ("nodes", "NetworkUnavailable", "True", "failing Said since 0"),
        ("jobs.batch", "Failed", "True", "failing Said since 0"),
        ("jobs.batch", "FailureTarget", "True", "failing Said since 0"),
        ("jobs.batch", "Complete", "True", "fine"),
        ("horizontalpodautoscalers.autoscaling", "ScalingActive", "False", "failing Said since 0"),
        ("horizontalpodautoscalers.autoscaling", "ScalingLimited", "True", "fine"),
        ("apiservices.apiregistration.k8s.io", "Available", "False", "failing Said since 0"),
        ("customresourcedefinitions.apiextensions.k8s.io", "Established", "False", "failing Said since 0"),
        ("certificatesigningrequests.certificates.k8s.io", "Failed", "True", "failing Said since 0"),
        ("certificatesigningrequests.certificates.k8s.io", "Approved", "True", "fine"),
    ] {
        assert_eq!(said(resource, &condition(kind, status)), expected, "{resource} {kind} {status}");
    }
    check("jobs.batch", &[("{'status': {'startTime': 'T+0', 'active': 1}}", "changing Running since 0")]);
    check(
        "cronjobs.batch",
        &[
            ("{'status': {}}", "fine"),
            ("{'status': {'lastScheduleTime': 'T+0', 'active': [{'name': 'a'}]}}", "fine"),
            ("{'status': {'lastScheduleTime': 'T+0'}}", "failing Its last run failed since 0"),
            ("{'status': {'lastScheduleTime': 'T+0', 'lastSuccessfulTime': '2026-11-01T12:00:09Z'}}", "fine"),
        ],
    );
    check(
        "persistentvolumeclaims",
        &[
            ("{'status': {'phase': 'Bound'}}", "fine"),
            ("{'status': {'phase': 'Lost'}}", "failing Lost"),
            (
                "{'metadata': {'creationTimestamp': 'T+0'}, 'spec': {'storageClassName': 'standard'}, 'status': {'phase': 'Pending'}}",
                "changing Pending since 0",
            ),
            (
                "{'metadata': {'creationTimestamp': 'T+0'}, 'spec': {}, 'status': {'phase': 'Pending'}}",
                "changing Pending since 0, failing 300",
            ),
            (
                "{'metadata': {'creationTimestamp': 'T+0', 'annotations': {'volume.beta.kubernetes.io/storage-class': 'slow'}}, 'status': {'phase': 'Pending'}}",
                "changing Pending since 0",
            ),
            (
                "{'metadata': {'creationTimestamp': 'T+0', 'annotations': {'volume.kubernetes.io/storage-provisioner': 'x'}}, 'status': {'phase': 'Pending'}}",
                "changing Pending since 0, failing 300",
            ),
        ],
    );
    for (kind, spec) in [("services", "{'type': 'LoadBalancer'}"), ("ingresses.networking.k8s.io", "{}")] {
        let with = |status: &str| {
            format!("{{'metadata': {{'creationTimestamp': 'T+0'}}, 'spec': {spec}, 'status': {status}}}")
        };
        assert_eq!(said(kind, &with("{'loadBalancer': {}}")), "changing No address yet since 0, failing 600");
        assert_eq!(said(kind, &with("{'loadBalancer': {'ingress': [{'ip': '10.0.0.1'}]}}")), "fine");
    }
    check("services", &[("{'spec': {'type': 'ClusterIP'}, 'status': {'loadBalancer': {}}}", "fine")]);
    check(
        "poddisruptionbudgets.policy",
        &[
            (
                "{'status': {'disruptionsAllowed': 0, 'currentHealthy': 1, 'desiredHealthy': 2, 'expectedPods': 3}}",
                "failing 1 of 3 pods healthy, none may be evicted",
            ),
            ("{'status': {'disruptionsAllowed': 0, 'currentHealthy': 3, 'expectedPods': 3}}", "fine"),
        ],
    );
    check(
        "componentstatuses",
        &[
            ("{'conditions': [{'type': 'Healthy', 'status': 'False'}]}", "failing Unhealthy"),
            ("{'conditions': [{'type': 'Healthy', 'status': 'True'}]}", "fine"),
        ],
    );
    check(
        "events",
        &[("{'type': 'Warning', 'reason': 'BackOff'}", "not-ready BackOff"), ("{'type': 'Normal'}", "fine")],
    );
}

#[test]
fn a_custom_kind_is_as_its_conditions_say_and_unknown_without_any() {
    let condition = |kind: &str, status: &str| {
        format!(
            "{{'status': {{'conditions': [{{'type': '{kind}', 'status': '{status}', 'reason': 'Said', 'lastTransitionTime': 'T+0'}}]}}}}"
        )
    };
    for kind in ["Ready", "Available", "Healthy", "Synced", "Succeeded", "Accepted", "Programmed"] {
        let expected = "changing Said since 0, not-ready 60, failing 300";
        assert_eq!(said("things.acme.test", &condition(kind, "False")), expected, "{kind}");
        assert_eq!(said("things.acme.test", &condition(kind, "Unknown")), expected, "{kind}");
        assert_eq!(said("things.acme.test", &condition(kind, "True")), "fine", "{kind}");
    }
    for kind in ["Stalled", "Degraded", "Failed"] {
        assert_eq!(said("things.acme.test", &condition(kind, "True")), "failing Said since 0", "{kind}");
        assert_eq!(said("things.acme.test", &condition(kind, "False")), "fine", "{kind}");
    }
    assert_eq!(said("things.acme.test", &condition("Reconciling", "True")), "changing Said since 0");
    check(
        "things.acme.test",
        &[
            ("{'spec': {}}", "fine"),
            ("{'status': {}}", "fine"),
            ("{'status': {'phase': 'Dancing'}}", "unknown"),
            ("{'status': {'conditions': 'none'}}", "unknown"),
            ("{'status': {'conditions': [7, {'type': ['x'], 'status': true}]}}", "unknown"),
            ("{'status': 'fine'}", "unknown"),
        ],
    );
    // A kind of that name in another group has rules of its own.
    check(
        "deployments.infra.acme.test",
        &[("{'spec': {'replicas': 2}, 'status': {'readyReplicas': 0}}", "unknown")],
    );
}

#[test]
fn what_lasts_began_when_it_was_first_seen() {
    let short = |ready: u32| {
        let object = json!({"spec": {"replicas": 3}, "status": {"replicas": 3, "updatedReplicas": 3, "readyReplicas": ready}});
        verdict("statefulsets.apps", &object).expect("a verdict")
    };
    let first = short(2).seen(None, true, T).expect("health");
    assert_eq!(words(&first), "changing 2 of 3 available, not-ready 60, failing 300", "nobody saw it begin");
    let later = short(2).seen(Some(&first), false, T + 100).expect("health");
    assert_eq!(later, first, "it still lasts");
    let other = short(1).seen(Some(&later), false, T + 200).expect("health");
    assert_eq!(words(&other), "changing 1 of 3 available since 200, not-ready 260, failing 500");
    assert_eq!(other.at(T + 500), HealthClass::Failing);
}

#[test]
fn a_crash_loop_fails_since_its_first_crash_until_it_was_fine() {
    let waits = |since: &str| {
        json!({"status": {
            "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": since}],
            "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}],
        }})
    };
    let runs = |ended: &str| {
        let end = json!({"exitCode": 1, "finishedAt": ended});
        json!({"status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "containerStatuses": [{"restartCount": 2, "lastState": {"terminated": end}}],
        }})
    };
    let seen = |before: Option<&Health>, pod: &Value, at_s| {
        verdict("pods", pod).expect("a verdict").seen(before, false, T + at_s).expect("health")
    };
    let first = seen(None, &waits("2026-11-01T12:00:00Z"), 2);
    assert_eq!(words(&first), "failing CrashLoopBackOff since 0");
    let between = seen(Some(&first), &runs("2026-11-01T12:00:00Z"), 12);
    assert_eq!(words(&between), "not-ready Restarted 2 times since 0, fine 600, failed 0");
    let again = seen(Some(&between), &waits("2026-11-01T12:00:15Z"), 16);
    assert_eq!(words(&again), "failing CrashLoopBackOff since 15, failed 0");
    let between = seen(Some(&again), &runs("2026-11-01T12:00:15Z"), 45);
    assert_eq!(words(&between), "not-ready Restarted 2 times since 15, fine 615, failed 0");
    let quiet = seen(Some(&between), &waits("2026-11-01T12:10:30Z"), 631);
    assert_eq!(words(&quiet), "failing CrashLoopBackOff since 630", "it was fine in between");
}

/// Each member of `value`, by its way from the root.
fn ways(value: &Value, way: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), member)).collect(),
        Value::Array(entries) => {
            entries.iter().enumerate().map(|(place, entry)| (place.to_string(), entry)).collect()
        }
        _ => return,
    };
    for (name, member) in members {
        way.push(name);
        found.push(way.clone());
        ways(member, way, found);
        way.pop();
    }
}

/// `None`: without the member. What is in a list takes the whole list along.
fn changed(object: &Value, way: &[String], other: Option<&Value>) -> Value {
    let mut object = object.clone();
    let (name, parents) = way.split_last().expect("a way");
    let parent = parents.iter().fold(&mut object, |at, name| match at {
        Value::Array(entries) => &mut entries[name.parse::<usize>().expect("a place")],
        at => &mut at[name.as_str()],
    });
    match (parent, other) {
        (Value::Object(members), None) => drop(members.remove(name)),
        (Value::Object(members), Some(other)) => drop(members.insert(name.clone(), other.clone())),
        (Value::Array(entries), Some(other)) => {
            entries[name.parse::<usize>().expect("a place")] = other.clone();
        }
        _ => return changed(&object, parents, None),
    }
    object
}

#[test]
fn what_is_of_another_type_is_missing() {
    let condition = json!({"type": "Ready", "status": "False", "reason": "Said", "lastTransitionTime": "2026-11-01T12:00:00Z"});
    let end = json!({"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-01T12:00:00Z"}});
    let pod = json!({"metadata": {"generation": 1}, "spec": {"restartPolicy": "Never"}, "status": {
        "observedGeneration": 1, "phase": "Running", "reason": "Said", "conditions": [condition],
        "containerStatuses": [{"ready": true, "restartCount": 3, "state": end, "lastState": end}],
        "initContainerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}});
    let workload = json!({"metadata": {"generation": 2}, "spec": {
        "paused": false, "replicas": 4, "updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 2}}},
        "status": {"observedGeneration": 2, "replicas": 5, "updatedReplicas": 2, "readyReplicas": 3,
        "availableReplicas": 3, "desiredNumberScheduled": 4, "updatedNumberScheduled": 2, "numberAvailable": 3,
        "conditions": [{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
            "lastTransitionTime": "2026-11-01T12:00:00Z"}, {"type": "Available", "status": "False"}]}});
    let others =
        [json!(null), json!(true), json!(7), json!(-7.5), json!("\u{e9}\n"), json!([7]), json!({"x": [{}]})];
    let kinds = ["deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps"];
    for (kind, object) in kinds.map(|kind| (kind, &workload)).into_iter().chain([("pods", &pod)]) {
        let mut found = Vec::new();
        ways(object, &mut Vec::new(), &mut found);
        for way in found.iter().filter(|way| way[0] != "metadata") {
            let was = object.pointer(&format!("/{}", way.join("/"))).expect("there");
            let is_other = |other: &&Value| {
                std::mem::discriminant(*other) != std::mem::discriminant(was) || other.is_f64()
            };
            let missing = verdict(kind, &changed(object, way, None));
            for other in others.iter().filter(is_other) {
                let said = verdict(kind, &changed(object, way, Some(other)));
                assert_eq!(said, missing, "{kind} with {way:?} {other}");
            }
        }
    }
}
