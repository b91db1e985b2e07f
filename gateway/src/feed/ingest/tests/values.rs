//! What a value of a stream becomes.

use shared::cell::Cell;
use shared::problem::Reason;

use super::*;
use crate::cluster::{Failure, Refusal};
use crate::limits;

fn pod(name: &str, version: &str) -> Value {
    json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {
            "name": name, "namespace": "shop", "uid": format!("uid-{name}"), "resourceVersion": version,
            "creationTimestamp": "2026-11-21T02:43:01Z",
            "labels": {"app": "cart", "pod-template-hash": "7d9"},
            "ownerReferences": [
                {"kind": "Other", "name": "o", "uid": "1", "apiVersion": "v1"},
                {"kind": "ReplicaSet", "name": "cart-7d9", "uid": "2", "apiVersion": "apps/v1", "controller": true},
            ],
        },
    })
}

#[test]
fn a_row_becomes_an_object_with_what_a_view_needs() {
    let mut decoder = decoder("v1/pods");
    let columns = [
        ("Name", "string"),
        ("Restarts", "string"),
        ("Weight", "number"),
        ("Ok", "boolean"),
        ("Age", "string"),
    ];
    let table = table(&columns, json!(["a", 3, 1.5, true, "5m"]), &pod("a", "7"));
    let event = decoder.event(&event("ADDED", &table)).expect("an event");
    assert_eq!(event.resource_version.as_str(), "7");
    let names: Vec<_> = event.columns.iter().flat_map(|c| c.iter()).map(|column| &*column.name).collect();
    assert_eq!(names, ["Name", "Restarts", "Weight", "Ok", "Age"]);
    let object = put(event);
    let row = &object.row;
    assert_eq!((&*row.name, row.namespace.as_deref()), ("a", Some("shop")));
    assert_eq!(row.created, Some(1_795_228_981));
    let cells =
        [Cell::text("a"), Cell::Int(3), Cell::Float(1.5), Cell::Bool(true), Cell::Age(Some(1_795_228_981))];
    assert_eq!(row.cells, cells);
    let extra = row.extra.as_ref().expect("an owner");
    assert_eq!(
        extra.owner.as_ref().map(|owner| (&*owner.kind, &*owner.name)),
        Some(("ReplicaSet", "cart-7d9"))
    );
    assert_eq!(extra.hash.as_deref(), Some("7d9"));
    assert_eq!(
        (object.labels.get("app"), object.labels.get("pod-template-hash")),
        (Some("cart"), Some("7d9"))
    );
    assert_eq!(
        serde_json::from_slice::<Value>(&object.body.json().expect("a body")).expect("JSON")["metadata"]["name"],
        "a"
    );
}

#[test]
fn later_events_have_no_columns_and_are_read_by_the_first_ones() {
    let mut decoder = decoder("v1/pods");
    let first = table(&[("Name", "string"), ("Age", "string")], json!(["a", "1s"]), &pod("a", "7"));
    decoder.event(&event("ADDED", &first)).expect("an event");
    let mut second = table(&[], json!(["b", "1s"]), &pod("b", "8"));
    second["columnDefinitions"] = Value::Null;
    let second = decoder.event(&event("MODIFIED", &second)).expect("an event");
    assert!(second.columns.is_none());
    assert_eq!(put(second).row.cells.len(), 2);
}

#[test]
fn the_same_uid_is_the_same_row_everywhere() {
    let id = |object: &Value| {
        let table = table(&[("Name", "string")], json!(["a"]), object);
        put(decoder("v1/pods").event(&event("ADDED", &table)).expect("an event")).row.id
    };
    // The upper 60 bits of SHA-256("uid-a").
    assert_eq!(id(&pod("a", "7")).to_string(), "wbQc_xRBhS");
    let mut renamed = pod("a", "7");
    renamed["metadata"]["name"] = json!("b");
    assert_eq!(id(&renamed), id(&pod("a", "7")));
}

