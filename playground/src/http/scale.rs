//! The `scale` subresource: how many replicas a workload is to have, as an object of its own.
//! It never scales; the controller of the workload does.

use serde_json::{Value, json};

use super::content;
use super::request::ApiRequest;
use crate::edit::{Edit, Patch, PatchKind};
use crate::failure::Failure;
use crate::json::{int, int_opt, remove, set, text, texts};

/// Answers get, update and patch.
pub(super) fn answer(request: &ApiRequest<'_>, edit: &Edit<'_>) -> Result<Value, Failure> {
    let (cluster, info) = (request.cluster(), &request.info);
    let found = cluster.state().store.get(&info.kind.group_resource(), &info.key()).cloned();
    let found = found.ok_or_else(|| Failure::not_found(&info.kind, &info.name))?;
    let mut wanted = scale_of(&found.value());
    match request.verb {
        "get" => return Ok(wanted),
        "patch" => {
            remove(&mut wanted, &["metadata", "resourceVersion"]);
            crate::patch::merge(&mut wanted, &content::patch(PatchKind::Merge, &request.body)?);
        }
        _ => wanted = content::object(request.parts, &request.body, "Scale")?,
    }
    let replicas = int(&wanted, "/spec/replicas");
    if replicas < 0 {
        let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        let cause = ("FieldValueInvalid", message, "spec.replicas".to_owned());
        return Err(Failure::invalid("autoscaling", "Scale", &info.name, &[cause]));
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
            set(&mut metadata, &[field], value.clone());
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
    // Go leaves a zero out.
    if let Some(replicas) = int_opt(workload, "/spec/replicas").filter(|replicas| *replicas != 0) {
        set(&mut scale, &["spec", "replicas"], json!(replicas));
    }
    scale
}
