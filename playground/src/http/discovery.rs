//! What discovery says: aggregated, and as plain lists for older clients.

use serde_json::{Value, json};

use crate::resource::{Catalog, ResourceType};

pub(super) const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The aggregated form of `/api` (only the core group) or `/apis` (all others).
pub(super) fn aggregated(catalog: &Catalog, is_core: bool) -> Value {
    let groups = if is_core { vec![""] } else { catalog.groups() };
    let items: Vec<Value> = groups
        .into_iter()
        .map(|group| {
            let versions: Vec<Value> = catalog
                .versions(group)
                .into_iter()
                .map(|version| {
                    let resources: Vec<Value> =
                        of(catalog, group, version).map(aggregated_resource).collect();
                    json!({"version": version, "resources": resources, "freshness": "Current"})
                })
                .collect();
            let metadata = if group.is_empty() { json!({}) } else { json!({"name": group}) };
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {}, "items": items,
    })
}

fn of<'a>(catalog: &'a Catalog, group: &'a str, version: &'a str) -> impl Iterator<Item = &'a ResourceType> {
    catalog
        .all()
        .iter()
        .map(std::convert::AsRef::as_ref)
        .filter(move |kind| kind.group == group && kind.version == version)
}

fn aggregated_resource(kind: &ResourceType) -> Value {
    let gvk = json!({"group": kind.group, "version": kind.version, "kind": kind.kind});
    let subresources: Vec<Value> = kind
        .subresources
        .iter()
        .map(|name| {
            let scale = json!({"group": "autoscaling", "version": "v1", "kind": "Scale"});
            let kind = if name == "scale" { &scale } else { &gvk };
            json!({"subresource": name, "responseKind": kind, "verbs": ["get", "patch", "update"]})
        })
        .collect();
    let mut resource = json!({
        "resource": kind.plural, "responseKind": gvk, "singularResource": kind.singular,
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "verbs": kind.verbs.names(),
    });
    for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !names.is_empty() {
            crate::json::set(&mut resource, &[field], json!(names));
        }
    }
    if !subresources.is_empty() {
        crate::json::set(&mut resource, &["subresources"], json!(subresources));
    }
    resource
}

/// `/api` in its plain form.
pub(super) fn api_versions(address: &str) -> Value {
    json!({
        "kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// `/apis` in its plain form.
pub(super) fn group_list(catalog: &Catalog) -> Value {
    let groups: Vec<Value> = catalog.groups().into_iter().map(|group| group_of(catalog, group)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/GROUP`; none where there is no such group.
pub(super) fn group(catalog: &Catalog, name: &str) -> Option<Value> {
    if !catalog.groups().contains(&name) {
        return None;
    }
    let mut group = group_of(catalog, name);
    crate::json::set(&mut group, &["kind"], json!("APIGroup"));
    crate::json::set(&mut group, &["apiVersion"], json!("v1"));
    Some(group)
}

fn group_of(catalog: &Catalog, group: &str) -> Value {
    let versions: Vec<Value> = catalog
        .versions(group)
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version}))
        .collect();
    json!({"name": group, "versions": versions, "preferredVersion": versions.first()})
}

/// `/api/v1` or `/apis/GROUP/VERSION`; none where nothing is served there.
pub(super) fn resource_list(catalog: &Catalog, group: &str, version: &str) -> Option<Value> {
    let mut resources: Vec<Value> = Vec::new();
    for kind in of(catalog, group, version) {
        let mut resource = json!({
            "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
            "kind": kind.kind, "verbs": kind.verbs.names(),
        });
        for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
            if !names.is_empty() {
                crate::json::set(&mut resource, &[field], json!(names));
            }
        }
        resources.push(resource);
        for name in &kind.subresources {
            let mut below = json!({
                "name": format!("{}/{name}", kind.plural), "singularName": "",
                "namespaced": kind.namespaced, "kind": kind.kind, "verbs": ["get", "patch", "update"],
            });
            if name == "scale" {
                for (field, text) in [("group", "autoscaling"), ("version", "v1"), ("kind", "Scale")] {
                    crate::json::set(&mut below, &[field], json!(text));
                }
            }
            resources.push(below);
        }
    }
    if resources.is_empty() {
        return None;
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Some(json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources,
    }))
}
