//! Bookmarks: when they come, and what they say.

use conformance::{Next, PARTIAL, TABLE, is_end_mark, revision_of};
use serde_json::{Value, json};

use crate::case::Case;

statements![
    a_quiet_watch_gets_a_bookmark_about_every_minute,
    a_bookmark_comes_just_before_the_deadline,
    a_bookmark_is_an_empty_object_with_a_resource_version,
    a_bookmark_in_a_table_has_one_row_and_the_resource_version_of_the_table,
    a_bookmark_among_partial_objects_is_one,
    no_bookmark_comes_unasked,
    a_watch_from_a_bookmark_misses_nothing,
    events_get_no_bookmarks,
    a_bookmark_is_sent_whatever_the_selector,
];

const BOOKMARKED: &str = "watch=1&allowWatchBookmarks=true";

/// A change that the watch doesn't tell of. Without one there is nothing that a bookmark could say.
async fn elsewhere(case: &Case) {
    case.config_elsewhere().await;
}

/// A watch's bookmark before its end.
async fn last(case: &Case, accept: &str, more: &str) -> (Value, u64) {
    let from = case.config("a", "web").await.revision();
    let query = format!("{BOOKMARKED}&resourceVersion={from}&timeoutSeconds=3{more}");
    let mut events = case.watch_as(&format!("{}?{query}", case.configs()), accept).await;
    elsewhere(case).await;
    let bookmark = events.event().await;
    assert_eq!(bookmark["type"], "BOOKMARK");
    assert!(!is_end_mark(&bookmark), "{bookmark}");
    loop {
        match events.next().await {
            Next::Event(event) => assert_eq!(event["type"], "BOOKMARK"),
            end => break assert_eq!(end, Next::End),
        }
    }
    (bookmark, from.parse().expect("a number"))
}

async fn a_quiet_watch_gets_a_bookmark_about_every_minute(case: Case) {
    let from = case.config("a", "web").await.revision();
    let path = format!("{}?{BOOKMARKED}&resourceVersion={from}", case.configs());
    let mut events = case.watch(&path).await;
    elsewhere(&case).await;
    let asked = std::time::Instant::now();
    let bookmark = events.event().await;
    assert_eq!(bookmark["type"], "BOOKMARK");
    assert!(asked.elapsed().as_secs() < 90, "{:?}", asked.elapsed());
    assert!(revision_of(&bookmark) > from.parse().expect("a number"));
}

async fn a_bookmark_comes_just_before_the_deadline(case: Case) {
    let (bookmark, from) = last(&case, conformance::JSON, "").await;
    assert!(revision_of(&bookmark) > from, "{bookmark}");
}

async fn a_bookmark_is_an_empty_object_with_a_resource_version(case: Case) {
    let (bookmark, _) = last(&case, conformance::JSON, "").await;
    let object = &bookmark["object"];
    assert_eq!((&object["kind"], &object["apiVersion"]), (&json!("ConfigMap"), &json!("v1")));
    let metadata = object["metadata"].as_object().expect("metadata");
    assert_eq!(metadata.keys().collect::<Vec<_>>(), ["resourceVersion"]);
    assert!(object.get("data").is_none());
}

async fn a_bookmark_in_a_table_has_one_row_and_the_resource_version_of_the_table(case: Case) {
    let (bookmark, from) = last(&case, TABLE, "").await;
    let table = &bookmark["object"];
    assert_eq!(table["kind"], "Table");
    assert_eq!(table["rows"].as_array().map(Vec::len), Some(1));
    assert!(revision_of(&bookmark) > from);
    let row = &table["rows"][0]["object"]["metadata"]["resourceVersion"];
    assert_eq!(*row, table["metadata"]["resourceVersion"]);
    // The cells are those of an empty object.
    assert_eq!(table["rows"][0]["cells"], json!(["", 0, "<unknown>"]));
}

async fn a_bookmark_among_partial_objects_is_one(case: Case) {
    let (bookmark, _) = last(&case, PARTIAL, "").await;
    assert_eq!(bookmark["object"]["kind"], "PartialObjectMetadata");
}

async fn no_bookmark_comes_unasked(case: Case) {
    let from = case.config("a", "web").await.revision();
    let path = format!("{}?watch=1&resourceVersion={from}&timeoutSeconds=3", case.configs());
    assert_eq!(case.watch(&path).await.all().await, Vec::<Value>::new());
}

async fn a_watch_from_a_bookmark_misses_nothing(case: Case) {
    let (bookmark, _) = last(&case, conformance::JSON, "").await;
    case.config("b", "web").await;
    let path = format!("{}?watch=1&resourceVersion={}", case.configs(), revision_of(&bookmark));
    assert_eq!(case.watch(&path).await.line().await, "ADDED b");
}

async fn events_get_no_bookmarks(case: Case) {
    let path = case.path("v1", "events");
    let from = case.get(&path).await.revision();
    let query = format!("{BOOKMARKED}&resourceVersion={from}&timeoutSeconds=3");
    assert_eq!(case.watch(&format!("{path}?{query}")).await.all().await, Vec::<Value>::new());
}

async fn a_bookmark_is_sent_whatever_the_selector(case: Case) {
    let (bookmark, from) = last(&case, conformance::JSON, "&labelSelector=app%3Dnone").await;
    assert!(revision_of(&bookmark) > from);
}