#[test]
fn a_bookmark_in_either_form_is_no_object() {
    let annotated = json!({"kind": "Pod", "metadata": {
        "resourceVersion": "9", "annotations": {"k8s.io/initial-events-end": "true"}}});
    let plain = json!({"kind": "Pod", "metadata": {"resourceVersion": "9"}});
    let cases = [
        (annotated.clone(), true),
        (plain.clone(), false),
        (table(&[("Name", "string")], json!([""]), &annotated), true),
        (table(&[("Name", "string")], json!([""]), &plain), false),
    ];
    for (object, expected) in cases {
        let event = decoder("v1/pods").event(&event("BOOKMARK", &object)).expect("an event");
        assert_eq!(event.resource_version.as_str(), "9");
        assert_eq!(event.columns.is_some(), object["kind"] == "Table", "a plain bookmark says no columns");
        assert!(
            matches!(event.what, What::Bookmark { ends_initial } if ends_initial == expected),
            "{object}"
        );
    }
}

#[test]
fn errors_unknown_types_and_deletes_are_told_apart() {
    let decode =
        |kind: &str, object: &Value| decoder("v1/pods").event(&event(kind, object)).map(|event| event.what);
    let status = json!({"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"});
    assert!(
        matches!(decode("ERROR", &status), Some(What::Error(refusal)) if refusal.reason() == Reason::Expired)
    );
    let table = table(&[("Name", "string")], json!(["a"]), &pod("a", "7"));
    assert!(matches!(decode("SNEEZED", &table), Some(What::Unknown)));
    let id = put(decoder("v1/pods").event(&event("ADDED", &table)).expect("an event")).row.id;
    assert!(matches!(decode("DELETED", &table), Some(What::Deleted(deleted)) if deleted == id));
    assert!(decoder("v1/pods").event(&b"{\"type\":\"ADDED\"}".as_slice().into()).is_none());
    assert!(decoder("v1/pods").event(&b"{\"kind\":\"Pod\"}".as_slice().into()).is_none());
}

#[test]
fn a_server_that_prints_no_tables_gives_name_and_age() {
    let mut decoder = decoder("v1/pods");
    let event = decoder.event(&event("ADDED", &pod("a", "7"))).expect("an event");
    let names: Vec<_> = event.columns.iter().flat_map(|c| c.iter()).map(|column| &*column.name).collect();
    assert_eq!(names, ["Name", "Age"]);
    assert_eq!(event.resource_version.as_str(), "7");
    assert_eq!(put(event).row.cells, [Cell::text("a"), Cell::Age(Some(1_795_228_981))]);
    let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "9"}, "items": [pod("a", "7"), pod("b", "8")]});
    let page = decoder.page(&list.to_string().into()).expect("a page");
    assert_eq!(page.objects.len(), 2);
    assert_eq!(page.columns.len(), 2);
}

#[test]
fn a_page_says_where_it_goes_on() {
    let mut list = table(&[("Name", "string")], json!(["a"]), &pod("a", "7"));
    list["metadata"] = json!({"resourceVersion": "9", "continue": "t", "remainingItemCount": 4});
    let page = decoder("v1/pods").page(&list.to_string().into()).expect("a page");
    assert_eq!(
        (page.resource_version.as_str(), page.next.as_deref(), page.remaining),
        ("9", Some("t"), Some(4))
    );
    list["metadata"] = json!({"resourceVersion": "9", "continue": ""});
    list["rows"] = Value::Null;
    let page = decoder("v1/pods").page(&list.to_string().into()).expect("a page");
    assert_eq!((page.next, page.objects.len(), page.columns.len()), (None, 0, 1));
    for other in ["{}", "[]", "<html>", "{\"kind\":\"Pod\"}"] {
        assert!(decoder("v1/pods").page(&other.into()).is_none(), "{other}");
    }
}

