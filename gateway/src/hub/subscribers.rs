//! The subscribers of a hub, and which of them may have a message. Each stands for itself: what one gets is found when
//! it pulls, so that no subscriber waits for another.

use std::collections::BTreeMap;

use shared::frame::server::ViewId;
use shared::problem::{Problem, Reason};

use super::host::Host;
use super::logs::TimelineReader;
use super::message::{Delivery, HubCounts, ToSession};
use super::request::{Open, SubscriberKey};
use super::subscriber::{KnownPositions, Sources, Subscriber};
use super::views::Quiet;

/// All subscribers of a hub.
///
/// It owns their positions, and how far it has looked for one with a message. The hub calls it after each tick and each
/// word of the feed; it borrows the hub's other parts as [`Sources`].
pub(super) struct Subscribers<H: Host> {
    // Ordered, so that the same history gives the same messages.
    by_key: BTreeMap<SubscriberKey, Subscriber<H>>,
    /// The subscribers from this one on may have a message. `None`: all were looked at.
    next_to_notify: Option<SubscriberKey>,
    /// The feed or the gateway ends, and every subscription with it.
    is_over: bool,
}

/// What a subscriber with a message is to be told.
pub(super) enum Announcement {
    Message(ToSession),
    /// It has its session's permit, so its next delivery goes out at once.
    Delivery,
}

impl<H: Host> Subscribers<H> {
    pub(super) fn new() -> Self {
        Self { by_key: BTreeMap::new(), next_to_notify: None, is_over: false }
    }

    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    pub(super) fn get(&self, key: SubscriberKey) -> Option<&Subscriber<H>> {
        self.by_key.get(&key)
    }

    /// Opens a subscription, whose position is known from now on. `view`: why there is none, if it can't be had.
    pub(super) fn open(
        &mut self,
        open: Open<H::Session>,
        view: Result<ViewId, Problem>,
        sources: &Sources<'_>,
        counts: &mut HubCounts,
    ) {
        let key = open.key;
        let mut subscriber = Subscriber::new(open, view, sources, counts);
        subscriber.find(sources, &mut KnownPositions::new(), counts);
        self.by_key.insert(key, subscriber);
    }

    pub(super) fn remove(&mut self, key: SubscriberKey) -> Option<Subscriber<H>> {
        self.by_key.remove(&key)
    }

    /// Whether a subscriber waits whose position may still be found.
    pub(super) fn any_waits(&self) -> bool {
        self.by_key.values().any(Subscriber::is_waiting)
    }

    /// Continues the subscribers whose position is known by now.
    pub(super) fn find_waiting(&mut self, sources: &Sources<'_>, counts: &mut HubCounts) {
        // Most of them hold the same rows.
        let mut known = KnownPositions::new();
        for subscriber in self.by_key.values_mut() {
            subscriber.find(sources, &mut known, counts);
        }
    }

    /// Begins all waiting subscribers anew.
    pub(super) fn give_up_waiting(&mut self, head: u64, counts: &mut HubCounts) {
        for subscriber in self.by_key.values_mut().filter(|subscriber| subscriber.is_waiting()) {
            counts.began_anew += 1;
            subscriber.begin_anew(head);
        }
    }

    /// The subscribers to views for which a tick had nothing.
    pub(super) fn step_over(&mut self, quiet: &Quiet) {
        for subscriber in self.by_key.values_mut() {
            subscriber.step_over(quiet);
        }
    }

    /// Another epoch has begun: each subscriber's next frame replaces all that it has.
    pub(super) fn begin_anew(&mut self, head: u64) {
        for subscriber in self.by_key.values_mut() {
            subscriber.begin_anew(head);
        }
    }

    /// Ends the subscriptions whose view is gone.
    pub(super) fn refuse_without_view(&mut self, sources: &Sources<'_>, problem: &Problem) {
        for subscriber in self.by_key.values_mut() {
            if !subscriber.is_refused() && sources.views.get(subscriber.view()).is_none() {
                subscriber.refuse(problem.clone());
            }
        }
    }

    /// The subscribers to timelines, as far as they share memory.
    pub(super) fn timelines(&self) -> impl Iterator<Item = TimelineReader> {
        self.by_key.values().filter_map(Subscriber::timeline)
    }

    /// The subscribers that want each event, as far as they share memory.
    pub(super) fn event_readers(&self) -> impl Iterator<Item = TimelineReader> {
        self.by_key.values().filter_map(Subscriber::event_reader)
    }

    /// Each has something to be told with its next delivery.
    pub(super) fn for_each(&mut self, add: impl Fn(&mut Subscriber<H>)) {
        self.by_key.values_mut().for_each(add);
    }

    /// Any subscriber may have a message.
    pub(super) fn notify(&mut self) {
        self.next_to_notify = Some(0);
    }

    /// Every subscription ends.
    pub(super) fn end(&mut self) {
        self.is_over = true;
        self.notify();
    }

    /// The next subscriber with a message: [`Subscribers::announce`] follows. A subscriber has no queue: what it hasn't
    /// seen is found here.
    pub(super) fn next_to_tell(&mut self, sources: &Sources<'_>) -> Option<SubscriberKey> {
        let mut rest = self.by_key.range(self.next_to_notify?..);
        let found = rest.find(|(_, subscriber)| self.is_over || subscriber.has_message(sources));
        let key = found.map(|(key, _)| *key);
        self.next_to_notify = key.map(|key| key + 1);
        key
    }

    pub(super) fn announce(&mut self, key: SubscriberKey) -> Option<Announcement> {
        let subscriber = self.by_key.get_mut(&key)?;
        if self.is_over {
            let message = "the gateway stopped watching this resource; subscribe anew";
            let problem = Problem::new(Reason::ShuttingDown, message);
            return Some(Announcement::Message(ToSession::Ended(key, problem)));
        }
        if subscriber.take_forbidden() {
            // It may have news as well.
            self.next_to_notify = Some(key);
            return Some(Announcement::Message(ToSession::Forbidden(key)));
        }
        if subscriber.permit().take() {
            return Some(Announcement::Delivery);
        }
        subscriber.set_notified(true);
        Some(Announcement::Message(ToSession::News(key)))
    }

    /// The next messages of one subscriber, which is moved by them. `None`: it isn't one of this hub.
    pub(super) fn pull(&mut self, key: SubscriberKey, sources: &mut Sources<'_>) -> Option<Delivery> {
        Some(self.by_key.get_mut(&key)?.pull(sources))
    }

    /// The delivery itself says whether there is more, so no news is needed.
    pub(super) fn mark_delivered(&mut self, key: SubscriberKey, delivery: &Delivery) {
        if let Some(subscriber) = self.by_key.get_mut(&key) {
            subscriber.set_notified(delivery.more);
        }
    }

    /// A message that got lost doesn't take the session's permit with it.
    pub(super) fn give_back(&self, lost: &ToSession) {
        if let ToSession::Pushed(key, _) = lost
            && let Some(subscriber) = self.by_key.get(key)
        {
            subscriber.permit().offer();
        }
    }
}
