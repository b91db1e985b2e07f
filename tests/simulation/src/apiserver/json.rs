//! What the simulated API server writes: tables, bookmarks and statuses as a real one does.

use serde_json::{Value, json};
use shared::cell::Cell;

use crate::truth::{CREATED, Kind, Thing};

pub(super) fn event(verb: &str, version: u64, columns: Option<&[&str]>, row: Value) -> Vec<u8> {
    line(&json!({"type": verb, "object": table(version, columns, vec![row], None)}))
}

pub(super) fn row(kind: Kind, thing: &Thing, columns: &[&str]) -> Value {
    json!({"cells": cells(thing, columns), "object": object(kind, thing)})
}

/// The row of a bookmark has the cells of an empty object.
pub(super) fn bookmark_row(kind: Kind, version: u64, ends_initial: bool, columns: &[&str]) -> Value {
    let annotations = if ends_initial { json!({"k8s.io/initial-events-end": "true"}) } else { json!({}) };
    let metadata = json!({"resourceVersion": version.to_string(), "creationTimestamp": null, "annotations": annotations});
    let object = json!({"kind": kind.name(), "apiVersion": "v1", "metadata": metadata});
    json!({"cells": vec![""; columns.len()], "object": object})
}

pub(super) fn list(
    kind: Kind,
    page: &[&Thing],
    version: u64,
    next: Option<(&str, usize)>,
    columns: &[&str],
    include: Option<&str>,
) -> Vec<u8> {
    if include.is_none() {
        let items: Vec<Value> = page.iter().map(|thing| object(kind, thing)).collect();
        let metadata = list_metadata(version, next);
        return line(&json!({"kind": "PartialObjectMetadataList", "metadata": metadata, "items": items}));
    }
    let rows = page.iter().map(|thing| match include {
        Some("None") => json!({"cells": cells(thing, columns)}),
        _ => row(kind, thing, columns),
    });
    line(&table(version, Some(columns), rows.collect(), next))
}

fn table(version: u64, columns: Option<&[&str]>, rows: Vec<Value>, next: Option<(&str, usize)>) -> Value {
    let columns = columns.map(|columns| columns.iter().map(|name| column(name)).collect::<Vec<_>>());
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": list_metadata(version, next),
        "columnDefinitions": columns,
        "rows": rows,
    })
}

fn list_metadata(version: u64, next: Option<(&str, usize)>) -> Value {
    let mut metadata = json!({"resourceVersion": version.to_string()});
    if let Some((next, remaining)) = next {
        metadata["continue"] = next.into();
        metadata["remainingItemCount"] = remaining.into();
    }
    metadata
}

fn column(name: &str) -> Value {
    let format = if name == "Name" { "name" } else { "" };
    json!({"name": name, "type": "string", "format": format, "description": "", "priority": 0})
}

fn object(kind: Kind, thing: &Thing) -> Value {
    let version = if kind == Kind::Pods { "v1" } else { "example.com/v1" };
    json!({"kind": kind.name(), "apiVersion": version, "metadata": {
        "name": thing.name,
        "namespace": thing.namespace,
        "uid": thing.uid_text(),
        "resourceVersion": thing.version.to_string(),
        "creationTimestamp": CREATED,
        "labels": {"colour": thing.colour},
    }})
}

fn cells(thing: &Thing, columns: &[&str]) -> Vec<Value> {
    let printed = |column: &&str| match thing.cell(column) {
        Cell::Text(text) => Value::from(&*text),
        Cell::Int(number) => Value::from(number),
        // The API server prints an age as it is now, so the gateway must not keep it.
        Cell::Age(_) => Value::from("5m"),
        _ => Value::Null,
    };
    columns.iter().map(printed).collect()
}

pub(super) fn status(code: u16) -> Vec<u8> {
    let retry = if code == 429 { json!({"retryAfterSeconds": 1}) } else { json!({}) };
    line(&json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "details": retry}))
}

pub(super) fn expired(from: u64) -> Vec<u8> {
    let message = format!("too old resource version: {from}");
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": 410, "reason": "Expired", "message": message,
    });
    line(&json!({"type": "ERROR", "object": status}))
}

fn line(value: &Value) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}
