//! Keeps discovery current: watches the metadata of the custom resource definitions and the API services,
//! and asks discovery again when one comes, changes or goes. Where the credentials may not list those, it
//! polls.

use std::collections::BTreeMap;
use std::time::Duration;

use kube::core::{ObjectList, PartialObjectMeta};
use shared::frame::server::Kinds;
use shared::problem::Reason;
use shared::resource::Resource;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::authority::keep_authority;
use super::discovery::{self, CustomNames};
use super::failure::Failure;
use super::handle::Cluster;
use super::request::{Accept, ApiRequest, Selection};
use crate::limits;

const SETTLE: Duration = Duration::from_millis(limits::DISCOVERY_SETTLE_MS);
const LAG_STEP: Duration = Duration::from_millis(limits::DISCOVERY_STEP_MS);

/// Name and resourceVersion of each definition; when they change, discovery may have changed.
type Versions = BTreeMap<String, String>;

/// The watch of one of the two kinds whose changes change discovery.
struct DefinitionWatch {
    resource: Option<Resource>,
    /// `None` if it may not be listed, or wasn't listed yet.
    versions: Option<Versions>,
    resource_version: String,
    /// Why the last list was refused.
    refused: Option<Reason>,
}

impl Cluster {
    /// Asks discovery again whenever definitions or API services change, and keeps the certificates of a pod's own
    /// cluster current, until cancelled.
    pub async fn keep_discovering(self, cancel: CancellationToken) {
        let both = async { tokio::join!(keep_discovering(&self), keep_authority(&self)) };
        let _ = cancel.run_until_cancelled(both).await;
    }
}

