//! WatchList: a list that comes as a watch, and goes on as one.

use conformance::{PARTIAL, TABLE, is_end_mark, line_of, revision_of};
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_watch_list_ends_its_initial_set_with_an_annotated_bookmark_and_goes_on,
    the_end_mark_carries_only_its_annotation_and_a_resource_version,
    a_watch_from_0_or_without_a_resource_version_sends_the_end_mark_too,
    a_watch_list_of_nothing_is_the_end_mark_for_events_too,
    a_watch_list_selects_by_labels_and_fields,
    a_watch_list_at_n_is_not_older_than_n,
    a_watch_list_in_the_future_is_200_and_a_504_event,
    a_watch_list_without_bookmarks_has_no_end_mark,
    initial_events_can_be_declined,
    a_watch_list_of_a_custom_kind_is_the_same,
    a_watch_list_in_a_table_sends_its_columns_first_and_once,
    a_watch_list_of_nothing_in_a_table_sends_the_columns_with_the_end_mark,
    a_watch_list_of_a_custom_kind_in_a_table_is_the_same,
    a_watch_list_of_partial_objects_is_metadata_alone,
];

pub const WATCH_LIST: &str =
    "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async fn lines(case: &Case, path: &str) -> Vec<String> {
    let mut events = case.watch(path).await;
    let mut lines = Vec::new();
    loop {
        let event = events.event().await;
        if is_end_mark(&event) {
            lines.sort();
            return lines;
        }
        lines.push(line_of(&event));
    }
}

async fn a_watch_list_ends_its_initial_set_with_an_annotated_bookmark_and_goes_on(case: Case) {
    let path = case.configs();
    case.config_maps(&["a", "b"]).await;
    let mut events = case.watch(&format!("{path}?{WATCH_LIST}")).await;
    let begun = [events.event().await, events.event().await];
    let mut lines = begun.each_ref().map(line_of);
    lines.sort();
    assert_eq!(lines, ["ADDED a", "ADDED b"]);
    let mark = events.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    // It is not older than anything before it.
    assert!(begun.iter().all(|event| revision_of(event) <= revision_of(&mark)));
    case.delete(&format!("{path}/a")).await;
    assert_eq!(events.line().await, "DELETED a");
}

