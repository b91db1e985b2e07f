//! The owner of one hub: takes what its feed says, seals it in ticks, and hands each reader what it
//! pulls. It never waits for a reader, so no reader can slow another, or the upstream.

use std::collections::HashMap;
use std::time::Duration;

use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;

use super::Cancel;
use super::message::{HubCommand, Ticket, ToSession};
use crate::feed::{FeedCommand, FeedOutput};
use crate::hub::{Hub, SubscriberId};
use crate::limits::{FEED_LINGER_S, OUTPUTS_PER_TURN, SYNC_EVERY_MS, TICK_MS, TICK_SYNCING_MS};
use crate::metrics::Metrics;

pub(super) struct HubTask {
    pub(super) hub: Hub,
    pub(super) outputs: mpsc::Receiver<FeedOutput>,
    pub(super) commands: mpsc::Receiver<HubCommand>,
    pub(super) feed: mpsc::Sender<FeedCommand>,
    pub(super) clock: fn() -> UnixMillis,
    /// How far reconnects are to be spread, now.
    pub(super) spread_ms: Box<dyn Fn() -> u32 + Send>,
    /// Asks the registry whether this hub may end; it may not while somebody is about to subscribe.
    pub(super) may_end: Box<dyn Fn() -> bool + Send>,
    pub(super) counted: Counted,
}

/// What this hub adds to the gateway's numbers, taken back when it ends.
pub(super) struct Counted {
    metrics: Metrics,
    objects: i64,
    subscriptions: i64,
}

impl Counted {
    pub(super) fn new(metrics: Metrics) -> Self {
        metrics.feeds.inc();
        Self { metrics, objects: 0, subscriptions: 0 }
    }

    fn now(&mut self, objects: usize, subscriptions: usize) {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (objects, subscriptions) = (whole(objects), whole(subscriptions));
        self.metrics.objects.inc_by(objects - self.objects);
        self.metrics.subscriptions.inc_by(subscriptions - self.subscriptions);
        (self.objects, self.subscriptions) = (objects, subscriptions);
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.now(0, 0);
        self.metrics.feeds.dec();
    }
}

struct Reader {
    subscriber: SubscriberId,
    session: mpsc::Sender<ToSession>,
    /// It was told that there is news and has not pulled since.
    told: bool,
}

#[derive(Default)]
struct Readers {
    by_ticket: HashMap<Ticket, Reader>,
    by_subscriber: HashMap<SubscriberId, Ticket>,
}

/// What woke the owner.
enum Action {
    Output(FeedOutput),
    FeedEnded,
    Command(HubCommand),
    Tick,
    Sync,
    Linger,
    End,
}

const SYNC_EVERY: Duration = Duration::from_millis(SYNC_EVERY_MS);

impl HubTask {
    /// The rows of a first list come by the thousand: fewer, larger frames are deflated, and a fifth
    /// of the bytes.
    fn tick_every(&self) -> Duration {
        Duration::from_millis(if self.hub.is_synced() { TICK_MS } else { TICK_SYNCING_MS })
    }

    /// Runs until it is cancelled, or nobody has looked for a while.
    pub(super) async fn run(mut self, cancel: Cancel) {
        let mut readers = Readers::default();
        let mut sealed_at = Instant::now();
        let mut idle_since = Some(Instant::now());
        let mut sync_at = Instant::now() + SYNC_EVERY;
        loop {
            let tick_at = self.hub.is_dirty().then(|| sealed_at + self.tick_every());
            let end_at = idle_since.map(|since| since + Duration::from_secs(FEED_LINGER_S));
            let action = tokio::select! {
                biased;
                () = cancel.cancelled() => Action::End,
                () = at(tick_at) => Action::Tick,
                Some(command) = self.commands.recv() => Action::Command(command),
                output = self.outputs.recv() => output.map_or(Action::FeedEnded, Action::Output),
                () = tokio::time::sleep_until(sync_at), if idle_since.is_none() => Action::Sync,
                () = at(end_at) => Action::Linger,
            };
            match action {
                Action::Output(output) => {
                    if self.take(output, &mut readers) {
                        // A proof is told at once, so the next word is due that much later.
                        sync_at = Instant::now() + SYNC_EVERY;
                    }
                }
                Action::Command(command) => self.obey(command, &mut readers),
                Action::Tick => {}
                Action::Sync => {
                    sync_at = Instant::now() + SYNC_EVERY;
                    self.hub.owe_sync();
                    self.tell_all(&mut readers);
                }
                Action::Linger if (self.may_end)() => return,
                Action::Linger => idle_since = Some(Instant::now()),
                Action::FeedEnded | Action::End => return self.end(&readers),
            }
            // The leading edge goes out at once, what follows it within a tick together.
            if self.hub.is_dirty() && sealed_at.elapsed() >= self.tick_every() {
                self.hub.tick();
                sealed_at = Instant::now();
                self.tell_all(&mut readers);
            }
            self.counted.now(self.hub.object_count(), readers.by_ticket.len());
            idle_since = readers.by_ticket.is_empty().then(|| idle_since.unwrap_or_else(Instant::now));
        }
    }