async fn keep_discovering(cluster: &Cluster) {
    let mut definitions = DefinitionWatch::at("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    let mut services = DefinitionWatch::at("apiregistration.k8s.io", "v1", "apiservices");
    definitions.list(cluster).await;
    services.list(cluster).await;
    let mut hidden = Versions::new();
    let mut was_polled = false;
    loop {
        let is_polled = definitions.versions.is_none() || services.versions.is_none();
        if is_polled && !was_polled {
            let refused = definitions.refused.as_ref().or(services.refused.as_ref());
            match refused {
                // Every API server has both; a record of one that is replayed gets no new kinds.
                Some(Reason::NotFound) => tracing::debug!("{}", polls_because(refused)),
                _ => tracing::warn!("{}", polls_because(refused)),
            }
        }
        was_polled = is_polled;
        hidden = discover_until_settled(cluster, &definitions, &hidden).await;
        wait_for_change(cluster, &mut definitions, &mut services).await;
        sleep(SETTLE).await;
        definitions.list_again(cluster).await;
        services.list_again(cluster).await;
    }
}

/// Discovery may lag behind the definitions for a moment: publishes it once it agrees with them, or as it is
/// when the wait is over. Returns the definitions that discovery never listed (their name is taken, or no
/// version is served), so that the next round doesn't wait for them until they change.
async fn discover_until_settled(
    cluster: &Cluster,
    definitions: &DefinitionWatch,
    hidden: &Versions,
) -> Versions {
    let custom: Option<CustomNames> = definitions.versions.as_ref().map(|v| v.keys().cloned().collect());
    let awaited = definitions.versions.iter().flatten().filter(|(name, at)| hidden.get(*name) != Some(at));
    let awaited: Versions = awaited.map(|(name, at)| (name.clone(), at.clone())).collect();
    let deadline = Instant::now() + Duration::from_millis(limits::DISCOVERY_LAG_MS_MAX);
    let before = cluster.served().known();
    loop {
        let (name, ceiling) = (cluster.name(), &cluster.ceiling());
        if let Ok(found) = discovery::discover(&cluster.client(), name, custom.as_ref(), ceiling).await {
            let missing = missing(&found, definitions.versions.as_ref());
            let unserved: Vec<&str> =
                missing.keys().map(String::as_str).filter(|name| awaited.contains_key(*name)).collect();
            let is_settled = !keeps_gone(&found, custom.as_ref(), &before) && unserved.is_empty();
            let is_over = Instant::now() >= deadline;
            if is_over && !unserved.is_empty() {
                let names = unserved.join(", ");
                tracing::warn!(names, "definitions aren't served; `kubectl describe crd` says why");
            }
            if is_settled || is_over {
                cluster.served().publish(found);
                return missing;
            }
        } else if Instant::now() >= deadline {
            // The kinds that were found before stay; the next round asks again.
            return hidden.clone();
        }
        sleep(LAG_STEP).await;
    }
}

/// Why discovery is polled. Only a right that is missing can be granted.
fn polls_because(refused: Option<&Reason>) -> String {
    let every_s = limits::DISCOVERY_POLL_S;
    let what = "custom resource definitions or API services can't be listed";
    match refused {
        Some(Reason::Forbidden) => {
            format!(
                "{what} (Forbidden), so discovery is asked every {every_s} s; grant list and watch on both"
            )
        }
        Some(reason) => {
            format!("{what} ({}), so discovery is asked every {every_s} s until they can", reason.words())
        }
        None => format!("{what} yet, so discovery is asked every {every_s} s until they can"),
    }
}

/// Definitions whose kinds aren't listed.
fn missing(found: &Kinds, definitions: Option<&Versions>) -> Versions {
    let listed: CustomNames = found.kinds.iter().map(|kind| kind.resource.to_string()).collect();
    let missing = definitions.into_iter().flatten().filter(|(name, _)| !listed.contains(*name));
    missing.map(|(name, at)| (name.clone(), at.clone())).collect()
}

/// Whether a kind is still listed whose definition is gone.
fn keeps_gone(found: &Kinds, custom: Option<&CustomNames>, before: &Kinds) -> bool {
    let Some(custom) = custom else { return false };
    let listed: CustomNames = found.kinds.iter().map(|kind| kind.resource.to_string()).collect();
    let known = before.kinds.iter().filter(|kind| kind.custom).map(|kind| kind.resource.to_string());
    known.into_iter().any(|name| !custom.contains(&name) && listed.contains(&name))
}

/// Returns when a definition changed, when a watch ended (a change may have been missed), when a feed met a
/// 404, or when the polling interval is over.
async fn wait_for_change(
    cluster: &Cluster,
    definitions: &mut DefinitionWatch,
    services: &mut DefinitionWatch,
) {
    let all_watched = definitions.versions.is_some() && services.versions.is_some();
    let pause = if all_watched {
        Duration::from_secs(u64::MAX / 4)
    } else {
        Duration::from_secs(limits::DISCOVERY_POLL_S)
    };
    tokio::select! {
        () = definitions.changed(cluster) => {}
        () = services.changed(cluster) => {}
        () = cluster.served().doubted() => {}
        () = sleep(pause) => {}
    }
}

impl DefinitionWatch {
    fn at(group: &str, version: &str, plural: &str) -> Self {
        Self {
            resource: Resource::parse(group, version, plural).ok(),
            versions: None,
            resource_version: String::new(),
            refused: None,
        }
    }

    fn request(&self, accept: Accept) -> Option<ApiRequest> {
        let resource = self.resource.clone()?;
        let selection = Selection { resource, namespace: None, name: None, fields: None };
        Some(ApiRequest::objects(&selection, accept))
    }

    /// Lists once more. An API server that comes back refuses for some seconds what it grants, until it has read
    /// its own roles: what was granted before counts as refused only when it stays so.
    async fn list_again(&mut self, cluster: &Cluster) {
        let deadline = Instant::now() + Duration::from_millis(limits::DISCOVERY_LAG_MS_MAX);
        let was_granted = self.versions.is_some();
        loop {
            self.list(cluster).await;
            if !was_granted || self.versions.is_some() || Instant::now() >= deadline {
                return;
            }
            sleep(LAG_STEP).await;
        }
    }

    /// A refusal means polling from now on; after a broken connection the known versions stay.
    async fn list(&mut self, cluster: &Cluster) {
        let Some(request) = self.request(Accept::MetadataList) else { return };
        let read = async {
            let answer = cluster.send(&request).await?;
            answer.whole().await.map_err(Failure::Broken)
        };
        match read.await {
            Err(Failure::Refused(refusal)) => {
                (self.versions, self.refused) = (None, Some(refusal.reason()));
            }
            Err(Failure::Broken(_)) => {}
            Ok(body) => {
                if let Ok(list) = serde_json::from_slice::<ObjectList<PartialObjectMeta>>(&body) {
                    self.resource_version = list.metadata.resource_version.unwrap_or_default();
                    let living = list.items.into_iter().map(|item| item.metadata);
                    let living = living.filter(|metadata| metadata.deletion_timestamp.is_none());
                    let named =
                        living.filter_map(|metadata| Some((metadata.name?, metadata.resource_version?)));
                    (self.versions, self.refused) = (Some(named.collect()), None);
                }
            }
        }
    }

    /// Returns at the first event after the list or at the end of the watch; never, where listing is refused.
    async fn changed(&self, cluster: &Cluster) {
        if self.versions.is_none() {
            return std::future::pending().await;
        }
        // Each event holds one object: requested as a list, the stream would end at the first event.
        let Some(request) = self.request(Accept::Metadata) else { return std::future::pending().await };
        let request = request.watched().with("resourceVersion", &self.resource_version);
        match cluster.send(&request).await {
            Ok(mut answer) => {
                // The request asks for no bookmarks, so the first byte is an event.
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
            let resource = Resource::parse(group, "v1", plural).expect("a resource");
            Kind { custom: *custom, ..Kind::new(resource, "K", true) }
        };
        Kinds::new(ClusterName::parse("c").expect("a name"), names.iter().map(kind).collect(), Vec::new())
    }

    #[test]
    fn the_advice_to_grant_a_right_is_given_where_one_is_missing() {
        let busy = polls_because(Some(&Reason::TooManyRequests));
        assert!(busy.contains("(TooManyRequests)"), "{busy}");
        assert!(!busy.contains("grant") && !polls_because(None).contains("grant"));
        assert!(polls_because(Some(&Reason::Forbidden)).contains("grant list and watch"));
    }

    #[test]
    fn discovery_is_settled_when_every_definition_is_listed_and_none_that_is_gone() {
        let names = |names: &[&str]| -> CustomNames { names.iter().map(|name| (*name).to_owned()).collect() };
        let boats = ("boats.example.com", true);
        let defined = Versions::from([("boats.example.com".to_owned(), "1".to_owned())]);
        assert_eq!(missing(&kinds(&[("pods", false)]), Some(&defined)), defined);
        assert!(missing(&kinds(&[("pods", false), boats]), Some(&defined)).is_empty());
        assert!(missing(&kinds(&[]), None).is_empty());
        let check = |found: &[(&str, bool)], custom: &[&str], expected: bool| {
            assert_eq!(
                keeps_gone(&kinds(found), Some(&names(custom)), &kinds(&[boats])),
                expected,
                "{found:?}"
            );
        };
        check(&[boats], &[], true);
        check(&[boats], &["boats.example.com"], false);
        check(&[], &[], false);
        assert!(!keeps_gone(&kinds(&[boats]), None, &kinds(&[boats])));
    }
}
