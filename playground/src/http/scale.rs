//! The `scale` subresource: how many replicas a workload is to have, as an object of its own.
//! It never scales; whoever reconciles the workload does.

use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::body::{Body, JSON, refusal, whole};
use super::content;
use super::request::Place;
use crate::cluster::Cluster;
use crate::edit::{Edit, Patch, PatchKind};
use crate::failure::Failure;
use crate::json::{int, int_opt, text, texts};
use crate::store::key_of;

/// Answers get, update and patch.
pub(super) fn answer(
    cluster: &Cluster,
    parts: &Parts,
    place: &Place,
    edit: &Edit<'_>,
    verb: &str,
    body: &[u8],
) -> Response<Body> {
    match scale(cluster, parts, place, edit, verb, body) {
        Ok(scale) => whole(StatusCode::OK, JSON, scale.to_string()),
        Err(failure) => refusal(&failure),
    }
}

fn scale(
    cluster: &Cluster,
    parts: &Parts,
    place: &Place,
    edit: &Edit<'_>,
    verb: &str,
    body: &[u8],
) -> Result<Value, Failure> {
    let key = key_of(&place.namespace, &place.name);
    let found = cluster.state().store.get(&place.kind.group_resource(), &key).cloned();
    let found = found.ok_or_else(|| Failure::not_found(&place.kind, &place.name))?;
    let now = scale_of(&found.value());
    let wanted = match verb {
        "get" => return Ok(now),
        "patch" => {
            let mut wanted = now;
            crate::json::remove(&mut wanted, &["metadata", "resourceVersion"]);
            crate::patch::merge(&mut wanted, &content::patch(PatchKind::Merge, body)?);
            wanted
        }
        _ => content::object(parts, body, "Scale")?,
    };
    let replicas = int(&wanted, "/spec/replicas");
    if replicas < 0 {
        let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        let cause = ("FieldValueInvalid", message, "spec.replicas".to_owned());
        return Err(Failure::invalid("autoscaling", "Scale", &place.name, &[cause]));
    }
    let revision = text(&wanted, "/metadata/resourceVersion");
    let patch = Patch {
        kind: PatchKind::Merge,
        value: json!({"metadata": {"resourceVersion": revision}, "spec": {"replicas": replicas}}),
    };
    cluster.patch(&Edit { subresource: None, ..*edit }, &patch).map(|object| scale_of(&object.value()))
}

fn scale_of(workload: &Value) -> Value {
    let mut metadata = json!({});
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = workload.get("metadata").and_then(|metadata| metadata.get(field)) {
            crate::json::set(&mut metadata, &[field], value.clone());
        }
    }
    let selector: Vec<String> = texts(workload, "/spec/selector/matchLabels")
        .iter()
        .map(|(label, value)| format!("{label}={value}"))
        .collect();
    let mut scale = json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": {},
        "status": {"replicas": int(workload, "/status/replicas"), "selector": selector.join(",")},
    });
    // As Go leaves a zero out.
    if let Some(replicas) = int_opt(workload, "/spec/replicas").filter(|replicas| *replicas != 0) {
        crate::json::set(&mut scale, &["spec", "replicas"], json!(replicas));
    }
    scale
}
