//! The fleet: deterministic, alive, and as large as asked for.

use playground::{Options, Playground};
use serde_json::Value;

use conformance::Api;

/// Everything that doesn't depend on the wall clock: who is there, in which state.
fn story(cluster: &Playground) -> Vec<String> {
    ["pods", "replicasets.apps", "deployments.apps", "nodes", "certificates.cert-manager.io"]
        .iter()
        .flat_map(|resource| cluster.list(resource))
        .map(|object| {
            format!(
                "{} {} {}",
                object["metadata"]["name"],
                object.pointer("/status/phase").unwrap_or(&Value::Null),
                object.pointer("/status/containerStatuses/0/restartCount").unwrap_or(&Value::Null),
            )
        })
        .collect()
}

#[tokio::test]
async fn the_same_seed_tells_the_same_story() {
    let tell = async |seed: u64| {
        let options = Options { seed, ..Options::quiet() };
        let cluster = Playground::start(options).await.expect("a free port");
        cluster.step_fleet(500);
        // The minute's job is named after the minute.
        story(&cluster).into_iter().filter(|line| !line.contains("settle")).collect::<Vec<_>>()
    };
    let first = tell(3).await;
    assert_eq!(first, tell(3).await);
    assert_ne!(first, tell(4).await);
}

#[tokio::test]
async fn about_100_objects_are_there_and_every_kind_of_the_story() {
    let cluster = Playground::start(Options::quiet()).await.expect("a free port");
    let mut count = 0;
    for (resource, at_least) in [
        ("namespaces", 6),
        ("nodes", 5),
        ("pods", 15),
        ("deployments.apps", 8),
        ("replicasets.apps", 8),
        ("services", 8),
        ("configmaps", 8),
        ("cronjobs.batch", 1),
        ("customresourcedefinitions.apiextensions.k8s.io", 2),
        ("certificates.cert-manager.io", 3),
        ("rollouts.argoproj.io", 2),
        ("statefulsets.apps", 1),
        ("daemonsets.apps", 1),
        ("horizontalpodautoscalers.autoscaling", 1),
        ("persistentvolumeclaims", 2),
        ("serviceaccounts", 6),
    ] {
        let found = cluster.list(resource).len();
        assert!(found >= at_least, "{resource}: {found}");
        count += found;
    }
    assert!(count >= 85, "{count}");
    let metrics = Api::new(&cluster.url(), None).get("/metrics").await.text;
    let objects =
        metrics.lines().find_map(|line| line.strip_prefix("playground_objects ")?.parse::<usize>().ok());
    assert!((100..200).contains(&objects.expect("a count")), "{objects:?}");
}

#[tokio::test]
async fn the_story_goes_on_and_stays_bounded() {
    let cluster = Playground::start(Options::quiet()).await.expect("a free port");
    let mut reasons = std::collections::BTreeSet::new();
    for _ in 0..40 {
        cluster.step_fleet(100);
        for event in cluster.list("events") {
            reasons.insert(event["reason"].as_str().unwrap_or_default().to_owned());
        }
    }
    for reason in
        ["BackOff", "Failed", "Killing", "NodeNotReady", "NodeReady", "ScalingReplicaSet", "Scheduled"]
    {
        assert!(reasons.contains(reason), "{reason} in {reasons:?}");
    }
    assert!(cluster.list("events").len() <= 45);
    assert!(cluster.list("pods").len() <= 40, "{}", cluster.list("pods").len());
    assert!(cluster.list("replicasets.apps").len() <= 30);
}

#[tokio::test]
async fn a_large_fleet_has_so_many_objects_of_such_a_size() {
    let options = Options { objects: 1_000, object_bytes: 15_400, ..Options::quiet() };
    let cluster = Playground::start(options).await.expect("a free port");
    let pods = cluster.list("pods");
    assert!(pods.len() >= 800, "{}", pods.len());
    let last = pods.last().expect("a pod");
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
