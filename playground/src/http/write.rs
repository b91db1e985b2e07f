//! Writes: create, replace, patch, delete. What `kubectl` and tests drive a cluster with.
//! It never validates by a schema; names, kinds and resourceVersions are checked.

use std::sync::Arc;

use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::body::{Body, JSON, refusal, whole};
use super::content::object;
use super::request::{Place, Query};
use crate::cluster::Cluster;
use crate::edit::{Edit, Patch, PatchKind};
use crate::failure::Failure;
use crate::opaque;
use crate::resource::ResourceType;
use crate::shape::{Press, Shape, possible};
use crate::store::Object;

pub(super) fn write(
    cluster: &Cluster,
    parts: &Parts,
    query: &Query,
    place: &Place,
    verb: &str,
    body: &[u8],
    shape: Shape,
) -> Response<Body> {
    let edit = Edit {
        kind: &place.kind,
        namespace: &place.namespace,
        name: &place.name,
        subresource: (!place.subresource.is_empty()).then_some(place.subresource.as_str()),
        manager: &manager(parts, query),
        dry_run: query.text("dryRun") == "All",
    };
    let done = match verb {
        "create" => readable(parts, body)
            .and_then(|value| cluster.create(&edit, without_status(&place.kind, value)))
            .map(|object| (StatusCode::CREATED, object, false)),
        "update" => readable(parts, body)
            .and_then(|value| cluster.update(&edit, value))
            .map(|object| (StatusCode::OK, object, false)),
        "patch" => patch(cluster, parts, &edit, body).map(|object| (StatusCode::OK, object, false)),
        "delete" => {
            let options = serde_json::from_slice(body).unwrap_or_default();
            let options = with_plain_revision(options, &["preconditions", "resourceVersion"]);
            cluster.delete(&edit, &options).map(|(object, gone)| (StatusCode::OK, object, gone))
        }
        "deletecollection" => return delete_collection(cluster, query, place, &edit),
        _ => Err(Failure::method_not_allowed()),
    };
    match done {
        Ok((code, object, true)) => whole(code, JSON, deleted(&place.kind, &object).to_string()),
        Ok((code, object, false)) => answer(cluster, place, code, &object, shape),
        Err(failure) => refusal(&failure),
    }
}

/// A new object's status is not its writer's, where it has a door of its own.
fn without_status(kind: &ResourceType, mut value: Value) -> Value {
    if kind.subresources.iter().any(|name| name == "status") {
        crate::json::remove(&mut value, &["status"]);
    }
    value
}

fn answer(
    cluster: &Cluster,
    place: &Place,
    code: StatusCode,
    object: &Object,
    shape: Shape,
) -> Response<Body> {
    let press = Press { kind: &place.kind, shape: possible(shape, &place.kind), now_s: cluster.now_s() };
    whole(code, JSON, press.single(object))
}

fn deleted(kind: &ResourceType, object: &Object) -> Value {
    let mut details = json!({"name": object.name, "kind": kind.plural, "uid": object.uid});
    if !kind.group.is_empty() {
        crate::json::set(&mut details, &["group"], json!(kind.group));
    }
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details,
    })
}

fn readable(parts: &Parts, body: &[u8]) -> Result<Value, Failure> {
    object(parts, body).map(|value| with_plain_revision(value, &["metadata", "resourceVersion"]))
}

/// A client that was given an opaque resourceVersion sends it back.
fn with_plain_revision(mut value: Value, path: &[&str]) -> Value {
    let shown = value.pointer(&format!("/{}", path.join("/"))).and_then(Value::as_str);
    if let Some(revision) = shown.and_then(opaque::decode) {
        crate::json::set(&mut value, path, json!(revision.to_string()));
    }
    value
}

fn patch(cluster: &Cluster, parts: &Parts, edit: &Edit<'_>, body: &[u8]) -> Result<Arc<Object>, Failure> {
    let content_type = parts
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .unwrap_or_default();
    let kind = match content_type {
        "application/json-patch+json" => PatchKind::Json,
        "application/merge-patch+json" => PatchKind::Merge,
        "application/strategic-merge-patch+json" if edit.kind.built_in => PatchKind::Strategic,
        _ => {
            return Err(Failure::unsupported_media_type(
                "application/json-patch+json, application/merge-patch+json",
            ));
        }
    };
    let value: Value = serde_json::from_slice(body)
        .map_err(|why| Failure::bad_request(format!("error decoding patch: {why}")))?;
    let value = with_plain_revision(value, &["metadata", "resourceVersion"]);
    cluster.patch(edit, &Patch { kind, value })
}

/// The answer is the list of what was deleted.
fn delete_collection(cluster: &Cluster, query: &Query, place: &Place, edit: &Edit<'_>) -> Response<Body> {
    let options = match super::request::ListOptions::read(query, &place.kind, true) {
        Ok(options) => options,
        Err(failure) => return refusal(&failure),
    };
    let found = cluster.state().store.objects(&place.kind.group_resource(), &place.namespace);
    let mut deleted = Vec::new();
    for object in found {
        if options.labels.matches(&object.labels) && options.fields.matches(&object) {
            let one = Edit { namespace: &object.namespace, name: &object.name, ..*edit };
            // Somebody else may have deleted it meanwhile; the outcome is the same.
            deleted.extend(cluster.delete(&one, &Value::Null).map(|(last, _)| last));
        }
    }
    let revision = cluster.state().store.revision().to_string();
    let press = Press { kind: &place.kind, shape: Shape::Whole, now_s: cluster.now_s() };
    let mut list = press.list_head(&json!({"resourceVersion": revision}));
    super::list::items(&press, &mut list, &deleted, true);
    list.extend_from_slice(b"]}");
    whole(StatusCode::OK, JSON, list)
}

/// Who writes: as asked for, or what the user agent begins with.
fn manager(parts: &Parts, query: &Query) -> String {
    if query.has("fieldManager") {
        return query.text("fieldManager").to_owned();
    }
    parts
        .headers
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split('/').next())
        .filter(|value| !value.is_empty())
        .unwrap_or("unknown")
        .to_owned()
}
