//! Discovery, aggregated and plain.

use serde_json::{Value, json};

use super::cluster;

const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

fn resources<'a>(list: &'a Value, group: &str) -> Vec<&'a str> {
    let items = list["items"].as_array().expect("items");
    let item = items.iter().find(|item| item["metadata"]["name"].as_str().unwrap_or_default() == group);
    item.and_then(|item| item["versions"][0]["resources"].as_array())
        .map(|found| found.iter().filter_map(|resource| resource["resource"].as_str()).collect())
        .unwrap_or_default()
}

#[tokio::test]
async fn aggregated_discovery_names_every_resource() {
    let (_cluster, api) = cluster().await;
    let core = api.get_as("/api", AGGREGATED).await;
    assert_eq!(
        core.headers["content-type"],
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    );
    assert!(resources(&core.body, "").contains(&"pods"));
    let groups = api.get_as("/apis", AGGREGATED).await;
    assert!(resources(&groups.body, "apps").contains(&"deployments"));
    assert!(resources(&groups.body, "apiextensions.k8s.io").contains(&"customresourcedefinitions"));
}

#[tokio::test]
async fn plain_discovery_is_what_older_clients_get() {
    let (_cluster, api) = cluster().await;
    assert_eq!(api.get("/api").await.body["versions"], json!(["v1"]));
    let groups = api.get("/apis").await;
    assert_eq!(groups.body["kind"], "APIGroupList");
    let list = api.get("/apis/apps/v1").await;
    assert_eq!(list.body["groupVersion"], "apps/v1");
    let names: Vec<&str> = list.body["resources"]
        .as_array()
        .expect("resources")
        .iter()
        .filter_map(|resource| resource["name"].as_str())
        .collect();
    assert!(names.contains(&"deployments") && names.contains(&"deployments/status"));
    assert_eq!(api.get("/apis/apps").await.body["preferredVersion"]["version"], "v1");
}

#[tokio::test]
async fn a_definition_is_discovered_as_soon_as_it_exists_and_gone_with_it() {
    let (_cluster, api) = cluster().await;
    super::writes::define(&api, "things", json!([])).await;
    let groups = api.get_as("/apis", AGGREGATED).await;
    assert_eq!(resources(&groups.body, "case.example"), ["things"]);
    api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.case.example").await;
    assert_eq!(api.get("/apis/case.example/v1").await.code, 404);
}

#[tokio::test]
async fn a_missing_or_wrong_token_is_401_with_a_status() {
    let options = playground::Options { token: Some("secret".to_owned()), ..playground::Options::empty() };
    let cluster = playground::Playground::start(options).await.expect("a free port");
    for token in [None, Some("wrong")] {
        let answer = conformance::Api::new(&cluster.url(), token).get("/api/v1/pods").await;
        assert_eq!((answer.code, answer.text_at("/reason")), (401, "Unauthorized"));
    }
    let answer = conformance::Api::new(&cluster.url(), Some("secret")).get("/api/v1/pods").await;
    assert_eq!(answer.code, 200);
}
