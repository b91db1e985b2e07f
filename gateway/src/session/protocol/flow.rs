//! What goes out to one client and how far: the messages that wait for the socket, the client's credit, and the permit
//! with which one delivery at a time is fetched or pushed.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::frame::server::ServerFrame;

use crate::hub::{Encoded, HubRequest, SendPermit, SubscriberKey};

/// The way from the hubs to one client. It owns the outbox, the credit, and the order in which subscriptions with news
/// are asked for them. [`super::Session`] alone calls it.
pub(super) struct Flow {
    sending: Sending,
    permit: SendPermit,
    /// The subscriptions with news, each once, in the order of the news.
    waiting: VecDeque<SubscriberKey>,
    outbox: VecDeque<Arc<Encoded>>,
    credit: Credit,
}

/// Where the right to send the next delivery is.
#[derive(Debug, PartialEq, Eq)]
enum Sending {
    /// With the session, which has asked for nothing.
    Idle,
    /// With the hub of this subscription, which was asked for a delivery.
    Pulling(SubscriberKey),
    /// Offered: the first hub with news takes it.
    Offered,
}

impl Flow {
    pub(super) fn of(credit_bytes: u64) -> Self {
        Self {
            sending: Sending::Idle,
            permit: SendPermit::default(),
            waiting: VecDeque::new(),
            outbox: VecDeque::new(),
            credit: Credit::of(credit_bytes),
        }
    }

    pub(super) fn credit_bytes(&self) -> u64 {
        self.credit.bytes_max()
    }

    /// The hubs have a clone of it with each subscription.
    pub(super) fn permit(&self) -> &SendPermit {
        &self.permit
    }

    /// Whether something may be said now that would else wait for the client.
    pub(super) fn takes_more(&self) -> bool {
        self.outbox.is_empty() && self.credit.is_left()
    }

    pub(super) fn outbox_len(&self) -> usize {
        self.outbox.len()
    }

    pub(super) fn next_message(&mut self) -> Option<Arc<Encoded>> {
        let message = self.outbox.pop_front()?;
        self.credit.spend(message.bytes.len());
        Some(message)
    }

    pub(super) fn acknowledge(&mut self, bytes: u64) {
        self.credit.acknowledge(bytes);
    }

    pub(super) fn say(&mut self, frame: &ServerFrame) {
        self.outbox.extend(Encoded::new(frame).map(Arc::new));
    }

    pub(super) fn send(&mut self, messages: Vec<Arc<Encoded>>) {
        self.outbox.extend(messages);
    }

    pub(super) fn queue(&mut self, key: SubscriberKey) {
        self.waiting.push_back(key);
    }

    /// The answer to a pull. An answer to a former one, of a subscription that was left, changes nothing.
    pub(super) fn delivered(&mut self, key: SubscriberKey) {
        if self.sending == Sending::Pulling(key) {
            self.sending = Sending::Idle;
        }
    }

    /// A delivery came with the permit that was offered.
    pub(super) fn pushed(&mut self) {
        self.sending = Sending::Idle;
    }

    /// The subscription is left. A delivery that is on its way is dropped when it comes.
    pub(super) fn left(&mut self, key: SubscriberKey) {
        self.delivered(key);
    }

    /// Asks for the next delivery if the last one has gone out and there is credit for another. Without
    /// news, it offers the permit. `take_news`: the hub of a subscription that is open still.
    pub(super) fn pull<H>(
        &mut self,
        mut take_news: impl FnMut(SubscriberKey) -> Option<H>,
    ) -> Option<(H, HubRequest)> {
        if self.sending == Sending::Offered && self.permit.take() {
            self.sending = Sending::Idle;
        }
        // While a hub has the permit it delivers; nothing is asked for until then.
        if self.sending != Sending::Idle || !self.outbox.is_empty() || !self.credit.is_left() {
            return None;
        }
        while let Some(key) = self.waiting.pop_front() {
            if let Some(hub) = take_news(key) {
                self.sending = Sending::Pulling(key);
                return Some((hub, HubRequest::Pull(key)));
            }
        }
        self.sending = Sending::Offered;
        self.permit.offer();
        None
    }
}

/// How far a connection may be ahead of its client. A browser's WebSocket has no backpressure, so the client
/// acknowledges bytes.
#[derive(Debug)]
struct Credit {
    bytes_max: u64,
    sent: u64,
    acknowledged: u64,
}

impl Credit {
    fn of(bytes_max: u64) -> Self {
        Self { bytes_max, sent: 0, acknowledged: 0 }
    }

    fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    fn spend(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    /// Bytes that weren't sent don't count.
    fn acknowledge(&mut self, bytes: u64) {
        self.acknowledged = bytes.clamp(self.acknowledged, self.sent);
    }

    /// Whether one more frame may go out.
    fn is_left(&self) -> bool {
        self.sent - self.acknowledged < self.bytes_max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::CREDIT_BYTES;

    #[test]
    fn an_acknowledgement_of_more_than_was_sent_or_of_less_than_before_changes_nothing() {
        let mut credit = Credit::of(CREDIT_BYTES);
        credit.spend(100);
        credit.acknowledge(u64::MAX);
        credit.acknowledge(0);
        assert_eq!(credit.sent - credit.acknowledged, 0);
        credit.spend(usize::try_from(CREDIT_BYTES).expect("fits"));
        assert!(!credit.is_left());
    }
}
