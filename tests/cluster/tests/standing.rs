//! What `cargo xtask kube up --fleet` starts: it outlives the call, is found again with its data, lives as its
//! story says, ten times faster than people see it, and goes when it is taken down.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a step that fails is a failed test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use cluster::{Fleet, Standing};
use serde_json::Value;

#[test]
fn a_standing_control_plane_keeps_its_data_gets_a_fleet_that_lives_and_goes_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plane");
    let end = TakenDown(&path);

    let standing = Standing::up(&path, None, None, None).unwrap();
    let (server, cluster) = (standing.server(), Cluster(standing));
    cluster.output(&["create", "namespace", "kept"]);
    let apiserver = pid(&path, "kube-apiserver").unwrap();
    let again = Standing::up(&path, None, None, None).unwrap();
    assert_eq!((again.server(), pid(&path, "kube-apiserver")), (server, Some(apiserver)));
    assert_eq!(pid(&path, "kwok"), None);

    // The apiserver has to know of a fleet, too: it is another one, with the data that was there.
    kill(apiserver);
    Standing::up(&path, None, None, Some(Fleet { speed: 10, ..Fleet::default() })).unwrap();
    assert_ne!(pid(&path, "kube-apiserver"), Some(apiserver));
    cluster.output(&["get", "namespace", "kept"]);

    deployments_become_available(&cluster);
    a_deployment_rolls_again_and_again(&cluster);
    the_story_takes_a_node_away(&cluster);
    jobs_complete_and_fail(&cluster);
    custom_kinds_are_reconciled(&cluster);
    pods_fail_in_their_ways(&cluster);
    figures_move(&cluster);
    wait(&cluster, "shop", &["hpa/web", "--for=jsonpath={.status.desiredReplicas}=10"]);
    everything_has_events(&cluster);
    // Its pods stop, though no Event can be made there any more.
    cluster.output(&["delete", "namespace", "payments", TIMEOUT]);

    let (kwok, manager) = (pid(&path, "kwok").unwrap(), pid(&path, "kube-controller-manager"));
    kill(kwok);
    Standing::up(&path, None, None, None).unwrap();
    assert_ne!(pid(&path, "kwok"), Some(kwok));
    assert_eq!(pid(&path, "kube-controller-manager"), manager);

    let servers = ["kwok", "kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"];
    assert_eq!(Standing::down(&path).unwrap(), servers);
    assert!(Standing::down(&path).unwrap().is_empty());
    drop(end);
}

/// Takes it down also when the test fails.
struct TakenDown<'a>(&'a Path);

impl Drop for TakenDown<'_> {
    fn drop(&mut self) {
        let _ = Standing::down(self.0);
    }
}

