//! Rows of what configures a cluster: namespaces, config, rights, storage.

use serde_json::{Value, json};

use super::workload::{age, name, text_or};
use crate::json::{condition, flag, list, map, text, text_opt};

fn entries(object: &Value, pointer: &str) -> usize {
    map(object, pointer).map_or(0, serde_json::Map::len)
}

pub(super) fn namespace(object: &Value, now_s: i64) -> Vec<Value> {
    vec![name(object), json!(text(object, "/status/phase")), age(object, now_s)]
}

pub(super) fn config_map(object: &Value, now_s: i64) -> Vec<Value> {
    let count = entries(object, "/data") + entries(object, "/binaryData");
    vec![name(object), json!(count), age(object, now_s)]
}

pub(super) fn secret(object: &Value, now_s: i64) -> Vec<Value> {
    vec![name(object), json!(text(object, "/type")), json!(entries(object, "/data")), age(object, now_s)]
}

pub(super) fn service_account(object: &Value, now_s: i64) -> Vec<Value> {
    // Their secrets were a column until 1.35.
    vec![name(object), age(object, now_s)]
}

pub(super) fn created_at(object: &Value, _now_s: i64) -> Vec<Value> {
    vec![name(object), json!(text(object, "/metadata/creationTimestamp"))]
}

pub(super) fn lease(object: &Value, now_s: i64) -> Vec<Value> {
    vec![name(object), json!(text(object, "/spec/holderIdentity")), age(object, now_s)]
}

pub(super) fn api_service(object: &Value, now_s: i64) -> Vec<Value> {
    let service = match text(object, "/spec/service/name") {
        "" => "Local".to_owned(),
        service => format!("{}/{service}", text(object, "/spec/service/namespace")),
    };
    let available = match condition(object, "Available") {
        Some(("True", _)) => "True".to_owned(),
        Some((status, reason)) => format!("{status} ({reason})"),
        None => "Unknown".to_owned(),
    };
    vec![name(object), json!(service), json!(available), age(object, now_s)]
}

pub(super) fn role_binding(object: &Value, now_s: i64) -> Vec<Value> {
    let of_kind = |kind: &str| {
        let found: Vec<String> = list(object, "/subjects")
            .iter()
            .filter(|subject| text(subject, "/kind") == kind)
            .map(|subject| match text_opt(subject, "/namespace") {
                Some(namespace) => format!("{namespace}/{}", text(subject, "/name")),
                None => text(subject, "/name").to_owned(),
            })
            .collect();
        json!(found.join(", "))
    };
    vec![
        name(object),
        json!(format!("{}/{}", text(object, "/roleRef/kind"), text(object, "/roleRef/name"))),
        age(object, now_s),
        of_kind("User"),
        of_kind("Group"),
        of_kind("ServiceAccount"),
    ]
}

pub(super) fn storage_class(object: &Value, now_s: i64) -> Vec<Value> {
    let annotations = crate::json::texts(object, "/metadata/annotations");
    let is_default =
        annotations.get("storageclass.kubernetes.io/is-default-class").is_some_and(|value| value == "true");
    let mut title = text(object, "/metadata/name").to_owned();
    if is_default {
        title.push_str(" (default)");
    }
    vec![
        json!(title),
        json!(text(object, "/provisioner")),
        text_or(object, "/reclaimPolicy", "Delete"),
        text_or(object, "/volumeBindingMode", "Immediate"),
        json!(flag(object, "/allowVolumeExpansion")),
        age(object, now_s),
    ]
}

fn phase(object: &Value) -> Value {
    if object.pointer("/metadata/deletionTimestamp").is_some() {
        return json!("Terminating");
    }
    json!(text(object, "/status/phase"))
}

fn modes(object: &Value, pointer: &str) -> Value {
    let short: Vec<&str> = list(object, pointer)
        .iter()
        .filter_map(Value::as_str)
        .map(|mode| match mode {
            "ReadWriteOnce" => "RWO",
            "ReadOnlyMany" => "ROX",
            "ReadWriteMany" => "RWX",
            "ReadWriteOncePod" => "RWOP",
            other => other,
        })
        .collect();
    json!(short.join(","))
}

pub(super) fn volume(object: &Value, now_s: i64) -> Vec<Value> {
    let claim = match text(object, "/spec/claimRef/name") {
        "" => String::new(),
        claim => format!("{}/{claim}", text(object, "/spec/claimRef/namespace")),
    };
    vec![
        name(object),
        json!(text(object, "/spec/capacity/storage")),
        modes(object, "/spec/accessModes"),
        json!(text(object, "/spec/persistentVolumeReclaimPolicy")),
        phase(object),
        json!(claim),
        json!(text(object, "/spec/storageClassName")),
        text_or(object, "/spec/volumeAttributesClassName", "<unset>"),
        json!(text(object, "/status/reason")),
        age(object, now_s),
        text_or(object, "/spec/volumeMode", "<unset>"),
    ]
}

pub(super) fn volume_claim(object: &Value, now_s: i64) -> Vec<Value> {
    let bound = !text(object, "/spec/volumeName").is_empty();
    let capacity = if bound { text(object, "/status/capacity/storage") } else { "" };
    let access = if bound { modes(object, "/status/accessModes") } else { json!("") };
    vec![
        name(object),
        phase(object),
        json!(text(object, "/spec/volumeName")),
        json!(capacity),
        access,
        json!(text(object, "/spec/storageClassName")),
        text_or(object, "/spec/volumeAttributesClassName", "<unset>"),
        age(object, now_s),
        text_or(object, "/spec/volumeMode", "<unset>"),
    ]
}
