//! The task around a hub: channels and clocks. Every decision is the hub's.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use shared::problem::Problem;
use shared::resource::Resource;
use shared::state::UnixMillis;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::columns::ColumnsAsked;
use super::currency::Currency;
use super::listen::Listeners;
use super::{Host, Hub, HubAction, HubCounts, SubscriberKey, ToSession};
use crate::feed::{FeedCommand, FeedOutput};
use crate::limits::{FEED_COMMANDS_MAX, OUTPUTS_PER_TURN};
use crate::metrics::{ByResource, ByResume, Metrics, Resume};

/// A hub of the product: a session is reached through its channel.
pub(super) struct Channels;

impl Host for Channels {
    type Session = mpsc::Sender<ToSession>;
}

/// The bytes of each set of columns.
type ColumnSizes = Vec<(ColumnsAsked, usize)>;
/// The sets that must end, with what their viewers are told.
type RefusedColumns = Vec<(ColumnsAsked, Problem)>;

/// A hub with its channels and clocks, spawned by the registry for each feed that runs. It owns the hub. It takes
/// one action at a time, and with it the outputs of the feed that wait.
pub(super) struct HubTask {
    pub(super) hub: Hub<Channels>,
    pub(super) outputs: mpsc::Receiver<FeedOutput>,
    pub(super) actions: mpsc::Receiver<HubAction<mpsc::Sender<ToSession>>>,
    pub(super) feed: mpsc::Sender<FeedCommand>,
    pub(super) clock: fn() -> UnixMillis,
    /// How far reconnects are to be spread, now.
    pub(super) spread_ms: Box<dyn Fn() -> u32 + Send>,
    /// Asks the registry whether this hub may end. It may not while a subscription is on its way to it.
    pub(super) may_end: Box<dyn Fn() -> bool + Send>,
    /// Tells the registry the bytes of each set of columns. It says which must end, because their viewers or all
    /// together have too many.
    pub(super) weigh_columns: Box<dyn Fn(ColumnSizes) -> RefusedColumns + Send>,
    /// For the registry: whether what the hub has is current.
    pub(super) currency: Arc<Currency>,
    pub(super) gauges: HubGauges,
    /// Its recorder, and others that need each version.
    pub(super) listeners: Listeners,
}

/// What this hub adds to the gateway's numbers, taken back when it ends.
pub(super) struct HubGauges {
    metrics: Metrics,
    resource: ByResource,
    /// If the feed was stale at the last look: when that look was, since the hub began.
    stale_at: Option<Duration>,
    objects: i64,
    subscriptions: i64,
}

impl HubGauges {
    pub(super) fn new(metrics: Metrics, resource: &Resource) -> Self {
        metrics.feeds.inc();
        let resource = ByResource { resource: metrics.label_of(resource) };
        metrics.begin_feed_at_zero(&resource);
        Self { metrics, resource, stale_at: None, objects: 0, subscriptions: 0 }
    }

    /// `counts`: what happened since the last look.
    fn look<H: Host>(&mut self, hub: &Hub<H>, counts: HubCounts, now: Duration) {
        self.set(hub.object_count(), hub.subscriber_count());
        if let Some(before) = self.stale_at.take() {
            let stale = self.metrics.feed_stale_seconds.get_or_create(&self.resource);
            stale.inc_by(now.saturating_sub(before).as_secs_f64());
        }
        self.stale_at = hub.is_stale().then_some(now);
        let HubCounts { gaps, continued, began_anew } = counts;
        if gaps > 0 {
            self.metrics.gaps.get_or_create(&self.resource).inc_by(gaps);
        }
        for (result, count) in [(Resume::continued, continued), (Resume::anew, began_anew)] {
            if count > 0 {
                self.metrics.resumes.get_or_create(&ByResume { result }).inc_by(count);
            }
        }
    }

    fn set(&mut self, objects: usize, subscriptions: usize) {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (objects, subscriptions) = (whole(objects), whole(subscriptions));
        self.metrics.objects.inc_by(objects - self.objects);
        self.metrics.subscriptions.inc_by(subscriptions - self.subscriptions);
        (self.objects, self.subscriptions) = (objects, subscriptions);
    }
}

impl Drop for HubGauges {
    fn drop(&mut self) {
        self.set(0, 0);
        self.metrics.feeds.dec();
    }
}

