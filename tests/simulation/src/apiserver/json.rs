//! What the simulated API server writes: tables, bookmarks and statuses as a real one does.

use serde_json::{Value, json};
use shared::cell::Cell;

use crate::truth::{CREATED, Sort, Thing};

pub(super) fn event(
    verb: &str,
    sort: Sort,
    thing: &Thing,
    version: u64,
    columns: Option<&[&str]>,
    columns_now: &[&str],
) -> Vec<u8> {
    let cells: Vec<Value> = columns_now.iter().map(|column| printed(&thing.cell(column))).collect();
    let row = json!({"cells": cells, "object": object(sort, thing)});
    line(&json!({"type": verb, "object": table(version, columns, vec![row], None)}))
}

/// Its row has the cells of an empty object.
pub(super) fn bookmark(
    sort: Sort,
    version: u64,
    ends_initial: bool,
    columns: Option<&[&str]>,
    columns_now: &[&str],
) -> Vec<u8> {
    let cells: Vec<Value> = columns_now.iter().map(|_| Value::from("")).collect();
    let annotations = if ends_initial { json!({"k8s.io/initial-events-end": "true"}) } else { json!({}) };
    let metadata = json!({"resourceVersion": version.to_string(), "creationTimestamp": null, "annotations": annotations});
    let object = json!({"kind": sort.kind(), "apiVersion": "v1", "metadata": metadata});
    let row = json!({"cells": cells, "object": object});
    line(&json!({"type": "BOOKMARK", "object": table(version, columns, vec![row], None)}))
}

pub(super) fn list(
    sort: Sort,
    page: &[&Thing],
    version: u64,
    next: Option<(&str, usize)>,
    columns: &[&str],
    include: Option<&str>,
) -> Vec<u8> {
    if include.is_none() {
        let mut metadata = json!({"resourceVersion": version.to_string()});
        if let Some((next, remaining)) = next {
            metadata["continue"] = next.into();
            metadata["remainingItemCount"] = remaining.into();
        }
        let items: Vec<Value> = page.iter().map(|thing| object(sort, thing)).collect();
        return line(&json!({"kind": "PartialObjectMetadataList", "metadata": metadata, "items": items}));
    }
    let row = |thing: &&Thing| {
        let cells: Vec<Value> = columns.iter().map(|column| printed(&thing.cell(column))).collect();
        if include == Some("None") {
            json!({"cells": cells})
        } else {
            json!({"cells": cells, "object": object(sort, thing)})
        }
    };
    line(&table(version, Some(columns), page.iter().map(row).collect(), next))
}

fn table(version: u64, columns: Option<&[&str]>, rows: Vec<Value>, next: Option<(&str, usize)>) -> Value {
    let mut metadata = json!({"resourceVersion": version.to_string()});
    if let Some((next, remaining)) = next {
        metadata["continue"] = next.into();
        metadata["remainingItemCount"] = remaining.into();
    }
    let columns = columns.map(|columns| columns.iter().map(|name| column(name)).collect::<Vec<_>>());
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": columns,
        "rows": rows,
    })
}

fn column(name: &str) -> Value {
    let format = if name == "Name" { "name" } else { "" };
    json!({"name": name, "type": "string", "format": format, "description": "", "priority": 0})
}

fn object(sort: Sort, thing: &Thing) -> Value {
    let version = if sort == Sort::Pods { "v1" } else { "example.com/v1" };
    json!({"kind": sort.kind(), "apiVersion": version, "metadata": {
        "name": thing.name,
        "namespace": thing.namespace,
        "uid": format!("{:08x}-0000-4000-8000-000000000000", thing.uid),
        "resourceVersion": thing.version.to_string(),
        "creationTimestamp": CREATED,
        "labels": {"colour": thing.colour},
    }})
}

/// An age is printed as it is now, and nobody may keep it.
fn printed(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => Value::from(&**text),
        Cell::Int(number) => Value::from(*number),
        Cell::Age(_) => Value::from("5m"),
        _ => Value::Null,
    }
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
