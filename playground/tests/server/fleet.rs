//! The fleet: deterministic, alive, and as large as asked for.

use playground::{Options, Playground};
use serde_json::Value;

use conformance::Api;

#[tokio::test]
async fn about_300_objects_of_all_kinds_of_the_story_are_there_from_the_start() {
    let cluster = Playground::start(Options::quiet()).await.expect("a free port");
    for (resource, at_least) in [
        ("certificates.cert-manager.io", 5),
        ("clusterroles.rbac.authorization.k8s.io", 2),
        ("configmaps", 20),
        ("cronjobs.batch", 2),
        ("customresourcedefinitions.apiextensions.k8s.io", 2),
        ("daemonsets.apps", 2),
        ("deployments.apps", 18),
        ("endpointslices.discovery.k8s.io", 20),
        ("events", 20),
        ("horizontalpodautoscalers.autoscaling", 2),
        ("ingresses.networking.k8s.io", 3),
        ("jobs.batch", 4),
        ("leases.coordination.k8s.io", 8),
        ("limitranges", 4),
        ("namespaces", 6),
        ("networkpolicies.networking.k8s.io", 8),
        ("nodes", 6),
        ("persistentvolumeclaims", 7),
        ("persistentvolumes", 7),
        ("poddisruptionbudgets.policy", 10),
        ("pods", 50),
        ("replicasets.apps", 20),
        ("rolebindings.rbac.authorization.k8s.io", 4),
        ("rollouts.argoproj.io", 2),
        ("secrets", 9),
        ("serviceaccounts", 20),
        ("services", 20),
        ("statefulsets.apps", 3),
        ("storageclasses.storage.k8s.io", 1),
    ] {
        let found = cluster.list(resource).len();
        assert!(found >= at_least, "{resource}: {found}");
    }
    let metrics = Api::new(&cluster.url(), None).get("/metrics").await.text;
    let objects =
        metrics.lines().find_map(|line| line.strip_prefix("playground_objects ")?.parse::<usize>().ok());
    assert!((300..440).contains(&objects.expect("a count")), "{objects:?}");
}

#[tokio::test]
async fn a_large_fleet_has_so_many_objects_of_such_a_size() {
    let options = Options { objects: 1_000, object_bytes: 15_400, ..Options::quiet() };
    let cluster = Playground::start(options).await.expect("a free port");
    let pods = cluster.list("pods");
    assert!(pods.len() >= 650, "{}", pods.len());
    let is_filling =
        |pod: &&Value| pod["metadata"]["namespace"].as_str().unwrap_or_default().starts_with("scale-");
    let last = pods.iter().rfind(is_filling).expect("a pod");
    let bytes = last.to_string().len();
    assert!((14_400..16_400).contains(&bytes), "{bytes}");
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
