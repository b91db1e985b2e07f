//! The list of clusters as the rest of the gateway sees it. Cheap to clone; all clones are one list.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use shared::frame::server::{Cluster as ClusterIdentity, ClusterProblem, Kinds};
use shared::name::ClusterName;
use tokio::sync::{Notify, watch};

use super::entry::{Entry, Wanted};
use super::members::{Effects, MemberNumber, Members};
use crate::access::Reviews;
use crate::cluster::{Ceiling, Cluster};

#[derive(Clone)]
pub struct Inventory {
    inner: Arc<Inner>,
}

/// What all clones of the list share: the clusters, their current list, and the wishes that the keeper waits for.
struct Inner {
    members: Mutex<Members<Reached>>,
    listed: watch::Sender<Arc<[Listed]>>,
    /// Counts the lists, and the changes of their kinds.
    version: AtomicU64,
    wanted: watch::Sender<Wanted>,
    /// What is shown of each cluster, also of one that is reached later.
    ceiling: RwLock<Ceiling>,
    /// A viewer asks to try the clusters that aren't reached.
    retry: Notify,
}

/// A cluster of the list.
#[derive(Clone)]
pub struct Listed {
    pub name: ClusterName,
    /// A cluster of the same name that is reached in another way has another number.
    pub number: MemberNumber,
    /// `None`: it never answered.
    pub reached: Option<Reached>,
    pub problem: Option<ClusterProblem>,
}

/// A cluster that answered.
#[derive(Clone)]
pub struct Reached {
    pub cluster: Cluster,
    pub reviews: Reviews,
    /// The check of the gateway's own account in this cluster. `Err` says what is wrong with its rights.
    pub own_rights: Result<(), String>,
}

impl Reached {
    #[must_use]
    pub fn new(cluster: Cluster, own_rights: Result<(), String>) -> Self {
        Self { reviews: Reviews::new(cluster.clone()), cluster, own_rights }
    }
}

impl Listed {
    /// The cluster as `welcome` lists it for clients.
    #[must_use]
    pub fn identity(&self) -> ClusterIdentity {
        let problem = self.problem.clone().map(Box::new);
        match &self.reached {
            Some(reached) => ClusterIdentity { problem, ..reached.cluster.identity() },
            None => ClusterIdentity {
                name: self.name.clone(),
                id: "".into(),
                context: None,
                version: "".into(),
                namespaces: Vec::new(),
                kinds: self.kinds().digest.clone(),
                problem,
            },
        }
    }

    /// The kinds that are known now: none for a cluster that never answered.
    #[must_use]
    pub fn kinds(&self) -> Arc<Kinds> {
        match &self.reached {
            Some(reached) => reached.cluster.kinds().borrow().clone(),
            None => Arc::new(Kinds::new(self.name.clone(), Vec::new(), Vec::new())),
        }
    }
}

impl From<Cluster> for Inventory {
    /// The only cluster of a gateway.
    fn from(cluster: Cluster) -> Self {
        let entry = Entry { name: cluster.identity().name, access: Ok(cluster.source()) };
        let inventory = Self::new(cluster.ceiling());
        inventory.begin_with(entry, Reached::new(cluster, Ok(())));
        inventory
    }
}

impl Inventory {
    /// With no cluster yet. `ceiling`: what is shown of each.
    #[must_use]
    pub fn new(ceiling: Ceiling) -> Self {
        let inner = Inner {
            members: Mutex::default(),
            listed: watch::Sender::new(Arc::new([])),
            version: AtomicU64::new(0),
            wanted: watch::Sender::default(),
            ceiling: RwLock::new(ceiling),
            retry: Notify::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// A cluster that answered before anything else began.
    pub fn begin_with(&self, entry: Entry, reached: Reached) {
        let mut members = self.members();
        members.begin_with(entry, reached);
        self.publish(&members);
    }

    /// The home cluster is the first. Changed when a cluster comes, goes, or its state or its kinds are others.
    #[must_use]
    pub fn listed(&self) -> watch::Receiver<Arc<[Listed]>> {
        self.inner.listed.subscribe()
    }

    /// Counts the changes of [`Self::listed`].
    #[must_use]
    pub fn version(&self) -> u64 {
        self.inner.version.load(Ordering::Acquire)
    }

    /// `None` names the home cluster.
    #[must_use]
    pub fn find(&self, name: Option<&ClusterName>) -> Option<Listed> {
        let listed = self.inner.listed.borrow();
        match name {
            Some(name) => listed.iter().find(|cluster| cluster.name == *name).cloned(),
            None => listed.first().cloned(),
        }
    }

    /// The cluster with its number, if it was reached.
    #[must_use]
    pub fn cluster(&self, name: &ClusterName) -> Option<(MemberNumber, Cluster)> {
        let found = self.find(Some(name))?;
        Some((found.number, found.reached?.cluster))
    }

    #[must_use]
    pub fn ceiling(&self) -> Ceiling {
        self.inner.ceiling.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on another part of each cluster is shown. Feeds that run go on with the former one.
    pub fn set_ceiling(&self, ceiling: &Ceiling) {
        self.inner.ceiling.write().unwrap_or_else(PoisonError::into_inner).clone_from(ceiling);
        let members = self.members();
        for reached in members.iter().filter_map(|member| member.cluster()) {
            reached.cluster.set_ceiling(ceiling.clone());
        }
        self.publish(&members);
    }

    /// The clusters of the configuration from now on.
    pub fn configure(&self, entries: Vec<Entry>) {
        self.inner.wanted.send_modify(|wanted| wanted.configured = entries);
    }

    /// The clusters of ClusterProfiles from now on.
    pub fn show_profiles(&self, entries: Vec<Entry>) {
        self.inner.wanted.send_if_modified(|wanted| {
            let differs = wanted.profiles != entries;
            wanted.profiles = entries;
            differs
        });
    }

    /// Tries those that aren't reached now instead of at their next time.
    pub fn retry(&self) {
        self.inner.retry.notify_waiters();
    }

    pub(super) async fn retried(&self) {
        self.inner.retry.notified().await;
    }

    pub(super) fn wanted(&self) -> watch::Receiver<Wanted> {
        self.inner.wanted.subscribe()
    }

    /// Changes the members, and then the list where it is another.
    pub(super) fn change(&self, change: impl FnOnce(&mut Members<Reached>) -> Effects) -> Effects {
        let mut members = self.members();
        let effects = change(&mut members);
        if effects.is_changed {
            self.publish(&members);
        }
        effects
    }

    pub(super) fn members(&self) -> MutexGuard<'_, Members<Reached>> {
        self.inner.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, members: &Members<Reached>) {
        let listed = members.iter().map(|member| Listed {
            name: member.entry.name.clone(),
            number: member.number,
            reached: member.cluster().cloned(),
            problem: member.problem().cloned(),
        });
        let listed: Arc<[Listed]> = listed.collect();
        self.inner.listed.send_modify(|known| {
            *known = listed;
            self.inner.version.fetch_add(1, Ordering::Release);
        });
    }
}
