//! `metrics.k8s.io`: an aggregated API that is listed and never watched.

use conformance::Api;
use playground::{Options, Playground};
use serde_json::json;

const METRICS: &str = "/apis/metrics.k8s.io/v1beta1";
const SERVICE: &str = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

async fn fleet() -> (Playground, Api) {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let api = Api::new(&playground.url(), None);
    (playground, api)
}

#[tokio::test]
async fn nodes_and_pods_have_usage_and_no_uid_and_no_resource_version() {
    let (cluster, api) = fleet().await;
    for (plural, kind) in [("nodes", "NodeMetricsList"), ("pods", "PodMetricsList")] {
        let list = api.get(&format!("{METRICS}/{plural}")).await;
        assert_eq!((list.code, list.text_at("/kind")), (200, kind));
        let first = &list.body["items"][0];
        assert!(first["metadata"]["uid"].is_null() && first["metadata"]["resourceVersion"].is_null());
        assert!(first["timestamp"].is_string() && first["window"].is_string(), "{first}");
        assert_eq!(list.body["metadata"], json!({}));
    }
    let running = cluster.list("pods").iter().filter(|pod| pod["status"]["phase"] == "Running").count();
    assert_eq!(api.get(&format!("{METRICS}/pods")).await.names().len(), running);
}

#[tokio::test]
async fn metrics_are_never_watched() {
    let (_cluster, api) = fleet().await;
    let answer = api.get(&format!("{METRICS}/nodes?watch=1")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (405, "MethodNotAllowed"));
    let listed = api.get(METRICS).await;
    assert_eq!(listed.body["resources"][0]["verbs"], json!(["get", "list"]));
    assert_eq!(api.delete(&format!("{METRICS}/nodes/x")).await.code, 405);
}

#[tokio::test]
async fn the_columns_of_metrics_are_their_servers_own() {
    let (_cluster, api) = fleet().await;
    let table = api.get_as(&format!("{METRICS}/pods?labelSelector=nobody%3Dhere"), TABLE).await;
    assert_eq!((&table.body["columnDefinitions"], &table.body["rows"]), (&json!(null), &json!([])));
    let table = api.get_as(&format!("{METRICS}/nodes"), TABLE).await;
    let columns = table.body["columnDefinitions"].as_array().expect("columns");
    let names: Vec<_> = columns.iter().map(|column| column["name"].clone()).collect();
    assert_eq!(names, ["Name", "cpu", "memory", "Window"]);
    assert_eq!(table.body["rows"][0]["object"]["kind"], "PartialObjectMetadata");
}

#[tokio::test]
async fn one_pod_is_measured_by_name_and_one_that_doesn_t_run_is_not_found() {
    let (cluster, api) = fleet().await;
    let pods = cluster.list("pods");
    let running = pods.iter().find(|pod| pod["status"]["phase"] == "Running").expect("a fleet runs pods");
    let text = |field: &str| running["metadata"][field].as_str().expect("text").to_owned();
    let path = format!("{METRICS}/namespaces/{}/pods/{}", text("namespace"), text("name"));
    let one = api.get(&path).await;
    assert_eq!((one.code, one.text_at("/kind")), (200, "PodMetrics"));
    let waits =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waits", "namespace": "default"}});
    cluster.create(waits).expect("created");
    let none = api.get(&format!("{METRICS}/namespaces/default/pods/waits")).await;
    let told = "podmetrics.metrics.k8s.io \"default/waits\" not found";
    assert_eq!((none.code, none.text_at("/message")), (404, told));
}

#[tokio::test]
async fn metrics_come_and_go_with_their_api_service() {
    let (_cluster, api) = fleet().await;
    let service = api.get(SERVICE).await;
    assert_eq!(service.body.pointer("/status/conditions/0/status"), Some(&json!("True")));
    assert_eq!(api.delete(SERVICE).await.code, 200);
    assert_eq!(api.get(&format!("{METRICS}/nodes")).await.code, 404);
    let again = json!({"metadata": {"name": "v1beta1.metrics.k8s.io"}, "spec": service.body["spec"]});
    assert_eq!(api.post("/apis/apiregistration.k8s.io/v1/apiservices", &again).await.code, 201);
    assert_eq!(api.get(&format!("{METRICS}/nodes")).await.code, 200);
    api.post("/_playground/actions", &json!({"action": "restore", "changes": 1})).await;
    assert_eq!(api.get(&format!("{METRICS}/nodes")).await.code, 404, "a restore takes it back");
}