impl HubTask {
    /// Runs until it is cancelled, its feed ends, or it had no subscriber for a while.
    pub(super) async fn run(mut self, cancel: CancellationToken) {
        let started = Instant::now();
        self.hub.settle(Duration::ZERO);
        // Putting this timer off takes no lock. A new one at each turn would take two.
        let mut timer = pin!(sleep_until(started));
        loop {
            let due = started + self.hub.deadline();
            if timer.deadline() != due {
                timer.as_mut().reset(due);
            }
            // What comes before the next tick goes out with it, and needs no turn of its own. Outputs that wait
            // already are more than one turn takes.
            let listens = !self.hub.waits_for_tick() || !self.outputs.is_empty();
            let action = tokio::select! {
                biased;
                () = cancel.cancelled() => HubAction::End,
                () = timer.as_mut() => HubAction::Continue,
                Some(action) = self.actions.recv() => action,
                output = self.outputs.recv(), if listens => output.map_or(HubAction::End, HubAction::Feed),
                // Cells are read while there is nothing else to do.
                () = tokio::task::yield_now(), if self.hub.has_unread() => HubAction::Continue,
            };
            let now = started.elapsed();
            self.hub.set_clock((self.clock)(), (self.spread_ms)());
            let is_end = matches!(action, HubAction::End);
            if matches!(action, HubAction::Continue) && self.hub.has_lingered(now) {
                if (self.may_end)() {
                    return;
                }
                self.hub.linger_on(now);
            }
            self.act(action, now);
            if is_end {
                return;
            }
            let took = |command| self.feed.try_send(command).is_ok();
            self.hub.tell_feed(took);
            self.currency.note(self.hub.is_current(), self.hub.has_lost_touch());
            let counts = self.hub.take_counts();
            self.gauges.look(&self.hub, counts, now);
        }
    }

    /// Applies one action, sends what follows from it, and applies the outputs of the feed that wait together.
    fn act(&mut self, action: HubAction<mpsc::Sender<ToSession>>, now: Duration) {
        let action = match action {
            HubAction::Listen(listener) => {
                // Before this one is told all that there is, the others hear what led there.
                self.tell_listeners();
                self.listeners.add(listener, true);
                HubAction::Continue
            }
            action => action,
        };
        let takes_outputs = matches!(action, HubAction::Feed(_) | HubAction::Continue);
        let waiting = if takes_outputs { OUTPUTS_PER_TURN - 1 } else { 0 };
        let effects = self.hub.handle(action, now);
        for _ in 0..waiting {
            if self.hub.is_columns_turn_full() {
                break;
            }
            let Ok(output) = self.outputs.try_recv() else { break };
            self.hub.handle(HubAction::Feed(output), now);
        }
        if let Some(command) = effects.to_feed {
            self.tell_feed(command);
        }
        self.hub.settle(now);
        self.hub.report_columns(&self.weigh_columns);
        if let Some((key, message)) = effects.to_session {
            self.send(key, message);
        }
        while let Some((key, message)) = self.hub.next_message() {
            self.send(key, message);
        }
        // After the viewers, who wait for no record.
        self.tell_listeners();
    }

    fn tell_listeners(&mut self) {
        if self.listeners.is_empty() {
            return;
        }
        let heard = self.hub.take_heard();
        self.listeners.tell(heard, || self.hub.begin_hearing());
        if self.listeners.is_empty() {
            self.hub.stop_hearing();
        }
    }

    /// If the feed has no room, a command of the same kind is under way. A feed that has ended needs none.
    fn tell_feed(&self, command: FeedCommand) {
        if let Err(TrySendError::Full(command)) = self.feed.try_send(command) {
            tracing::warn!(?command, "a feed takes no commands now, for {FEED_COMMANDS_MAX} are waiting");
        }
    }

    /// A session's channel is never full: `SESSION_MESSAGES_MAX` has the arithmetic. A closed channel is a session that ended.
    fn send(&mut self, key: SubscriberKey, message: ToSession) {
        let Some(session) = self.hub.session(key) else { return };
        if let Err(error) = session.try_send(message) {
            if let TrySendError::Full(message) = error {
                tracing::error!("a session's channel is full; its subscription ends");
                self.hub.give_back(&message);
            }
            self.hub.unsubscribe(key);
        }
    }
}
