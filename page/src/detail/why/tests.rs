//! Tests of the reasons: what `kubectl describe` would have to be read for stands in one line.

use serde_json::json;

use super::*;
use crate::messages::Zone;

const NOW: Now = Now { ms: 1_795_228_981_000, cluster_s: 1_795_228_981, zone: Zone::UTC };

fn check(object: &Value, expected: Option<&str>) {
    let said = why(object, NOW).map(|why| {
        let facts = why.facts.iter().map(|fact| format!("{} {} {}", fact.before, fact.strong, fact.after));
        let facts = facts.collect::<Vec<_>>().join(",");
        let line =
            [format!("{:?}", why.class), why.reason, facts, why.message, why.command.unwrap_or_default()];
        line.join("|")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(" ,", ",")
            .replace(" |", "|")
            .replace("| ", "|")
    });
    assert_eq!(said.as_deref(), expected, "{object}");
}

fn pod(status: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "namespace": "shop"}, "status": status,
        "spec": {"containers": [{"name": "app", "resources": {"limits": {"memory": "64Mi"}}}]}})
}

fn crashed(last: &Value) -> Value {
    pod(json!({"phase": "Running",
        "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady",
            "lastTransitionTime": "2026-11-21T02:38:01Z"}],
        "containerStatuses": [{"name": "app", "ready": false, "restartCount": 40,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container=app"}},
            "lastState": {"terminated": last}}]}))
}

#[test]
fn a_pod_says_what_its_container_ended_with_and_which_log_to_read() {
    let logs = "kubectl logs web-1 -n shop -c app --previous";
    check(
        &crashed(&json!({"exitCode": 1, "reason": "Error"})),
        Some(&format!(
            "Bad|CrashLoopBackOff|exit code 1, 40 restarts,not ready since 02:38:01 (5m)|back-off 5m0s|{logs}"
        )),
    );
    check(
        &crashed(&json!({"exitCode": 137, "reason": "OOMKilled", "message": "heap full\n"})),
        Some(&format!(
            "Bad|CrashLoopBackOff|OOMKilled,limit 64Mi,exit code 137, 40 restarts,not ready since 02:38:01 (5m)|heap full|{logs}"
        )),
    );
}

#[test]
fn a_pod_that_never_ran_has_no_log_and_one_that_waits_is_only_amber() {
    let image =
        json!({"name": "app", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "not found"}}});
    check(&pod(json!({"containerStatuses": [image]})), Some("Bad|ImagePullBackOff||not found|"));
    let scheduled = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/9 nodes are available: 6 Insufficient cpu.", "lastTransitionTime": "2026-11-21T02:42:30Z"}]);
    check(
        &pod(json!({"phase": "Pending", "conditions": scheduled})),
        Some("Warn|Unschedulable|since 02:42:30 (31s)|0/9 nodes are available: 6 Insufficient cpu.|"),
    );
    let making = |at: &str| {
        pod(json!({"phase": "Pending",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at}],
            "containerStatuses": [{"name": "app", "state": {"waiting": {"reason": "ContainerCreating"}}}]}))
    };
    check(&making("2026-11-21T02:42:51Z"), None);
    check(&making("2026-11-21T02:33:01Z"), Some("Warn|ContainerCreating|scheduled 02:33:01 (10m)||"));
    let init = json!({"name": "setup", "restartCount": 0, "state": {"terminated": {"exitCode": 3, "reason": "Error"}}});
    check(
        &pod(json!({"phase": "Pending", "initContainerStatuses": [init]})),
        Some("Bad|Error|exit code 3||kubectl logs web-1 -n shop -c setup"),
    );
    let probe = json!({"phase": "Running",
        "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady",
            "message": "containers with unready status: [app]"}],
        "containerStatuses": [{"name": "app", "ready": false, "restartCount": 0, "state": {"running": {}}}]});
    check(
        &pod(probe),
        Some(
            "Warn|ContainersNotReady||containers with unready status: [app]|kubectl logs web-1 -n shop -c app",
        ),
    );
    // It crashed, and runs again for now.
    let restarted = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
        "containerStatuses": [{"name": "app", "ready": false, "restartCount": 3, "state": {"running": {}},
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}]});
    check(
        &pod(restarted),
        Some(
            "Warn|ContainersNotReady|last exit code 1, 3 restarts||kubectl logs web-1 -n shop -c app --previous",
        ),
    );
    check(
        &pod(json!({"phase": "Failed", "reason": "Evicted", "message": "low on memory"})),
        Some("Bad|Evicted||low on memory|"),
    );
    check(&pod(json!({"phase": "Succeeded"})), None);
    check(&pod(json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})), None);
}

#[test]
fn a_custom_kind_of_the_same_name_is_not_read_as_kubernetes_own() {
    for kind in ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod", "PersistentVolumeClaim"] {
        let object = json!({"apiVersion": "infra.acme.test/v1", "kind": kind, "metadata": {},
            "spec": {"replicas": 3}, "status": {"readyReplicas": 0, "phase": "Pending"}});
        check(&object, None);
    }
}

