//! Plain discovery, as every server speaks it: the groups, then one request a version.

use serde::Deserialize;
use shared::name::{Group as GroupName, Version as VersionName};
use shared::problem::{Problem, Reason};

use super::super::client::Client;
use super::super::failure::Failure;
use super::super::request::{self, Accept, ApiRequest};
use super::found::{Found, Group, GroupVersion, unreachable_group};

#[derive(Clone, Copy)]
pub(super) enum Root {
    Core,
    Groups,
}

impl Root {
    pub(super) fn request(self, accept: Accept) -> ApiRequest {
        match self {
            Self::Core => ApiRequest::core_discovery(accept),
            Self::Groups => ApiRequest::group_discovery(accept),
        }
    }
}

#[derive(Deserialize)]
struct Versions {
    versions: Vec<String>,
}

#[derive(Deserialize)]
struct Groups {
    groups: Vec<ListedGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedGroup {
    name: String,
    versions: Vec<ListedVersion>,
    #[serde(default)]
    preferred_version: Option<ListedVersion>,
}

#[derive(Deserialize)]
struct ListedVersion {
    version: String,
}

#[derive(Deserialize)]
struct Resources {
    resources: Vec<ListedResource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedResource {
    name: String,
    #[serde(default)]
    singular_name: String,
    namespaced: bool,
    kind: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    short_names: Vec<String>,
}

pub(super) async fn fetch(client: &Client, request: &ApiRequest) -> Result<Vec<u8>, Problem> {
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

pub(super) async fn read(client: &Client, root: Root, first: &[u8]) -> Result<Vec<Group>, Problem> {
    let listed = match list_of(root, first) {
        Some(listed) => listed,
        None => {
            let body = fetch(client, &root.request(Accept::Json)).await?;
            list_of(root, &body).ok_or_else(|| {
                Problem::new(
                    Reason::NotKubernetes,
                    "discovery answers with something else than a list of groups",
                )
            })?
        }
    };
    let mut groups = Vec::new();
    for (name, versions) in listed {
        let mut found = Vec::new();
        for version in versions {
            let resources = resources(client, &name, &version).await;
            found.push(GroupVersion { version, found: resources });
        }
        groups.push(Group { name, versions: found });
    }
    Ok(groups)
}

/// Group names with their versions, the preferred one first.
fn list_of(root: Root, body: &[u8]) -> Option<Vec<(String, Vec<String>)>> {
    match root {
        Root::Core => {
            let Versions { versions } = serde_json::from_slice(body).ok()?;
            Some(vec![(String::new(), versions)])
        }
        Root::Groups => {
            let Groups { groups } = serde_json::from_slice(body).ok()?;
            Some(groups.into_iter().map(preferred_first).collect())
        }
    }
}

fn preferred_first(group: ListedGroup) -> (String, Vec<String>) {
    let preferred = group.preferred_version.map(|version| version.version);
    let others = group.versions.into_iter().map(|v| v.version).filter(|v| Some(v) != preferred.as_ref());
    let versions = preferred.clone().into_iter().chain(others).collect();
    (group.name, versions)
}

async fn resources(client: &Client, group: &str, version: &str) -> Result<Vec<Found>, Problem> {
    let request = ApiRequest::version_discovery(&GroupName::parse(group)?, &VersionName::parse(version)?);
    let body = fetch(client, &request).await.map_err(|_| unreachable_group(group, version))?;
    let Resources { resources } =
        serde_json::from_slice(&body).map_err(|_| unreachable_group(group, version))?;
    Ok(resources.into_iter().map(found).collect())
}

fn found(resource: ListedResource) -> Found {
    Found {
        plural: resource.name,
        kind: resource.kind,
        singular: resource.singular_name,
        short: resource.short_names,
        verbs: resource.verbs,
        namespaced: resource.namespaced,
    }
}
