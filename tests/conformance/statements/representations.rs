//! Which representation an Accept header gets: plain objects, Tables, partial objects, or none.

use conformance::{PARTIAL, TABLE};
use serde_json::json;

use crate::case::Case;

statements![
    a_clause_that_is_not_served_falls_back_to_the_next,
    the_clause_with_the_highest_quality_decides,
    among_equals_the_first_clause_decides,
    any_media_type_is_json,
    a_wildcard_for_a_part_of_the_media_type_is_406,
    an_unknown_media_type_is_406,
    an_unknown_representation_is_406,
    parameters_that_mean_nothing_are_ignored,
    a_list_of_partial_objects_carries_metadata_alone,
    one_partial_object_carries_metadata_alone,
    a_partial_list_of_one_object_and_a_partial_object_of_a_list_are_406,
    a_watch_of_partial_objects_carries_metadata_alone,
    a_watch_of_partial_lists_ends_at_its_first_event,
    a_stream_of_yaml_is_406,
    managed_fields_cannot_be_dropped_yet,
];

async fn kind(case: &Case, accept: &str) -> String {
    case.config("a", "web").await;
    let answer = case.get_as(&case.configs(), accept).await;
    assert_eq!(answer.code, 200, "{accept}: {}", answer.text);
    case.delete(&format!("{}/a", case.configs())).await;
    answer.text_at("/kind").to_owned()
}

async fn a_clause_that_is_not_served_falls_back_to_the_next(case: Case) {
    for (accept, expected) in [
        ("application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "ConfigMapList"),
        (
            "application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io",
            "Table",
        ),
        ("text/html,application/json;q=0.1", "ConfigMapList"),
        ("image/png,*/*;q=0.8", "ConfigMapList"),
    ] {
        assert_eq!(kind(&case, accept).await, expected, "{accept}");
    }
}

async fn the_clause_with_the_highest_quality_decides(case: Case) {
    let both = format!("{TABLE};q=0.1,application/json;q=0.9");
    assert_eq!(kind(&case, &both).await, "ConfigMapList");
    let both = format!("application/json;q=0.1,{TABLE};q=0.9");
    assert_eq!(kind(&case, &both).await, "Table");
}

async fn among_equals_the_first_clause_decides(case: Case) {
    assert_eq!(kind(&case, &format!("application/json,{TABLE}")).await, "ConfigMapList");
    assert_eq!(kind(&case, &format!("{TABLE},application/json")).await, "Table");
    assert_eq!(kind(&case, &format!("{TABLE}; charset=utf-8 , application/json")).await, "Table");
}

async fn any_media_type_is_json(case: Case) {
    for accept in ["*/*", "", "application/json;q=0.5"] {
        assert_eq!(kind(&case, accept).await, "ConfigMapList", "{accept:?}");
    }
}

async fn a_wildcard_for_a_part_of_the_media_type_is_406(case: Case) {
    no_media(&case, "application/*").await;
    no_media(&case, "text/*").await;
}

async fn an_unknown_media_type_is_406(case: Case) {
    for accept in ["text/html", "garbage", "application/cbor", "Application/JSON"] {
        no_media(&case, accept).await;
    }
}

/// Which types there are depends on the server.
async fn no_media(case: &Case, accept: &str) {
    for path in [case.configs(), format!("{}?watch=1", case.configs())] {
        let answer = case.get_as(&path, accept).await;
        let (code, reason, message) = answer.refusal();
        assert_eq!((code, reason), (406, "NotAcceptable"), "{accept}");
        let begins = "406: Not Acceptable\n\nAvailable representations: application/json";
        assert!(message.starts_with(begins), "{accept}: {message}");
    }
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
            let answer = case.get_as(&path, accept).await;
            let (code, reason, message) = answer.refusal();
            assert_eq!((code, reason), (406, "NotAcceptable"), "{accept}");
            let begins = "only the following media types are accepted: application/json";
            assert!(message.starts_with(begins), "{accept}: {message}");
        }
    }
}

async fn parameters_that_mean_nothing_are_ignored(case: Case) {
    for accept in
        ["application/json;charset=utf-8", "application/json;profile=x", "application/json;stream=watch"]
    {
        assert_eq!(kind(&case, accept).await, "ConfigMapList", "{accept}");
    }
    assert_eq!(kind(&case, "application/json; as=Table; v=v1; g=meta.k8s.io").await, "Table");
}

const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

async fn a_list_of_partial_objects_carries_metadata_alone(case: Case) {
    case.config("a", "web").await;
    let list = case.get_as(&case.configs(), PARTIAL_LIST).await;
    assert_eq!(
        (list.text_at("/kind"), list.text_at("/apiVersion")),
        ("PartialObjectMetadataList", "meta.k8s.io/v1")
    );
    let item = &list.body["items"][0];
    assert_eq!((&item["metadata"]["name"], item.get("data")), (&json!("a"), None));
    assert_eq!(item["metadata"]["labels"]["app"], "web");
}

async fn one_partial_object_carries_metadata_alone(case: Case) {
    case.config("a", "web").await;
    let one = case.get_as(&format!("{}/a", case.configs()), PARTIAL).await;
    assert_eq!(
        (one.text_at("/kind"), one.text_at("/apiVersion")),
        ("PartialObjectMetadata", "meta.k8s.io/v1")
    );
    assert_eq!(one.body.as_object().map(serde_json::Map::len), Some(3));
}

async fn a_partial_list_of_one_object_and_a_partial_object_of_a_list_are_406(case: Case) {
    case.config("a", "web").await;
    for (path, accept, begins) in [
        (case.configs(), PARTIAL, "you requested PartialObjectMetadata, but the requested object is a list"),
        (
            format!("{}/a", case.configs()),
            PARTIAL_LIST,
            "you requested PartialObjectMetadataList, but the requested object is not a list",
        ),
    ] {
        let answer = case.get_as(&path, accept).await;
        let (code, reason, message) = answer.refusal();
        assert_eq!((code, reason), (406, "NotAcceptable"), "{accept}");
        assert!(message.starts_with(begins), "{message}");
    }
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
    assert_eq!(events.next().await, conformance::Next::End);
}

async fn a_stream_of_yaml_is_406(case: Case) {
    let answer = case.get_as(&format!("{}?watch=1", case.configs()), "application/yaml").await;
    assert_eq!(answer.code, 406);
}

async fn managed_fields_cannot_be_dropped_yet(case: Case) {
    case.config("a", "web").await;
    let list = case.get_as(&case.configs(), "application/json;drop=metadata.managedFields").await;
    assert!(
        list.body.pointer("/items/0/metadata/managedFields/0/fieldsV1/f:data/f:a").is_some(),
        "{}",
        list.text
    );
}
