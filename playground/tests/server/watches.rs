//! Watches: where they begin, what they say, how they end.

use serde_json::{Value, json};

use super::cluster;
use conformance::{Next, TABLE, is_end_mark, line_of, revision_of};

const CONFIGS: &str = "/api/v1/namespaces/case/configmaps";
const WATCH_LIST: &str =
    "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

#[tokio::test]
async fn a_watch_from_a_resource_version_tells_exactly_what_came_after() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let from = api.get(CONFIGS).await.revision();
    api.config("case", "b", "web").await;
    api.patch(&format!("{CONFIGS}/a"), &json!({"data": {"a": "2"}})).await;
    api.delete(&format!("{CONFIGS}/b")).await;
    let mut events = api.watch(&format!("{CONFIGS}?watch=1&resourceVersion={from}")).await;
    assert_eq!(events.line().await, "ADDED b");
    assert_eq!(events.line().await, "MODIFIED a");
    assert_eq!(events.line().await, "DELETED b");
}

#[tokio::test]
async fn a_watch_without_a_resource_version_begins_with_everything() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    api.config("case", "b", "web").await;
    for query in ["watch=1", "watch=true&resourceVersion=0"] {
        let mut events = api.watch(&format!("{CONFIGS}?{query}")).await;
        assert_eq!(events.line().await, "ADDED a", "{query}");
        assert_eq!(events.line().await, "ADDED b", "{query}");
        api.patch(&format!("{CONFIGS}/a"), &json!({"data": {"a": query}})).await;
        assert_eq!(events.line().await, "MODIFIED a", "{query}");
    }
}

#[tokio::test]
async fn a_deleted_event_has_the_deletions_resource_version_and_the_last_state() {
    let (_cluster, api) = cluster().await;
    let created = api.config("case", "a", "web").await.revision();
    let mut events = api.watch(&format!("{CONFIGS}?watch=1&resourceVersion={created}")).await;
    api.delete(&format!("{CONFIGS}/a")).await;
    let event = events.event().await;
    assert!(revision_of(&event) > created.parse().expect("a number"));
    assert_eq!(event.pointer("/object/data/a"), Some(&json!("1")));
}

#[tokio::test]
async fn objects_of_events_carry_kind_and_api_version() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let event = api.watch(&format!("{CONFIGS}?watch=1")).await.event().await;
    assert_eq!(event["object"]["kind"], "ConfigMap");
    assert_eq!(event["object"]["apiVersion"], "v1");
}

#[tokio::test]
async fn an_object_that_leaves_a_selector_is_deleted_with_its_old_labels() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let from = api.get(CONFIGS).await.revision();
    let mut events =
        api.watch(&format!("{CONFIGS}?watch=1&resourceVersion={from}&labelSelector=app%3Dweb")).await;
    let change = api.patch(&format!("{CONFIGS}/a"), &json!({"metadata": {"labels": {"app": "api"}}})).await;
    let left = events.event().await;
    assert_eq!(line_of(&left), "DELETED a");
    assert_eq!(left.pointer("/object/metadata/labels/app"), Some(&json!("web")));
    assert_eq!(revision_of(&left).to_string(), change.revision());
    api.patch(&format!("{CONFIGS}/a"), &json!({"metadata": {"labels": {"app": "web"}}})).await;
    assert_eq!(events.line().await, "ADDED a");
}

