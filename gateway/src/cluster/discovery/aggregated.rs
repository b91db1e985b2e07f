//! Aggregated discovery (`apidiscovery.k8s.io/v2`, KEP-3352): everything in two answers.

use serde::Deserialize;

use super::{Found, Group, GroupVersion, unreachable_group};

#[derive(Deserialize)]
struct List {
    kind: String,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// The core group has none.
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    versions: Vec<Version>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Version {
    version: String,
    #[serde(default)]
    freshness: String,
    #[serde(default)]
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    resource: String,
    #[serde(default)]
    response_kind: Option<ResponseKind>,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    singular_resource: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    short_names: Vec<String>,
}

#[derive(Deserialize)]
struct ResponseKind {
    #[serde(default)]
    kind: String,
}

/// `None` if the server answered in another form.
pub(super) fn read(body: &[u8]) -> Option<Vec<Group>> {
    let list: List = serde_json::from_slice(body).ok()?;
    if list.kind != "APIGroupDiscoveryList" {
        return None;
    }
    Some(list.items.into_iter().map(group).collect())
}

fn group(item: Item) -> Group {
    let name = item.metadata.name;
    let mut versions = Vec::new();
    for version in item.versions {
        if version.freshness == "Stale" {
            let problem = unreachable_group(&name, &version.version);
            versions.push(GroupVersion { version: version.version.clone(), found: Err(problem) });
        }
        let found = version.resources.into_iter().filter_map(found).collect();
        versions.push(GroupVersion { version: version.version, found: Ok(found) });
    }
    Group { name, versions }
}

/// A resource that exists only for its subresources has no kind of its own.
fn found(resource: Resource) -> Option<Found> {
    let kind = resource.response_kind?.kind;
    (!kind.is_empty()).then_some(Found {
        plural: resource.resource,
        kind,
        singular: resource.singular_resource,
        short: resource.short_names,
        verbs: resource.verbs,
        namespaced: resource.scope == "Namespaced",
    })
}
