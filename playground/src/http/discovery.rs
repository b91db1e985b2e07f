//! Discovery: aggregated, and as plain lists for older clients.

use serde_json::{Value, json};

use super::body::JSON;
use crate::json::set;
use crate::resource::{Catalog, ResourceType};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The content type and document of a discovery path; none if nothing is served there.
pub(super) fn answer(
    catalog: &Catalog,
    path: &str,
    host: &str,
    wants_aggregated: bool,
) -> Option<(&'static str, Value)> {
    if wants_aggregated && matches!(path, "/api" | "/apis") {
        return Some((AGGREGATED, aggregated(catalog, path == "/api")));
    }
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let found = match segments.as_slice() {
        ["api"] => Some(api_versions(host)),
        ["apis"] => {
            let groups: Vec<Value> =
                catalog.groups().into_iter().map(|group| group_of(catalog, group)).collect();
            Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
        }
        ["api", version] => resource_list(catalog, "", version),
        ["apis", group] => group_document(catalog, group),
        ["apis", group, version] => resource_list(catalog, group, version),
        _ => None,
    };
    found.map(|found| (JSON, found))
}

/// The aggregated form of `/api` (only the core group) or `/apis` (all others).
fn aggregated(catalog: &Catalog, is_core: bool) -> Value {
    let groups = if is_core { vec![""] } else { catalog.groups() };
    let version_of = |group: &str, version: &str| {
        let resources: Vec<Value> = of(catalog, group, version).map(aggregated_resource).collect();
        json!({"version": version, "resources": resources, "freshness": "Current"})
    };
    let group_of = |group: &str| {
        let versions: Vec<Value> =
            catalog.versions(group).into_iter().map(|version| version_of(group, version)).collect();
        let metadata = if group.is_empty() { json!({}) } else { json!({"name": group}) };
        json!({"metadata": metadata, "versions": versions})
    };
    json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {}, "items": groups.into_iter().map(group_of).collect::<Vec<Value>>(),
    })
}

fn of<'a>(catalog: &'a Catalog, group: &'a str, version: &'a str) -> impl Iterator<Item = &'a ResourceType> {
    let all = catalog.all().iter().map(AsRef::as_ref);
    all.filter(move |kind: &&ResourceType| kind.group == group && kind.version == version)
}

fn aggregated_resource(kind: &ResourceType) -> Value {
    let gvk = json!({"group": kind.group, "version": kind.version, "kind": kind.kind});
    let subresource = |name: &String| json!({"subresource": name, "responseKind": gvk, "verbs": verbs_of_subresource(name)});
    let mut resource = json!({
        "resource": kind.plural, "responseKind": gvk, "singularResource": kind.singular,
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" },
        "verbs": kind.verbs.names(),
    });
    add_names(&mut resource, kind);
    if !kind.subresources.is_empty() {
        let subresources: Vec<Value> = kind.subresources.iter().map(subresource).collect();
        set(&mut resource, &["subresources"], json!(subresources));
    }
    resource
}

fn verbs_of_subresource(name: &str) -> &'static [&'static str] {
    if name == "log" { &["get"] } else { &["get", "patch", "update"] }
}

fn add_names(resource: &mut Value, kind: &ResourceType) {
    for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !names.is_empty() {
            set(resource, &[field], json!(names));
        }
    }
}

/// `/api` in its plain form.
fn api_versions(address: &str) -> Value {
    json!({
        "kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    })
}

/// `/apis/GROUP`; none if there is no such group.
fn group_document(catalog: &Catalog, name: &str) -> Option<Value> {
    let mut group = catalog.groups().contains(&name).then(|| group_of(catalog, name))?;
    set(&mut group, &["kind"], json!("APIGroup"));
    set(&mut group, &["apiVersion"], json!("v1"));
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

/// `/api/v1` or `/apis/GROUP/VERSION`; none if nothing is served there.
fn resource_list(catalog: &Catalog, group: &str, version: &str) -> Option<Value> {
    let mut resources: Vec<Value> = Vec::new();
    for kind in of(catalog, group, version) {
        let mut resource = json!({
            "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
            "kind": kind.kind, "verbs": kind.verbs.names(),
        });
        add_names(&mut resource, kind);
        resources.push(resource);
        for name in &kind.subresources {
            resources.push(json!({
                "name": format!("{}/{name}", kind.plural), "singularName": "",
                "namespaced": kind.namespaced, "kind": kind.kind, "verbs": verbs_of_subresource(name),
            }));
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
