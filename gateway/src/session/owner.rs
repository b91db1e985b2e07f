//! The owner of one hub, decided without a task: takes what its feed says, seals it in ticks, and
//! hands each reader what it pulls or, where its session's turn is free, what is new. It never waits
//! for a reader, so no reader can slow another, or the upstream. Time is an argument; never a channel.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::message::{Ticket, ToSession};
use super::turn::Turn;
use crate::feed::FeedOutput;
use crate::hub::{Delivery, Hub, Opening, SubscriberId};
use crate::limits::{
    CUSTOM_READ_OBJECTS, FEED_LINGER_S, RESUME_WAIT_MS, SYNC_EVERY_MS, TICK_MS, TICK_SYNCING_MS,
};

/// `S`: how a session is reached.
pub struct Owner<S> {
    hub: Hub,
    readers: BTreeMap<Ticket, Reader<S>>,
    tickets: HashMap<SubscriberId, Ticket>,
    messages: VecDeque<(Ticket, ToSession)>,
    /// Somebody may have news.
    untold: bool,
    sealed_at: Elapsed,
    sync_at: Elapsed,
    /// How long those wait yet that stand ahead of the first list.
    wait_until: Option<Elapsed>,
    idle_since: Option<Elapsed>,
    now_ms: UnixMillis,
    /// How far reconnects are to be spread.
    spread_ms: u32,
}

/// Since some beginning, by a clock that only goes forward.
pub type Elapsed = Duration;

struct Reader<S> {
    subscriber: SubscriberId,
    session: S,
    turn: Turn,
    /// It was told that there is news and has not pulled since.
    told: bool,
}

const SYNC_EVERY: Duration = Duration::from_millis(SYNC_EVERY_MS);

impl<S> Owner<S> {
    #[must_use]
    pub fn new(hub: Hub, now: Elapsed) -> Self {
        Self {
            hub,
            readers: BTreeMap::new(),
            tickets: HashMap::new(),
            messages: VecDeque::new(),
            untold: false,
            sealed_at: now,
            sync_at: now + SYNC_EVERY,
            wait_until: None,
            idle_since: Some(now),
            now_ms: 0,
            spread_ms: 0,
        }
    }

    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    #[must_use]
    pub fn reader_count(&self) -> usize {
        self.readers.len()
    }

    #[must_use]
    pub fn session(&self, ticket: Ticket) -> Option<&S> {
        Some(&self.readers.get(&ticket)?.session)
    }

    /// What time it is, by the gateway's clock, and how far reconnects are to be spread.
    pub fn set_clock(&mut self, now_ms: UnixMillis, spread_ms: u32) {
        self.hub.set_clock(now_ms);
        (self.now_ms, self.spread_ms) = (now_ms, spread_ms);
    }

    /// One word of the feed. [`Owner::settle`] follows, after one or after many.
    pub fn take(&mut self, output: FeedOutput, now: Elapsed) {
        self.untold |= !matches!(output, FeedOutput::Change(_));
        if matches!(output, FeedOutput::Proof(_)) {
            // A proof is told at once, so the next word is due that much later.
            self.sync_at = now + SYNC_EVERY;
        }
        let was_forbidden = self.hub.is_forbidden();
        self.hub.apply(output);
        // Once, and not with every try: it asks for something else then, or there is nothing else.
        if self.hub.is_forbidden() && !was_forbidden {
            let forbidden = self.readers.keys().map(|ticket| (*ticket, ToSession::Forbidden(*ticket)));
            self.messages.extend(forbidden);
        }
    }

    /// `turn`: the session's.
    pub fn open(&mut self, ticket: Ticket, opening: Opening, session: S, turn: Turn) {
        let subscriber = self.hub.subscribe(opening);
        self.tickets.insert(subscriber, ticket);
        self.readers.insert(ticket, Reader { subscriber, session, turn, told: false });
        self.untold = true;
        if self.hub.is_forbidden() {
            self.messages.push_back((ticket, ToSession::Forbidden(ticket)));
        }
    }

    pub fn close(&mut self, ticket: Ticket) {
        if let Some(reader) = self.readers.remove(&ticket) {
            self.tickets.remove(&reader.subscriber);
            self.hub.unsubscribe(reader.subscriber);
        }
    }

    pub fn pull(&mut self, ticket: Ticket) {
        self.deliver(ticket, ToSession::Delivery);
    }

