//! Tables and partial objects: what server-side printing sends.

use serde_json::{Value, json};

use super::cluster;
use conformance::TABLE;

const PODS: &str = "/api/v1/namespaces/case/pods";

fn pod(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "app", "image": "x"}]}})
}

#[tokio::test]
async fn a_table_of_pods_has_kubectls_columns_wide_ones_by_priority() {
    let (_cluster, api) = cluster().await;
    api.post(PODS, &pod("a")).await;
    let table = api.get_as(PODS, TABLE).await;
    let columns: Vec<(&str, i64)> = table.body["columnDefinitions"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| {
            (column["name"].as_str().expect("a name"), column["priority"].as_i64().expect("a priority"))
        })
        .collect();
    assert_eq!(
        columns,
        [
            ("Name", 0),
            ("Ready", 0),
            ("Status", 0),
            ("Restarts", 0),
            ("Age", 0),
            ("IP", 1),
            ("Node", 1),
            ("Nominated Node", 1),
            ("Readiness Gates", 1),
        ]
    );
    let cells = &table.body["rows"][0]["cells"];
    assert_eq!(cells[0], "a");
    assert_eq!(cells[1], "0/1");
    assert_eq!(cells[2], "Pending");
    assert_eq!(cells[6], "<none>");
}

#[tokio::test]
async fn include_object_decides_what_a_row_carries() {
    let (_cluster, api) = cluster().await;
    api.post(PODS, &pod("a")).await;
    let kind = async |include: &str| {
        let table = api.get_as(&format!("{PODS}{include}"), TABLE).await;
        table.body["rows"][0]["object"].clone()
    };
    let metadata = kind("").await;
    assert_eq!(metadata["kind"], "PartialObjectMetadata");
    assert!(metadata.pointer("/metadata/managedFields").is_some());
    assert_eq!(kind("?includeObject=Metadata").await["kind"], "PartialObjectMetadata");
    assert_eq!(kind("?includeObject=Object").await["kind"], "Pod");
    assert_eq!(kind("?includeObject=None").await, Value::Null);
}

#[tokio::test]
async fn one_object_is_printed_as_a_table_too() {
    let (_cluster, api) = cluster().await;
    api.post(PODS, &pod("a")).await;
    let table = api.get_as(&format!("{PODS}/a"), TABLE).await;
    assert_eq!(table.body["kind"], "Table");
    assert_eq!(table.body["rows"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_first_understood_clause_of_accept_decides() {
    let (_cluster, api) = cluster().await;
    let accept =
        "application/json;as=Table;v=v9;g=meta.k8s.io,application/vnd.kubernetes.protobuf,application/json";
    assert_eq!(api.get_as(PODS, accept).await.body["kind"], "PodList");
}

#[tokio::test]
async fn custom_columns_print_every_type_and_missing_ones_are_null() {
    let (_cluster, api) = cluster().await;
    let columns = json!([
        {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Share", "type": "number", "jsonPath": ".spec.share"},
        {"name": "On", "type": "boolean", "jsonPath": ".spec.on"},
        {"name": "Since", "type": "date", "jsonPath": ".spec.since", "priority": 1},
        {"name": "Missing", "type": "string", "jsonPath": ".spec.missing"},
    ]);
    let path = super::writes::define(&api, "things", columns).await;
    let thing = json!({
        "metadata": {"name": "a"},
        "spec": {"size": 7, "share": 0.5, "on": true, "since": "2000-01-01T00:00:00Z"},
        "status": {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]},
    });
    api.post(&path, &thing).await;
    let table = api.get_as(&path, TABLE).await;
    let cells = table.body["rows"][0]["cells"].as_array().expect("cells").clone();
    assert_eq!(cells[..5], [json!("a"), json!("True"), json!(7), json!(0.5), json!(true)]);
    assert!(cells[5].as_str().expect("a duration").ends_with('y'));
    assert_eq!(cells[6], Value::Null);
    assert_eq!(table.body["columnDefinitions"][5]["priority"], 1);
}

#[tokio::test]
async fn custom_resources_without_columns_have_name_and_age() {
    let (_cluster, api) = cluster().await;
    let path = super::writes::define(&api, "things", json!([])).await;
    let table = api.get_as(&path, TABLE).await;
    let names: Vec<&str> = table.body["columnDefinitions"]
        .as_array()
        .expect("columns")
        .iter()
        .filter_map(|column| column["name"].as_str())
        .collect();
    assert_eq!(names, ["Name", "Age"]);
}

#[tokio::test]
async fn a_finished_pods_row_says_so() {
    let (cluster, api) = cluster().await;
    api.post(PODS, &pod("a")).await;
    cluster.patch("pods", "case", "a", json!({"status": {"phase": "Succeeded"}})).expect("patched");
    let table = api.get_as(PODS, TABLE).await;
    assert_eq!(table.body["rows"][0]["conditions"][0]["type"], "Completed");
}
