//! What a server says it serves: aggregated, plain, and as objects.

use serde_json::{Value, json};

use crate::case::Case;

statements![
    aggregated_discovery_names_every_resource_of_every_group,
    an_aggregated_resource_says_its_names_scope_verbs_and_subresources,
    aggregated_discovery_wins_over_a_plain_clause_before_it,
    plain_discovery_names_versions_groups_resources_and_subresources,
    a_definition_is_discovered_once_it_is_established,
    a_definition_that_is_gone_is_no_longer_discovered,
    the_version_is_that_of_a_kubernetes_server,
    a_slash_at_the_end_changes_nothing_in_discovery,
];

const TYPE: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// A resource in aggregated discovery; null where it isn't there.
fn aggregated<'a>(list: &'a Value, group: &str, plural: &str) -> &'a Value {
    static NONE: Value = Value::Null;
    let items = list["items"].as_array().expect("items");
    let item = items.iter().find(|item| item["metadata"]["name"].as_str().unwrap_or_default() == group);
    let resources = item.and_then(|item| item["versions"][0]["resources"].as_array());
    resources.and_then(|found| found.iter().find(|found| found["resource"] == plural)).unwrap_or(&NONE)
}

async fn aggregated_discovery_names_every_resource_of_every_group(case: Case) {
    let core = case.get_as("/api", AGGREGATED).await;
    assert_eq!(core.headers["content-type"], TYPE);
    assert_eq!(
        (core.text_at("/kind"), core.text_at("/apiVersion")),
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2")
    );
    assert_ne!(*aggregated(&core.body, "", "pods"), Value::Null);
    let groups = case.get_as("/apis", AGGREGATED).await;
    for (group, plural) in [
        ("apps", "deployments"),
        ("batch", "cronjobs"),
        ("rbac.authorization.k8s.io", "clusterroles"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("apiregistration.k8s.io", "apiservices"),
    ] {
        assert_ne!(*aggregated(&groups.body, group, plural), Value::Null, "{plural}.{group}");
    }
    assert_eq!(groups.body["items"][0]["versions"][0]["freshness"], "Current");
}

async fn an_aggregated_resource_says_its_names_scope_verbs_and_subresources(case: Case) {
    let core = case.get_as("/api", AGGREGATED).await;
    let pods = aggregated(&core.body, "", "pods");
    assert_eq!((&pods["singularResource"], &pods["scope"]), (&json!("pod"), &json!("Namespaced")));
    assert_eq!((&pods["shortNames"], &pods["categories"]), (&json!(["po"]), &json!(["all"])));
    assert_eq!(pods["responseKind"]["kind"], "Pod");
    let mut verbs =
        json!(["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]);
    assert_eq!(pods["verbs"], verbs);
    assert_eq!(aggregated(&core.body, "", "nodes")["scope"], "Cluster");
    // Namespaces are not deleted together.
    verbs.as_array_mut().expect("verbs").remove(2);
    assert_eq!(aggregated(&core.body, "", "namespaces")["verbs"], verbs);
    let groups = case.get_as("/apis", AGGREGATED).await;
    let deployments = aggregated(&groups.body, "apps", "deployments");
    let subresources = deployments["subresources"].as_array().expect("subresources");
    let status = subresources.iter().find(|found| found["subresource"] == "status").expect("a status");
    assert_eq!(status["verbs"], json!(["get", "patch", "update"]));
    assert_eq!(status["responseKind"]["kind"], "Deployment");
}

async fn aggregated_discovery_wins_over_a_plain_clause_before_it(case: Case) {
    let answer = case.get_as("/apis", &format!("application/json,{TYPE}")).await;
    assert_eq!(answer.text_at("/kind"), "APIGroupDiscoveryList");
}

async fn plain_discovery_names_versions_groups_resources_and_subresources(case: Case) {
    let core = case.get("/api").await;
    assert_eq!((core.text_at("/kind"), &core.body["versions"]), ("APIVersions", &json!(["v1"])));
    let groups = case.get("/apis").await;
    assert_eq!(groups.text_at("/kind"), "APIGroupList");
    let apps = groups.body["groups"].as_array().expect("groups").iter().find(|group| group["name"] == "apps");
    let version = json!({"groupVersion": "apps/v1", "version": "v1"});
    let expected = json!({"name": "apps", "versions": [version], "preferredVersion": version});
    assert_eq!(*apps.expect("apps"), expected);
    let group = case.get("/apis/apps").await;
    assert_eq!((group.text_at("/kind"), group.text_at("/name")), ("APIGroup", "apps"));
    assert_eq!(group.text_at("/preferredVersion/version"), "v1");
    let list = case.get("/apis/apps/v1").await;
    assert_eq!((list.text_at("/kind"), list.text_at("/groupVersion")), ("APIResourceList", "apps/v1"));
    let resources = list.body["resources"].as_array().expect("resources");
    let named = |name: &str| resources.iter().find(|found| found["name"] == name).expect("a resource");
    let deployments = named("deployments");
    assert_eq!((&deployments["kind"], &deployments["namespaced"]), (&json!("Deployment"), &json!(true)));
    let names = (&deployments["singularName"], &deployments["shortNames"]);
    assert_eq!(names, (&json!("deployment"), &json!(["deploy"])));
    assert_eq!(named("deployments/status")["verbs"], json!(["get", "patch", "update"]));
    assert_eq!(named("deployments/status")["singularName"], "");
}

async fn a_definition_is_discovered_once_it_is_established(case: Case) {
    case.define(json!({"subresources": {"status": {}}})).await;
    let group = case.group();
    let groups = case
        .until_as("/apis", AGGREGATED, |found| !aggregated(&found.body, &group, "things").is_null())
        .await;
    let things = aggregated(&groups.body, &group, "things");
    assert_eq!((&things["shortNames"], &things["categories"]), (&json!(["th"]), &json!(["case"])));
    assert_eq!(things["responseKind"], json!({"group": group, "version": "v1", "kind": "Thing"}));
    assert_eq!(things["subresources"][0]["subresource"], "status");
    let list = case.until(&format!("/apis/{group}/v1"), |found| found.code == 200).await;
    assert_eq!(list.body["resources"][0]["name"], "things");
    let status = case.get(&case.definition()).await;
    let conditions = status.body["status"]["conditions"].as_array().expect("conditions");
    let established = conditions.iter().find(|found| found["type"] == "Established").expect("the condition");
    assert_eq!(established["status"], "True");
}

async fn a_definition_that_is_gone_is_no_longer_discovered(case: Case) {
    let path = case.define(json!({})).await;
    assert_eq!(case.delete(&case.definition()).await.code, 200);
    let group = case.group();
    case.until_as("/apis", AGGREGATED, |found| aggregated(&found.body, &group, "things").is_null()).await;
    let gone = case.until(&path, |answer| answer.code == 404).await;
    assert_eq!(gone.text, "404 page not found\n");
    case.until(&format!("/apis/{group}/v1"), |answer| answer.code == 404).await;
}

async fn the_version_is_that_of_a_kubernetes_server(case: Case) {
    let version = case.get("/version").await;
    assert_eq!(
        (version.text_at("/gitVersion"), version.text_at("/major"), version.text_at("/minor")),
        ("v1.36.3", "1", "36")
    );
}

async fn a_slash_at_the_end_changes_nothing_in_discovery(case: Case) {
    for path in ["/api", "/apis", "/apis/apps", "/apis/apps/v1"] {
        let with_slash = case.get(&format!("{path}/")).await;
        assert_eq!(with_slash.text_at("/kind"), case.get(path).await.text_at("/kind"));
    }
}