#[test]
fn one_object_that_cannot_be_read_does_not_stop_the_rest() {
    let mut list = table(&[("Name", "string")], json!(["a"]), &pod("a", "7"));
    let nameless = json!({"cells": ["x"], "object": {"metadata": {"uid": "u"}}});
    list["rows"].as_array_mut().expect("rows").insert(0, nameless);
    let page = decoder("v1/pods").page(&list.to_string().into()).expect("a page");
    assert_eq!(page.objects.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn an_object_that_is_too_large_is_named_from_its_beginning() {
    let name = |head: &[u8]| match Decoder::too_large(head).what {
        What::LeftOut(left_out) => left_out.object.to_string(),
        other => panic!("left out: {other:?}"),
    };
    let table = table(&[("Name", "string")], json!(["a"]), &pod("a", "7"));
    let head = event("ADDED", &table);
    assert_eq!(name(&head), "shop/a");
    assert_eq!(
        name(b"{\"type\":\"ADDED\",\"object\":{\"kind\":\"X\",\"metadata\":{\"name\":\"n\",\"na"),
        "n"
    );
    assert_eq!(name(b"{\"type\":\"ADDED\",\"object\":{"), "an object whose name isn't known");
}

#[test]
fn an_object_of_a_list_has_the_bound_of_a_value_of_a_stream() {
    let mut large = pod("large", "8");
    large["spec"] = json!({"text": "y".repeat(limits::UPSTREAM_VALUE_BYTES_MAX)});
    let row = |object: Value| json!({"cells": [object["metadata"]["name"]], "object": object});
    let mut list = table(&[("Name", "string")], json!([]), &pod("a", "7"));
    list["rows"] = json!([row(pod("a", "7")), row(large), row(pod("b", "9"))]);
    let page = decoder("v1/pods").page(&list.to_string().into()).expect("a page");
    let [Ok(_), Err(left_out), Ok(_)] = page.objects.as_slice() else { panic!("three objects") };
    assert_eq!(left_out.problem.reason, Reason::TooLarge);
    assert_eq!(left_out.problem.to_string(), "shop/large is larger than 16 MiB and is left out");
}

#[test]
fn objects_without_uid_go_by_their_name_and_a_hash_of_their_content() {
    let metrics = |created: &str, cpu: &str| {
        let object = json!({
            "metadata": {"name": "a", "namespace": "shop", "creationTimestamp": created},
            "usage": {"cpu": cpu},
        });
        let table = table(&[("Name", "string")], json!(["a"]), &object);
        put(decoder("metrics.k8s.io/v1beta1/pods").event(&event("ADDED", &table)).expect("an event")).row
    };
    let first = metrics("2026-11-21T02:43:01Z", "1");
    let later = metrics("2026-11-21T02:43:59Z", "1");
    let busier = metrics("2026-11-21T02:43:59Z", "2");
    assert_eq!((first.id, &first.resource_version), (later.id, &later.resource_version));
    assert_eq!(busier.id, first.id);
    assert_ne!(busier.resource_version, first.resource_version);
}

#[test]
fn a_servers_own_words_are_told_unless_they_hold_a_credential() {
    let told = |message: &str| {
        let body = json!({ "kind": "Status", "code": 500, "message": message }).to_string();
        let refusal = Refusal::read(500, None, body.as_bytes());
        match Memory::default().told(Failure::Refused(refusal)) {
            Failure::Refused(refusal) => refusal.message,
            Failure::Broken(problem) => panic!("{problem}"),
        }
    };
    let webhook = "conversion webhook for acme.test/v1, Kind=Parcel failed: Post \"https://hooks.acme.svc:443/c?timeout=30s\"";
    assert_eq!(told(webhook).as_deref(), Some(webhook));
    for hidden in ["Post \"https://bob:hunter2@hooks.acme.svc\": refused", "login failed: password=hunter2"] {
        assert_eq!(told(hidden), None, "{hidden}");
    }
}
