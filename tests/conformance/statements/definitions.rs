//! CustomResourceDefinitions that change while they are watched.

use conformance::{Next, TABLE};
use serde_json::json;

use crate::case::Case;

statements![
    changing_a_definition_ends_its_watches_at_once_and_cleanly,
    the_watch_after_a_changed_definition_has_the_new_columns_and_the_old_resource_versions,
    deleting_a_definition_deletes_its_objects_and_ends_its_watches,
    a_definition_is_watched_like_any_object,
    a_status_is_a_subresource_where_the_definition_says_so,
    a_status_is_a_field_like_others_where_it_does_not,
];

fn columns(name: &str) -> serde_json::Value {
    let columns = json!([{"name": name, "type": "integer", "jsonPath": ".spec.size"}]);
    json!([{"op": "add", "path": "/spec/versions/0/additionalPrinterColumns", "value": columns}])
}

async fn change(case: &Case, name: &str) {
    let answer = case.patch_as(&case.definition(), "application/json-patch+json", &columns(name)).await;
    assert_eq!(answer.code, 200, "{}", answer.text);
}

async fn changing_a_definition_ends_its_watches_at_once_and_cleanly(case: Case) {
    let path = case.define(json!({})).await;
    case.thing(&path, "a", json!({"spec": {"size": 4}})).await;
    let mut events = case.watch(&format!("{path}?watch=1")).await;
    assert_eq!(events.line().await, "ADDED a");
    change(&case, "Size").await;
    assert_eq!(events.next().await, Next::End);
}

async fn the_watch_after_a_changed_definition_has_the_new_columns_and_the_old_resource_versions(case: Case) {
    let path = case.define(json!({})).await;
    let made = case.thing(&path, "a", json!({"spec": {"size": 4}})).await.revision();
    let before = case.watch_as(&format!("{path}?watch=1"), TABLE).await.event().await;
    assert_eq!(before["object"]["columnDefinitions"].as_array().map(Vec::len), Some(2));
    change(&case, "Size").await;
    // The new storage is ready when a list is answered by it.
    case.until_as(&path, TABLE, |table| table.text_at("/columnDefinitions/1/name") == "Size").await;
    let after = case.watch_as(&format!("{path}?watch=1"), TABLE).await.event().await;
    assert_eq!(after.pointer("/object/columnDefinitions/1/name"), Some(&json!("Size")));
    assert_eq!(after.pointer("/object/rows/0/cells"), Some(&json!(["a", 4])));
    assert_eq!(case.get(&format!("{path}/a")).await.revision(), made);
}

async fn deleting_a_definition_deletes_its_objects_and_ends_its_watches(case: Case) {
    let path = case.define(json!({})).await;
    case.thing(&path, "a", json!({})).await;
    let mut events = case.watch(&format!("{path}?watch=1")).await;
    assert_eq!(events.line().await, "ADDED a");
    assert_eq!(case.delete(&case.definition()).await.code, 200);
    assert_eq!(events.line().await, "DELETED a");
    assert_eq!(events.next().await, Next::End);
    case.until(&path, |answer| answer.code == 404).await;
}

async fn a_definition_is_watched_like_any_object(case: Case) {
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let name = format!("things.{}", case.group());
    let path = format!("{definitions}?watch=1&fieldSelector=metadata.name%3D{name}");
    let mut events = case.watch(&path).await;
    case.define(json!({})).await;
    assert_eq!(events.line().await, format!("ADDED {name}"));
    case.delete(&case.definition()).await;
    loop {
        match events.line().await.as_str() {
            line if line == format!("DELETED {name}") => break,
            line => assert_eq!(line, format!("MODIFIED {name}")),
        }
    }
}

async fn a_status_is_a_subresource_where_the_definition_says_so(case: Case) {
    let path = case.define(json!({"subresources": {"status": {}}})).await;
    let made = case.thing(&path, "a", json!({"spec": {"size": 1}, "status": {"size": 1}})).await;
    assert_eq!((made.body.get("status"), &made.body["metadata"]["generation"]), (None, &json!(1)));
    // Size in the spec, in the status, generation.
    let parts = |answer: &conformance::Answer| {
        let body = &answer.body;
        json!([body["spec"]["size"], body["status"]["size"], body["metadata"]["generation"]])
    };
    let change = json!({"spec": {"size": 2}, "status": {"size": 2}});
    assert_eq!(parts(&case.patch(&format!("{path}/a/status"), &change).await), json!([1, 2, 1]));
    let change = json!({"spec": {"size": 3}, "status": {"size": 3}});
    assert_eq!(parts(&case.patch(&format!("{path}/a"), &change).await), json!([3, 2, 2]));
}

async fn a_status_is_a_field_like_others_where_it_does_not(case: Case) {
    let path = case.define(json!({})).await;
    let made = case.thing(&path, "a", json!({"status": {"size": 1}})).await;
    assert_eq!(made.body["status"]["size"], 1);
    let changed = case.patch(&format!("{path}/a"), &json!({"status": {"size": 2}})).await;
    assert_eq!(changed.body["metadata"]["generation"], 2);
    assert_eq!(case.get(&format!("{path}/a/status")).await.code, 404);
}
