//! When a hub does what: changes are sealed in ticks, and each session with news is told, or is sent the
//! delivery at once where its permit is offered. The hub never waits for a session, so no session can slow
//! another, or the upstream. Time is an argument.

use std::time::Duration;

use shared::problem::{Problem, Reason};

use super::Hub;
use crate::feed::{FeedCommand, FeedOutput};
use crate::hub::host::Host;
use crate::hub::message::{HubAction, HubEffects, HubRequest, ToSession};
use crate::hub::permit::SubscriberKey;
use crate::hub::schedule::{Elapsed, SYNC_EVERY, Schedule};
use crate::hub::subscriber::Delivery;
use crate::limits::{CUSTOM_READ_OBJECTS, FEED_LINGER_S, RESUME_WAIT_MS, TICK_MS, TICK_SYNCING_MS};

const RESUME_WAIT: Duration = Duration::from_millis(RESUME_WAIT_MS);
const LINGER: Duration = Duration::from_secs(FEED_LINGER_S);

impl<H: Host> Hub<H> {
    /// One action. [`Hub::settle`] follows, after one or after many.
    pub fn handle(&mut self, action: HubAction<H::Session>, now: Elapsed) -> HubEffects {
        self.schedule.begin(now);
        let mut effects = HubEffects::default();
        match action {
            HubAction::Feed(output) => self.take(output, now),
            HubAction::Open(open) => {
                effects.to_feed = self.stands_at(&open.request).map(FeedCommand::StandsAt);
                self.subscribe(*open);
            }
            HubAction::Request(HubRequest::Close(key)) => self.unsubscribe(key),
            HubAction::Request(HubRequest::Pull(key)) => {
                let delivery = self.deliver(key);
                effects.to_session = delivery.map(|delivery| (key, ToSession::Delivery(key, delivery)));
            }
            HubAction::Request(HubRequest::Retry) => effects.to_feed = Some(FeedCommand::Retry),
            // Every other action comes first, so that columns keep nobody waiting.
            HubAction::Continue => {
                if self.read_cells(CUSTOM_READ_OBJECTS) {
                    self.notify();
                }
            }
            HubAction::End => {
                self.schedule.is_over = true;
                self.notify();
            }
        }
        effects
    }

    fn take(&mut self, output: FeedOutput, now: Elapsed) {
        if !matches!(output, FeedOutput::Change(_)) {
            self.notify();
        }
        if matches!(output, FeedOutput::Proof(_)) {
            // A proof is told at once. Another `sync` follows after that time, unless a proof comes first.
            self.schedule.sync_at = Some(now + SYNC_EVERY);
        }
        let was_forbidden = self.is_forbidden();
        self.apply(output);
        // Told once and not with every try, for the session asks for something else then, or can't.
        if self.is_forbidden() && !was_forbidden {
            self.notify_all(|pending| pending.forbidden = true);
        }
    }

    /// Does what is due, after every action and at every [`Hub::deadline`]. [`Hub::next_message`] follows.
    pub fn settle(&mut self, now: Elapsed) {
        self.schedule.begin(now);
        // The first change goes out at once, those that follow within a tick go out together.
        if self.is_dirty() && now >= self.tick_at() {
            self.tick();
            self.schedule.sealed_at = Some(now);
            self.notify();
        }
        if self.schedule.sync_at.is_some_and(|at| now >= at) {
            self.schedule.sync_at = Some(now + SYNC_EVERY);
            self.mark_sync_due();
            self.notify();
        }
        self.end_columns_turn();
        let wait_until = self.schedule.wait_until.unwrap_or(now + RESUME_WAIT);
        self.schedule.wait_until = self.has_waiting().then_some(wait_until);
        if self.schedule.wait_until.take_if(|until| *until <= now).is_some() {
            self.give_up_waiting();
            self.notify();
        }
        let idle_since = self.schedule.idle_since.unwrap_or(now);
        self.schedule.idle_since = self.subscribers.is_empty().then_some(idle_since);
    }

    /// Whether changes wait for the next tick of a complete set of rows.
    #[must_use]
    pub fn waits_for_tick(&self) -> bool {
        self.is_loaded && self.is_dirty()
    }

