//! The fleet: deterministic, alive, and as large as asked for.

use std::time::Duration;

use playground::{Options, Playground};
use serde_json::Value;

use conformance::Api;

/// Each has a part in the story.
const RESOURCES: &str = "certificates.cert-manager.io clusterroles.rbac.authorization.k8s.io configmaps \
    cronjobs.batch customresourcedefinitions.apiextensions.k8s.io daemonsets.apps deployments.apps \
    endpoints endpointslices.discovery.k8s.io events horizontalpodautoscalers.autoscaling \
    ingresses.networking.k8s.io jobs.batch leases.coordination.k8s.io limitranges namespaces \
    networkpolicies.networking.k8s.io nodes persistentvolumeclaims persistentvolumes \
    poddisruptionbudgets.policy pods replicasets.apps rolebindings.rbac.authorization.k8s.io \
    rollouts.argoproj.io secrets serviceaccounts services statefulsets.apps storageclasses.storage.k8s.io";

#[tokio::test]
async fn about_300_objects_of_all_kinds_of_the_story_are_there_from_the_start() {
    let cluster = Playground::start(Options::quiet()).await.expect("a free port");
    let found = cluster.resources();
    for resource in RESOURCES.split(' ') {
        assert!(found.iter().any(|found| found == resource), "{resource}");
    }
    let objects = gauge(&Api::new(&cluster.url(), None), "playground_objects ").await;
    assert!((300..440).contains(&objects), "{objects}");
}

async fn gauge(api: &Api, name: &str) -> usize {
    let metrics = api.get("/metrics").await.text;
    let found = metrics.lines().find_map(|line| line.strip_prefix(name)?.parse().ok());
    found.expect("a number")
}

/// What a watch of pods from a revision begins with.
async fn first_event(api: &Api, from: u64) -> Value {
    api.watch(&format!("/api/v1/pods?watch=1&resourceVersion={from}")).await.event().await
}

#[tokio::test]
async fn the_history_of_all_kinds_stays_within_its_bytes_and_a_watch_from_before_it_gets_410() {
    let options = Options { history_bytes: 300_000, ..Options::quiet() };
    let cluster = Playground::start(options).await.expect("a free port");
    let api = Api::new(&cluster.url(), None);
    let first = cluster.revision();
    cluster.step_fleet(300);
    let second = cluster.revision();
    cluster.step_fleet(30);
    let bytes = gauge(&api, "playground_history_bytes ").await;
    assert!((200_000..=300_000).contains(&bytes), "{bytes}");
    let gone = first_event(&api, first).await;
    assert_eq!((&gone["type"], &gone["object"]["code"]), (&"ERROR".into(), &410.into()), "{gone}");
    assert_ne!(first_event(&api, second).await["type"], "ERROR");
}

#[tokio::test]
async fn old_changes_are_forgotten_in_time_and_a_watch_from_before_them_gets_410() {
    let options = Options { history_age: Some(Duration::from_millis(5)), ..Options::quiet() };
    let cluster = Playground::start(options).await.expect("a free port");
    let api = Api::new(&cluster.url(), None);
    let first = cluster.revision();
    cluster.step_fleet(200);
    while gauge(&api, "playground_history_bytes ").await > 0 {}
    assert_eq!(first_event(&api, first).await["object"]["code"], 410);
}

#[tokio::test]
async fn a_large_fleet_has_so_many_objects_of_such_a_size() {
    let options = Options { objects: 1_000, object_bytes: 15_400, ..Options::quiet() };
    let cluster = Playground::start(options).await.expect("a free port");
    let pods = cluster.list("pods");
    assert!(pods.len() >= 650, "{}", pods.len());
    let is_filling =
        |pod: &&Value| pod["metadata"]["namespace"].as_str().unwrap_or_default().starts_with("scale-");
    // Images, volumes and labels of each workload are drawn, so the mean is about what was asked for.
    let sizes: Vec<usize> = pods.iter().filter(is_filling).map(|pod| pod.to_string().len()).collect();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    assert!((14_000..16_800).contains(&mean), "{mean}");
    let last = pods.iter().rfind(is_filling).expect("a pod");
    let bytes = last.to_string().len();
    let managed = last.pointer("/metadata/managedFields").expect("fields").to_string().len();
    assert!((30..50).contains(&(managed * 100 / bytes)), "{managed} of {bytes}");
    assert_eq!(last["spec"]["containers"].as_array().map(Vec::len), Some(2));
    assert_eq!(last["spec"]["initContainers"].as_array().map(Vec::len), Some(1));
    cluster.step_fleet(200);
}

#[tokio::test]
async fn a_fleet_that_runs_by_itself_changes() {
    let options = Options { changes_per_second: 200.0, ..Options::default() };
    let cluster = Playground::start(options).await.expect("a free port");
    let api = Api::new(&cluster.url(), None);
    let from = cluster.revision();
    let mut events = api.watch(&format!("/api/v1/pods?watch=1&resourceVersion={from}")).await;
    for _ in 0..5 {
        events.event().await;
    }
}
