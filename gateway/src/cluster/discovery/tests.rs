//! Both forms of discovery, from documents and from a running server.

use playground::{Options, Playground};
use serde_json::{Value, json};

use super::*;
use crate::cluster::testing::connect;

fn resource(plural: &str, kind: &str, verbs: &[&str]) -> Value {
    json!({
        "resource": plural, "responseKind": {"group": "", "version": "", "kind": kind}, "scope": "Namespaced",
        "singularResource": kind.to_lowercase(), "verbs": verbs, "shortNames": ["x"],
    })
}

fn with_status(mut resource: Value) -> Value {
    resource["subresources"] = json!([{"subresource": "log"}, {"subresource": "status"}]);
    resource
}

fn collected(groups: Vec<Group>, custom: Option<&CustomNames>) -> (Vec<String>, Vec<Problem>, Vec<Kind>) {
    let mut collected = Collected::default();
    groups.into_iter().for_each(|group| collected.add(group, custom));
    let names =
        collected.kinds.iter().map(|kind| format!("{}/{}", kind.resource, kind.resource.version)).collect();
    (names, collected.problems, collected.kinds)
}

#[test]
fn each_resource_is_taken_in_its_preferred_version_and_only_what_can_be_listed() {
    let all = ["get", "list", "watch"];
    let document = json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
        {"metadata": {}, "versions": [{"version": "v1", "freshness": "Current", "resources": [
            with_status(resource("pods", "Pod", &all)), resource("secrets", "Secret", &all),
            resource("bindings", "Binding", &["create"]), resource("pods/log", "Pod", &all)]}]},
        {"metadata": {"name": "example.com"}, "versions": [
            {"version": "v2", "freshness": "Current", "resources": [resource("boats", "Boat", &all)]},
            {"version": "v1", "freshness": "Current", "resources": [
                resource("boats", "Boat", &all), resource("oars", "Oar", &["list"])]}]},
        {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1beta1", "freshness": "Stale"}]},
        {"metadata": {"name": "odd.io"}, "versions": [{"version": "v1", "resources": [resource("A/../b", "Odd", &all), resource("A b", "Odd", &all)]}]},
    ]});
    let groups = aggregated::read(document.to_string().as_bytes()).expect("aggregated");
    let (names, problems, kinds) = collected(groups, None);
    assert_eq!(names, ["pods/v1", "secrets/v1", "boats.example.com/v2", "oars.example.com/v1"]);
    let others: Vec<_> = kinds.iter().map(|kind| kind.other_versions.len()).collect();
    assert_eq!(others, [0, 0, 1, 0]);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].message.contains("metrics.k8s.io/v1beta1"), "{}", problems[0]);
    let facts: Vec<_> = kinds.iter().map(|kind| (kind.watch, kind.custom)).collect();
    assert_eq!(facts, [(true, false), (true, false), (true, true), (false, true)]);
    let with_status: Vec<_> = kinds.iter().map(|kind| kind.status).collect();
    assert_eq!(with_status, [true, false, false, false]);
}

#[test]
fn a_custom_resource_is_known_by_its_definition_where_that_can_be_read() {
    let names: CustomNames = ["crds.snapshot.k8s.io".to_owned()].into();
    let custom = |name: &str, known: Option<&CustomNames>| {
        let (plural, group) = name.split_once('.').expect("a group");
        is_custom(&Resource::parse(group, "v1", plural).expect("a resource"), known)
    };
    assert!(custom("crds.snapshot.k8s.io", Some(&names)));
    assert!(!custom("crds.snapshot.k8s.io", None));
    assert!(!custom("things.aggregated.example.com", Some(&names)));
    assert!(custom("things.aggregated.example.com", None));
    assert!(!custom("deployments.apps", None));
}

#[tokio::test]
async fn both_forms_of_discovery_find_the_same_kinds() {
    let mut found = Vec::new();
    for aggregated_discovery in [true, false] {
        let options = Options { aggregated_discovery, ..Options::quiet() };
        let playground = Playground::start(options).await.expect("a port");
        let cluster = connect(&playground).await;
        let kinds = cluster.kinds().borrow().kinds.clone();
        assert!(kinds.first().is_some_and(|kind| kind.resource.is_core()), "the core group first");
        assert!(kinds.iter().any(|kind| kind.custom) && kinds.iter().any(|kind| !kind.custom));
        let mut names: Vec<String> = kinds.iter().map(|kind| format!("{kind:?}")).collect();
        names.sort();
        found.push(names);
    }
    assert_eq!(found[0], found[1]);
}
