//! Columns of nodes, events, and of what configures a cluster: namespaces, config, rights, storage.

use serde_json::{Map, Value, json};

use super::column::Cell::{Made, Text, TextOr};
use super::column::{AGE, BuiltInColumn, NAME, shown, since, wide};
use super::workload::reference;
use crate::json::{condition, flag, int, list, map, text, text_opt, texts};

pub(super) const NODE: &[BuiltInColumn] = &[
    NAME,
    shown("Status", Made(|it, _| json!(node_status(it)))),
    shown("Roles", Made(|it, _| json!(roles(it)))),
    AGE,
    shown("Version", Text("/status/nodeInfo/kubeletVersion")),
    wide("Internal-IP", Made(|it, _| address(it, "InternalIP"))),
    wide("External-IP", Made(|it, _| address(it, "ExternalIP"))),
    wide("OS-Image", TextOr("/status/nodeInfo/osImage", "<unknown>")),
    wide("Kernel-Version", Made(|it, _| json!(kernel(it)))),
    wide("Container-Runtime", TextOr("/status/nodeInfo/containerRuntimeVersion", "<unknown>")),
];

pub(super) const EVENT: &[BuiltInColumn] = &[
    shown("Last Seen", Made(|it, now_s| json!(since(last_seen(it), now_s)))),
    shown("Type", Text("/type")),
    shown("Reason", Text("/reason")),
    shown("Object", Made(|it, _| json!(involved_object(it)))),
    wide("Subobject", Text("/involvedObject/fieldPath")),
    wide("Source", Made(|it, _| json!(source(it)))),
    shown("Message", Made(|it, _| json!(text(it, "/message").trim()))),
    wide("First Seen", Made(|it, now_s| json!(since(first_seen(it), now_s)))),
    wide("Count", Made(|it, _| json!(event_count(it)))),
    wide("Name", Text("/metadata/name")),
];

pub(super) const NAME_AND_AGE: &[BuiltInColumn] = &[NAME, AGE];
pub(super) const CREATED_AT: &[BuiltInColumn] =
    &[NAME, BuiltInColumn("Created At", "date", 0, Text("/metadata/creationTimestamp"))];
pub(super) const NAMESPACE: &[BuiltInColumn] = &[NAME, shown("Status", Text("/status/phase")), AGE];
pub(super) const LEASE: &[BuiltInColumn] = &[NAME, shown("Holder", Text("/spec/holderIdentity")), AGE];
pub(super) const CONFIG_MAP: &[BuiltInColumn] =
    &[NAME, shown("Data", Made(|it, _| json!(entries(it, "/data") + entries(it, "/binaryData")))), AGE];
pub(super) const SECRET: &[BuiltInColumn] =
    &[NAME, shown("Type", Text("/type")), shown("Data", Made(|it, _| json!(entries(it, "/data")))), AGE];

pub(super) const API_SERVICE: &[BuiltInColumn] = &[
    NAME,
    shown("Service", Made(|it, _| json!(namespaced_name(it, "/spec/service").unwrap_or("Local".to_owned())))),
    shown("Available", Made(|it, _| json!(availability(it)))),
    AGE,
];

pub(super) const ROLE_BINDING: &[BuiltInColumn] = &[
    NAME,
    shown("Role", Made(|it, _| reference(it, "/roleRef"))),
    AGE,
    wide("Users", Made(|it, _| subjects(it, "User"))),
    wide("Groups", Made(|it, _| subjects(it, "Group"))),
    wide("ServiceAccounts", Made(|it, _| subjects(it, "ServiceAccount"))),
];

pub(super) const STORAGE_CLASS: &[BuiltInColumn] = &[
    shown("Name", Made(|it, _| json!(storage_class_name(it)))),
    shown("Provisioner", Text("/provisioner")),
    shown("ReclaimPolicy", TextOr("/reclaimPolicy", "Delete")),
    shown("VolumeBindingMode", TextOr("/volumeBindingMode", "Immediate")),
    shown("AllowVolumeExpansion", Made(|it, _| json!(flag(it, "/allowVolumeExpansion")))),
    AGE,
];

pub(super) const VOLUME: &[BuiltInColumn] = &[
    NAME,
    shown("Capacity", Text("/spec/capacity/storage")),
    shown("Access Modes", Made(|it, _| modes(it, "/spec/accessModes"))),
    shown("Reclaim Policy", Text("/spec/persistentVolumeReclaimPolicy")),
    shown("Status", Made(|it, _| phase(it))),
    shown("Claim", Made(|it, _| json!(namespaced_name(it, "/spec/claimRef").unwrap_or_default()))),
    shown("StorageClass", Text("/spec/storageClassName")),
    shown("VolumeAttributesClass", TextOr("/spec/volumeAttributesClassName", "<unset>")),
    shown("Reason", Text("/status/reason")),
    AGE,
    wide("VolumeMode", TextOr("/spec/volumeMode", "<unset>")),
];

