//! The fleet lives: what its controllers, its nodes and its story do is seen on the server, by waiting
//! for it. Ten times faster than people see it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a step that fails is a failed test")]

use std::time::Instant;

use cluster::{ControlPlane, Fleet, Options};
use serde_json::Value;

#[test]
fn a_fleet_lives_fails_heals_and_leaves_nothing_behind() {
    let start = Instant::now();
    let options = Options { fleet: Some(Fleet { speed: 10, ..Fleet::default() }), ..Options::default() };
    let mut plane = ControlPlane::start(options).unwrap();
    let seen = |what: &str| println!("{:5.1} s: {what}", start.elapsed().as_secs_f32());
    seen("its nodes are ready");

    deployments_become_available(&plane);
    seen("deployments are available");
    a_deployment_rolls_again_and_again(&plane);
    seen("a deployment has rolled");
    the_story_takes_a_node_away(&plane);
    seen("the story's outage");
    jobs_complete_and_fail(&plane);
    seen("a job completed, another failed");
    custom_kinds_are_reconciled(&plane);
    seen("certificates are issued, a rollout is healthy");
    a_silent_node_loses_its_pods_and_comes_back(&plane);
    seen("a node was away");
    pods_fail_in_their_ways(&plane);
    seen("pods crash, and one image can't be pulled");
    wait(&plane, "shop", &["hpa/web", "--for=jsonpath={.status.desiredReplicas}=10"]);
    seen("the autoscaler has scaled up");
    everything_has_events(&plane);
    plane.kill_apiserver().unwrap();
    plane.start_apiserver().unwrap();
    a_deployment_rolls_again_and_again(&plane);
    seen("it went on after the apiserver was killed");

    let pids = plane.pids();
    assert_eq!(pids.len(), 5);
    drop(plane);
    assert!(!pids.iter().any(|pid| runs(*pid)));
}

fn deployments_become_available(plane: &ControlPlane) {
    for (namespace, name) in [("payments", "payments-api"), ("shop", "cart"), ("batch", "worker")] {
        wait(plane, namespace, &[&format!("deployment/{name}"), "--for=condition=Available"]);
    }
    wait(plane, "ledger", &["statefulset/postgres", "--for=jsonpath={.status.readyReplicas}=3"]);
    wait(plane, "kube-system", &["daemonset/cilium", "--for=jsonpath={.status.numberAvailable}=8"]);
}

fn a_deployment_rolls_again_and_again(plane: &ControlPlane) {
    let generation = get(plane, "shop", "deployment/storefront", "/metadata/generation").as_u64().unwrap();
    // The next one may be under way; the one after it begins when that one is complete.
    let after_next = format!("--for=jsonpath={{.status.observedGeneration}}={}", generation + 2);
    wait(plane, "shop", &["deployment/storefront", &after_next]);
    plane.kubectl_output(&["-n=shop", "rollout", "status", "deployment/storefront", TIMEOUT]).unwrap();
    let history = plane.kubectl_output(&["-n=shop", "rollout", "history", "deployment/storefront"]).unwrap();
    assert!(history.contains("image updated to"), "{history}");
}

fn jobs_complete_and_fail(plane: &ControlPlane) {
    plane.kubectl_output(&["-n=batch", "create", "job", "by-hand", "--from=cronjob/thumbnails"]).unwrap();
    plane.apply(FAILING_JOB).unwrap();
    wait(plane, "batch", &["job/by-hand", "--for=condition=Complete"]);
    wait(plane, "batch", &["job/failing", "--for=condition=Failed"]);
}

fn custom_kinds_are_reconciled(plane: &ControlPlane) {
    wait(plane, "shop", &["certificate", "--all", "--for=condition=Ready"]);
    // The reconciler reads the spec: a change is issued anew.
    let revision = get(plane, "shop", "certificate/cart-tls", "/status/revision").as_u64().unwrap();
    let change = r#"{"spec": {"dnsNames": ["cart.example.com"]}}"#;
    plane
        .kubectl_output(&["-n=shop", "patch", "certificate/cart-tls", "--type=merge", "-p", change])
        .unwrap();
    wait(plane, "shop", &["certificate/cart-tls", "--for=jsonpath={.status.observedGeneration}=2"]);
    wait(plane, "shop", &["certificate/cart-tls", "--for=condition=Issuing=False"]);
    assert!(get(plane, "shop", "certificate/cart-tls", "/status/revision").as_u64().unwrap() > revision);
    plane.kubectl_output(&["-n=shop", "get", "secret/cart-tls"]).unwrap();
    wait(plane, "payments", &["rollout/checkout", "--for=jsonpath={.status.phase}=Paused"]);
    wait(plane, "payments", &["rollout/checkout", "--for=jsonpath={.status.phase}=Healthy"]);
    wait(plane, "payments", &["replicaset/checkout-5d8f7c9b64", "--for=jsonpath={.status.readyReplicas}=4"]);
}

