//! What the cluster serves, as discovery found it, and what of it is shown. Pure but for its locks: `rediscover` asks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use shared::frame::server::Kinds;
use shared::resource::{Kind, Resource};
use tokio::sync::{Notify, watch};

use super::ceiling::Ceiling;

/// The kinds of one cluster.
pub(super) struct Served {
    kinds: watch::Sender<Arc<Kinds>>,
    /// Replaced as a whole when the configuration is read again.
    ceiling: RwLock<Ceiling>,
    /// Notified when a feed met a 404.
    doubted: Notify,
    /// Resources whose server refused a WatchList or ignored it.
    without_watch_list: Mutex<HashSet<Resource>>,
}

impl Served {
    pub(super) fn new(kinds: Kinds, ceiling: Ceiling) -> Self {
        Self {
            kinds: watch::Sender::new(Arc::new(kinds)),
            ceiling: RwLock::new(ceiling),
            doubted: Notify::new(),
            without_watch_list: Mutex::default(),
        }
    }

    pub(super) fn known(&self) -> Arc<Kinds> {
        self.kinds.borrow().clone()
    }

    pub(super) fn kinds(&self) -> watch::Receiver<Arc<Kinds>> {
        self.kinds.subscribe()
    }

    /// `None` if discovery doesn't list it.
    pub(super) fn kind_of(&self, resource: &Resource) -> Option<Kind> {
        self.kinds.borrow().kinds.iter().find(|kind| kind.serves(resource)).cloned()
    }

    pub(super) fn ceiling(&self) -> Ceiling {
        self.ceiling.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_ceiling(&self, ceiling: Ceiling) {
        *self.ceiling.write().unwrap_or_else(PoisonError::into_inner) = ceiling;
        self.publish_from(Kinds::clone);
    }

    /// Kinds that the ceiling hides are marked under the lock, so that a discovery that began under another ceiling
    /// doesn't show them again.
    pub(super) fn publish(&self, found: Kinds) {
        self.publish_from(|_| found);
    }

    fn publish_from(&self, found: impl FnOnce(&Kinds) -> Kinds) {
        self.kinds.send_if_modified(|known| {
            let found = under(&self.ceiling(), found(known));
            let differs = **known != found;
            if differs {
                *known = Arc::new(found);
            }
            differs
        });
    }

    /// A feed's resource isn't served any more.
    pub(super) fn doubt(&self) {
        self.doubted.notify_one();
    }

    /// Returns when a feed met a 404.
    pub(super) async fn doubted(&self) {
        self.doubted.notified().await;
    }

    pub(super) fn may_watch_list(&self, resource: &Resource) -> bool {
        !self.without_watch_list.lock().unwrap_or_else(PoisonError::into_inner).contains(resource)
    }

    pub(super) fn remember_no_watch_list(&self, resource: &Resource) {
        let refused = &self.without_watch_list;
        refused.lock().unwrap_or_else(PoisonError::into_inner).insert(resource.clone());
    }
}

/// The same kinds, those marked that aren't shown.
fn under(ceiling: &Ceiling, found: Kinds) -> Kinds {
    let Kinds { cluster, mut kinds, problems, .. } = found;
    for kind in &mut kinds {
        kind.disabled = ceiling.hides_kind(&kind.resource);
    }
    Kinds::new(cluster, kinds, problems)
}