    /// When to settle at the latest.
    #[must_use]
    pub fn deadline(&self) -> Elapsed {
        let Schedule { sync_at, wait_until, idle_since, .. } = &self.schedule;
        let tick_at = self.is_dirty().then(|| self.tick_at());
        let rest = idle_since.map_or(sync_at.unwrap_or_default(), |since| since + LINGER);
        tick_at.into_iter().chain(*wait_until).fold(rest, Elapsed::min)
    }

    /// Whether there was no subscriber for a while, so that the hub may end.
    #[must_use]
    pub fn has_lingered(&self, now: Elapsed) -> bool {
        self.schedule.idle_since.is_some_and(|since| now >= since + LINGER)
    }

    /// A subscription is on its way: the hub goes on.
    pub fn linger_on(&mut self, now: Elapsed) {
        self.schedule.idle_since = Some(now);
    }

    /// The next message, and for whom. A subscriber has no queue: what it hasn't seen is found here.
    pub fn next_message(&mut self) -> Option<(SubscriberKey, ToSession)> {
        loop {
            let from = self.schedule.next_to_notify?;
            let is_over = self.schedule.is_over;
            let mut rest = self.subscribers.range(from..);
            let found = rest.find(|(_, subscriber)| {
                is_over
                    || subscriber.pending.forbidden
                    || !subscriber.is_notified && self.has_news(subscriber)
            });
            let key = found.map(|(key, _)| *key);
            self.schedule.next_to_notify = key.map(|key| key + 1);
            if let Some(message) = self.message_for(key?) {
                return Some((key?, message));
            }
        }
    }

    fn message_for(&mut self, key: SubscriberKey) -> Option<ToSession> {
        let subscriber = self.subscribers.get_mut(&key)?;
        if self.schedule.is_over {
            let message = "the gateway stopped watching this resource; subscribe anew";
            return Some(ToSession::Ended(key, Problem::new(Reason::ShuttingDown, message)));
        }
        if std::mem::take(&mut subscriber.pending.forbidden) {
            // It may have news as well.
            self.schedule.next_to_notify = Some(key);
            return Some(ToSession::Forbidden(key));
        }
        if subscriber.permit.take() {
            return self.deliver(key).map(|delivery| ToSession::Pushed(key, delivery));
        }
        subscriber.is_notified = true;
        Some(ToSession::News(key))
    }

    fn deliver(&mut self, key: SubscriberKey) -> Option<Delivery> {
        let was_dirty = self.is_dirty();
        let delivery = self.pull(key)?;
        if let Some(subscriber) = self.subscribers.get_mut(&key) {
            // The delivery itself says that there is more, so no news is needed.
            subscriber.is_notified = delivery.more;
        }
        if was_dirty && !self.is_dirty() {
            // A walk closes the tick at which it ends, which is news for the other subscribers too.
            self.notify();
        }
        Some(delivery)
    }

    /// A subscriber may have news.
    pub(super) fn notify(&mut self) {
        self.schedule.next_to_notify = Some(0);
    }

    /// A message that got lost doesn't take the session's permit with it.
    pub fn give_back(&self, lost: &ToSession) {
        if let ToSession::Pushed(key, _) = lost
            && let Some(subscriber) = self.subscribers.get(key)
        {
            subscriber.permit.offer();
        }
    }

    /// Tells the feed whether it has viewers, if that has changed. `tell`: whether the feed took it; if it
    /// didn't, it is told again the next time.
    pub fn tell_feed(&mut self, tell: impl FnOnce(FeedCommand) -> bool) {
        let is_unwatched = self.subscribers.is_empty();
        if is_unwatched != self.schedule.feed_is_unwatched && tell(FeedCommand::Viewers(!is_unwatched)) {
            self.schedule.feed_is_unwatched = is_unwatched;
        }
    }

    /// When the next tick may be sealed. The rows of a first list come by the thousand: fewer, larger
    /// frames are deflated, and take a fifth of the bytes.
    fn tick_at(&self) -> Elapsed {
        let tick_ms = if self.is_loaded { TICK_MS } else { TICK_SYNCING_MS };
        self.schedule.sealed_at.unwrap_or_default() + Duration::from_millis(tick_ms)
    }
}
