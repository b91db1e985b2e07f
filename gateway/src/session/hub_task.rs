//! The task around the owner of a hub: channels and clocks. What is said is decided in
//! [`super::owner`].

use std::time::Duration;

use shared::state::UnixMillis;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::Instant;

use super::Cancel;
use super::message::{Ask, HubCommand, ToSession};
use super::owner::Owner;
use crate::feed::{FeedCommand, FeedOutput};
use crate::hub::Hub;
use crate::limits::{FEED_COMMANDS_MAX, OUTPUTS_PER_TURN};
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

type Sessions = Owner<mpsc::Sender<ToSession>>;

/// What woke the task.
enum Action {
    Output(FeedOutput),
    FeedEnded,
    Command(HubCommand),
    Deadline,
    /// Cells are to be read.
    ReadOn,
    End,
}

impl HubTask {
    /// Runs until it is cancelled, or nobody has looked for a while.
    pub(super) async fn run(self, cancel: Cancel) {
        let Self { hub, mut outputs, mut commands, feed, clock, spread_ms, may_end, mut counted } = self;
        let started = Instant::now();
        let mut owner = Owner::new(hub, Duration::ZERO);
        // A feed begins because somebody asked for it.
        let mut told_of_viewers = true;
        loop {
            let action = tokio::select! {
                biased;
                () = cancel.cancelled() => Action::End,
                () = tokio::time::sleep_until(started + owner.deadline()) => Action::Deadline,
                Some(command) = commands.recv() => Action::Command(command),
                output = outputs.recv() => output.map_or(Action::FeedEnded, Action::Output),
                // Only while there is nothing else to do; each turn reads on.
                () = tokio::task::yield_now(), if owner.hub().has_unread() => Action::ReadOn,
            };
            let now = started.elapsed();
            owner.set_clock(clock(), spread_ms());
            match action {
                Action::Output(output) => {
                    owner.take(output, now);
                    for _ in 1..OUTPUTS_PER_TURN {
                        let Ok(output) = outputs.try_recv() else { break };
                        owner.take(output, now);
                    }
                }
                Action::Command(HubCommand::Open { ticket, opening, reader, turn }) => {
                    if let Some(version) = owner.hub().stands_at(&opening) {
                        tell(&feed, FeedCommand::StandsAt(version));
                    }
                    owner.open(ticket, *opening, reader, turn);
                }
                Action::Command(HubCommand::Ask(Ask::Close(ticket))) => owner.close(ticket),
                Action::Command(HubCommand::Ask(Ask::Pull(ticket))) => owner.pull(ticket),
                Action::Command(HubCommand::Ask(Ask::Retry)) => tell(&feed, FeedCommand::Retry),
                Action::Deadline if owner.has_lingered(now) => {
                    if may_end() {
                        return;
                    }
                    owner.linger_on(now);
                }
                Action::Deadline | Action::ReadOn => {}
                Action::FeedEnded | Action::End => {
                    owner.end();
                    return send(&mut owner);
                }
            }
            owner.settle(now);
            send(&mut owner);
            let any = owner.reader_count() > 0;
            if any != told_of_viewers && feed.try_send(FeedCommand::Viewers(any)).is_ok() {
                told_of_viewers = any;
            }
            counted.now(owner.hub().object_count(), owner.reader_count());
        }
    }
}

/// A feed that has no room for it has something of the kind under way; one that is gone needs nothing.
fn tell(feed: &mpsc::Sender<FeedCommand>, command: FeedCommand) {
    if let Err(TrySendError::Full(command)) = feed.try_send(command) {
        tracing::warn!(?command, "a feed takes no commands now, for {FEED_COMMANDS_MAX} are waiting");
    }
}

/// A session's channel holds one news and one delivery of each of its subscriptions, so it is never
/// full; a closed one is a session that has ended.
fn send(owner: &mut Sessions) {
    while let Some((ticket, message)) = owner.next_message() {
        let Some(session) = owner.session(ticket) else { continue };
        if let Err(error) = session.try_send(message) {
            if let TrySendError::Full(message) = error {
                tracing::error!("a session's channel is full; its subscription ends");
                owner.give_back(&message);
            }
            owner.close(ticket);
        }
    }
}