pub(super) const VOLUME_CLAIM: &[BuiltInColumn] = &[
    NAME,
    shown("Status", Made(|it, _| phase(it))),
    shown("Volume", Text("/spec/volumeName")),
    shown(
        "Capacity",
        Made(|it, _| json!(if is_bound(it) { text(it, "/status/capacity/storage") } else { "" })),
    ),
    shown(
        "Access Modes",
        Made(|it, _| if is_bound(it) { modes(it, "/status/accessModes") } else { json!("") }),
    ),
    shown("StorageClass", Text("/spec/storageClassName")),
    shown("VolumeAttributesClass", TextOr("/spec/volumeAttributesClassName", "<unset>")),
    AGE,
    wide("VolumeMode", TextOr("/spec/volumeMode", "<unset>")),
];

fn node_status(node: &Value) -> String {
    let ready = match condition(node, "Ready") {
        Some(("True", _)) => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    let scheduling = if flag(node, "/spec/unschedulable") { ",SchedulingDisabled" } else { "" };
    format!("{ready}{scheduling}")
}

fn address(node: &Value, kind: &str) -> Value {
    let found = list(node, "/status/addresses").iter().find(|found| text(found, "/type") == kind);
    json!(found.map_or("<none>", |found| text(found, "/address")))
}

/// Since 1.35 the architecture stands behind the version.
fn kernel(node: &Value) -> String {
    let at = |field: &str| text_opt(node, &format!("/status/nodeInfo/{field}"));
    match (at("kernelVersion"), at("architecture")) {
        (Some(version), Some(architecture)) => format!("{version} ({architecture})"),
        (version, _) => version.unwrap_or("<unknown>").to_owned(),
    }
}

fn roles(node: &Value) -> String {
    let mut roles: Vec<String> = texts(node, "/metadata/labels")
        .into_iter()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => Some(role.to_owned()),
            None if key == "kubernetes.io/role" && !value.is_empty() => Some(value),
            _ => None,
        })
        .collect();
    roles.sort();
    roles.dedup();
    super::column::or_none(&roles)
}

fn first_seen(event: &Value) -> &str {
    text_opt(event, "/firstTimestamp").unwrap_or_else(|| text(event, "/eventTime"))
}

fn last_seen(event: &Value) -> &str {
    match map(event, "/series") {
        Some(_) => text(event, "/series/lastObservedTime"),
        None => text_opt(event, "/lastTimestamp").unwrap_or_else(|| first_seen(event)),
    }
}

fn event_count(event: &Value) -> i64 {
    if map(event, "/series").is_some() { int(event, "/series/count") } else { int(event, "/count").max(1) }
}

fn involved_object(event: &Value) -> String {
    let kind = text(event, "/involvedObject/kind").to_lowercase();
    match text(event, "/involvedObject/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

fn source(event: &Value) -> String {
    let component =
        text_opt(event, "/source/component").unwrap_or_else(|| text(event, "/reportingComponent"));
    match text_opt(event, "/source/host").unwrap_or_else(|| text(event, "/reportingInstance")) {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    }
}

fn entries(object: &Value, pointer: &str) -> usize {
    map(object, pointer).map_or(0, Map::len)
}

/// `NAMESPACE/NAME` of a reference; none if there is no reference.
fn namespaced_name(object: &Value, pointer: &str) -> Option<String> {
    let name = text_opt(object, &format!("{pointer}/name"))?;
    Some(format!("{}/{name}", text(object, &format!("{pointer}/namespace"))))
}

fn availability(api_service: &Value) -> String {
    match condition(api_service, "Available") {
        Some(("True", _)) => "True".to_owned(),
        Some((status, reason)) => format!("{status} ({reason})"),
        None => "Unknown".to_owned(),
    }
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let found: Vec<String> = list(binding, "/subjects")
        .iter()
        .filter(|subject| text(subject, "/kind") == kind)
        .map(|subject| match text_opt(subject, "/namespace") {
            Some(namespace) => format!("{namespace}/{}", text(subject, "/name")),
            None => text(subject, "/name").to_owned(),
        })
        .collect();
    json!(found.join(", "))
}

fn storage_class_name(class: &Value) -> String {
    let annotations = texts(class, "/metadata/annotations");
    let default = annotations.get("storageclass.kubernetes.io/is-default-class");
    let is_default = default.is_some_and(|value| value == "true");
    format!("{}{}", text(class, "/metadata/name"), if is_default { " (default)" } else { "" })
}

fn phase(object: &Value) -> Value {
    let is_terminating = object.pointer("/metadata/deletionTimestamp").is_some();
    json!(if is_terminating { "Terminating" } else { text(object, "/status/phase") })
}

fn is_bound(claim: &Value) -> bool {
    !text(claim, "/spec/volumeName").is_empty()
}

fn modes(object: &Value, pointer: &str) -> Value {
    let short = list(object, pointer).iter().filter_map(Value::as_str).map(|mode| match mode {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        other => other,
    });
    json!(short.collect::<Vec<_>>().join(","))
}