fn pid(folder: &Path, name: &str) -> Option<u32> {
    let text = fs::read_to_string(folder.join(format!("{name}.pid"))).ok()?;
    text.parse().ok()
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

struct Cluster(Standing);

impl Cluster {
    fn output(&self, arguments: &[&str]) -> String {
        self.0.kubectl(arguments, "").unwrap()
    }
}

fn deployments_become_available(cluster: &Cluster) {
    for (namespace, name) in [("payments", "payments-api"), ("shop", "cart"), ("batch", "worker")] {
        wait(cluster, namespace, &[&format!("deployment/{name}"), "--for=condition=Available"]);
    }
    wait(cluster, "ledger", &["statefulset/postgres", "--for=jsonpath={.status.readyReplicas}=3"]);
    wait(cluster, "kube-system", &["daemonset/cilium", "--for=jsonpath={.status.numberAvailable}=8"]);
}

fn a_deployment_rolls_again_and_again(cluster: &Cluster) {
    let generation = get(cluster, "shop", "deployment/storefront", "/metadata/generation").as_u64().unwrap();
    // The next one may be under way; the one after it begins when that one is complete.
    let after_next = format!("--for=jsonpath={{.status.observedGeneration}}={}", generation + 2);
    wait(cluster, "shop", &["deployment/storefront", &after_next]);
    cluster.output(&["-n=shop", "rollout", "status", "deployment/storefront", TIMEOUT]);
    let history = cluster.output(&["-n=shop", "rollout", "history", "deployment/storefront"]);
    assert!(history.contains("image updated to"), "{history}");
}

fn jobs_complete_and_fail(cluster: &Cluster) {
    cluster.output(&["-n=batch", "create", "job", "by-hand", "--from=cronjob/thumbnails"]);
    cluster.0.kubectl(&["apply", "-f", "-"], FAILING_JOB).unwrap();
    wait(cluster, "batch", &["job/by-hand", "--for=condition=Complete"]);
    wait(cluster, "batch", &["job/failing", "--for=condition=Failed"]);
}

fn custom_kinds_are_reconciled(cluster: &Cluster) {
    wait(cluster, "shop", &["certificate", "--all", "--for=condition=Ready"]);
    // The reconciler reads the spec: a change is issued anew.
    let revision = get(cluster, "shop", "certificate/cart-tls", "/status/revision").as_u64().unwrap();
    let change = r#"{"spec": {"dnsNames": ["cart.example.com"]}}"#;
    cluster.output(&["-n=shop", "patch", "certificate/cart-tls", "--type=merge", "-p", change]);
    wait(cluster, "shop", &["certificate/cart-tls", "--for=jsonpath={.status.observedGeneration}=2"]);
    wait(cluster, "shop", &["certificate/cart-tls", "--for=condition=Issuing=False"]);
    assert!(get(cluster, "shop", "certificate/cart-tls", "/status/revision").as_u64().unwrap() > revision);
    cluster.output(&["-n=shop", "get", "secret/cart-tls"]);
    wait(cluster, "payments", &["rollout/checkout", "--for=jsonpath={.status.phase}=Paused"]);
    wait(cluster, "payments", &["rollout/checkout", "--for=jsonpath={.status.phase}=Healthy"]);
    wait(
        cluster,
        "payments",
        &["replicaset/checkout-5d8f7c9b64", "--for=jsonpath={.status.readyReplicas}=4"],
    );
}

fn the_story_takes_a_node_away(cluster: &Cluster) {
    wait(cluster, "default", &["node/eu1-b-08", "--for=condition=Ready=Unknown"]);
    cluster.output(&["-n=kube-system", "delete", "configmap/outage"]);
    kubelet(cluster, "eu1-b-08", "answers");
    wait(cluster, "default", &["node/eu1-b-08", "--for=condition=Ready"]);
}

fn pods_fail_in_their_ways(cluster: &Cluster) {
    let reason = "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}";
    wait(cluster, "shop", &["pod", "-l=app=recommendations", &format!("{reason}=CrashLoopBackOff")]);
    wait(cluster, "batch", &["pod", "-l=app=importer", &format!("{reason}=ImagePullBackOff")]);
    wait(cluster, "payments", &["pod", "-l=app=fraud-check", "--for=condition=Ready=False"]);
}

fn figures_move(cluster: &Cluster) {
    for (namespace, metrics) in [("ledger", "podmetrics/postgres-0"), ("default", "nodemetrics/eu1-a-01")] {
        let generation = get(cluster, namespace, metrics, "/metadata/generation").as_u64().unwrap();
        let after_next = format!("--for=jsonpath={{.metadata.generation}}={}", generation + 2);
        wait(cluster, namespace, &[metrics, &after_next]);
    }
    let top = cluster.output(&["-n=ledger", "top", "pod", "postgres-0"]);
    assert!(top.contains("Mi"), "{top}");
}

fn everything_has_events(cluster: &Cluster) {
    let events = cluster.output(&["get", "events", "-A", "-o=json"]);
    let events: Value = serde_json::from_str(&events).unwrap();
    let events = events["items"].as_array().unwrap();
    for (kind, reason) in EVENTS {
        let told = |event: &Value| event["involvedObject"]["kind"] == *kind && event["reason"] == *reason;
        assert!(events.iter().any(told), "no Event of a {kind} says {reason}");
    }
}

fn kubelet(cluster: &Cluster, node: &str, state: &str) {
    let label = format!("fleet.dogwatch.dev/kubelet={state}");
    cluster.output(&["label", "--overwrite", "node", node, &label]);
}

/// kubectl watches until it is so.
fn wait(cluster: &Cluster, namespace: &str, what: &[&str]) {
    let namespace = format!("-n={namespace}");
    cluster.output(&[&["wait", TIMEOUT, namespace.as_str()], what].concat());
}

fn get(cluster: &Cluster, namespace: &str, object: &str, pointer: &str) -> Value {
    let object: Value =
        serde_json::from_str(&cluster.output(&["-n", namespace, "get", object, "-o=json"])).unwrap();
    object.pointer(pointer).unwrap().clone()
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
