//! A cluster that answered, as the other modules use it. Cheap to clone.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use shared::frame::server::{Cluster as ClusterIdentity, Kinds};
use shared::problem::Problem;
use shared::resource::{Kind, Resource};
use tokio::sync::watch;

use super::answer::Answer;
use super::ceiling::Ceiling;
use super::client::{self, Client};
use super::failure::Failure;
use super::identify;
use super::request::{self, ApiRequest};
use super::source::Source;
use super::tokens::ViewerTokens;
use crate::metrics::Metrics;

/// One cluster, as the gateway's own credentials see it.
#[derive(Clone)]
pub struct Cluster {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) source: Source,
    /// Its address, for messages.
    pub(super) server: String,
    /// Replaced as a whole when the configuration is read again.
    pub(super) ceiling: RwLock<Ceiling>,
    /// Without the kinds, which change.
    pub(super) identity: ClusterIdentity,
    /// Replaced as a whole when the credentials are read anew.
    pub(super) client: RwLock<Client>,
    /// Many feeds that meet a 401 at once run the exec plugin once.
    pub(super) refreshing: tokio::sync::Mutex<()>,
    pub(super) refreshes: AtomicU64,
    pub(super) kinds: watch::Sender<Arc<Kinds>>,
    /// Notified when a feed met a 404.
    pub(super) rediscover: tokio::sync::Notify,
    /// Resources whose server refused a WatchList or ignored it.
    pub(super) without_watch_list: Mutex<HashSet<Resource>>,
    pub(super) tokens: ViewerTokens,
}

impl Cluster {
    /// With the digest of the kinds that are known now.
    pub fn identity(&self) -> ClusterIdentity {
        ClusterIdentity { kinds: self.inner.kinds.borrow().digest.clone(), ..self.inner.identity.clone() }
    }

    /// What discovery found, kept current by [`Cluster::keep_discovering`].
    pub fn kinds(&self) -> watch::Receiver<Arc<Kinds>> {
        self.inner.kinds.subscribe()
    }

    /// What of the cluster is shown.
    pub fn ceiling(&self) -> Ceiling {
        self.inner.ceiling.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on another part of the cluster is shown. Feeds that run go on with the former one.
    pub fn set_ceiling(&self, ceiling: Ceiling) {
        *self.inner.ceiling.write().unwrap_or_else(PoisonError::into_inner) = ceiling;
        self.publish_from(Kinds::clone);
    }

    /// How it is reached.
    #[must_use]
    pub fn source(&self) -> Source {
        self.inner.source.clone()
    }

    /// Whether its server answers.
    ///
    /// # Errors
    /// As [`Cluster::connect`], where it doesn't.
    pub async fn look(&self) -> Result<(), Problem> {
        identify::version(&self.client(), &self.inner.server).await.map(drop)
    }

    /// `None` if discovery doesn't list it.
    pub fn kind_of(&self, resource: &Resource) -> Option<Kind> {
        self.inner.kinds.borrow().kinds.iter().find(|kind| kind.resource == *resource).cloned()
    }

    /// Called by a feed whose resource isn't served any more.
    pub fn discover_soon(&self) {
        self.inner.rediscover.notify_one();
    }

    pub fn metrics(&self) -> Metrics {
        self.client().metrics
    }

    /// Sends one request and waits for the head of its answer.
    ///
    /// # Errors
    /// A [`Failure`]: the server refused, or it couldn't be reached.
    pub async fn send(&self, request: &ApiRequest) -> Result<Answer, Failure> {
        request::send(&self.client(), request).await
    }

    /// Reads the kubeconfig, the token or the exec plugin's answer anew, once for all calls at the same
    /// time.
    ///
    /// # Errors
    /// As [`Cluster::connect`].
    pub async fn refresh_credentials(&self) -> Result<(), Problem> {
        let seen = self.inner.refreshes.load(Ordering::Acquire);
        let _guard = self.inner.refreshing.lock().await;
        if self.inner.refreshes.load(Ordering::Acquire) != seen {
            return Ok(());
        }
        let origin = self.inner.source.clone().open().await?;
        let client = client::build(origin.config, self.metrics()).await?;
        *self.inner.client.write().unwrap_or_else(PoisonError::into_inner) = client;
        self.inner.refreshes.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Whether a WatchList is worth a try for this resource.
    pub fn may_watch_list(&self, resource: &Resource) -> bool {
        !self.inner.without_watch_list.lock().unwrap_or_else(PoisonError::into_inner).contains(resource)
    }

    pub fn remember_no_watch_list(&self, resource: &Resource) {
        let refused = &self.inner.without_watch_list;
        refused.lock().unwrap_or_else(PoisonError::into_inner).insert(resource.clone());
    }

    pub(super) fn client(&self) -> Client {
        self.inner.client.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Kinds that the ceiling hides are marked under the lock, so that a discovery that began under another ceiling
    /// doesn't show them again.
    pub(super) fn publish(&self, found: Kinds) {
        self.publish_from(|_| found);
    }

    fn publish_from(&self, found: impl FnOnce(&Kinds) -> Kinds) {
        self.inner.kinds.send_if_modified(|known| {
            let found = under(&self.ceiling(), found(known));
            let differs = **known != found;
            if differs {
                *known = Arc::new(found);
            }
            differs
        });
    }
}

/// The same kinds, those marked that aren't shown.
pub(super) fn under(ceiling: &Ceiling, found: Kinds) -> Kinds {
    let Kinds { cluster, mut kinds, problems, .. } = found;
    for kind in &mut kinds {
        kind.disabled = ceiling.hides_kind(&kind.resource);
    }
    Kinds::new(cluster, kinds, problems)
}