#[tokio::test]
async fn an_expired_resource_version_is_200_and_one_error_event() {
    let (cluster, api) = cluster().await;
    let from = api.config("case", "a", "web").await.revision();
    api.config("case", "b", "web").await;
    cluster.compact(None);
    for accept in [conformance::JSON, TABLE] {
        let path = format!("{CONFIGS}?watch=1&resourceVersion={from}");
        let mut events = api.watch_as(&path, accept).await;
        assert_eq!(events.code, 200);
        let event = events.event().await;
        assert_eq!(event["type"], "ERROR");
        assert_eq!(event["object"]["kind"], "Status");
        assert_eq!(event["object"]["code"], 410);
        assert_eq!(event["object"]["reason"], "Expired");
        let message = event["object"]["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("too old resource version: {from} (")), "{message}");
        assert_eq!(events.next().await, Next::End);
    }
}

#[tokio::test]
async fn an_expired_list_and_an_expired_page_are_410() {
    let (cluster, api) = cluster().await;
    for name in ["a", "b", "c"] {
        api.config("case", name, "web").await;
    }
    let page = api.get(&format!("{CONFIGS}?limit=1")).await;
    api.config("case", "d", "web").await;
    cluster.compact(None);
    let token = page.text_at("/metadata/continue");
    let answer = api.get(&format!("{CONFIGS}?limit=1&continue={token}")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (410, "Expired"));
    let inconsistent = answer.text_at("/metadata/continue").to_owned();
    assert_eq!(api.get(&format!("{CONFIGS}?continue={inconsistent}")).await.names(), ["b", "c", "d"]);
    let exact = format!("{CONFIGS}?resourceVersion={}&resourceVersionMatch=Exact", page.revision());
    assert_eq!(api.get(&exact).await.code, 410);
}

#[tokio::test]
async fn a_watch_list_ends_its_initial_set_with_an_annotated_bookmark_and_goes_on() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    api.config("case", "b", "web").await;
    let mut events = api.watch(&format!("{CONFIGS}?{WATCH_LIST}")).await;
    assert_eq!(events.line().await, "ADDED a");
    assert_eq!(events.line().await, "ADDED b");
    let mark = events.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    assert_eq!(revision_of(&mark).to_string(), api.get(CONFIGS).await.revision());
    api.delete(&format!("{CONFIGS}/a")).await;
    assert_eq!(events.line().await, "DELETED a");
}

#[tokio::test]
async fn a_watch_from_0_with_bookmarks_also_sends_the_end_mark() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    let mut events =
        api.watch(&format!("{CONFIGS}?watch=1&resourceVersion=0&allowWatchBookmarks=true")).await;
    assert_eq!(events.line().await, "ADDED a");
    assert!(is_end_mark(&events.event().await));
}

#[tokio::test]
async fn events_get_the_end_mark_and_no_bookmarks() {
    let (_cluster, api) = cluster().await;
    let events = api.watch(&format!("/api/v1/events?{WATCH_LIST}&timeoutSeconds=1")).await.all().await;
    assert_eq!(events.len(), 1);
    assert!(is_end_mark(&events[0]));
}

#[tokio::test]
async fn a_watch_ends_properly_at_its_timeout_with_a_bookmark_before() {
    let (_cluster, api) = cluster().await;
    let from = api.config("case", "a", "web").await.revision();
    let path = format!("{CONFIGS}?watch=1&resourceVersion={from}&allowWatchBookmarks=true&timeoutSeconds=1");
    let mut events = api.watch(&path).await;
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "other"}})).await;
    let bookmark = events.event().await;
    assert_eq!(bookmark["type"], "BOOKMARK");
    assert!(!is_end_mark(&bookmark));
    assert_eq!(bookmark["object"]["kind"], "ConfigMap");
    // It speaks for writes to other resources too.
    assert!(revision_of(&bookmark) > from.parse().expect("a number"));
    assert_eq!(events.next().await, Next::End);
}

