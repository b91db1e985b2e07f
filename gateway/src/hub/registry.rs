//! The hubs that run: one for all viewers of a feed's key, started by the first subscription and ended a
//! while after the last. Hubs and feeds are spawned here and nowhere else.

use std::sync::{Arc, Mutex, PoisonError};

use shared::problem::{Problem, Reason};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::task::{HubGauges, HubTask};
use super::{Directory, Hub, HubAction, HubRequest, Open, SendPermit, SubscriberKey};
use super::{SubscriptionRequest, ToSession};
use crate::cluster::Cluster;
use crate::feed::{FeedKey, FeedOptions, drive, wall_ms};
use crate::limits::{FEED_COMMANDS_MAX, FEED_OUTPUTS_MAX, HUB_COMMANDS_MAX};
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
    /// How far reconnects are to be spread.
    spread_ms: Box<dyn Fn() -> u32 + Send + Sync>,
    hubs: Mutex<Directory<HubHandle>>,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

/// How the hub of a subscription is reached.
#[derive(Clone)]
pub struct HubHandle {
    actions: mpsc::Sender<HubAction<mpsc::Sender<ToSession>>>,
}

impl HubHandle {
    /// Whether the hub has it; `false`: the hub has ended. It never waits for long, for hubs never wait for
    /// a session.
    pub async fn send(&self, request: HubRequest) -> bool {
        self.actions.send(HubAction::Request(request)).await.is_ok()
    }
}

impl Registry {
    #[must_use]
    pub fn new(
        cluster: Cluster,
        options: FeedOptions,
        metrics: Metrics,
        spread_ms: impl Fn() -> u32 + Send + Sync + 'static,
    ) -> Self {
        let inner = Inner {
            cluster,
            options,
            metrics,
            spread_ms: Box::new(spread_ms),
            hubs: Mutex::default(),
            tasks: TaskTracker::new(),
            cancel: CancellationToken::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Ends every hub and feed, and returns when they are gone.
    pub async fn shutdown(&self) {
        self.inner.cancel.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    /// Opens a subscription at the hub of a key, which is started if it doesn't run. Under the lock, so
    /// that a hub can't end between being found and being sent the subscription.
    ///
    /// # Errors
    /// `Limit`, if more is asked of one resource at once than it can take; nothing was done then.
    pub fn open(
        &self,
        key: FeedKey,
        request: Arc<SubscriptionRequest>,
        is_second: bool,
        session: mpsc::Sender<ToSession>,
        permit: SendPermit,
    ) -> Result<(SubscriberKey, HubHandle), Problem> {
        if self.inner.cancel.is_cancelled() {
            return Err(Problem::new(Reason::ShuttingDown, "the gateway is going away"));
        }
        let mut hubs = self.inner.hubs();
        let handle = match hubs.get(&key).filter(|handle| !handle.actions.is_closed()) {
            Some(handle) => handle.clone(),
            None => {
                let handle = self.start(key.clone(), &request)?;
                hubs.insert(key, handle.clone());
                handle
            }
        };
        let (key, fresh_view) = hubs.next_ids();
        let open = Open { key, request, fresh_view, is_second, session, permit };
        handle.actions.try_send(HubAction::Open(Box::new(open))).map_err(|_| {
            let message = "too many subscriptions at once for one resource; try again in a moment";
            Problem::new(Reason::Limit, message)
        })?;
        Ok((key, handle))
    }

    /// `first`: what the hub is started for.
    fn start(&self, key: FeedKey, first: &SubscriptionRequest) -> Result<HubHandle, Problem> {
        let seed = getrandom::u64()
            .map_err(|error| Problem::new(Reason::InternalError, format!("no randomness: {error}")))?;
        let inner = &self.inner;
        let (outputs_in, outputs) = mpsc::channel(FEED_OUTPUTS_MAX);
        let (actions_in, actions) = mpsc::channel(HUB_COMMANDS_MAX);
        let (feed, feed_commands) = mpsc::channel(FEED_COMMANDS_MAX);
        let hub = Hub::new(&inner.cluster.identity().id, seed);
        let (cluster, options) = (inner.cluster.clone(), inner.options.clone());
        let cancel = inner.cancel.child_token();
        let stands_at = hub.stands_at(first);
        inner.tasks.spawn(drive(
            key.clone(),
            cluster,
            options,
            stands_at,
            outputs_in,
            feed_commands,
            cancel.clone(),
        ));
        let (spread, ending, own) = (inner.clone(), inner.clone(), actions_in.downgrade());
        let gauges = HubGauges::new(inner.metrics.clone(), &key.resource);
        let task = HubTask {
            hub,
            outputs,
            actions,
            feed,
            clock: wall_ms,
            spread_ms: Box::new(move || (spread.spread_ms)()),
            may_end: Box::new(move || ending.forget(&key, &own)),
            gauges,
        };
        inner.tasks.spawn(async move {
            task.run(cancel.clone()).await;
            // The feed ends with its hub.
            cancel.cancel();
        });
        Ok(HubHandle { actions: actions_in })
    }
}

impl Inner {
    fn hubs(&self) -> std::sync::MutexGuard<'_, Directory<HubHandle>> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an idle hub out of the directory, unless an action is on its way to it.
    fn forget(&self, key: &FeedKey, own: &mpsc::WeakSender<HubAction<mpsc::Sender<ToSession>>>) -> bool {
        let mut hubs = self.hubs();
        let known = hubs.get(key).map(|handle| &handle.actions);
        let is_own = known.zip(own.upgrade()).is_some_and(|(known, own)| known.same_channel(&own));
        if known.is_some_and(|actions| is_own && actions.capacity() < actions.max_capacity()) {
            return false;
        }
        if is_own {
            hubs.remove(key);
        }
        true
    }
}

#[cfg(test)]
mod tests;
