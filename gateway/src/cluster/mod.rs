//! Credentials, discovery and requests: the only room that knows `kube`. Never a hub, a session or
//! a page, and never a request that could change anything: see [`allow`].
//!
//! Read in this order: [`source`] (where the cluster is), [`client`] (the connection),
//! [`request`] (what can be asked), [`failure`] (how it goes wrong), [`discovery`] (what there is).

mod allow;
#[cfg(test)]
mod bounds;
mod certificate;
mod client;
mod connect;
mod discovery;
mod environment;
mod failure;
mod identify;
mod rediscover;
mod request;
mod source;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use shared::frame::server::{Cluster as ClusterIdentity, Kinds};
use shared::name::Namespace;
use shared::problem::Problem;
use shared::resource::{Kind, Resource};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use client::Client;

pub use allow::NotAllowed;
pub use environment::refuse_debug_environment;
pub use failure::{Failure, Refusal};
pub use request::{Accept, Answer, ApiRequest, Selection};
pub use source::Source;

/// One cluster, as the gateway's own credentials see it. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    inner: Arc<Inner>,
}

struct Inner {
    source: Source,
    identity: ClusterIdentity,
    user: Box<str>,
    default_namespaces: Vec<Namespace>,
    /// Replaced as a whole when the credentials are read anew.
    client: RwLock<Client>,
    /// So that many feeds that meet a 401 at once run the exec plugin once.
    refreshing: tokio::sync::Mutex<()>,
    refreshes: AtomicU64,
    kinds: watch::Sender<Arc<Kinds>>,
    /// A feed met a 404: look again.
    rediscover: tokio::sync::Notify,
    /// Resources whose server refused a WatchList or ignored it.
    without_watch_list: Mutex<HashSet<Resource>>,
}

impl Cluster {
    /// Reads the credentials, asks the server who it is and what it serves.
    ///
    /// # Errors
    /// One sentence for each thing that can be wrong with a kubeconfig, a credential or a server.
    pub async fn connect(source: Source) -> Result<Self, Problem> {
        Self::connect_counted(source, Metrics::new()).await
    }

    /// [`Cluster::connect`], with every request counted there.
    ///
    /// # Errors
    /// As there.
    pub async fn connect_counted(source: Source, metrics: Metrics) -> Result<Self, Problem> {
        connect::connect(source, metrics).await
    }

    #[must_use]
    pub fn identity(&self) -> ClusterIdentity {
        self.inner.identity.clone()
    }

    /// Who the credentials say that the gateway is.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.inner.user
    }

    /// The namespace of the context; empty: none was set.
    #[must_use]
    pub fn default_namespaces(&self) -> &[Namespace] {
        &self.inner.default_namespaces
    }

    /// What discovery found, kept current by [`Cluster::keep_discovering`].
    #[must_use]
    pub fn kinds(&self) -> watch::Receiver<Arc<Kinds>> {
        self.inner.kinds.subscribe()
    }

    /// `None`: discovery doesn't list it.
    #[must_use]
    pub fn kind_of(&self, resource: &Resource) -> Option<Kind> {
        self.inner.kinds.borrow().kinds.iter().find(|kind| kind.resource == *resource).cloned()
    }

    /// Asks discovery again whenever CRDs or API services change, until cancelled.
    pub async fn keep_discovering(self, cancel: CancellationToken) {
        rediscover::keep_discovering(self, cancel).await;
    }

    /// Somebody met a resource that isn't there any more.
    pub fn discover_soon(&self) {
        self.inner.rediscover.notify_one();
    }

    /// Sends one request and waits for the head of its answer.
    ///
    /// # Errors
    /// A [`Failure`]: the server refused, or it couldn't be reached.
    pub async fn send(&self, request: &ApiRequest) -> Result<Answer, Failure> {
        request::send(&self.client(), request).await
    }

    /// Reads the kubeconfig, the token or the exec plugin's answer anew, once for all who ask at
    /// the same time.
    ///
    /// # Errors
    /// As [`Cluster::connect`].
    pub async fn refresh_credentials(&self) -> Result<(), Problem> {
        let seen = self.inner.refreshes.load(Ordering::Acquire);
        let _one_at_a_time = self.inner.refreshing.lock().await;
        if self.inner.refreshes.load(Ordering::Acquire) != seen {
            return Ok(());
        }
        let origin = self.inner.source.clone().open().await?;
        let client = client::build(origin.config, self.client().metrics).await?;
        *self.inner.client.write().unwrap_or_else(PoisonError::into_inner) = client;
        self.inner.refreshes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Whether a WatchList is worth a try for this resource.
    #[must_use]
    pub fn may_watch_list(&self, resource: &Resource) -> bool {
        !self.inner.without_watch_list.lock().unwrap_or_else(PoisonError::into_inner).contains(resource)
    }

    pub fn remember_no_watch_list(&self, resource: &Resource) {
        let mut refused = self.inner.without_watch_list.lock().unwrap_or_else(PoisonError::into_inner);
        refused.insert(resource.clone());
    }

    fn client(&self) -> Client {
        self.inner.client.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn publish(&self, found: Kinds) {
        self.inner.kinds.send_if_modified(|known| {
            let differs = **known != found;
            if differs {
                *known = Arc::new(found);
            }
            differs
        });
    }
}
