//! Aggregated discovery (`apidiscovery.k8s.io/v2`, KEP-3352): everything in two answers.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube::core::TypeMeta;
use kube::core::discovery::v2::{APIGroupDiscovery, APIGroupDiscoveryList, APIResourceDiscovery};

use super::found::{Group, GroupVersion, unreachable_group};

/// `None` if the server answered in another form.
pub(super) fn read(body: &[u8]) -> Option<Vec<Group>> {
    let types: TypeMeta = serde_json::from_slice(body).ok()?;
    if types.kind != "APIGroupDiscoveryList" {
        return None;
    }
    let list: APIGroupDiscoveryList = serde_json::from_slice(body).ok()?;
    Some(list.items.into_iter().map(group).collect())
}

fn group(item: APIGroupDiscovery) -> Group {
    // The core group has no name.
    let name = item.metadata.and_then(|metadata| metadata.name).unwrap_or_default();
    let mut versions = Vec::new();
    for listed in item.versions {
        let version = listed.version.unwrap_or_default();
        if listed.freshness.as_deref() == Some("Stale") {
            let found = Err(unreachable_group(&name, &version));
            versions.push(GroupVersion { version: version.clone(), found });
        }
        versions.push(GroupVersion {
            version,
            found: Ok(listed.resources.into_iter().filter_map(found).flatten().collect()),
        });
    }
    Group { name, versions }
}

/// The resource and its subresources, as the plain form lists them. A resource that exists only for its subresources has
/// no kind of its own.
fn found(resource: APIResourceDiscovery) -> Option<Vec<APIResource>> {
    let name = resource.resource?;
    let subresources = resource.subresources.into_iter().filter_map(|it| it.subresource);
    let subresources: Vec<APIResource> = subresources
        .map(|of| APIResource { name: format!("{name}/{of}"), ..APIResource::default() })
        .collect();
    let own = APIResource {
        name,
        kind: resource.response_kind?.kind.filter(|kind| !kind.is_empty())?,
        singular_name: resource.singular_resource.unwrap_or_default(),
        short_names: Some(resource.short_names),
        verbs: resource.verbs,
        namespaced: resource.scope.as_deref() == Some("Namespaced"),
        ..APIResource::default()
    };
    Some(std::iter::once(own).chain(subresources).collect())
}
