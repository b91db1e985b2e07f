//! Bookmarks: when they come, and what they carry.

use conformance::{JSON, Next, PARTIAL, TABLE, is_end_mark, revision_of};
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_quiet_watch_gets_a_bookmark_about_every_minute,
    a_bookmark_before_the_deadline_is_an_empty_object_from_which_a_watch_misses_nothing,
    a_bookmark_in_a_table_has_one_row_and_the_resource_version_of_the_table,
    a_bookmark_among_partial_objects_is_one,
    no_bookmark_comes_unasked_nor_for_events,
    a_bookmark_is_sent_whatever_the_selector,
];

const BOOKMARKED: &str = "watch=1&allowWatchBookmarks=true";

/// A watch's bookmark before its end. A change that the watch doesn't see gives it something to report.
async fn last(case: &Case, accept: &str, more: &str) -> Value {
    let from = case.config("a", "web").await.revision();
    let query = format!("{BOOKMARKED}&resourceVersion={from}&timeoutSeconds=3{more}");
    let mut events = case.watch_as(&format!("{}?{query}", case.configs()), accept).await;
    case.config_elsewhere().await;
    let bookmark = events.event().await;
    assert_eq!(bookmark["type"], "BOOKMARK");
    assert!(!is_end_mark(&bookmark), "{bookmark}");
    assert!(revision_of(&bookmark) > from.parse().expect("a number"), "{bookmark}");
    loop {
        match events.next().await {
            Next::Event(event) => assert_eq!(event["type"], "BOOKMARK"),
            end => break assert_eq!(end, Next::End),
        }
    }
    bookmark
}

async fn a_quiet_watch_gets_a_bookmark_about_every_minute(case: Case) {
    let from = case.config("a", "web").await.revision();
    let path = format!("{}?{BOOKMARKED}&resourceVersion={from}", case.configs());
    let mut events = case.watch(&path).await;
    case.config_elsewhere().await;
    let asked = std::time::Instant::now();
    let bookmark = events.event().await;
    assert_eq!(bookmark["type"], "BOOKMARK");
    assert!(asked.elapsed().as_secs() < 90, "{:?}", asked.elapsed());
    assert!(revision_of(&bookmark) > from.parse().expect("a number"));
}

async fn a_bookmark_before_the_deadline_is_an_empty_object_from_which_a_watch_misses_nothing(case: Case) {
    let bookmark = last(&case, JSON, "").await;
    let object = &bookmark["object"];
    assert_eq!((&object["kind"], &object["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
    let metadata = object["metadata"].as_object().expect("metadata");
    assert_eq!(metadata.keys().collect::<Vec<_>>(), ["resourceVersion"]);
    assert!(object.get("data").is_none());
    case.config("b", "web").await;
    let path = format!("{}?watch=1&resourceVersion={}", case.configs(), revision_of(&bookmark));
    assert_eq!(case.watch(&path).await.line().await, "ADDED b");
}

async fn a_bookmark_in_a_table_has_one_row_and_the_resource_version_of_the_table(case: Case) {
    let bookmark = last(&case, TABLE, "").await;
    let table = &bookmark["object"];
    assert_eq!(table["kind"], "Table");
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(1));
    let row = &table["rows"][0]["object"]["metadata"]["resourceVersion"];
    assert_eq!(*row, table["metadata"]["resourceVersion"]);
    // The cells are those of an empty object.
    assert_eq!(table["rows"][0]["cells"], json!(["", 0, "<unknown>"]));
}

async fn a_bookmark_among_partial_objects_is_one(case: Case) {
    assert_eq!(last(&case, PARTIAL, "").await["object"]["kind"], "PartialObjectMetadata");
}

async fn no_bookmark_comes_unasked_nor_for_events(case: Case) {
    let from = case.config("a", "web").await.revision();
    for (path, query) in [(case.configs(), "watch=1"), (case.path("v1", "events"), BOOKMARKED)] {
        let path = format!("{path}?{query}&resourceVersion={from}&timeoutSeconds=3");
        assert_eq!(case.watch(&path).await.all().await, Vec::<Value>::new());
    }
}

async fn a_bookmark_is_sent_whatever_the_selector(case: Case) {
    last(&case, JSON, "&labelSelector=app%3Dnone").await;
}
