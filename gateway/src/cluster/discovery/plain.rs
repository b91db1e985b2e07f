//! Plain discovery, as every server speaks it: the groups, then one request a version.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroup, APIResource};
use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::name::{Group as GroupName, Version as VersionName};
use shared::problem::{Problem, Reason};

use super::super::client::Client;
use super::super::failure::Failure;
use super::super::request::{self, Accept, ApiRequest, DiscoveryRoot};
use super::found::{Group, GroupVersion, unreachable_group};

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

pub(super) async fn read(client: &Client, root: DiscoveryRoot, first: &[u8]) -> Result<Vec<Group>, Problem> {
    let listed = match list_of(root, first) {
        Some(listed) => listed,
        None => {
            let body = fetch(client, &ApiRequest::discovery(root, Accept::Json)).await?;
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
fn list_of(root: DiscoveryRoot, body: &[u8]) -> Option<Vec<(String, Vec<String>)>> {
    match root {
        DiscoveryRoot::Core => Some(vec![(String::new(), member(body, "versions")?)]),
        DiscoveryRoot::Groups => {
            let groups: Vec<APIGroup> = member(body, "groups")?;
            Some(groups.into_iter().map(preferred_first).collect())
        }
    }
}

/// One member of a JSON object.
fn member<T: DeserializeOwned>(body: &[u8], name: &str) -> Option<T> {
    let mut object: serde_json::Map<String, Value> = serde_json::from_slice(body).ok()?;
    serde_json::from_value(object.remove(name)?).ok()
}

fn preferred_first(group: APIGroup) -> (String, Vec<String>) {
    let preferred = group.preferred_version.map(|version| version.version);
    let others = group.versions.into_iter().map(|v| v.version).filter(|v| Some(v) != preferred.as_ref());
    let versions = preferred.clone().into_iter().chain(others).collect();
    (group.name, versions)
}

async fn resources(client: &Client, group: &str, version: &str) -> Result<Vec<APIResource>, Problem> {
    let request = ApiRequest::version_discovery(&GroupName::parse(group)?, &VersionName::parse(version)?);
    let body = fetch(client, &request).await.map_err(|_| unreachable_group(group, version))?;
    member(&body, "resources").ok_or_else(|| unreachable_group(group, version))
}
