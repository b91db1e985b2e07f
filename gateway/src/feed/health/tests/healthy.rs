//! What is as it should be is never called failing on its way: scaled and rolled out, run to its end, deleted with what
//! it owns. Beside each stands what is in trouble and looks alike.

use serde_json::json;

use super::{T, check, said, verdict, words};

/// A deployment of `replicas` pods, none of them available, whose spec was written at `T` and whose availability ended at
/// `since`.
fn unavailable(replicas: u32, written_by: &str, since: &str) -> String {
    let conditions = format!(
        "[{{'type': 'Progressing', 'status': 'True', 'reason': 'NewReplicaSetAvailable', 'lastTransitionTime': '2026-10-01T12:00:00Z'}}, {{'type': 'Available', 'status': 'False', 'reason': 'MinimumReplicasUnavailable', 'lastTransitionTime': '{since}'}}]"
    );
    said(
        "deployments.apps",
        &format!(
            "{{'metadata': {{'managedFields': [{written_by}, {{'time': '2027-01-01T00:00:00Z', 'subresource': 'status'}}]}}, 'spec': {{'replicas': {replicas}}}, 'status': {{'replicas': {replicas}, 'updatedReplicas': {replicas}, 'conditions': {conditions}}}}}"
        ),
    )
}

#[test]
fn a_deployment_that_is_scaled_up_has_its_time_to_start() {
    let scaled = "changing MinimumReplicasUnavailable since 1, not-ready 60, failing 300";
    for writer in [
        "{'time': 'T+0', 'subresource': 'scale', 'manager': 'kubectl'}",
        "{'time': 'T+0', 'manager': 'helm'}",
    ] {
        assert_eq!(unavailable(3, writer, "2026-11-01T12:00:01Z"), scaled, "{writer}");
    }
    let lost = "failing MinimumReplicasUnavailable since 61";
    assert_eq!(
        unavailable(3, "{'time': 'T+0'}", "2026-11-01T12:01:01Z"),
        lost,
        "its spec was written long before"
    );
    let short = "failing MinimumReplicasUnavailable since -1";
    assert_eq!(
        unavailable(3, "{'time': 'T+0'}", "2026-11-01T11:59:59Z"),
        short,
        "it was short before it was scaled"
    );
}

