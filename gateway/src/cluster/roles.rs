//! The cluster's roles and bindings, watched for any change, because a change may give or take rights.

use std::time::Duration;

use futures_util::future::select_all;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::core::{ObjectList, PartialObjectMeta};
use serde::de::DeserializeOwned;
use shared::resource::Resource;
use tokio::time::sleep;

use super::handle::Cluster;
use super::request::{Accept, ApiRequest, Selection};
use crate::limits::ROLES_LIST_AGAIN_S;

pub struct RoleWatch {
    bindings: Watched,
    others: [Watched; 3],
}

/// One of the kinds that say who may do what.
struct Watched {
    plural: &'static str,
    resource_version: String,
}

impl Default for RoleWatch {
    fn default() -> Self {
        let watched = |plural| Watched { plural, resource_version: String::new() };
        Self {
            bindings: watched("rolebindings"),
            others: ["roles", "clusterrolebindings", "clusterroles"].map(watched),
        }
    }
}

impl RoleWatch {
    /// All role bindings. `None`: some of the four kinds can't be listed.
    pub async fn list(&mut self, cluster: &Cluster) -> Option<Vec<RoleBinding>> {
        let listed: ObjectList<RoleBinding> = self.bindings.list(cluster, Accept::Json).await?;
        self.bindings.resource_version = listed.metadata.resource_version.unwrap_or_default();
        for other in &mut self.others {
            let listed: ObjectList<PartialObjectMeta> = other.list(cluster, Accept::MetadataList).await?;
            other.resource_version = listed.metadata.resource_version.unwrap_or_default();
        }
        Some(listed.items)
    }

    /// Returns when one of them changed after the last list, or may have.
    pub async fn changed(&self, cluster: &Cluster) {
        let all = self.others.iter().chain([&self.bindings]);
        select_all(all.map(|watched| Box::pin(watched.changed(cluster)))).await;
    }
}

impl Watched {
    fn request(&self, accept: Accept) -> Option<ApiRequest> {
        let resource = Resource::parse("rbac.authorization.k8s.io", "v1", self.plural).ok()?;
        let selection = Selection { resource, namespace: None, name: None, fields: None };
        Some(ApiRequest::objects(&selection, accept))
    }

    async fn list<L: DeserializeOwned>(&self, cluster: &Cluster, accept: Accept) -> Option<L> {
        let answer = cluster.send(&self.request(accept)?).await.ok()?;
        serde_json::from_slice(&answer.whole().await.ok()?).ok()
    }

    /// Returns at the first event after the list, or at the end of the watch.
    async fn changed(&self, cluster: &Cluster) {
        let Some(request) = self.request(Accept::Metadata) else { return std::future::pending().await };
        let request = request.watched().with("resourceVersion", &self.resource_version);
        match cluster.send(&request).await {
            Ok(mut answer) => {
                // The request asks for no bookmarks, so the first byte is an event.
                let _ = answer.chunk().await;
            }
            Err(_) => sleep(Duration::from_secs(ROLES_LIST_AGAIN_S)).await,
        }
    }
}