    /// Answers whether a proof was among it.
    fn take(&mut self, first: FeedOutput, readers: &mut Readers) -> bool {
        let (mut tell, mut proven) = (false, false);
        let mut next = Some(first);
        let mut left = OUTPUTS_PER_TURN;
        while let Some(output) = next {
            tell |= !matches!(output, FeedOutput::Change(_));
            proven |= matches!(output, FeedOutput::Proof(_));
            self.hub.apply(output);
            left -= 1;
            next = if left > 0 { self.outputs.try_recv().ok() } else { None };
        }
        if tell {
            self.tell_all(readers);
        }
        proven
    }

    fn obey(&mut self, command: HubCommand, readers: &mut Readers) {
        match command {
            HubCommand::Open { ticket, opening, reader } => {
                let subscriber = self.hub.subscribe(*opening);
                readers.by_subscriber.insert(subscriber, ticket);
                readers.by_ticket.insert(ticket, Reader { subscriber, session: reader, told: false });
                self.tell_all(readers);
            }
            HubCommand::Close(ticket) => self.close(ticket, readers),
            HubCommand::Pull(ticket) => self.pull(ticket, readers),
            // A full channel holds a retry already.
            HubCommand::Retry => drop(self.feed.try_send(FeedCommand::Retry)),
        }
    }

    fn close(&mut self, ticket: Ticket, readers: &mut Readers) {
        if let Some(reader) = readers.by_ticket.remove(&ticket) {
            readers.by_subscriber.remove(&reader.subscriber);
            self.hub.unsubscribe(reader.subscriber);
        }
    }

    fn pull(&mut self, ticket: Ticket, readers: &mut Readers) {
        // Who isn't here any more was told so, or asked for it.
        let Some(reader) = readers.by_ticket.get_mut(&ticket) else { return };
        let was_dirty = self.hub.is_dirty();
        let delivery =
            self.hub.pull(reader.subscriber, (self.clock)(), (self.spread_ms)()).unwrap_or_default();
        // Who is told of more in the answer itself needs no news.
        reader.told = delivery.more;
        let sent = reader.session.try_send(ToSession::Delivery(ticket, delivery));
        self.expect_taken(ticket, sent, readers);
        // A walk closes the tick that it ends at; the others have news of it too.
        if was_dirty && !self.hub.is_dirty() {
            self.tell_all(readers);
        }
    }

    fn tell_all(&mut self, readers: &mut Readers) {
        let waiting: Vec<Ticket> =
            self.hub.with_news().filter_map(|id| readers.by_subscriber.get(&id).copied()).collect();
        for ticket in waiting {
            let Some(reader) = readers.by_ticket.get_mut(&ticket).filter(|reader| !reader.told) else {
                continue;
            };
            reader.told = true;
            let sent = reader.session.try_send(ToSession::News(ticket));
            self.expect_taken(ticket, sent, readers);
        }
    }

    /// A session's channel holds one news and one delivery of each of its subscriptions, so it is
    /// never full; a closed one is a session that has ended.
    fn expect_taken(
        &mut self,
        ticket: Ticket,
        sent: Result<(), TrySendError<ToSession>>,
        readers: &mut Readers,
    ) {
        if let Err(error) = sent {
            if matches!(error, TrySendError::Full(_)) {
                tracing::error!("a session's channel is full; its subscription ends");
            }
            self.close(ticket, readers);
        }
    }

    fn end(&self, readers: &Readers) {
        let problem =
            Problem::new(Reason::ShuttingDown, "the gateway stopped watching this resource; subscribe anew");
        for (ticket, reader) in &readers.by_ticket {
            drop(reader.session.try_send(ToSession::Ended(*ticket, problem.clone())));
        }
    }
}

async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
