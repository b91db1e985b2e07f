//! Watches: where they begin, what their events say, how they end.

use conformance::{Next, line_of, revision_of};
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_watch_from_a_resource_version_tells_exactly_what_came_after,
    a_watch_without_a_resource_version_or_from_0_begins_with_everything,
    a_watch_of_a_namespace_is_silent_about_others,
    an_event_is_one_line_of_json_whose_object_carries_kind_and_api_version,
    a_deleted_event_has_the_deletions_resource_version_and_the_last_state,
    an_object_that_leaves_a_label_selector_is_deleted_with_its_old_labels,
    an_object_that_comes_into_a_label_selector_is_added,
    an_object_that_leaves_a_field_selector_is_deleted,
    one_object_is_watched_by_a_field_selector_of_its_name_and_not_by_its_path,
    an_object_that_is_held_by_a_finalizer_is_modified_first_and_deleted_last,
    a_watch_in_the_future_is_200_and_silence,
    a_watch_from_too_old_a_resource_version_is_200_and_one_error_event_with_a_plain_status,
    a_watch_ends_properly_at_its_timeout,
    an_empty_watch_parameter_is_a_watch_and_false_is_none,
    a_watch_answers_its_head_at_once_and_is_never_compressed_unasked,
    a_timeout_that_is_no_number_is_400,
    events_are_watched_from_a_resource_version_like_others,
    a_watch_that_began_before_the_first_object_of_its_kind_tells_of_it,
];

async fn a_watch_from_a_resource_version_tells_exactly_what_came_after(case: Case) {
    let path = case.configs();
    let from = case.config("a", "web").await.revision();
    case.config("b", "web").await;
    case.patch(&format!("{path}/a"), &json!({"data": {"a": "2"}})).await;
    case.delete(&format!("{path}/b")).await;
    let mut events = case.watch(&format!("{path}?watch=1&resourceVersion={from}")).await;
    let mut last = from.parse().expect("a number");
    for line in ["ADDED b", "MODIFIED a", "DELETED b"] {
        let event = events.event().await;
        assert_eq!(line_of(&event), line);
        assert!(revision_of(&event) > last, "{event}");
        last = revision_of(&event);
    }
}

async fn a_watch_without_a_resource_version_or_from_0_begins_with_everything(case: Case) {
    let path = case.configs();
    case.config("a", "web").await;
    let made = case.config("b", "web").await.revision();
    // A watch from 0 is of any age: the cache has seen the last one once it lists it.
    case.get(&format!("{path}?resourceVersion={made}")).await;
    for (query, data) in [("watch=1", "2"), ("watch=true&resourceVersion=0", "3")] {
        let mut events = case.watch(&format!("{path}?{query}")).await;
        let mut begun = [events.line().await, events.line().await];
        begun.sort();
        assert_eq!(begun, ["ADDED a", "ADDED b"], "{query}");
        case.patch(&format!("{path}/a"), &json!({"data": {"a": data}})).await;
        // A watch from 0 may begin before the last change.
        while events.event().await.pointer("/object/data/a") != Some(&json!(data)) {}
    }
}

async fn a_watch_of_a_namespace_is_silent_about_others(case: Case) {
    let from = case.config("a", "web").await.revision();
    let mut events = case.watch(&format!("{}?watch=1&resourceVersion={from}", case.configs())).await;
    case.config_elsewhere().await;
    case.config("b", "web").await;
    assert_eq!(events.line().await, "ADDED b");
}

