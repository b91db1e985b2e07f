//! What the cluster serves, in the order in which `kubectl get WORD` looks: the core group, then
//! the groups as the server lists them, each resource in its preferred version.

mod aggregated;
mod found;
mod plain;

use std::collections::{BTreeSet, HashSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use shared::frame::server::Kinds;
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::resource::{Kind, Resource};

use super::ceiling::Ceiling;
use super::client::Client;
use super::request::{Accept, ApiRequest, DiscoveryRoot};
use found::{Group, GroupVersion};
use plain::fetch;

/// `plural.group` of every custom resource definition, where they may be listed.
pub(super) type CustomNames = BTreeSet<String>;

/// Fails only if nothing at all can be learnt; a group whose server is down is named in `problems`.
pub(super) async fn discover(
    client: &Client,
    cluster: &ClusterName,
    custom: Option<&CustomNames>,
    ceiling: &Ceiling,
) -> Result<Kinds, Problem> {
    let core = groups_at(client, DiscoveryRoot::Core).await?;
    let others = groups_at(client, DiscoveryRoot::Groups).await?;
    let mut collected = Collected::default();
    for group in core.into_iter().chain(others) {
        collected.add(group, custom);
    }
    for kind in &mut collected.kinds {
        kind.disabled = ceiling.hides_kind(&kind.resource);
    }
    Ok(Kinds::new(cluster.clone(), collected.kinds, collected.problems))
}

async fn groups_at(client: &Client, root: DiscoveryRoot) -> Result<Vec<Group>, Problem> {
    let body = fetch(client, &ApiRequest::discovery(root, Accept::Discovery)).await?;
    match aggregated::read(&body) {
        Some(groups) => Ok(groups),
        // A server before 1.26 answers with the plain list.
        None => plain::read(client, root, &body).await,
    }
}

/// The subresource, behind the name of its resource.
const STATUS: &str = "/status";

#[derive(Default)]
struct Collected {
    kinds: Vec<Kind>,
    problems: Vec<Problem>,
}

impl Collected {
    fn add(&mut self, group: Group, custom: Option<&CustomNames>) {
        let mut seen = HashSet::new();
        for GroupVersion { version, found } in group.versions {
            match found {
                Err(problem) => self.problems.push(problem),
                Ok(found) => {
                    let with_status: HashSet<String> = found
                        .iter()
                        .filter_map(|it| Some(it.name.strip_suffix(STATUS)?.to_owned()))
                        .collect();
                    for found in found {
                        if seen.insert(found.name.clone()) {
                            let status = with_status.contains(&found.name);
                            self.add_kind((&group.name, &version), found, status, custom);
                        } else {
                            self.add_version(&group.name, &version, &found);
                        }
                    }
                }
            }
        }
    }

    /// Another version of a kind that is listed in its preferred one.
    fn add_version(&mut self, group: &str, version: &str, found: &APIResource) {
        let Ok(other) = Resource::parse(group, version, &found.name) else { return };
        let is_of = |kind: &&mut Kind| {
            (&kind.resource.group, &kind.resource.resource) == (&other.group, &other.resource)
        };
        if let Some(kind) = self.kinds.iter_mut().rev().find(is_of)
            && can_list(found)
        {
            kind.other_versions.push(other.version);
        }
    }

    fn add_kind(
        &mut self,
        (group, version): (&str, &str),
        found: APIResource,
        status: bool,
        custom: Option<&CustomNames>,
    ) {
        let has = |verb: &str| found.verbs.iter().any(|v| v == verb);
        if found.name.contains('/') || !can_list(&found) {
            return;
        }
        let resource = match Resource::parse(group, version, &found.name) {
            Ok(resource) => resource,
            Err(problem) => return self.problems.push(problem),
        };
        let singular = if found.singular_name.is_empty() {
            found.kind.to_lowercase()
        } else {
            found.singular_name.clone()
        };
        self.kinds.push(Kind {
            custom: is_custom(&resource, custom),
            status,
            disabled: None,
            kind: found.kind.as_str().into(),
            singular: singular.into(),
            short: found.short_names.iter().flatten().map(|short| short.as_str().into()).collect(),
            namespaced: found.namespaced,
            watch: has("watch"),
            resource,
            other_versions: Vec::new(),
        });
    }
}

fn can_list(found: &APIResource) -> bool {
    found.verbs.iter().any(|verb| verb == "list")
}

/// Where the definitions can't be read, the group's name decides: Kubernetes' own end in `.k8s.io` or have
/// no dot.
fn is_custom(resource: &Resource, custom: Option<&CustomNames>) -> bool {
    match custom {
        Some(names) => names.contains(&resource.to_string()),
        None => {
            let group = resource.group.as_str();
            group.contains('.') && !group.ends_with(".k8s.io")
        }
    }
}

#[cfg(test)]
mod tests;
