//! A row's object is read where it stands in its event. What comes of it is what comes of the event read as a whole.

use proptest::prelude::*;

use super::*;

/// It has each kind of value that the redaction goes over.
fn pod() -> Value {
    json!({
        "metadata": {
            "name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "7",
            "annotations": {"a.b/c": "token=x1", "quoted": "a \"word\" and a \\ and \u{fc}"},
            "labels": {"app": "web"},
        },
        "spec": {
            "containers": [{"name": "web", "env": [{"name": "A", "value": "b"}], "args": ["--password", "x"]}],
            "replicas": 1.5e3, "paused": false, "nothing": null, "none": [], "empty": {}, "list": [1, -2, [true]],
        },
        "status": {"conditions": [{"type": "Ready", "status": "True", "message": "it\u{2019}s ready"}]},
    })
}

fn of_row(kind: &str, object: &Value) -> Bytes {
    event(kind, &table(&[("Name", "string"), ("Ready", "string")], json!(["web", "1/1"]), object))
}

/// As the event read as a whole, or not at all.
fn agrees(value: &Bytes) -> bool {
    let in_place = decoder("v1/pods").put_of_row(value);
    let whole = decoder("v1/pods").any_event(value);
    if let Some(in_place) = &in_place {
        let text = String::from_utf8_lossy(value);
        assert_eq!(format!("{:?}", Some(in_place)), format!("{whole:?}"), "{text}");
    }
    in_place.is_some()
}

#[test]
fn an_object_that_is_read_in_its_event_comes_out_as_one_that_is_read_apart() {
    let mut managed = pod();
    managed["metadata"]["managedFields"] =
        json!([{"manager": "kubelet", "fieldsV1": {"f:status": {"k:{\"type\":\"Ready\"}": {".": {}}}}}]);
    for object in [pod(), managed, json!({"metadata": {"name": "a"}}), json!({})] {
        assert!(agrees(&of_row("ADDED", &object)) && agrees(&of_row("MODIFIED", &object)));
        let without_end = of_row("MODIFIED", &object);
        let with_end = Bytes::from([&without_end, &b"\n"[..]].concat());
        assert!(agrees(&with_end));
        assert!(!agrees(&of_row("DELETED", &object)) && !agrees(&event("ADDED", &object)));
    }
    let type_first = of_row("MODIFIED", &pod());
    let text = String::from_utf8(type_first.to_vec()).expect("text");
    let text = text.replace(",\"type\":\"MODIFIED\"", "").replacen('{', "{\"type\":\"MODIFIED\",", 1);
    assert!(agrees(&text.into()));
}

#[test]
fn what_is_not_json_is_not_taken_for_an_object() {
    let text = String::from_utf8(of_row("MODIFIED", &pod()).to_vec()).expect("text");
    for (good, bad) in [
        ("\"app\":\"web\"", "\"app\" \"web\""),
        ("\"app\":\"web\"", "app:\"web\""),
        ("\"app\":\"web\"", "\"app\":\"web\","),
        ("\"app\":\"web\"", "\"app\":\"w\\x\""),
        ("\"app\":\"web\"", "\"app\":\"w\tb\""),
        ("false", "falsch"),
        ("1500.0", "01500"),
        ("[true]", "[true"),
        ("[true]", "[true,]"),
        ("[true]", "[true true]"),
        ("-2", "- 2"),
    ] {
        assert!(text.contains(good), "{good}");
        let value = Bytes::from(text.replacen(good, bad, 1));
        assert!(!agrees(&value), "{bad}");
        assert!(decoder("v1/pods").event(&value).is_none(), "{bad}");
    }
}

proptest! {
    #[test]
    fn a_changed_byte_is_read_as_it_is_read_apart(
        place in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"{}[]\",:\\ 0-.etfnul\n\xc3x=".to_vec()),
        how in 0..3_u8,
    ) {
        let mut bytes = of_row("MODIFIED", &pod()).to_vec();
        let place = place.index(bytes.len());
        match how {
            0 => bytes[place] = byte,
            1 => bytes.insert(place, byte),
            _ => drop(bytes.remove(place)),
        }
        agrees(&bytes.into());
    }
}