#[test]
fn the_pods_that_a_deployment_is_scaled_up_by_have_their_time_to_start() {
    let scaled = |written: &str, available: u32| {
        let object = json!({
            "metadata": {"managedFields": [{"time": written, "subresource": "scale"}]},
            "spec": {"replicas": 12},
            "status": {"replicas": 12, "updatedReplicas": 12, "availableReplicas": available, "conditions": [
                {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
                {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
            ]},
        });
        verdict("deployments.apps", &object).expect("a verdict")
    };
    let first = scaled("2026-11-01T12:00:00Z", 10).seen(None, false, T + 2).expect("health");
    assert_eq!(words(&first), "changing 10 of 12 available since 2, not-ready 60, failing 302");
    let later = scaled("2026-11-01T12:00:00Z", 10).seen(Some(&first), false, T + 400).expect("health");
    assert_eq!(later, first, "it still lasts");
    let lost = scaled("2026-11-01T11:00:00Z", 10).seen(None, false, T + 2).expect("health");
    assert_eq!(words(&lost), "not-ready 10 of 12 available since 2, failing 302");
}

#[test]
fn each_step_of_a_rollout_begins_its_time_anew() {
    let updated = |updated: u32| {
        let object = json!({
            "spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
            "status": {"desiredNumberScheduled": 3, "numberAvailable": 3, "updatedNumberScheduled": updated},
        });
        verdict("daemonsets.apps", &object).expect("a verdict")
    };
    let first = updated(1).seen(None, false, T).expect("health");
    assert_eq!(words(&first), "changing 3 of 3 available, 1 of 3 updated since 0, failing 300");
    let second = updated(2).seen(Some(&first), false, T + 200).expect("health");
    assert_eq!(words(&second), "changing 3 of 3 available, 2 of 3 updated since 200, failing 500");
    check(
        "deployments.apps",
        &[(
            "{'spec': {'replicas': 3}, 'status': {'replicas': 4, 'updatedReplicas': 1, 'availableReplicas': 3, 'conditions': [{'type': 'Available', 'status': 'True'}]}}",
            "changing 3 of 3 available, 1 of 3 updated, failing 305",
        )],
    );
}

#[test]
fn a_set_that_is_scaled_down_has_all_that_it_wants() {
    check(
        "statefulsets.apps",
        &[
            (
                "{'spec': {'replicas': 2}, 'status': {'replicas': 6, 'updatedReplicas': 6, 'readyReplicas': 6, 'availableReplicas': 6}}",
                "changing 2 of 2 available, 4 pending termination, failing 305",
            ),
            (
                "{'spec': {'replicas': 2}, 'status': {'replicas': 3, 'updatedReplicas': 3, 'readyReplicas': 1, 'availableReplicas': 1}}",
                "changing 1 of 2 available, 1 pending termination, not-ready 65, failing 305",
            ),
        ],
    );
}

#[test]
fn a_budget_that_a_rollout_uses_up_is_changing() {
    check(
        "poddisruptionbudgets.policy",
        &[
            (
                "{'status': {'disruptionsAllowed': 0, 'currentHealthy': 2, 'desiredHealthy': 2, 'expectedPods': 3, 'conditions': [{'type': 'DisruptionAllowed', 'status': 'False', 'reason': 'InsufficientPods', 'lastTransitionTime': 'T+0'}]}}",
                "changing 2 of 3 pods healthy, none may be evicted since 0, not-ready 60, failing 300",
            ),
            (
                "{'status': {'disruptionsAllowed': 1, 'currentHealthy': 3, 'desiredHealthy': 2, 'expectedPods': 4}}",
                "fine",
            ),
        ],
    );
}

#[test]
fn a_pod_whose_containers_end_one_by_one_runs_to_its_end() {
    let pod = |policy: &str, ended: &str, other: &str| {
        said(
            "pods",
            &format!(
                "{{'spec': {{'restartPolicy': '{policy}'}}, 'status': {{'phase': 'Running', 'conditions': [{{'type': 'Ready', 'status': 'False', 'reason': 'ContainersNotReady', 'lastTransitionTime': 'T+0'}}], 'initContainerStatuses': [{{'ready': true, 'state': {{'terminated': {{'exitCode': 0}}}}}}], 'containerStatuses': [{{'ready': false, 'state': {{'terminated': {ended}}}}}, {other}]}}}}"
            ),
        )
    };
    const COMPLETED: &str = "{'exitCode': 0, 'reason': 'Completed'}";
    const READY: &str = "{'ready': true, 'state': {'running': {}}}";
    const NOT_READY: &str = "{'ready': false, 'state': {'running': {}}}";
    let starts = "changing ContainersNotReady since 0, not-ready 60, failing 600";
    for (policy, ended, other, expected) in [
        ("Never", COMPLETED, READY, "fine"),
        ("OnFailure", COMPLETED, READY, "fine"),
        ("Always", COMPLETED, READY, starts),
        ("Never", COMPLETED, NOT_READY, starts),
        ("Never", "{'exitCode': 1, 'reason': 'Error'}", READY, starts),
    ] {
        assert_eq!(pod(policy, ended, other), expected, "{policy} {ended} {other}");
    }
}

#[test]
fn what_is_deleted_with_its_dependents_waits_for_them() {
    let deleted = |kind: &str, finalizers: &str, status: &str| {
        said(
            kind,
            &format!(
                "{{'metadata': {{'deletionTimestamp': 'T+0', 'finalizers': [{finalizers}]}}, 'status': {status}}}"
            ),
        )
    };
    let discovery = "{'conditions': [{'type': 'NamespaceDeletionDiscoveryFailure', 'status': 'True', 'reason': 'DiscoveryFailed'}]}";
    for (kind, finalizers, status, expected) in [
        ("namespaces", "", "{'phase': 'Terminating'}", "changing Terminating since 0, failing 300"),
        ("namespaces", "", discovery, "changing Terminating, DiscoveryFailed since 0, failing 30"),
        ("namespaces", "'a.test/x'", "{}", "changing Terminating, held by a.test/x since 0, failing 30"),
        (
            "deployments.apps",
            "'foregroundDeletion'",
            "{}",
            "changing Terminating, held by foregroundDeletion since 0, failing 300",
        ),
        (
            "deployments.apps",
            "'foregroundDeletion', 'a.test/x'",
            "{}",
            "changing Terminating, held by foregroundDeletion, a.test/x since 0, failing 30",
        ),
    ] {
        assert_eq!(deleted(kind, finalizers, status), expected, "{kind} {finalizers} {status}");
    }
}

#[test]
fn a_spec_that_was_scaled_is_unobserved_since_then() {
    check(
        "deployments.apps",
        &[(
            "{'metadata': {'generation': 2, 'managedFields': [{'time': '2026-10-01T12:00:00Z'}, {'time': 'T+0', 'subresource': 'scale'}]}, 'status': {'observedGeneration': 1}}",
            "changing Unobserved since 0, failing 300",
        )],
    );
}

#[test]
fn a_volume_that_cannot_be_attached_is_not_ready_and_a_claim_for_a_device_is_no_custom_kind() {
    check(
        "volumeattachments.storage.k8s.io",
        &[
            ("{'status': {'attached': true}}", "fine"),
            ("{'status': {'attached': false}}", "fine"),
            (
                "{'status': {'attached': false, 'attachError': {'time': 'T+0', 'message': 'no such disk'}}}",
                "not-ready AttachError, failing 305",
            ),
        ],
    );
    check(
        "resourceclaims.resource.k8s.io",
        &[("{'status': {'allocation': {'devices': {}}, 'reservedFor': []}}", "fine")],
    );
}