    fn deliver(&mut self, ticket: Ticket, as_message: fn(Ticket, Delivery) -> ToSession) {
        // Who isn't here any more was told so, or asked for it.
        let Some(reader) = self.readers.get_mut(&ticket) else { return };
        let was_dirty = self.hub.is_dirty();
        let delivery = self.hub.pull(reader.subscriber, self.now_ms, self.spread_ms).unwrap_or_default();
        // Who is told of more in the answer itself needs no news.
        reader.told = delivery.more;
        self.messages.push_back((ticket, as_message(ticket, delivery)));
        // A walk closes the tick that it ends at; the others have news of it too.
        self.untold |= was_dirty && !self.hub.is_dirty();
    }

    /// After every event and at every [`Owner::deadline`]: what is due is done, who has news is told.
    pub fn settle(&mut self, now: Elapsed) {
        // The leading edge goes out at once, what follows it within a tick together.
        if self.hub.is_dirty() && now >= self.sealed_at + self.tick_every() {
            self.hub.tick();
            self.sealed_at = now;
            self.untold = true;
        }
        if now >= self.sync_at {
            self.sync_at = now + SYNC_EVERY;
            self.hub.owe_sync();
            self.untold = true;
        }
        self.untold |= self.hub.read_cells(CUSTOM_READ_OBJECTS);
        self.wait_until = self.hub.has_waiting().then(|| self.wait_until.unwrap_or(now + RESUME_WAIT));
        if self.wait_until.take_if(|until| *until <= now).is_some() {
            self.hub.give_up_waiting();
            self.untold = true;
        }
        while std::mem::take(&mut self.untold) {
            self.tell_all();
        }
        self.idle_since = self.readers.is_empty().then(|| self.idle_since.unwrap_or(now));
    }

    /// When to settle at the latest.
    #[must_use]
    pub fn deadline(&self) -> Elapsed {
        let tick = self.hub.is_dirty().then(|| self.sealed_at + self.tick_every());
        let rest = self.idle_since.map_or(self.sync_at, |since| since + LINGER);
        tick.into_iter().chain(self.wait_until).fold(rest, Elapsed::min)
    }

    /// Nobody has looked for a while.
    #[must_use]
    pub fn has_lingered(&self, now: Elapsed) -> bool {
        self.idle_since.is_some_and(|since| now >= since + LINGER)
    }

    /// Somebody is about to look.
    pub fn linger_on(&mut self, now: Elapsed) {
        self.idle_since = Some(now);
    }

    /// The next message, for the session of that ticket.
    pub fn next_message(&mut self) -> Option<(Ticket, ToSession)> {
        self.messages.pop_front()
    }

    /// A message that got lost takes nobody's turn with it.
    pub fn give_back(&self, lost: &ToSession) {
        if let ToSession::Pushed(ticket, _) = lost
            && let Some(reader) = self.readers.get(ticket)
        {
            reader.turn.offer();
        }
    }

    /// All are told that it is over.
    pub fn end(&mut self) {
        let problem =
            Problem::new(Reason::ShuttingDown, "the gateway stopped watching this resource; subscribe anew");
        let ended = self.readers.keys().map(|ticket| (*ticket, ToSession::Ended(*ticket, problem.clone())));
        self.messages.extend(ended);
    }

    /// The rows of a first list come by the thousand: fewer, larger frames are deflated, and a fifth
    /// of the bytes.
    fn tick_every(&self) -> Duration {
        Duration::from_millis(if self.hub.is_synced() { TICK_MS } else { TICK_SYNCING_MS })
    }

    fn tell_all(&mut self) {
        let news: Vec<SubscriberId> = self.hub.with_news().collect();
        for subscriber in news {
            let Some(ticket) = self.tickets.get(&subscriber).copied() else { continue };
            let Some(reader) = self.readers.get_mut(&ticket).filter(|reader| !reader.told) else { continue };
            if reader.turn.take() {
                self.deliver(ticket, ToSession::Pushed);
            } else {
                reader.told = true;
                self.messages.push_back((ticket, ToSession::News(ticket)));
            }
        }
    }
}

const RESUME_WAIT: Duration = Duration::from_millis(RESUME_WAIT_MS);
const LINGER: Duration = Duration::from_secs(FEED_LINGER_S);

#[cfg(test)]
mod tests;