/// After it the story keeps its hands off the nodes.
fn the_story_takes_a_node_away(plane: &ControlPlane) {
    wait(plane, "default", &["node/eu1-b-08", "--for=condition=Ready=Unknown"]);
    plane.kubectl_output(&["-n=kube-system", "delete", "configmap/outage"]).unwrap();
    kubelet(plane, "eu1-b-08", "answers");
    wait(plane, "default", &["node/eu1-b-08", "--for=condition=Ready"]);
}

fn a_silent_node_loses_its_pods_and_comes_back(plane: &ControlPlane) {
    let name_and_node = "-o=jsonpath={range .items[*]}{.metadata.name} {.spec.nodeName}{\"\\n\"}{end}";
    let running = "--field-selector=status.phase=Running";
    let pods = plane.kubectl_output(&["-n=batch", "get", "pods", "-l=app=worker", running, name_and_node]);
    let pods = pods.unwrap();
    let (pod, node) = pods.lines().next().unwrap().split_once(' ').unwrap();
    let (pod, its_node) = (format!("pod/{pod}"), format!("node/{node}"));
    kubelet(plane, node, "silent");
    wait(plane, "default", &[&its_node, "--for=condition=Ready=Unknown"]);
    wait(plane, "batch", &[&pod, "--for=jsonpath={.metadata.deletionTimestamp}"]);
    wait(plane, "batch", &["deployment/worker", "--for=jsonpath={.status.readyReplicas}=12"]);
    // Nobody on the node has stopped the old one yet.
    plane.kubectl_output(&["-n=batch", "get", &pod]).unwrap();
    kubelet(plane, node, "answers");
    wait(plane, "default", &[&its_node, "--for=condition=Ready"]);
    wait(plane, "batch", &[&pod, "--for=delete"]);
}

fn kubelet(plane: &ControlPlane, node: &str, state: &str) {
    let label = format!("fleet.dogwatch.dev/kubelet={state}");
    plane.kubectl_output(&["label", "--overwrite", "node", node, &label]).unwrap();
}

fn pods_fail_in_their_ways(plane: &ControlPlane) {
    let reason = "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}";
    wait(plane, "shop", &["pod", "-l=app=recommendations", &format!("{reason}=CrashLoopBackOff")]);
    wait(plane, "batch", &["pod", "-l=app=importer", &format!("{reason}=ImagePullBackOff")]);
    wait(plane, "payments", &["pod", "-l=app=fraud-check", "--for=condition=Ready=False"]);
}

fn everything_has_events(plane: &ControlPlane) {
    let events = plane.kubectl_output(&["get", "events", "-A", "-o=json"]).unwrap();
    let events: Value = serde_json::from_str(&events).unwrap();
    let events = events["items"].as_array().unwrap();
    for (kind, reason) in EVENTS {
        let told = |event: &Value| event["involvedObject"]["kind"] == *kind && event["reason"] == *reason;
        assert!(events.iter().any(told), "no Event of a {kind} says {reason}");
    }
}

/// kubectl watches until it is so.
fn wait(plane: &ControlPlane, namespace: &str, what: &[&str]) {
    let namespace = format!("-n={namespace}");
    let arguments = [&["wait", TIMEOUT, namespace.as_str()], what].concat();
    plane.kubectl_output(&arguments).unwrap();
}

fn get(plane: &ControlPlane, namespace: &str, object: &str, pointer: &str) -> Value {
    let text = plane.kubectl_output(&["-n", namespace, "get", object, "-o=json"]).unwrap();
    let object: Value = serde_json::from_str(&text).unwrap();
    object.pointer(pointer).unwrap().clone()
}

fn runs(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

const TIMEOUT: &str = "--timeout=180s";

const EVENTS: &[(&str, &str)] = &[
    ("Certificate", "Issuing"),
    ("Deployment", "ScalingReplicaSet"),
    ("HorizontalPodAutoscaler", "SuccessfulRescale"),
    ("Job", "Completed"),
    ("Job", "BackoffLimitExceeded"),
    ("Node", "NodeNotReady"),
    ("Node", "NodeReady"),
    ("PersistentVolumeClaim", "ExternalProvisioning"),
    ("Pod", "BackOff"),
    ("Pod", "Failed"),
    ("Pod", "Killing"),
    ("Pod", "Pulled"),
    ("Pod", "Scheduled"),
    ("Pod", "Started"),
    ("Pod", "Unhealthy"),
    ("ReplicaSet", "SuccessfulCreate"),
    ("Rollout", "RolloutStepCompleted"),
    ("StatefulSet", "SuccessfulCreate"),
];

const FAILING_JOB: &str = r#"
apiVersion: batch/v1
kind: Job
metadata: {name: failing, namespace: batch}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {fleet.dogwatch.dev/fails: always}}
    spec:
      restartPolicy: Never
      containers: [{name: failing, image: registry.example.com/batch/failing:v1.0.0}]
"#;
