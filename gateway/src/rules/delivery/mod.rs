//! How receivers are told. Each has a queue and a task of its own, so one that hangs, fails or goes away delays no other.
//!
//! Read in this order: [`queue`] (what waits for a webhook, and when it is tried again), [`cloud_event`] (the body of a
//! message), [`signature`] (its headers), [`alerts`] (what an Alertmanager is told), [`ledger`] (what of it is kept), [`receiver`] (the tasks that send).

mod alerts;
mod cloud_event;
mod ledger;
mod queue;
mod receiver;
mod signature;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use shared::problem::Problem;
use shared::state::UnixMillis;
use tokio_util::sync::CancellationToken;

use super::notification::{FeedPlace, Notification};
use super::outbox::{MessageKey, Outbox};
use super::settings::RulesSettings;
use crate::metrics::{ByReceiver, ByTurn, Metrics};
pub use ledger::Ledger;
use ledger::Orders;
use receiver::Receiver;

/// All receivers. Cheap to clone.
#[derive(Clone)]
pub struct Delivery {
    receivers: Arc<HashMap<Box<str>, Arc<Receiver>>>,
    ledger: Ledger,
    metrics: Metrics,
}

impl Delivery {
    /// `source`: names this gateway to receivers.
    ///
    /// # Errors
    /// A file of a receiver can't be used, in one sentence that names it.
    pub fn new(
        settings: &RulesSettings,
        source: &str,
        ledger: Ledger,
        metrics: Metrics,
    ) -> Result<Self, Problem> {
        let mut receivers = HashMap::new();
        for of in &settings.receivers {
            metrics.begin_receiver_at_zero(&ByReceiver { receiver: of.name.to_string() });
            receivers.insert(
                of.name.clone(),
                Arc::new(Receiver::new(of, source, ledger.clone(), metrics.clone())?),
            );
        }
        Ok(Self { receivers: Arc::new(receivers), ledger, metrics })
    }

    /// Puts it into the queues of its rule's receivers. Never waits.
    pub fn tell(&self, told: &Arc<Notification>, now_ms: UnixMillis) {
        self.metrics.notifications.get_or_create(&ByTurn { turn: told.turn.into() }).inc();
        self.ledger.changes(told.firing_change());
        for receiver in told.rule.receivers.iter().filter_map(|name| self.receivers.get(name)) {
            receiver.tell(told, now_ms);
        }
    }

    /// When the API server last confirmed what is told of a kind.
    pub fn proven(&self, place: &FeedPlace, now_ms: UnixMillis) {
        for receiver in self.receivers.values() {
            receiver.proven(place, now_ms);
        }
    }

    /// Sends what waits, until it is cancelled. `outbox`: where it is kept.
    pub async fn run(self, outbox: Option<Box<dyn Outbox>>, until: CancellationToken) {
        let sending = self.receivers.values().map(|receiver| Arc::clone(receiver).run(until.clone()));
        let sending = futures_util::future::join_all(sending);
        let Some(outbox) = outbox else {
            sending.await;
            return;
        };
        let (receivers, asked) = (Arc::clone(&self.receivers), Arc::clone(&self.receivers));
        let waiting = move || asked.values().flat_map(|receiver| receiver.waiting_keys()).collect();
        let obey = move |Orders { waiting, ended }: Orders| {
            for message in waiting {
                if let Some(receiver) = receivers.get(&message.key.receiver) {
                    receiver.take_over(message);
                }
            }
            for MessageKey { receiver, id } in ended {
                if let Some(receiver) = receivers.get(&receiver) {
                    receiver.forget(&id);
                }
            }
        };
        // What receivers say at their end is kept, too.
        let keeping = CancellationToken::new();
        let kept = self.ledger.clone().run(outbox, (waiting, obey), keeping.clone());
        let sent = async {
            sending.await;
            keeping.cancel();
        };
        tokio::join!(sent, kept);
    }
}
