//! What the cluster serves, in the order in which `kubectl get WORD` looks: the core group, then
//! the groups as the server lists them, each resource in its preferred version.

mod aggregated;
mod plain;

use std::collections::{BTreeSet, HashSet};

use shared::frame::server::Kinds;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};

use super::client::Client;
use super::failure::Failure;
use super::request::{self, Accept, ApiRequest};

const SECRETS_ARE_OFF: &str =
    "Secrets are not shown; whoever runs this gateway can allow their names, never their values";

/// `plural.group` of every custom resource definition, where they may be listed.
pub(super) type CustomNames = BTreeSet<String>;

/// One group's versions, the preferred one first.
struct Group {
    name: String,
    versions: Vec<GroupVersion>,
}

struct GroupVersion {
    version: String,
    found: Result<Vec<Found>, Problem>,
}

struct Found {
    plural: String,
    kind: String,
    singular: String,
    short: Vec<String>,
    verbs: Vec<String>,
    namespaced: bool,
}

/// # Errors
/// Only if nothing at all can be learnt; a group whose server is down is named in `problems`.
pub(super) async fn discover(
    client: &Client,
    cluster: &ClusterName,
    custom: Option<&CustomNames>,
) -> Result<Kinds, Problem> {
    let core = groups_at(client, Root::Core).await?;
    let others = groups_at(client, Root::Groups).await?;
    let mut collected = Collected::default();
    for group in core.into_iter().chain(others) {
        collected.add(group, custom);
    }
    Ok(Kinds { cluster: cluster.clone(), kinds: collected.kinds, problems: collected.problems })
}

#[derive(Clone, Copy)]
enum Root {
    Core,
    Groups,
}

impl Root {
    fn request(self, accept: Accept) -> ApiRequest {
        match self {
            Self::Core => ApiRequest::core_discovery(accept),
            Self::Groups => ApiRequest::group_discovery(accept),
        }
    }
}

async fn groups_at(client: &Client, root: Root) -> Result<Vec<Group>, Problem> {
    let body = fetch(client, &root.request(Accept::Discovery)).await?;
    match aggregated::read(&body) {
        Some(groups) => Ok(groups),
        // A server before 1.26 answers with the plain list.
        None => plain::read(client, root, &body).await,
    }
}

async fn fetch(client: &Client, request: &ApiRequest) -> Result<Vec<u8>, Problem> {
    let answer = request::send(client, request).await.map_err(|failure| match failure {
        Failure::Broken(problem) => problem,
        Failure::Refused(refusal) => Problem::new(
            refusal.reason(),
            format!(
                "discovery is refused with HTTP {}; the credential must be allowed to read it",
                refusal.code
            ),
        ),
    })?;
    answer.whole().await
}

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
                    for found in found {
                        if seen.insert(found.plural.clone()) {
                            self.add_kind(&group.name, &version, found, custom);
                        }
                    }
                }
            }
        }
    }

    fn add_kind(&mut self, group: &str, version: &str, found: Found, custom: Option<&CustomNames>) {
        let has = |verb: &str| found.verbs.iter().any(|v| v == verb);
        if found.plural.contains('/') || !has("list") {
            return;
        }
        let resource = match Resource::parse(group, version, &found.plural) {
            Ok(resource) => resource,
            Err(problem) => return self.problems.push(problem),
        };
        let singular =
            if found.singular.is_empty() { found.kind.to_lowercase() } else { found.singular.clone() };
        self.kinds.push(Kind {
            custom: is_custom(&resource, custom),
            disabled: is_secrets(&resource).then(|| SECRETS_ARE_OFF.into()),
            kind: found.kind.as_str().into(),
            singular: singular.into(),
            short: found.short.iter().map(|short| short.as_str().into()).collect(),
            namespaced: found.namespaced,
            watch: has("watch"),
            resource,
        });
    }
}

fn is_secrets(resource: &Resource) -> bool {
    resource.is_core() && resource.resource.as_str() == "secrets"
}

/// Where the definitions can't be read, by the look of the group: Kubernetes' own end in `.k8s.io`
/// or have no dot.
fn is_custom(resource: &Resource, custom: Option<&CustomNames>) -> bool {
    match custom {
        Some(names) => names.contains(&resource.to_string()),
        None => {
            let group = resource.group.as_str();
            group.contains('.') && !group.ends_with(".k8s.io")
        }
    }
}

fn unreachable_group(group: &str, version: &str) -> Problem {
    Problem::new(
        Reason::ServiceUnavailable,
        format!("the server of {group}/{version} doesn't answer: its kinds are missing or out of date"),
    )
}

#[cfg(test)]
mod tests;
