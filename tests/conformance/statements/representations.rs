//! Which representation an Accept header gets: plain objects, Tables, partial objects, or none.

use conformance::{Next, PARTIAL, TABLE};
use serde_json::json;

use crate::case::Case;

statements![
    the_best_clause_that_is_served_decides_and_among_equals_the_first,
    a_media_type_that_is_not_served_is_406,
    an_unknown_representation_is_406,
    a_list_and_one_of_partial_objects_carry_metadata_alone,
    a_partial_list_of_one_object_and_a_partial_object_of_a_list_are_406,
    a_watch_of_partial_objects_carries_metadata_alone,
    a_watch_of_partial_lists_ends_at_its_first_event,
    managed_fields_cannot_be_dropped_yet,
];

const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

async fn the_best_clause_that_is_served_decides_and_among_equals_the_first(case: Case) {
    case.config("a", "web").await;
    for (accept, expected) in [
        // A clause that isn't served falls back to the next.
        ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "ConfigMapList"),
        (&format!("application/json;as=Nothing;v=v1;g=meta.k8s.io,{TABLE}"), "Table"),
        ("text/html,application/json;q=0.1", "ConfigMapList"),
        ("image/png,*/*;q=0.8", "ConfigMapList"),
        // The highest quality decides.
        (&format!("{TABLE};q=0.1,application/json;q=0.9"), "ConfigMapList"),
        (&format!("application/json;q=0.1,{TABLE};q=0.9"), "Table"),
        // Among equals the first decides.
        (&format!("application/json,{TABLE}"), "ConfigMapList"),
        (&format!("{TABLE},application/json"), "Table"),
        (&format!("{TABLE}; charset=utf-8 , application/json"), "Table"),
        // Any media type is JSON.
        ("*/*", "ConfigMapList"),
        ("", "ConfigMapList"),
        ("application/json;q=0.5", "ConfigMapList"),
        // Unknown parameters are ignored.
        ("application/json;charset=utf-8", "ConfigMapList"),
        ("application/json;profile=x", "ConfigMapList"),
        ("application/json;stream=watch", "ConfigMapList"),
        ("application/json; as=Table; v=v1; g=meta.k8s.io", "Table"),
    ] {
        let answer = case.get_as(&case.configs(), accept).await;
        assert_eq!((answer.code, answer.text_at("/kind")), (200, expected), "{accept:?}: {}", answer.text);
    }
}

/// Asserts a 406 whose message begins so: which types there are depends on the server.
async fn not_acceptable(case: &Case, path: &str, accept: &str, begins: &str) {
    let answer = case.get_as(path, accept).await;
    let (code, reason, message) = answer.refusal();
    assert_eq!((code, reason), (406, "NotAcceptable"), "{accept}");
    assert!(message.starts_with(begins), "{accept}: {message}");
}

async fn a_media_type_that_is_not_served_is_406(case: Case) {
    let begins = "406: Not Acceptable\n\nAvailable representations: application/json";
    let watch = format!("{}?watch=1", case.configs());
    // A wildcard for a part of the type is one of them.
    for accept in ["application/*", "text/*", "text/html", "garbage", "application/cbor", "Application/JSON"]
    {
        for path in [&case.configs(), &watch] {
            not_acceptable(&case, path, accept, begins).await;
        }
    }
    assert_eq!(case.get_as(&watch, "application/yaml").await.code, 406, "a stream of YAML");
}

async fn an_unknown_representation_is_406(case: Case) {
    case.config("a", "web").await;
    for accept in [
        "application/json;as=Table;v=v9;g=meta.k8s.io",
        "application/json;as=Table;v=v1;g=other",
        "application/json;as=Table",
        "application/json;as=Nothing;v=v1;g=meta.k8s.io",
    ] {
        for path in [case.configs(), format!("{}/a", case.configs())] {
            let begins = "only the following media types are accepted: application/json";
            not_acceptable(&case, &path, accept, begins).await;
        }
    }
}

async fn a_list_and_one_of_partial_objects_carry_metadata_alone(case: Case) {
    case.config("a", "web").await;
    let list = case.get_as(&case.configs(), PARTIAL_LIST).await;
    let kind = (list.text_at("/kind"), list.text_at("/apiVersion"));
    assert_eq!(kind, ("PartialObjectMetadataList", "meta.k8s.io/v1"));
    let item = &list.body["items"][0];
    assert_eq!((&item["metadata"]["name"], item.get("data")), (&json!("a"), None));
    assert_eq!(item["metadata"]["labels"]["app"], "web");
    let one = case.get_as(&format!("{}/a", case.configs()), PARTIAL).await;
    let kind = (one.text_at("/kind"), one.text_at("/apiVersion"));
    assert_eq!(kind, ("PartialObjectMetadata", "meta.k8s.io/v1"));
    assert_eq!(one.body.as_object().map(serde_json::Map::len), Some(3));
}

async fn a_partial_list_of_one_object_and_a_partial_object_of_a_list_are_406(case: Case) {
    case.config("a", "web").await;
    let begins = "you requested PartialObjectMetadata, but the requested object is a list";
    not_acceptable(&case, &case.configs(), PARTIAL, begins).await;
    let begins = "you requested PartialObjectMetadataList, but the requested object is not a list";
    not_acceptable(&case, &format!("{}/a", case.configs()), PARTIAL_LIST, begins).await;
}

async fn a_watch_of_partial_objects_carries_metadata_alone(case: Case) {
    let from = case.config("a", "web").await.revision();
    case.delete(&format!("{}/a", case.configs())).await;
    let path = format!("{}?watch=1&resourceVersion={from}", case.configs());
    let event = case.watch_as(&path, PARTIAL).await.event().await;
    assert_eq!(
        (&event["type"], &event["object"]["kind"]),
        (&json!("DELETED"), &json!("PartialObjectMetadata"))
    );
    assert_eq!(event["object"].get("data"), None);
}

async fn a_watch_of_partial_lists_ends_at_its_first_event(case: Case) {
    let from = case.config("a", "web").await.revision();
    let path = format!("{}?watch=1&resourceVersion={from}", case.configs());
    let mut events = case.watch_as(&path, PARTIAL_LIST).await;
    assert_eq!(events.code, 200);
    case.config("b", "web").await;
    assert_eq!(events.next().await, Next::End);
}

async fn managed_fields_cannot_be_dropped_yet(case: Case) {
    case.config("a", "web").await;
    let list = case.get_as(&case.configs(), "application/json;drop=metadata.managedFields").await;
    let field = list.body.pointer("/items/0/metadata/managedFields/0/fieldsV1/f:data/f:a");
    assert!(field.is_some(), "{}", list.text);
}