async fn an_event_is_one_line_of_json_whose_object_carries_kind_and_api_version(case: Case) {
    let text = "größer\n🐕 \u{2028} \"quoted\"";
    case.create(&case.configs(), json!({"metadata": {"name": "a"}, "data": {"text": text}})).await;
    let event = case.watch(&format!("{}?watch=1", case.configs())).await.event().await;
    let object = &event["object"];
    assert_eq!((&object["kind"], &object["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
    assert_eq!(object["data"]["text"], text);
}

async fn a_deleted_event_has_the_deletions_resource_version_and_the_last_state(case: Case) {
    let created = case.config("a", "web").await.revision();
    let mut events = case.watch(&format!("{}?watch=1&resourceVersion={created}", case.configs())).await;
    case.delete(&format!("{}/a", case.configs())).await;
    let event = events.event().await;
    assert_eq!(event["type"], "DELETED");
    assert!(revision_of(&event) > created.parse().expect("a number"));
    assert_eq!(event.pointer("/object/data/a"), Some(&json!("1")));
}

async fn an_object_that_leaves_a_label_selector_is_deleted_with_its_old_labels(case: Case) {
    let path = case.configs();
    let from = case.config("a", "web").await.revision();
    let query = format!("watch=1&resourceVersion={from}&labelSelector=app%3Dweb");
    let mut events = case.watch(&format!("{path}?{query}")).await;
    let change = json!({"metadata": {"labels": {"app": "api"}}, "data": {"a": "2"}});
    let changed = case.patch(&format!("{path}/a"), &change).await;
    let left = events.event().await;
    assert_eq!(line_of(&left), "DELETED a");
    assert_eq!(left.pointer("/object/metadata/labels/app"), Some(&json!("web")));
    assert_eq!(left.pointer("/object/data/a"), Some(&json!("1")));
    assert_eq!(revision_of(&left).to_string(), changed.revision());
}

async fn an_object_that_comes_into_a_label_selector_is_added(case: Case) {
    let path = case.configs();
    let from = case.config("a", "api").await.revision();
    let query = format!("watch=1&resourceVersion={from}&labelSelector=app%3Dweb");
    let mut events = case.watch(&format!("{path}?{query}")).await;
    for (label, data) in [("api", "2"), ("web", "3"), ("web", "4")] {
        let change = json!({"metadata": {"labels": {"app": label}}, "data": {"a": data}});
        case.patch(&format!("{path}/a"), &change).await;
    }
    let (added, modified) = (events.event().await, events.event().await);
    assert_eq!((line_of(&added).as_str(), &added["object"]["data"]["a"]), ("ADDED a", &json!("3")));
    assert_eq!((line_of(&modified).as_str(), &modified["object"]["data"]["a"]), ("MODIFIED a", &json!("4")));
}

async fn an_object_that_leaves_a_field_selector_is_deleted(case: Case) {
    let path = case.pods();
    let from = case.pod("a").await.revision();
    let query = format!("watch=1&resourceVersion={from}&fieldSelector=status.phase%3DPending");
    let mut events = case.watch(&format!("{path}?{query}")).await;
    case.patch(&format!("{path}/a/status"), &json!({"status": {"phase": "Running"}})).await;
    let left = events.event().await;
    assert_eq!(line_of(&left), "DELETED a");
    assert_eq!(left.pointer("/object/status/phase"), Some(&json!("Pending")));
    case.patch(&format!("{path}/a/status"), &json!({"status": {"phase": "Pending"}})).await;
    assert_eq!(events.line().await, "ADDED a");
}

async fn one_object_is_watched_by_a_field_selector_of_its_name_and_not_by_its_path(case: Case) {
    let path = case.configs();
    case.config_maps(&["a", "b"]).await;
    let mut events = case.watch(&format!("{path}?watch=1&fieldSelector=metadata.name%3Db")).await;
    assert_eq!(events.line().await, "ADDED b");
    let answer = case.get(&format!("{path}/a?watch=1")).await;
    assert_eq!((answer.code, answer.text_at("/metadata/name")), (200, "a"));
    case.delete(&format!("{path}/a")).await;
    case.delete(&format!("{path}/b")).await;
    assert_eq!(events.line().await, "DELETED b");
}

async fn an_object_that_is_held_by_a_finalizer_is_modified_first_and_deleted_last(case: Case) {
    let path = case.configs();
    let held = json!({"metadata": {"name": "a", "finalizers": ["case.example/hold"]}});
    let from = case.post(&path, &held).await.revision();
    let mut events = case.watch(&format!("{path}?watch=1&resourceVersion={from}")).await;
    case.delete(&format!("{path}/a")).await;
    let marked = events.event().await;
    assert_eq!(line_of(&marked), "MODIFIED a");
    assert!(marked.pointer("/object/metadata/deletionTimestamp").is_some());
    case.patch(&format!("{path}/a"), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(events.line().await, "DELETED a");
}

async fn a_watch_in_the_future_is_200_and_silence(case: Case) {
    let query = "watch=1&resourceVersion=999999999&allowWatchBookmarks=true&timeoutSeconds=2";
    let events = case.watch(&format!("{}?{query}", case.configs())).await;
    assert_eq!(events.code, 200);
    case.config("a", "web").await;
    assert_eq!(events.all().await, Vec::<Value>::new());
}

async fn a_watch_from_too_old_a_resource_version_is_200_and_one_error_event_with_a_plain_status(case: Case) {
    case.config("a", "web").await;
    for accept in [conformance::JSON, conformance::TABLE, conformance::PARTIAL] {
        let path = format!("{}?watch=1&resourceVersion=1", case.configs());
        let events = case.watch_as(&path, accept).await;
        assert_eq!(events.code, 200);
        let events = events.all().await;
        assert_eq!(events.len(), 1, "{events:?}");
        expired(&events[0]);
    }
}

fn expired(event: &Value) {
    assert_eq!(event["type"], "ERROR");
    let status = &event["object"];
    assert_eq!((&status["kind"], &status["apiVersion"]), (&json!("Status"), &json!("v1")), "{event}");
    assert_eq!((&status["code"], &status["reason"]), (&json!(410), &json!("Expired")), "{event}");
    let message = status["message"].as_str().expect("a message");
    assert!(message.starts_with("too old resource version: 1 ("), "{message}");
}

async fn a_watch_ends_properly_at_its_timeout(case: Case) {
    let from = case.config("a", "web").await.revision();
    let query = format!("watch=1&resourceVersion={from}&timeoutSeconds=1");
    let mut events = case.watch(&format!("{}?{query}", case.configs())).await;
    assert_eq!(events.next().await, Next::End);
}

async fn an_empty_watch_parameter_is_a_watch_and_false_is_none(case: Case) {
    let path = case.configs();
    case.config("a", "web").await;
    for query in ["watch", "watch=", "watch=yes", "watch=1"] {
        let mut events = case.watch(&format!("{path}?{query}")).await;
        assert_eq!(events.line().await, "ADDED a", "{query}");
    }
    for query in ["watch=false", "watch=0", "watch=False"] {
        assert_eq!(case.get(&format!("{path}?{query}")).await.body["kind"], "ConfigMapList", "{query}");
    }
}

async fn a_watch_answers_its_head_at_once_and_is_never_compressed_unasked(case: Case) {
    let from = case.config("a", "web").await.revision();
    let events = case.watch(&format!("{}?watch=1&resourceVersion={from}", case.configs())).await;
    assert_eq!((events.code, events.headers["content-type"].as_bytes()), (200, &b"application/json"[..]));
    assert_eq!(events.headers["transfer-encoding"], "chunked");
    for query in ["watch=1", crate::watch_lists::WATCH_LIST] {
        let mut events = case.watch(&format!("{}?{query}", case.configs())).await;
        assert!(!events.headers.contains_key("content-encoding"), "{query}");
        assert_eq!(events.line().await, "ADDED a", "{query}");
    }
}

async fn a_timeout_that_is_no_number_is_400(case: Case) {
    for query in ["timeoutSeconds=x", "watch=1&timeoutSeconds=x", "limit=x"] {
        let answer = case.get(&format!("{}?{query}", case.configs())).await;
        let message = "strconv.ParseInt: parsing \"x\": invalid syntax";
        assert_eq!(answer.refusal(), (400, "BadRequest", message), "{query}");
    }
    let answer = case.get(&format!("{}?limit=99999999999999999999", case.configs())).await;
    let message = "strconv.ParseInt: parsing \"99999999999999999999\": value out of range";
    assert_eq!(answer.refusal(), (400, "BadRequest", message));
}

async fn events_are_watched_from_a_resource_version_like_others(case: Case) {
    let path = case.path("v1", "events");
    let event = |name: &str| {
        json!({
            "metadata": {"name": name}, "reason": "Tested", "type": "Normal", "message": "so it is",
            "involvedObject": {"kind": "Pod", "name": "p", "namespace": case.namespace},
        })
    };
    let from = case.post(&path, &event("a")).await.revision();
    case.create(&path, event("b")).await;
    let mut events = case.watch(&format!("{path}?watch=1&resourceVersion={from}")).await;
    assert_eq!(events.line().await, "ADDED b");
    case.delete(&format!("{path}/a")).await;
    assert_eq!(events.line().await, "DELETED a");
}

async fn a_watch_that_began_before_the_first_object_of_its_kind_tells_of_it(case: Case) {
    let path = case.define(json!({})).await;
    let from = case.get(&path).await.revision();
    let mut events = case.watch(&format!("{path}?watch=1&resourceVersion={from}")).await;
    // Another kind's change moves the revision on.
    case.config("a", "web").await;
    case.thing(&path, "a", json!({})).await;
    assert_eq!(events.line().await, "ADDED a");
}
