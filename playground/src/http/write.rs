//! Writes: create, replace, patch, delete. `kubectl` and tests change a cluster by them.
//! It never validates by a schema; names, kinds and resourceVersions are checked.

use http::StatusCode;
use http::header::USER_AGENT;
use serde_json::{Value, json};

use super::body::{Answer, JSON, json, whole};
use super::content;
use super::request::{ApiRequest, choose, list_options};
use crate::edit::{Edit, Patch, PatchKind};
use crate::json::text;
use crate::opaque;
use crate::resource::ResourceType;
use crate::store::Object;
use kubernetes_api::{Failure, Query, Representation};

const REVISION: &[&str] = &["metadata", "resourceVersion"];

pub(super) fn write(request: &ApiRequest<'_>, wanted: Representation) -> Answer {
    let (cluster, info, query) = (request.cluster(), &request.info, &request.query);
    let media_type = content::media_type(request.parts);
    let edit = Edit {
        kind: &info.kind,
        namespace: &info.namespace,
        name: &info.name,
        subresource: (!info.subresource.is_empty()).then_some(info.subresource.as_str()),
        manager: &manager(request),
        dry_run: query.text("dryRun") == "All",
    };
    check_dry_run(query, request.verb)?;
    let mut code = StatusCode::OK;
    let object = match request.verb {
        "create" if info.name.is_empty() => {
            let mut value = readable(request)?;
            if !text(&value, "/metadata/resourceVersion").is_empty() {
                return Err(Failure::wrong_revision(
                    "resourceVersion should not be set on objects to be created",
                ));
            }
            // If the status is a subresource, a create ignores it.
            if info.kind.has_subresource("status") {
                crate::json::remove(&mut value, &["status"]);
            }
            code = StatusCode::CREATED;
            cluster.create(&edit, value)?
        }
        "update" => cluster.update(&edit, named(readable(request)?, &info.name)?)?,
        "patch" => cluster.patch(&edit, &patch(request, media_type)?)?,
        "delete" => {
            let options = content::delete_options(&request.body)?;
            let options = with_plain_revision(options, &["preconditions", "resourceVersion"]);
            let (object, gone) = cluster.delete(&edit, &options)?;
            if gone {
                return Ok(json(JSON, &deleted(&info.kind, &object)));
            }
            object
        }
        "deletecollection" => return delete_collection(request, &edit),
        _ => return Err(Failure::method_not_allowed()),
    };
    Ok(whole(code, JSON, request.encoder(wanted).single(&object)))
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

/// `dryRun` is `All` or absent.
fn check_dry_run(query: &Query, verb: &str) -> Result<(), Failure> {
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

/// A replacement names the object that it replaces, and the state of it.
fn named(value: Value, name: &str) -> Result<Value, Failure> {
    let revision = text(&value, "/metadata/resourceVersion");
    if text(&value, "/metadata/name").is_empty() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )));
    }
    if !revision.is_empty() && revision.parse::<u64>().is_err() {
        return Err(Failure::wrong_revision(&format!(
            "strconv.ParseUint: parsing {revision:?}: invalid syntax"
        )));
    }
    Ok(value)
}

fn readable(request: &ApiRequest<'_>) -> Result<Value, Failure> {
    let value = content::object(request.parts, &request.body, &request.info.kind.kind)?;
    Ok(with_plain_revision(value, REVISION))
}

/// The object with the number of an opaque resourceVersion, which the client was given before.
fn with_plain_revision(mut value: Value, path: &[&str]) -> Value {
    let shown = value.pointer(&format!("/{}", path.join("/"))).and_then(Value::as_str);
    if let Some(revision) = shown.and_then(opaque::decode) {
        crate::json::set(&mut value, path, json!(revision.to_string()));
    }
    value
}

fn patch(request: &ApiRequest<'_>, media_type: &str) -> Result<Patch, Failure> {
    let kind = match media_type {
        "application/json-patch+json" => PatchKind::Json,
        "application/merge-patch+json" => PatchKind::Merge,
        "application/strategic-merge-patch+json" if request.info.kind.built_in => PatchKind::Strategic,
        _ => return Err(Failure::unsupported_patch()),
    };
    let value = with_plain_revision(content::patch(kind, &request.body)?, REVISION);
    Ok(Patch { kind, value })
}

/// Deletes the objects that the selectors choose, and answers with their list.
fn delete_collection(request: &ApiRequest<'_>, edit: &Edit<'_>) -> Answer {
    let (cluster, info) = (request.cluster(), &request.info);
    let options = list_options(&request.query, &info.kind, true)?;
    let found = cluster.state().store.objects(&info.kind.group_resource(), &info.namespace);
    let mut deleted = Vec::new();
    for object in found.iter().filter(|object| choose(&options, object)) {
        let one = Edit { namespace: &object.namespace, name: &object.name, ..*edit };
        // Another request may have deleted it meanwhile; the outcome is the same.
        deleted.extend(cluster.delete(&one, &Value::Null).map(|(last, _)| last));
    }
    let metadata = json!({"resourceVersion": cluster.state().store.revision().to_string()});
    let encoder = request.encoder(Representation::Whole);
    let list = encoder.list(&metadata, deleted.iter().map(AsRef::as_ref));
    Ok(whole(StatusCode::OK, JSON, list))
}

/// The field manager: as asked for, or what the user agent begins with.
fn manager(request: &ApiRequest<'_>) -> String {
    let agent = request.header(&USER_AGENT).split('/').next().filter(|agent| !agent.is_empty());
    match request.query.text("fieldManager") {
        "" => agent.unwrap_or("unknown").to_owned(),
        named => named.to_owned(),
    }
}
