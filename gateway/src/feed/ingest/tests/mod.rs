//! Decoding as a whole: tables, plain objects, bookmarks, errors, what is left out, what is
//! redacted, and the times in the cells.

mod cells;
mod in_place;
mod printer;
mod redaction;
mod values;

use bytes::Bytes;
use serde_json::{Value, json};
use shared::resource::Resource;

use super::reader::Decoder;
use super::*;
use crate::feed::event::{Event, What};
use crate::feed::{Object, Redaction};

fn resource(text: &str) -> Resource {
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [version, plural] => Resource::parse("", version, plural).expect("a resource"),
        [group, version, plural] => Resource::parse(group, version, plural).expect("a resource"),
        _ => panic!("not a resource: {text}"),
    }
}

fn decoder(of: &str) -> Decoder {
    Decoder::new(resource(of), PrinterColumns::default(), Redaction::default(), None)
}

fn table(columns: &[(&str, &str)], cells: Value, object: &Value) -> Value {
    let columns: Vec<Value> = columns
        .iter()
        .map(|(name, kind)| json!({"name": name, "type": kind, "format": "", "description": "d", "priority": 0}))
        .collect();
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": object["metadata"]["resourceVersion"]},
        "columnDefinitions": columns,
        "rows": [{"cells": cells, "object": object}],
    })
}

fn event(kind: &str, object: &Value) -> Bytes {
    json!({"type": kind, "object": object}).to_string().into()
}

fn put(event: Event) -> Object {
    match event.what {
        What::Put(object) => object,
        other => panic!("not an object: {other:?}"),
    }
}
