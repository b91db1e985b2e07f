//! Keeps discovery current: looks at the custom resource definitions and the API services, by
//! their metadata alone, and asks discovery again when one comes, changes or goes. Where the user
//! may not list those, it asks every so often.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use shared::frame::server::Kinds;
use shared::resource::Resource;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::discovery::{self, CustomNames};
use super::request::{Accept, ApiRequest, Selection};
use super::{Cluster, Failure};
use crate::limits;

/// Several definitions are usually applied together.
const SETTLE: Duration = Duration::from_millis(300);
const LAG_STEP: Duration = Duration::from_millis(300);

/// What makes discovery differ: name and resourceVersion of each definition.
type Versions = BTreeMap<String, String>;

#[derive(Deserialize)]
struct List {
    metadata: ListMetadata,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMetadata {
    #[serde(default)]
    resource_version: String,
}

#[derive(Deserialize)]
struct Item {
    metadata: ItemMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ItemMetadata {
    name: String,
    #[serde(default)]
    resource_version: String,
    #[serde(default)]
    deletion_timestamp: Option<String>,
}

/// One of the two kinds whose changes change discovery.
struct Looked {
    resource: Option<Resource>,
    /// `None`: it may not be listed, or hasn't been yet.
    versions: Option<Versions>,
    resource_version: String,
}

pub(super) async fn keep_discovering(cluster: Cluster, cancel: CancellationToken) {
    let run = async {
        let mut definitions = Looked::at("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        let mut services = Looked::at("apiregistration.k8s.io", "v1", "apiservices");
        definitions.list(&cluster).await;
        services.list(&cluster).await;
        loop {
            discover_until_settled(&cluster, &definitions).await;
            wait_for_change(&cluster, &mut definitions, &mut services).await;
            sleep(SETTLE).await;
            definitions.list(&cluster).await;
            services.list(&cluster).await;
        }
    };
    tokio::select! {
        () = run => {}
        () = cancel.cancelled() => {}
    }
}

/// Discovery may lag behind the definitions for a moment: published once it agrees with them, or
/// as it is when the wait is over (a definition with a name that is taken never shows up).
async fn discover_until_settled(cluster: &Cluster, definitions: &Looked) {
    let custom: Option<CustomNames> = definitions.versions.as_ref().map(|v| v.keys().cloned().collect());
    let deadline = Instant::now() + Duration::from_millis(limits::DISCOVERY_LAG_MS_MAX);
    let before = cluster.inner.kinds.borrow().clone();
    loop {
        let name = &cluster.inner.identity.name;
        if let Ok(found) = discovery::discover(&cluster.client(), name, custom.as_ref()).await {
            if agrees(&found, custom.as_ref(), &before) || Instant::now() >= deadline {
                return cluster.publish(found);
            }
        } else if Instant::now() >= deadline {
            // What was found before stays; the next round asks again.
            return;
        }
        sleep(LAG_STEP).await;
    }
}

/// Every definition that wasn't known before is listed, and none that is gone still is.
fn agrees(found: &Kinds, custom: Option<&CustomNames>, before: &Kinds) -> bool {
    let Some(custom) = custom else { return true };
    let listed: CustomNames = found.kinds.iter().map(|kind| kind.resource.to_string()).collect();
    let gone = before.kinds.iter().filter(|kind| kind.custom).any(|kind| {
        let name = kind.resource.to_string();
        !custom.contains(&name) && listed.contains(&name)
    });
    !gone && custom.iter().all(|name| listed.contains(name))
}

/// Returns when something changed, when a watch ended (there may be something to see), when a
/// feed met a 404, or when the interval of polling is over.
async fn wait_for_change(cluster: &Cluster, definitions: &mut Looked, services: &mut Looked) {
    let all_watched = definitions.versions.is_some() && services.versions.is_some();
    let pause = if all_watched {
        Duration::from_secs(u64::MAX / 4)
    } else {
        Duration::from_secs(limits::DISCOVERY_POLL_S)
    };
    tokio::select! {
        () = definitions.changed(cluster) => {}
        () = services.changed(cluster) => {}
        () = cluster.inner.rediscover.notified() => {}
        () = sleep(pause) => {}
    }
}

impl Looked {
    fn at(group: &str, version: &str, plural: &str) -> Self {
        Self {
            resource: Resource::parse(group, version, plural).ok(),
            versions: None,
            resource_version: String::new(),
        }
    }

    fn request(&self) -> Option<ApiRequest> {
        let resource = self.resource.clone()?;
        Some(ApiRequest::objects(
            &Selection { resource, namespace: None, name: None, fields: None },
            Accept::MetadataList,
        ))
    }

    /// Refused: polled. Broken: what was known stays.
    async fn list(&mut self, cluster: &Cluster) {
        let Some(request) = self.request() else { return };
        let read = async {
            let answer = cluster.send(&request).await?;
            answer.whole().await.map_err(Failure::Broken)
        };
        match read.await {
            Err(Failure::Refused(_)) => self.versions = None,
            Err(Failure::Broken(_)) => {}
            Ok(body) => {
                if let Ok(list) = serde_json::from_slice::<List>(&body) {
                    self.resource_version = list.metadata.resource_version;
                    let living = list.items.into_iter().map(|item| item.metadata);
                    let living = living.filter(|metadata| metadata.deletion_timestamp.is_none());
                    self.versions = Some(living.map(|m| (m.name, m.resource_version)).collect());
                }
            }
        }
    }

    /// The first event after the list, or the end of the watch; never, where it may not be listed.
    async fn changed(&self, cluster: &Cluster) {
        if self.versions.is_none() {
            return std::future::pending().await;
        }
        let Some(request) = self.request() else { return std::future::pending().await };
        let request = request.with("watch", "1").with("resourceVersion", &self.resource_version);
        match cluster.send(&request).await {
            Ok(mut answer) => {
                // No bookmarks were asked for, so the first byte is an event.
                let _ = answer.chunk().await;
            }
            Err(_) => sleep(Duration::from_secs(limits::DISCOVERY_POLL_S)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::name::ClusterName;
    use shared::resource::Kind;

    use super::*;

    fn kinds(names: &[(&str, bool)]) -> Kinds {
        let kind = |(name, custom): &(&str, bool)| {
            let (plural, group) = name.split_once('.').unwrap_or((name, ""));
            Kind {
                resource: Resource::parse(group, "v1", plural).expect("a resource"),
                kind: "K".into(),
                singular: "k".into(),
                short: Vec::new(),
                namespaced: true,
                watch: true,
                disabled: None,
                custom: *custom,
            }
        };
        Kinds {
            cluster: ClusterName::parse("c").expect("a name"),
            kinds: names.iter().map(kind).collect(),
            problems: Vec::new(),
        }
    }

    #[test]
    fn discovery_agrees_when_every_definition_is_listed_and_none_that_is_gone() {
        let check = |found: &[(&str, bool)], custom: &[&str], before: &[(&str, bool)], expected: bool| {
            let custom: CustomNames = custom.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(
                agrees(&kinds(found), Some(&custom), &kinds(before)),
                expected,
                "{found:?} {custom:?}"
            );
        };
        check(&[("pods", false)], &[], &[], true);
        check(&[("pods", false)], &["boats.example.com"], &[], false);
        check(&[("pods", false), ("boats.example.com", true)], &["boats.example.com"], &[], true);
        check(&[("boats.example.com", false)], &[], &[("boats.example.com", true)], false);
        check(&[], &[], &[("boats.example.com", true)], true);
        assert!(agrees(&kinds(&[]), None, &kinds(&[])));
    }
}
