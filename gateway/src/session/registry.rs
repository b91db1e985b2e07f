//! Which feeds run: one for all viewers of its key, started by the first, ended a while after the
//! last. The only place where hubs and feeds are spawned.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shared::problem::{Problem, Reason};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::Cancel;
use super::hub_task::{Counted, HubTask};
use super::message::{HubCommand, HubHandle, Ticket};
use crate::access;
use crate::cluster::Cluster;
use crate::feed::{FeedKey, FeedOptions, drive};
use crate::hub::{Hub, Identity};
use crate::limits::{
    CONNECTIONS_PER_IDENTITY_MAX, FEED_COMMANDS_MAX, FEED_OUTPUTS_MAX, HUB_COMMANDS_MAX, SPREAD_MS_MIN,
};
use crate::metrics::Metrics;

/// Cheap to clone.
#[derive(Clone)]
pub struct Registry {
    inner: Arc<Inner>,
}

struct Inner {
    cluster: Cluster,
    options: FeedOptions,
    metrics: Metrics,
    hubs: Mutex<HashMap<FeedKey, HubHandle>>,
    tasks: TaskTracker,
    cancel: Cancel,
    next_ticket: AtomicU64,
    next_view: AtomicU32,
    sessions: AtomicUsize,
    present: Mutex<HashMap<access::Identity, usize>>,
    per_identity_max: usize,
}

impl Registry {
    #[must_use]
    pub fn new(cluster: Cluster, options: FeedOptions, metrics: Metrics) -> Self {
        Self::admitting(CONNECTIONS_PER_IDENTITY_MAX, cluster, options, metrics)
    }

    /// With another bound for the connections of one identity.
    #[must_use]
    pub fn admitting(
        per_identity_max: usize,
        cluster: Cluster,
        options: FeedOptions,
        metrics: Metrics,
    ) -> Self {
        let inner = Inner {
            cluster,
            options,
            metrics,
            hubs: Mutex::default(),
            tasks: TaskTracker::new(),
            cancel: Cancel::new(),
            next_ticket: AtomicU64::new(1),
            next_view: AtomicU32::new(1),
            sessions: AtomicUsize::new(0),
            present: Mutex::default(),
            per_identity_max,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Ends every hub and feed, and returns when they are gone.
    pub async fn shutdown(&self) {
        self.inner.cancel.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.inner.next_ticket.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn fresh_view(&self) -> u32 {
        self.inner.next_view.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a session for as long as the answer lives.
    ///
    /// # Errors
    /// `Limit`: its identity has as many as it may have.
    pub(super) fn enter(&self, identity: &access::Identity) -> Result<Presence, Problem> {
        let inner = &self.inner;
        let mut present = inner.present.lock().unwrap_or_else(PoisonError::into_inner);
        let count = present.get(identity).copied().unwrap_or_default();
        if count >= inner.per_identity_max {
            inner.metrics.sessions_refused.inc();
            let message = format!("{} has {count} connections open; close one first", identity.name());
            return Err(Problem::new(Reason::Limit, message));
        }
        present.insert(identity.clone(), count + 1);
        inner.sessions.fetch_add(1, Ordering::Relaxed);
        inner.metrics.sessions.inc();
        Ok(Presence { inner: inner.clone(), identity: identity.clone() })
    }

    pub(super) fn spread_ms(&self) -> u32 {
        self.inner.spread_ms()
    }

    /// Hands a command to the hub of a key, which is started if it doesn't run. Under the lock, so
    /// that a hub can't end between being found and being asked.
    ///
    /// # Errors
    /// `Limit`, when more is asked of one resource at once than it can take; nothing was done then.
    pub(super) fn open(&self, key: FeedKey, command: HubCommand) -> Result<HubHandle, Problem> {
        if self.inner.cancel.is_cancelled() {
            return Err(Problem::new(Reason::ShuttingDown, "the gateway is going away"));
        }
        let mut hubs = self.inner.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = match hubs.get(&key).filter(|handle| !handle.commands.is_closed()) {
            Some(handle) => handle.clone(),
            None => {
                let handle = self.start(key.clone(), &command)?;
                hubs.insert(key, handle.clone());
                handle
            }
        };
        handle.commands.try_send(command).map_err(|_| {
            Problem::new(
                Reason::Limit,
                "too many subscriptions at once for one resource; try again in a moment",
            )
        })?;
        Ok(handle)
    }

    /// `first` is what it is started for.
    fn start(&self, key: FeedKey, first: &HubCommand) -> Result<HubHandle, Problem> {
        let seed = getrandom::u64()
            .map_err(|error| Problem::new(Reason::InternalError, format!("no randomness: {error}")))?;
        let inner = &self.inner;
        let (outputs_in, outputs) = mpsc::channel(FEED_OUTPUTS_MAX);
        let (commands_in, commands) = mpsc::channel(HUB_COMMANDS_MAX);
        let (feed, feed_commands) = mpsc::channel(FEED_COMMANDS_MAX);
        let handle = HubHandle { commands: commands_in, identity: Arc::new(()) };
        let hub = Hub::new(Identity { cluster: inner.cluster.identity().id }, seed);
        let stands_at = match first {
            HubCommand::Open { opening, .. } => hub.stands_at(opening),
            HubCommand::Ask(_) => None,
        };
        let cancel = inner.cancel.child_token();
        let task = HubTask {
            hub,
            outputs,
            commands,
            feed,
            clock: unix_ms,
            spread_ms: {
                let inner = inner.clone();
                Box::new(move || inner.spread_ms())
            },
            may_end: {
                let (inner, key, handle) = (inner.clone(), key.clone(), handle.identity.clone());
                Box::new(move || inner.forget(&key, &handle))
            },
            counted: Counted::new(inner.metrics.clone()),
        };
        let drive = drive(
            key,
            inner.cluster.clone(),
            inner.options.clone(),
            stands_at,
            outputs_in,
            feed_commands,
            cancel.clone(),
        );
        inner.tasks.spawn(drive);
        inner.tasks.spawn(async move {
            task.run(cancel.clone()).await;
            // The feed ends with its hub.
            cancel.cancel();
        });
        Ok(handle)
    }
}

impl Inner {
    /// Half a second, or a second per thousand viewers: a gateway that comes back must not be run over.
    fn spread_ms(&self) -> u32 {
        let sessions = u32::try_from(self.sessions.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        sessions.max(SPREAD_MS_MIN)
    }

    /// Takes an idle hub out of the map, unless a command is on its way to it.
    fn forget(&self, key: &FeedKey, identity: &Arc<()>) -> bool {
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(handle) = hubs.get(key).filter(|handle| Arc::ptr_eq(&handle.identity, identity)) else {
            return true;
        };
        if handle.commands.capacity() < handle.commands.max_capacity() {
            return false;
        }
        hubs.remove(key);
        true
    }
}

/// A session that counts.
pub(super) struct Presence {
    inner: Arc<Inner>,
    identity: access::Identity,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.inner.sessions.fetch_sub(1, Ordering::Relaxed);
        self.inner.metrics.sessions.dec();
        let mut present = self.inner.present.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = present.get_mut(&self.identity) {
            *count -= 1;
            if *count == 0 {
                present.remove(&self.identity);
            }
        }
    }
}

/// The gateway's clock, read at the rim.
pub(super) fn unix_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