#[test]
fn workloads_nodes_jobs_and_claims_say_it_too() {
    let of = |kind: &str, spec: Value, status: Value| {
        let version = match kind {
            "StatefulSet" | "Deployment" | "DaemonSet" => "apps/v1",
            "Job" => "batch/v1",
            "Certificate" => "cert-manager.io/v1",
            _ => "v1",
        };
        json!({"apiVersion": version, "kind": kind, "metadata": {}, "spec": spec, "status": status})
    };
    let short = json!({"replicas": 3, "readyReplicas": 1, "updatedReplicas": 3});
    check(&of("StatefulSet", json!({"replicas": 3}), short), Some("Warn|Short of pods|1 of 3 ready||"));
    check(&of("Deployment", json!({"replicas": 3}), json!({"readyReplicas": 2, "updatedReplicas": 1})), None);
    check(&of("Deployment", json!({"replicas": 0}), json!({})), None);
    check(
        &of(
            "Deployment",
            json!({"replicas": 2}),
            json!({"readyReplicas": 2, "conditions": [{"type": "Progressing", "status": "False",
                "reason": "ProgressDeadlineExceeded", "message": "has timed out progressing."}]}),
        ),
        Some("Bad|ProgressDeadlineExceeded|2 of 2 ready|has timed out progressing.|"),
    );
    check(
        &of("DaemonSet", json!({}), json!({"desiredNumberScheduled": 2, "numberReady": 0})),
        Some("Bad|Short of pods|0 of 2 ready||"),
    );
    let condition = |kind: &str, status: &str, reason: &str| json!({"conditions": [{"type": kind, "status": status, "reason": reason, "message": "m"}]});
    check(
        &of("Node", json!({}), condition("Ready", "Unknown", "NodeStatusUnknown")),
        Some("Bad|NodeStatusUnknown||m|"),
    );
    check(
        &of("Node", json!({}), condition("DiskPressure", "True", "KubeletHasDiskPressure")),
        Some("Warn|KubeletHasDiskPressure||m|"),
    );
    check(
        &of("Job", json!({}), condition("Failed", "True", "BackoffLimitExceeded")),
        Some("Bad|BackoffLimitExceeded||m|"),
    );
    check(&of("Certificate", json!({}), condition("Ready", "False", "")), Some("Bad|Ready is False||m|"));
    check(&of("PersistentVolumeClaim", json!({}), json!({"phase": "Pending"})), Some("Warn|Pending|||"));
    check(&of("PersistentVolumeClaim", json!({}), json!({"phase": "Bound"})), None);
    for odd in [json!(null), json!({"kind": "Pod", "status": []}), json!({"kind": "Node"})] {
        check(&odd, None);
    }
}

#[test]
fn the_time_is_that_of_what_it_names_and_stays_while_reasons_take_turns() {
    let pod_that = |reason: &str, ready_since: Value| {
        pod(json!({"phase": "Pending",
            "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": ready_since}],
            "containerStatuses": [{"name": "app", "ready": false, "state": {"waiting": {"reason": reason}}}]}))
    };
    for reason in ["ErrImagePull", "ImagePullBackOff"] {
        let expected = format!("Bad|{reason}|not ready since 02:38:01 (5m)||");
        check(&pod_that(reason, json!("2026-11-21T02:38:01Z")), Some(&expected));
        let unknown = format!("Bad|{reason}|||");
        check(&pod_that(reason, Value::Null), Some(&unknown));
    }
}

#[test]
fn a_deletion_says_since_when_what_it_waits_for_and_what_holds_it() {
    let deleted = |kind: &str, grace_s: u32, more: Value| {
        let mut object = json!({"apiVersion": "v1", "kind": kind, "metadata": {
            "name": "web-1", "deletionTimestamp": "2026-11-21T02:43:11Z", "deletionGracePeriodSeconds": grace_s}});
        object.as_object_mut().expect("an object").extend(more.as_object().expect("members").clone());
        object
    };
    check(
        &deleted("Pod", 30, json!({"spec": {"nodeName": "node-2"}})),
        Some(
            "Busy|Terminating|since 02:42:41 (20s),grace period 30s until 02:43:11|No finalizer holds it; it goes when \
             the kubelet of node-2 has ended its containers.|",
        ),
    );
    check(
        &deleted("Pod", 30, json!({})),
        Some("Busy|Terminating|since 02:42:41 (20s),grace period 30s until 02:43:11|No finalizer holds it.|"),
    );
    let mut held = deleted("ConfigMap", 0, json!({}));
    held["metadata"]["deletionTimestamp"] = json!("2026-11-21T02:33:01Z");
    held["metadata"]["finalizers"] = json!(["example.com/backup", "example.com/audit"]);
    check(
        &held,
        Some(
            "Busy|Terminating|since 02:33:01 (10m),held by example.com/backup, example.com/audit|Each finalizer is \
             removed by its controller when that is done; the object goes with the last one.|",
        ),
    );
    let mut namespace = deleted("Namespace", 0, json!({}));
    namespace["metadata"]["deletionTimestamp"] = json!("2026-11-21T02:43:01Z");
    check(
        &namespace,
        Some("Busy|Terminating|since 02:43:01 (0s)|It goes when all that is in it is deleted.|"),
    );
}