#[tokio::test]
async fn no_bookmark_comes_unasked() {
    let (_cluster, api) = cluster().await;
    let from = api.config("case", "a", "web").await.revision();
    let path = format!("{CONFIGS}?watch=1&resourceVersion={from}&timeoutSeconds=1");
    assert_eq!(api.watch(&path).await.all().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_watch_in_the_future_is_200_and_silence() {
    let (_cluster, api) = cluster().await;
    let path =
        format!("{CONFIGS}?watch=1&resourceVersion=999999999&allowWatchBookmarks=true&timeoutSeconds=1");
    let events = api.watch(&path).await;
    assert_eq!(events.code, 200);
    api.config("case", "a", "web").await;
    assert_eq!(events.all().await, Vec::<Value>::new());
}

#[tokio::test]
async fn resource_version_match_on_a_watch_is_422_without_initial_events() {
    let (_cluster, api) = cluster().await;
    let answer = api.get(&format!("{CONFIGS}?watch=1&resourceVersionMatch=NotOlderThan")).await;
    assert_eq!((answer.code, answer.text_at("/reason")), (422, "Invalid"));
    assert_eq!(answer.text_at("/details/causes/0/field"), "resourceVersionMatch");
    let answer = api.get(&format!("{CONFIGS}?watch=1&sendInitialEvents=true")).await;
    assert_eq!(answer.code, 422);
}

#[tokio::test]
async fn a_table_watch_sends_its_columns_with_the_first_event_only() {
    let (_cluster, api) = cluster().await;
    api.config("case", "a", "web").await;
    api.config("case", "b", "web").await;
    let path = format!("{CONFIGS}?{WATCH_LIST}&includeObject=Object");
    let mut events = api.watch_as(&path, TABLE).await;
    let first = events.event().await;
    assert_eq!(first["object"]["kind"], "Table");
    assert_eq!(first.pointer("/object/columnDefinitions/0/name"), Some(&json!("Name")));
    assert_eq!(first.pointer("/object/rows/0/cells/1"), Some(&json!(1)));
    let object = first.pointer("/object/rows/0/object").expect("an object");
    assert_eq!(object["kind"], "ConfigMap");
    assert_eq!(
        revision_of(&first).to_string(),
        object["metadata"]["resourceVersion"].as_str().expect("text")
    );
    let second = events.event().await;
    assert_eq!(second["object"]["columnDefinitions"], Value::Null);
    let mark = events.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    assert_eq!(mark["object"]["kind"], "Table");
    assert_eq!(mark["object"]["rows"].as_array().map(Vec::len), Some(1));
    assert!(revision_of(&mark) > 0);
}

#[tokio::test]
async fn changing_a_definition_ends_its_watches_at_once_and_the_next_has_the_new_columns() {
    let (_cluster, api) = cluster().await;
    let path = super::writes::define(&api, "things", json!([])).await;
    let mut events = api.watch_as(&format!("{path}?watch=1"), TABLE).await;
    api.post(&path, &json!({"apiVersion": "case.example/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": 4}})).await;
    let before = events.event().await;
    assert_eq!(before["object"]["columnDefinitions"].as_array().map(Vec::len), Some(2));
    let columns = json!([{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]);
    let definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.case.example";
    let patch = json!([{"op": "add", "path": "/spec/versions/0/additionalPrinterColumns", "value": columns}]);
    assert_eq!(api.patch_as(definition, "application/json-patch+json", &patch).await.code, 200);
    assert_eq!(events.next().await, Next::End);
    let after = api.watch_as(&format!("{path}?watch=1"), TABLE).await.event().await;
    assert_eq!(after.pointer("/object/columnDefinitions/1/name"), Some(&json!("Size")));
    assert_eq!(after.pointer("/object/rows/0/cells/1"), Some(&json!(4)));
}

#[tokio::test]
async fn deleting_a_definition_deletes_its_objects_and_ends_its_watches() {
    let (_cluster, api) = cluster().await;
    let path = super::writes::define(&api, "things", json!([])).await;
    api.post(&path, &json!({"metadata": {"name": "a"}})).await;
    let mut events = api.watch(&format!("{path}?watch=1")).await;
    assert_eq!(events.line().await, "ADDED a");
    api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.case.example").await;
    assert_eq!(events.line().await, "DELETED a");
    assert_eq!(events.next().await, Next::End);
    assert_eq!(api.get(&path).await.code, 404);
}
