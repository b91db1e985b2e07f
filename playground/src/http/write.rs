//! Writes: create, replace, patch, delete. What `kubectl` and tests drive a cluster with.
//! It never validates by a schema; names, kinds and resourceVersions are checked.

use std::sync::Arc;

use http::header::USER_AGENT;
use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::body::{Body, JSON, refusal, whole};
use super::request::{Place, Query};
use super::{content, scale};
use crate::cluster::Cluster;
use crate::edit::{Edit, Patch, PatchKind};
use crate::failure::Failure;
use crate::json::text;
use crate::opaque;
use crate::resource::ResourceType;
use crate::shape::{Press, Shape, possible};
use crate::store::{Object, Operation};

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
        operation: if is_apply(parts, verb) { Operation::Apply } else { Operation::Update },
        dry_run: query.text("dryRun") == "All",
    };
    if let Err(failure) = check_options(query, verb) {
        return refusal(&failure);
    }
    if place.subresource == "scale" {
        return scale::answer(cluster, parts, place, &edit, verb, body);
    }
    let done = match verb {
        "create" if place.name.is_empty() => readable(parts, body, place)
            .and_then(without_revision)
            .and_then(|value| cluster.create(&edit, without_status(&place.kind, value)))
            .map(|object| (StatusCode::CREATED, object, false)),
        "update" => readable(parts, body, place)
            .and_then(|value| named(value, place))
            .and_then(|value| cluster.update(&edit, value))
            .map(|object| (StatusCode::OK, object, false)),
        "patch" if edit.operation == Operation::Apply => {
            apply(cluster, query, &edit, body).map(|(code, object)| (code, object, false))
        }
        "patch" => patch(cluster, parts, &edit, body).map(|object| (StatusCode::OK, object, false)),
        "delete" => content::delete_options(body).and_then(|options| {
            let options = with_plain_revision(options, &["preconditions", "resourceVersion"]);
            cluster.delete(&edit, &options).map(|(object, gone)| (StatusCode::OK, object, gone))
        }),
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

fn is_apply(parts: &Parts, verb: &str) -> bool {
    verb == "patch" && content::media_type(parts) == "application/apply-patch+yaml"
}

/// `dryRun` knows one word.
fn check_options(query: &Query, verb: &str) -> Result<(), Failure> {
    let kind = match verb {
        "create" => "CreateOptions",
        "update" => "UpdateOptions",
        "patch" => "PatchOptions",
        _ => "DeleteOptions",
    };
    match query.text("dryRun") {
        "" | "All" => Ok(()),
        other => {
            let message = format!("Unsupported value: [{other:?}]: supported values: \"All\"");
            let cause = ("FieldValueNotSupported", message, "dryRun".to_owned());
            Err(Failure::invalid("meta.k8s.io", kind, "", &[cause]))
        }
    }
}

fn without_revision(value: Value) -> Result<Value, Failure> {
    match text(&value, "/metadata/resourceVersion") {
        "" => Ok(value),
        _ => Err(Failure::revision_on_create()),
    }
}

/// A replacement says which object it replaces, and which state of it.
fn named(value: Value, place: &Place) -> Result<Value, Failure> {
    let revision = text(&value, "/metadata/resourceVersion");
    if text(&value, "/metadata/name").is_empty() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            place.name
        )));
    }
    if !revision.is_empty() && revision.parse::<u64>().is_err() {
        return Err(Failure::unreadable_revision(revision));
    }
    Ok(value)
}

fn readable(parts: &Parts, body: &[u8], place: &Place) -> Result<Value, Failure> {
    content::object(parts, body, &place.kind.kind)
        .map(|value| with_plain_revision(value, &["metadata", "resourceVersion"]))
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
    let kind = match content::media_type(parts) {
        "application/json-patch+json" => PatchKind::Json,
        "application/merge-patch+json" => PatchKind::Merge,
        "application/strategic-merge-patch+json" if edit.kind.built_in => PatchKind::Strategic,
        _ => return Err(Failure::unsupported_patch()),
    };
    let value = content::patch(kind, body)?;
    let value = with_plain_revision(value, &["metadata", "resourceVersion"]);
    cluster.patch(edit, &Patch { kind, value })
}

fn apply(
    cluster: &Cluster,
    query: &Query,
    edit: &Edit<'_>,
    body: &[u8],
) -> Result<(StatusCode, Arc<Object>), Failure> {
    if !query.has("fieldManager") {
        let message = "Required value: is required for apply patch".to_owned();
        let cause = ("FieldValueRequired", message, "fieldManager".to_owned());
        return Err(Failure::invalid("meta.k8s.io", "PatchOptions", "", &[cause]));
    }
    let value = with_plain_revision(content::applied(body)?, &["metadata", "resourceVersion"]);
    let (object, is_new) = cluster.apply(edit, value, query.is_on("force"))?;
    Ok((if is_new { StatusCode::CREATED } else { StatusCode::OK }, object))
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
        if options.labels.matches(|key| object.labels.get(key).map(String::as_str))
            && options.fields.matches(&object)
        {
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
