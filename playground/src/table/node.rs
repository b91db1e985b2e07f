//! A node's row.

use serde_json::{Value, json};

use super::workload::{age, name, text_or};
use crate::json::{condition, flag, list, text, text_opt, texts};

pub(super) fn node(object: &Value, now_s: i64) -> Vec<Value> {
    let mut status = match condition(object, "Ready") {
        Some(("True", _)) => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if flag(object, "/spec/unschedulable") {
        status.push_str(",SchedulingDisabled");
    }
    let address = |kind: &str| {
        let found = list(object, "/status/addresses").iter().find(|found| text(found, "/type") == kind);
        json!(found.map_or("<none>", |found| text(found, "/address")))
    };
    vec![
        name(object),
        json!(status),
        json!(roles(object)),
        age(object, now_s),
        json!(text(object, "/status/nodeInfo/kubeletVersion")),
        address("InternalIP"),
        address("ExternalIP"),
        text_or(object, "/status/nodeInfo/osImage", "<unknown>"),
        json!(kernel(object)),
        text_or(object, "/status/nodeInfo/containerRuntimeVersion", "<unknown>"),
    ]
}

/// Since 1.35 with the architecture behind it.
fn kernel(object: &Value) -> String {
    let at = |field: &str| text_opt(object, &format!("/status/nodeInfo/{field}"));
    match (at("kernelVersion"), at("architecture")) {
        (Some(version), Some(architecture)) => format!("{version} ({architecture})"),
        (version, _) => version.unwrap_or("<unknown>").to_owned(),
    }
}

fn roles(object: &Value) -> String {
    let mut roles: Vec<String> = texts(object, "/metadata/labels")
        .into_iter()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) if !role.is_empty() => Some(role.to_owned()),
            None if key == "kubernetes.io/role" && !value.is_empty() => Some(value),
            _ => None,
        })
        .collect();
    roles.sort();
    roles.dedup();
    if roles.is_empty() { "<none>".to_owned() } else { roles.join(",") }
}
