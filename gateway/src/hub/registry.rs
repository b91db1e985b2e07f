//! The hubs that run: one for all viewers of a feed's key, started by the first subscription and ended a
//! while after the last. Hubs and feeds are spawned here and nowhere else.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use shared::frame::server::ViewId;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ToSession;
use super::cell_ledger::CellLedger;
use super::columns::ColumnsAsked;
use super::currency::Currency;
use super::listen::{Listen, Listeners};
use super::quota::{FeedBounds, FeedNumber, FeedQuota};
use super::task::{Channels, HubGauges, HubTask};
use super::{Hub, HubAction, HubRequest, Open, SendPermit, SubscriberKey};
use crate::access::Identity;
use crate::clock::gateway_ms;
use crate::cluster::{Cluster, UpstreamIdentity};
use crate::feed::{FeedKey, FeedOptions, FeedProofs, Redaction, drive};
use crate::inventory::Inventory;
use crate::limits::{FEED_COMMANDS_MAX, FEED_OUTPUTS_MAX, HUB_COMMANDS_MAX, PAST_LINGER_S};
use crate::metrics::Metrics;
use crate::rate_limiter::MonotonicMs;
use crate::subscription_request::SubscriptionRequest;

pub use archive::{Archive, PastFeed};
pub use mirrors::Mirrors;

/// Cheap to clone.
#[derive(Clone)]
pub struct Registry {
    inner: Arc<Inner>,
}