async fn the_end_mark_carries_only_its_annotation_and_a_resource_version(case: Case) {
    let mark = case.watch(&format!("{}?{WATCH_LIST}", case.configs())).await.event().await;
    let object = &mark["object"];
    assert_eq!((&object["kind"], &object["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
    let metadata = object["metadata"].as_object().expect("metadata");
    assert_eq!(metadata.keys().collect::<Vec<_>>(), ["annotations", "resourceVersion"]);
    assert_eq!(metadata["annotations"], json!({"k8s.io/initial-events-end": "true"}));
}

async fn a_watch_from_0_or_without_a_resource_version_sends_the_end_mark_too(case: Case) {
    let path = case.configs();
    let made = case.config("a", "web").await.revision();
    // A list of any age at or after this version: once it answers, the watch cache holds the object.
    case.get(&format!("{path}?resourceVersion={made}")).await;
    for query in ["watch=1&resourceVersion=0", "watch=1"] {
        assert_eq!(lines(&case, &format!("{path}?{query}&allowWatchBookmarks=true")).await, ["ADDED a"]);
    }
}

async fn a_watch_list_of_nothing_is_the_end_mark_for_events_too(case: Case) {
    for path in [case.path("apps/v1", "deployments"), case.path("v1", "events")] {
        assert_eq!(lines(&case, &format!("{path}?{WATCH_LIST}")).await, Vec::<String>::new());
    }
}

async fn a_watch_list_selects_by_labels_and_fields(case: Case) {
    for (name, label) in [("a", "web"), ("b", "api"), ("c", "web")] {
        case.config(name, label).await;
    }
    let path = format!("{}?{WATCH_LIST}", case.configs());
    assert_eq!(lines(&case, &format!("{path}&labelSelector=app%3Dweb")).await, ["ADDED a", "ADDED c"]);
    assert_eq!(lines(&case, &format!("{path}&fieldSelector=metadata.name%3Db")).await, ["ADDED b"]);
}

async fn a_watch_list_at_n_is_not_older_than_n(case: Case) {
    let made = case.config("a", "web").await.revision();
    let path = format!("{}?{WATCH_LIST}&resourceVersion={made}", case.configs());
    assert_eq!(lines(&case, &path).await, ["ADDED a"]);
}

async fn a_watch_list_in_the_future_is_200_and_a_504_event(case: Case) {
    let path = format!("{}?{WATCH_LIST}&resourceVersion=999999999", case.configs());
    let events = case.watch(&path).await;
    assert_eq!(events.code, 200);
    let events = events.all().await;
    assert_eq!(events.len(), 1, "{events:?}");
    let status = &events[0]["object"];
    assert_eq!((&events[0]["type"], &status["code"]), (&json!("ERROR"), &json!(504)));
    assert_eq!(status.pointer("/details/causes/0/reason"), Some(&json!("ResourceVersionTooLarge")));
}

async fn a_watch_list_without_bookmarks_has_no_end_mark(case: Case) {
    case.config("a", "web").await;
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=2";
    let events = case.watch(&format!("{}?{query}", case.configs())).await.all().await;
    assert_eq!(events.iter().map(line_of).collect::<Vec<_>>(), ["ADDED a"]);
}

async fn initial_events_can_be_declined(case: Case) {
    let path = case.configs();
    case.config("a", "web").await;
    let query = "watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
    let mut events = case.watch(&format!("{path}?{query}")).await;
    case.config("b", "web").await;
    assert_eq!(events.line().await, "ADDED b");
}

async fn a_watch_list_of_a_custom_kind_is_the_same(case: Case) {
    let path = case.define(json!({})).await;
    case.thing(&path, "a", json!({})).await;
    let mut events = case.watch(&format!("{path}?{WATCH_LIST}")).await;
    assert_eq!(events.line().await, "ADDED a");
    let mark = events.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    assert_eq!(mark["object"]["kind"], "Thing");
}

async fn a_watch_list_in_a_table_sends_its_columns_first_and_once(case: Case) {
    case.config_maps(&["a", "b"]).await;
    let path = format!("{}?{WATCH_LIST}&includeObject=Object", case.configs());
    let mut events = case.watch_as(&path, TABLE).await;
    let first = events.event().await;
    assert_eq!((&first["type"], &first["object"]["kind"]), (&json!("ADDED"), &json!("Table")));
    assert_eq!(first.pointer("/object/columnDefinitions/0/name"), Some(&json!("Name")));
    assert_eq!(first.pointer("/object/rows/0/cells/1"), Some(&json!(1)));
    let object = first.pointer("/object/rows/0/object").expect("an object");
    assert_eq!(object["kind"], "ConfigMap");
    assert_eq!(first["object"]["metadata"]["resourceVersion"], object["metadata"]["resourceVersion"]);
    assert_eq!(events.event().await["object"]["columnDefinitions"], Value::Null);
    let mark = events.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    assert_eq!(mark["object"]["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(mark["object"]["columnDefinitions"], Value::Null);
    assert!(revision_of(&mark) > 0);
}

async fn a_watch_list_of_nothing_in_a_table_sends_the_columns_with_the_end_mark(case: Case) {
    let path = format!("{}?{WATCH_LIST}", case.path("apps/v1", "deployments"));
    let mark = case.watch_as(&path, TABLE).await.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    assert_eq!(mark.pointer("/object/columnDefinitions/0/name"), Some(&json!("Name")));
}

async fn a_watch_list_of_a_custom_kind_in_a_table_is_the_same(case: Case) {
    let columns = json!([{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]);
    let path = case.define(json!({"additionalPrinterColumns": columns})).await;
    case.thing(&path, "a", json!({"spec": {"size": 4}})).await;
    let mut events = case.watch_as(&format!("{path}?{WATCH_LIST}"), TABLE).await;
    let first = events.event().await;
    assert_eq!(first.pointer("/object/columnDefinitions/1/name"), Some(&json!("Size")));
    assert_eq!(first.pointer("/object/rows/0/cells"), Some(&json!(["a", 4])));
    let mark = events.event().await;
    assert!(is_end_mark(&mark), "{mark}");
    assert_eq!(mark["object"]["rows"].as_array().map(Vec::len), Some(1));
}

async fn a_watch_list_of_partial_objects_is_metadata_alone(case: Case) {
    case.config("a", "web").await;
    let mut events = case.watch_as(&format!("{}?{WATCH_LIST}", case.configs()), PARTIAL).await;
    let first = events.event().await;
    let object = &first["object"];
    assert_eq!((&object["kind"], object.get("data")), (&json!("PartialObjectMetadata"), None));
    assert!(is_end_mark(&events.event().await));
}
