//! Answers of `metrics.k8s.io`: get and list, in any representation, never a watch. An aggregated
//! server prints its own tables; this one keeps nothing.

use std::sync::Arc;

use http::Response;
use serde_json::{Map, Value, json};

use super::body::{Answer, Body, JSON, json};
use super::request::{ApiRequest, ListOptions, choose};
use crate::cluster::Cluster;
use crate::metrics::{Measured, Meter};
use crate::representation::partial;
use crate::resource::{GroupResource, ResourceType};
use crate::store::Object;
use crate::table::definition;
use kubernetes_api::Failure;
use kubernetes_api::{Include, Representation};

pub(super) fn get(request: &ApiRequest<'_>, wanted: Representation) -> Answer {
    let (kind, key) = (&request.info.kind, request.info.key());
    let found = request.cluster().state().store.get(&GroupResource::new("", &kind.plural), &key).cloned();
    let object = found.ok_or_else(|| Failure::without_source(&kind.plural, &key))?;
    let found = measure(request.cluster(), kind, &[object]);
    let [one] = found.as_slice() else {
        return Err(Failure::without_metrics(kind, &key));
    };
    let printed = print(kind, one, wanted);
    let is_table = matches!(wanted, Representation::Table(_));
    Ok(json(JSON, &if is_table { table(vec![printed]) } else { printed }))
}

pub(super) fn list(
    request: &ApiRequest<'_>,
    options: &ListOptions,
    wanted: Representation,
) -> Response<Body> {
    let kind = &request.info.kind;
    let source = GroupResource::new("", &kind.plural);
    let mut objects = request.cluster().state().store.objects(&source, &request.info.namespace);
    objects.retain(|object| choose(options, object));
    let found = measure(request.cluster(), kind, &objects);
    let items: Vec<Value> = found.iter().map(|one| print(kind, one, wanted)).collect();
    let list = |kind: &str, api_version: &str| json!({"kind": kind, "apiVersion": api_version, "metadata": {}, "items": items});
    let answer = match wanted {
        Representation::Table(_) => table(items),
        Representation::Whole => list(&kind.list_kind, &kind.api_version()),
        _ => list("PartialObjectMetadataList", "meta.k8s.io/v1"),
    };
    json(JSON, &answer)
}

fn measure(cluster: &Cluster, kind: &ResourceType, objects: &[Arc<Object>]) -> Vec<Measured> {
    let meter = Meter { seed: cluster.options.seed, now_s: cluster.now_s() };
    let others = if kind.plural == "pods" { "nodes" } else { "pods" };
    let others = cluster.state().store.objects(&GroupResource::new("", others), "");
    let (objects, others) = (objects.iter().map(AsRef::as_ref), others.iter().map(AsRef::as_ref));
    if kind.plural == "pods" { meter.pods(objects, others) } else { meter.nodes(objects, others) }
}

/// One object, or its row.
fn print(kind: &ResourceType, one: &Measured, wanted: Representation) -> Value {
    let whole = || {
        let mut whole = Map::new();
        whole.insert("kind".to_owned(), json!(kind.kind));
        whole.insert("apiVersion".to_owned(), json!(kind.api_version()));
        whole.extend(one.value.as_object().cloned().unwrap_or_default());
        Value::Object(whole)
    };
    let object = match wanted {
        Representation::Whole | Representation::Table(Include::Object) => whole(),
        Representation::Table(Include::None) => Value::Null,
        _ => partial(&one.value),
    };
    let is_table = matches!(wanted, Representation::Table(_));
    if is_table { json!({"cells": one.cells, "object": object}) } else { object }
}

/// metrics-server learns its columns from its first row: without a row there are none.
fn table(rows: Vec<Value>) -> Value {
    let columns = [
        definition("Name", "string", "name", "Name of the resource", 0),
        definition("cpu", "string", "quantity", "", 0),
        definition("memory", "string", "quantity", "", 0),
        definition("Window", "string", "duration", "", 0),
    ];
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {},
        "columnDefinitions": if rows.is_empty() { Value::Null } else { json!(columns) }, "rows": rows,
    })
}