/// What all clones of a registry share: the hubs that run, what their feeds are started with, and their tasks.
struct Inner {
    clusters: Inventory,
    options: Mutex<FeedOptions>,
    proofs: FeedProofs,
    /// The name of what is shown and masked; empty for what the gateway began with.
    rules: watch::Sender<Box<str>>,
    metrics: Metrics,
    /// How far reconnects are to be spread.
    spread_ms: Box<dyn Fn() -> u32 + Send + Sync>,
    started: Instant,
    /// Where the past is kept.
    archive: OnceLock<Arc<dyn Archive>>,
    /// The readers of events.
    mirrors: OnceLock<Arc<dyn Mirrors>>,
    hubs: Mutex<Hubs>,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

struct Hubs {
    directory: Directory<RunningHub>,
    quota: FeedQuota,
    cells: CellLedger,
    /// Those that run without viewers, for a record.
    kept: HashSet<FeedKey>,
}

#[derive(Clone)]
struct RunningHub {
    /// The number of its cluster in the inventory.
    member: u64,
    actions: HubActions,
    currency: Arc<Currency>,
    is_recorded: bool,
    cancel: CancellationToken,
}

type HubActions = mpsc::Sender<HubAction<mpsc::Sender<ToSession>>>;
type WeakHubActions = mpsc::WeakSender<HubAction<mpsc::Sender<ToSession>>>;

/// How the hub of a subscription is reached. The subscription counts as its viewer's until the last clone is
/// dropped.
#[derive(Clone)]
pub struct HubHandle {
    actions: HubActions,
    _counted: Arc<Counted>,
}

/// One subscription of a viewer to a feed.
struct Counted {
    inner: Arc<Inner>,
    viewer: Identity,
    key: FeedKey,
    columns: Option<ColumnsAsked>,
    feed: FeedNumber,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut hubs = self.inner.hubs();
        hubs.leave(&self.viewer, (&self.key, self.columns.as_ref()), self.feed);
    }
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
        clusters: impl Into<Inventory>,
        options: FeedOptions,
        bounds: FeedBounds,
        metrics: Metrics,
        spread_ms: impl Fn() -> u32 + Send + Sync + 'static,
    ) -> Self {
        let inner = Inner {
            clusters: clusters.into(),
            options: Mutex::new(options),
            proofs: FeedProofs::default(),
            rules: watch::Sender::new(Box::default()),
            metrics,
            spread_ms: Box::new(spread_ms),
            started: Instant::now(),
            archive: OnceLock::new(),
            mirrors: OnceLock::new(),
            hubs: Mutex::new(Hubs {
                directory: Directory::default(),
                quota: FeedQuota::new(bounds),
                cells: CellLedger::default(),
                kept: HashSet::new(),
            }),
            tasks: TaskTracker::new(),
            cancel: CancellationToken::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// From now on hubs are recorded there, and feeds of the past are played from there.
    pub fn record(&self, archive: Arc<dyn Archive>) {
        // A gateway has one, which it sets once.
        drop(self.inner.archive.set(archive));
    }

    /// From now on subscriptions may read the events of their feed.
    pub fn mirror(&self, mirrors: Arc<dyn Mirrors>) {
        // A gateway has one, which it sets once.
        drop(self.inner.mirrors.set(mirrors));
    }

    /// Has the events of a feed kept from now on, if its hub runs. Whether it does.
    pub fn keep_events(&self, key: &FeedKey) -> bool {
        let hubs = self.inner.hubs();
        hubs.directory.get(key).is_some_and(|hub| self.inner.listen(hub, key))
    }

    /// Has the hub of a feed run without viewers, for its record.
    ///
    /// # Errors
    /// There is no randomness, or the cluster isn't shown.
    pub fn keep(&self, key: &FeedKey) -> Result<(), Problem> {
        let mut hubs = self.inner.hubs();
        hubs.kept.insert(key.clone());
        self.running(&mut hubs, key, |_| None).map(drop)
    }

    /// Has the hub of a feed run without viewers, and this one hear all that it has and hears. If the hub ends, the
    /// listener is dropped.
    ///
    /// # Errors
    /// As [`Registry::keep`]; or the hub has much to do, and is to be asked again.
    pub fn attend(&self, key: &FeedKey, listener: Box<dyn Listen>) -> Result<(), Problem> {
        let mut hubs = self.inner.hubs();
        hubs.kept.insert(key.clone());
        let hub = self.running(&mut hubs, key, |_| None)?;
        let sent = hub.actions.try_send(HubAction::Listen(listener));
        sent.map_err(|_| Problem::new(Reason::Limit, "the hub has much to do; it is asked again"))
    }

    /// Ends every hub and feed, and returns when they are gone.
    pub async fn shutdown(&self) {
        self.inner.cancel.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    /// From now on feeds redact otherwise, and show what the cluster's ceiling leaves now. Those that run end, with
    /// all that they hold. Under the lock, so that a session that knows the new name opens no former hub.
    ///
    /// # Errors
    /// There is no randomness for the name.
    pub fn purge(&self, redaction: Redaction) -> Result<(), Problem> {
        let name = getrandom::u64()
            .map_err(|error| Problem::new(Reason::InternalError, format!("no randomness: {error}")))?;
        let mut hubs = self.inner.hubs();
        self.inner.options().redaction = redaction;
        self.inner.rules.send_replace(format!("{name:016x}").into());
        hubs.end_all();
        Ok(())
    }

    /// Ends the hubs and feeds of clusters that aren't shown any more, or are reached in another way.
    pub fn end_gone(&self) {
        let clusters = &self.inner.clusters;
        let mut hubs = self.inner.hubs();
        let is_gone = |key: &FeedKey, hub: &RunningHub| {
            clusters.cluster(&key.cluster).is_none_or(|(member, _)| member != hub.member)
        };
        for key in hubs.directory.keys_where(is_gone) {
            hubs.end(&key);
        }
    }

    /// What is masked now.
    #[must_use]
    pub fn redaction(&self) -> Redaction {
        self.inner.options().redaction.clone()
    }

    /// Whether this is still the name of what is shown and masked.
    #[must_use]
    pub fn are_rules(&self, name: &str) -> bool {
        **self.inner.rules.borrow() == *name
    }

    /// The name of what is shown and masked. When it changes, every subscription begins anew.
    #[must_use]
    pub fn rules(&self) -> watch::Receiver<Box<str>> {
        self.inner.rules.subscribe()
    }

    /// The gateway's one clock for what is counted over time.
    pub(crate) fn now(&self) -> MonotonicMs {
        self.inner.now()
    }

    /// The number of a view that no hub has.
    #[must_use]
    pub fn fresh_view(&self) -> ViewId {
        self.inner.hubs().directory.next_ids().1
    }

    /// Whether a hub runs and what it has is current.
    #[must_use]
    pub fn is_current(&self, key: &FeedKey) -> bool {
        let hubs = self.inner.hubs();
        hubs.directory.get(key).is_some_and(|hub| hub.currency.is_current())
    }

    /// The number of running hubs of a cluster that this identity reads, and how many of them have lost touch with it.
    #[must_use]
    pub fn stale_hubs(&self, cluster: &ClusterName, upstream: &UpstreamIdentity) -> (usize, usize) {
        let hubs = self.inner.hubs();
        let is_read =
            |key: &FeedKey| key.cluster == *cluster && key.upstream == *upstream && key.past.is_none();
        let all = hubs.directory.keys_where(|key, _| is_read(key)).len();
        let stale = hubs.directory.keys_where(|key, hub| is_read(key) && hub.currency.has_lost_touch()).len();
        (all, stale)
    }

    /// Opens a subscription at the hub of a key, which is started if it doesn't run. Under the lock, so
    /// that a hub can't end between being found and being sent the subscription.
    ///
    /// # Errors
    /// `Limit`, if more is asked of one resource at once than it can take, or the viewer or the gateway has as
    /// many feeds, or the viewer as many sets of columns, as there may be; nothing was done then.
    pub fn open(
        &self,
        viewer: &Identity,
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
        self.end_replaced(&mut hubs, &key)?;
        let columns = request.columns_asked();
        let admitted = hubs.quota.enter(viewer, (&key, columns.as_ref()), self.inner.now())?;
        for key in &admitted.ended {
            if !hubs.kept.contains(key) {
                hubs.end(key);
            }
        }
        if let Err(problem) = hubs.cells.enter(viewer, (&key, columns.as_ref())) {
            hubs.quota.leave(viewer, (&key, columns.as_ref()), admitted.feed);
            return Err(problem);
        }
        let hub = self.running(&mut hubs, &key, |hub| hub.stands_at(&request))?;
        let (subscriber, fresh_view) = hubs.directory.next_ids();
        if let Some(seat) = &request.seat
            && self.inner.listen(&hub, &key)
            && let Some(mirrors) = self.inner.mirrors.get()
        {
            mirrors.seat(seat.number, &key);
        }
        let open = Open { key: subscriber, request, fresh_view, is_second, session, permit };
        if hub.actions.try_send(HubAction::Open(Box::new(open))).is_err() {
            hubs.leave(viewer, (&key, columns.as_ref()), admitted.feed);
            let message = "too many subscriptions at once for one resource; try again in a moment";
            return Err(Problem::new(Reason::Limit, message));
        }
        // Dropping the handle locks the hubs.
        drop(hubs);
        let (inner, viewer, feed) = (Arc::clone(&self.inner), viewer.clone(), admitted.feed);
        let counted = Arc::new(Counted { inner, viewer, key, columns, feed });
        Ok((subscriber, HubHandle { actions: hub.actions, _counted: counted }))
    }

    /// Ends the hub of a key if it has ended by itself, or its cluster is another one by now.
    fn end_replaced(&self, hubs: &mut Hubs, key: &FeedKey) -> Result<(u64, Cluster), Problem> {
        let (member, cluster) = self.inner.clusters.cluster(&key.cluster).ok_or_else(|| {
            Problem::new(Reason::NotFound, format!("this gateway shows the cluster {} no more", key.cluster))
        })?;
        if hubs.directory.get(key).is_some_and(|hub| hub.actions.is_closed() || hub.member != member) {
            hubs.end(key);
        }
        Ok((member, cluster))
    }

    /// The hub of a key, which is started if it doesn't run. `stands_at`: where its feed should begin.
    fn running(
        &self,
        hubs: &mut Hubs,
        key: &FeedKey,
        stands_at: impl FnOnce(&Hub<Channels>) -> Option<ResourceVersion>,
    ) -> Result<RunningHub, Problem> {
        let of_cluster = self.end_replaced(hubs, key)?;
        if let Some(hub) = hubs.directory.get(key) {
            return Ok(hub.clone());
        }
        let started = self.start(key.clone(), of_cluster, stands_at);
        let hub = started.inspect_err(|_| hubs.end(key))?;
        hubs.directory.insert(key.clone(), hub.clone());
        Ok(hub)
    }

    fn start(
        &self,
        key: FeedKey,
        (member, cluster): (u64, Cluster),
        stands_at: impl FnOnce(&Hub<Channels>) -> Option<ResourceVersion>,
    ) -> Result<RunningHub, Problem> {
        let random = getrandom::u64().and_then(|seed| Ok((seed, getrandom::u32()?)));
        let (seed, base) =
            random.map_err(|error| Problem::new(Reason::InternalError, format!("no randomness: {error}")))?;
        let inner = &self.inner;
        let (outputs_in, outputs) = mpsc::channel(FEED_OUTPUTS_MAX);
        let (actions_in, actions) = mpsc::channel(HUB_COMMANDS_MAX);
        let (feed, feed_commands) = mpsc::channel(FEED_COMMANDS_MAX);
        let mut hub = Hub::new(&cluster.identity().id, seed).counting_from(base);
        let options = inner.options().clone();
        let cancel = inner.cancel.child_token();
        let archive = inner.archive.get();
        let listener = archive.and_then(|archive| archive.listener(&key, &cluster, &options.redaction));
        let is_recorded = listener.is_some();
        if is_recorded {
            hub = hub.recorded();
        }
        match (key.past, archive) {
            (Some(as_of), Some(archive)) => {
                hub = hub.lingering(Duration::from_secs(PAST_LINGER_S));
                inner.tasks.spawn(archive.play(PastFeed {
                    key: key.clone(),
                    as_of,
                    cluster,
                    redaction: options.redaction,
                    outputs: outputs_in,
                    commands: feed_commands,
                    cancel: cancel.clone(),
                }));
            }
            (Some(_), None) => {
                return Err(Problem::bad_request("this gateway keeps no record; see its setting history"));
            }
            (None, archive) => {
                let ended_at = || archive.and_then(|archive| archive.ended_at(&key, &cluster));
                let stands_at = stands_at(&hub).or_else(ended_at);
                let feed_proof = inner.proofs.enter(&key);
                inner.tasks.spawn(drive(
                    key.clone(),
                    (cluster, feed_proof),
                    options,
                    stands_at,
                    (outputs_in, feed_commands),
                    cancel.clone(),
                ));
            }
        }
        let (spread, ending, weighing) = (inner.clone(), inner.clone(), inner.clone());
        let (own, weighed) = (actions_in.downgrade(), (key.clone(), actions_in.downgrade()));
        let currency = Arc::new(Currency::default());
        let gauges = HubGauges::new(inner.metrics.clone(), &key.resource);
        let task = HubTask {
            hub,
            outputs,
            actions,
            feed,
            clock: gateway_ms,
            spread_ms: Box::new(move || (spread.spread_ms)()),
            may_end: Box::new(move || ending.forget(&key, &own)),
            weigh_columns: Box::new(move |sizes| weighing.weigh_columns(&weighed, sizes)),
            currency: currency.clone(),
            gauges,
            listeners: Listeners::of(listener),
        };
        let cancelled = cancel.clone();
        let running = RunningHub { member, actions: actions_in, currency, is_recorded, cancel: cancelled };
        inner.tasks.spawn(async move {
            task.run(cancel.clone()).await;
            // The feed ends with its hub.
            cancel.cancel();
        });
        Ok(running)
    }
}

impl Inner {
    fn hubs(&self) -> std::sync::MutexGuard<'_, Hubs> {
        self.hubs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn options(&self) -> std::sync::MutexGuard<'_, FeedOptions> {
        self.options.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> MonotonicMs {
        MonotonicMs::try_from(self.started.elapsed().as_millis()).unwrap_or(MonotonicMs::MAX)
    }

    /// Whether the events of a hub are kept from now on.
    fn listen(&self, hub: &RunningHub, key: &FeedKey) -> bool {
        let Some(mirrors) = self.mirrors.get() else { return false };
        let Some(listener) = mirrors.listener(key) else { return true };
        hub.actions.try_send(HubAction::Listen(listener)).is_ok()
    }

    /// A hub that was replaced is counted no more; its subscriptions end with it.
    fn weigh_columns(
        &self,
        (key, own): &(FeedKey, WeakHubActions),
        sizes: Vec<(ColumnsAsked, usize)>,
    ) -> Vec<(ColumnsAsked, Problem)> {
        let mut hubs = self.hubs();
        if hubs.is_of(key, own) { hubs.cells.report(key, sizes) } else { Vec::new() }
    }

    /// Takes an idle hub out of the directory, unless an action is on its way to it.
    fn forget(&self, key: &FeedKey, own: &WeakHubActions) -> bool {
        let mut hubs = self.hubs();
        let is_own = hubs.is_of(key, own);
        let is_looked_back_at = |other: &FeedKey, _: &RunningHub| {
            other.past.is_some() && (&other.cluster, &other.resource) == (&key.cluster, &key.resource)
        };
        // A reader of the past is a viewer of the kind, whose record goes on.
        let is_recorded = hubs.directory.get(key).is_some_and(|hub| hub.is_recorded);
        if is_own
            && (hubs.kept.contains(key)
                || (is_recorded && !hubs.directory.keys_where(is_looked_back_at).is_empty()))
        {
            return false;
        }
        let known = hubs.directory.get(key).map(|hub| &hub.actions);
        if known.is_some_and(|actions| is_own && actions.capacity() < actions.max_capacity()) {
            return false;
        }
        if is_own {
            hubs.end(key);
        }
        true
    }
}

impl Hubs {
    /// Whether the hub with these actions is the one that runs for the key.
    fn is_of(&self, key: &FeedKey, own: &WeakHubActions) -> bool {
        let known = self.directory.get(key).map(|hub| &hub.actions);
        known.zip(own.upgrade()).is_some_and(|(known, own)| known.same_channel(&own))
    }

    /// A subscription that was counted is over.
    fn leave(&mut self, viewer: &Identity, of: (&FeedKey, Option<&ColumnsAsked>), feed: FeedNumber) {
        if self.quota.leave(viewer, of, feed) {
            self.cells.leave(viewer, of);
        }
    }

    /// Ends a hub, if it runs still, and makes its place free.
    fn end(&mut self, key: &FeedKey) {
        if let Some(hub) = self.directory.remove(key) {
            hub.cancel.cancel();
        }
        self.quota.ended(key);
        self.cells.feed_ended(key);
    }

    /// Their viewers begin feeds anew without having asked for it, so those don't count against their pace.
    fn end_all(&mut self) {
        self.quota.begin_anew();
        self.cells.begin_anew();
        for hub in self.directory.take_all() {
            hub.cancel.cancel();
        }
    }
}

/// Which hub serves which feed, and the numbers that are unique in a gateway. Pure: the product keeps a channel for
/// each hub, the simulation a number.
#[derive(Debug)]
pub struct Directory<H> {
    hubs: HashMap<FeedKey, H>,
    last_subscriber: SubscriberKey,
    last_view: ViewId,
}

impl<H> Default for Directory<H> {
    fn default() -> Self {
        Self::after_view(0)
    }
}

impl<H> Directory<H> {
    /// A directory whose views get higher ids than this one.
    #[must_use]
    pub fn after_view(last_view: ViewId) -> Self {
        Self { hubs: HashMap::new(), last_subscriber: 0, last_view }
    }

    /// For a new subscription.
    pub fn next_ids(&mut self) -> (SubscriberKey, ViewId) {
        self.last_subscriber += 1;
        self.last_view += 1;
        (self.last_subscriber, self.last_view)
    }

    #[must_use]
    pub fn get(&self, key: &FeedKey) -> Option<&H> {
        self.hubs.get(key)
    }

    pub fn insert(&mut self, key: FeedKey, hub: H) {
        self.hubs.insert(key, hub);
    }

    pub fn remove(&mut self, key: &FeedKey) -> Option<H> {
        self.hubs.remove(key)
    }

    #[must_use]
    pub fn keys_where(&self, is_wanted: impl Fn(&FeedKey, &H) -> bool) -> Vec<FeedKey> {
        self.hubs.iter().filter(|(key, hub)| is_wanted(key, hub)).map(|(key, _)| key.clone()).collect()
    }

    /// Numbers go on from here.
    pub fn take_all(&mut self) -> Vec<H> {
        self.hubs.drain().map(|(_, hub)| hub).collect()
    }
}

mod archive;
mod mirrors;
#[cfg(test)]
mod tests;
