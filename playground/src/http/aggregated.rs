//! Answers of `metrics.k8s.io`: get and list, in any representation, never a watch. What stands behind
//! the aggregator prints its own tables and keeps nothing.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

use super::body::{Body, JSON, refusal, whole};
use super::request::{ListOptions, Place};
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::metrics::{Measured, Meter};
use crate::resource::{GroupResource, ResourceType};
use crate::shape::{Include, Shape};
use crate::store::{Object, key_of};
use crate::table::Column;

pub(super) fn get(cluster: &Cluster, place: &Place, shape: Shape) -> Response<Body> {
    let source = GroupResource::new("", &place.kind.plural);
    let key = key_of(&place.namespace, &place.name);
    let Some(object) = cluster.state().store.get(&source, &key).cloned() else {
        return refusal(&Failure::without_source(&place.kind.plural, &key));
    };
    let found = measure(cluster, &place.kind, &[object]);
    match found.as_slice() {
        [one] => {
            let printed = print(&place.kind, one, shape);
            let answer =
                if matches!(shape, Shape::Table(_)) { table(&found, vec![printed]) } else { printed };
            whole(StatusCode::OK, JSON, answer.to_string())
        }
        _ => refusal(&Failure::without_metrics(&place.kind, &key)),
    }
}

pub(super) fn list(cluster: &Cluster, place: &Place, options: &ListOptions, shape: Shape) -> Response<Body> {
    let source = GroupResource::new("", &place.kind.plural);
    let mut objects = cluster.state().store.objects(&source, &place.namespace);
    objects.retain(|object| {
        options.labels.matches(|key| object.labels.get(key).map(String::as_str))
            && options.fields.matches(object)
    });
    let found = measure(cluster, &place.kind, &objects);
    let items: Vec<Value> = found.iter().map(|one| print(&place.kind, one, shape)).collect();
    let list = |kind: &str, api_version: &str| json!({"kind": kind, "apiVersion": api_version, "metadata": {}, "items": items});
    let answer = match shape {
        Shape::Table(_) => table(&found, items),
        Shape::Partial | Shape::PartialList => list("PartialObjectMetadataList", "meta.k8s.io/v1"),
        Shape::Whole => list(&place.kind.list_kind, &place.kind.api_version()),
    };
    whole(StatusCode::OK, JSON, answer.to_string())
}

fn measure(cluster: &Cluster, kind: &ResourceType, objects: &[Arc<Object>]) -> Vec<Measured> {
    let meter = Meter { seed: cluster.options.seed, now_s: cluster.now_s() };
    if kind.plural == "pods" {
        return objects.iter().filter_map(|pod| meter.pod(pod)).collect();
    }
    let pods = cluster.state().store.objects(&GroupResource::new("", "pods"), "");
    meter.nodes(objects.iter().map(AsRef::as_ref), pods.iter().map(AsRef::as_ref))
}

/// One object, or its row.
fn print(kind: &ResourceType, one: &Measured, shape: Shape) -> Value {
    let value = &one.value;
    let whole = || {
        let mut whole = Map::new();
        whole.insert("kind".to_owned(), json!(kind.kind));
        whole.insert("apiVersion".to_owned(), json!(kind.api_version()));
        whole.extend(value.as_object().cloned().unwrap_or_default());
        Value::Object(whole)
    };
    let partial = || {
        json!({
            "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
            "metadata": value.get("metadata"),
        })
    };
    match shape {
        Shape::Whole => whole(),
        Shape::Partial | Shape::PartialList => partial(),
        Shape::Table(include) => {
            let object = match include {
                Include::Object => whole(),
                Include::Metadata => partial(),
                Include::None => Value::Null,
            };
            json!({"cells": one.cells, "object": object})
        }
    }
}

/// metrics-server learns its columns from its first row: without one there are none.
fn table(found: &[Measured], rows: Vec<Value>) -> Value {
    let column = |name: &str, format: &str, description: &str| {
        let (name, kind, format) = (name.to_owned(), "string".to_owned(), format.to_owned());
        Column { name, kind, format, description: description.to_owned(), priority: 0 }.definition()
    };
    let columns = [
        column("Name", "name", "Name of the resource"),
        column("cpu", "quantity", ""),
        column("memory", "quantity", ""),
        column("Window", "duration", ""),
    ];
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {},
        "columnDefinitions": if found.is_empty() { Value::Null } else { json!(columns) }, "rows": rows,
    })
}
