//! The rules of a running gateway: their thread, the task that has them listen to hubs, and the one that tells receivers.

use std::sync::Arc;

use history::StoreError;
use shared::problem::{Problem, Reason};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{internal, named};
use crate::clock::gateway_ms;
use crate::config::Config;
use crate::feed::FeedKey;
use crate::metrics::Metrics;
use crate::past::{HistorySettings, Place, connect};
use crate::reload::{LiveRules, rules_channel};
use crate::rules::delivery::{Delivery, Ledger};
use crate::rules::outbox::{DatabaseOutbox, FolderOutbox, Outbox};
use crate::rules::{ExpressionThreads, FeedPlace, Notification, Rule, Tell, Worker, attend};
use crate::session::Context;

pub(super) struct RunningRules {
    worker: Arc<Worker>,
    live: LiveRules,
    changes: watch::Receiver<Vec<Arc<Rule>>>,
    delivery: Delivery,
    /// Where notifications are kept, until their task has it.
    outbox: Option<Box<dyn Outbox>>,
}

/// The thread of the rules puts what it tells into the receivers' queues.
struct Telling(Delivery);

impl Tell for Telling {
    fn tell(&mut self, told: &Arc<Notification>) {
        self.0.tell(told, gateway_ms());
    }

    fn proven(&mut self, key: &FeedKey) {
        self.0.proven(&FeedPlace::from(key), gateway_ms());
    }
}

impl RunningRules {
    /// `None`: there are no receivers, so there can be no rules. `source` names this gateway to receivers.
    ///
    /// # Errors
    /// A receiver can't be used, or there is no thread to be had.
    pub(super) fn start(config: &Config, source: &str, metrics: &Metrics) -> Result<Option<Self>, Problem> {
        let settings = &config.rules;
        // A receiver that can't be used is said before there is a rule for it.
        let mut outbox = outbox(&config.history)?.filter(|_| !settings.receivers.is_empty());
        let ledger = if outbox.is_some() { Ledger::kept() } else { Ledger::default() };
        let delivery = Delivery::new(settings, source, ledger, metrics.clone())?;
        if settings.receivers.is_empty() {
            return Ok(None);
        }
        let remembered = outbox.as_mut().map(|outbox| outbox.firing()).transpose();
        let remembered = remembered.unwrap_or_else(|StoreError(why)| {
            tracing::warn!("what fired before isn't known, so what still does is told again: {why}");
            None
        });
        let telling = Box::new(Telling(delivery.clone()));
        let expressions = ExpressionThreads::start(metrics.clone()).map_err(|error| no_thread(&error))?;
        let worker =
            Worker::start(Box::new(expressions), telling, remembered.unwrap_or_default(), metrics.clone());
        let worker = worker.map_err(|error| no_thread(&error))?;
        let (live, changes) = rules_channel(settings, metrics.clone());
        Ok(Some(Self { worker: Arc::new(worker), live, changes, delivery, outbox }))
    }

    /// Where other rules come from while the gateway runs.
    pub(super) fn live(&self) -> LiveRules {
        self.live.clone()
    }

    pub(super) fn spawn(
        &mut self,
        context: &Context,
        until: &CancellationToken,
        tasks: &mut JoinSet<&'static str>,
    ) {
        let hubs = (context.registry.clone(), context.clusters.clone());
        let attending = attend(self.changes.clone(), Arc::clone(&self.worker), hubs, until.clone());
        tasks.spawn(named("the rules", attending));
        tasks.spawn(named("the notifications", self.delivery.clone().run(self.outbox.take(), until.clone())));
    }

    /// What was heard is looked at.
    pub(super) async fn end(self) {
        let worker = self.worker;
        if tokio::task::spawn_blocking(move || worker.end()).await.is_err() {
            tracing::error!("the rules couldn't be ended");
        }
    }
}

/// Where notifications outlive the gateway: where the past does.
fn outbox(history: &HistorySettings) -> Result<Option<Box<dyn Outbox>>, Problem> {
    match &history.place {
        Place::Nowhere | Place::Memory | Place::File => Ok(None),
        Place::Folder(folder) => {
            let opened = FolderOutbox::open(folder);
            let opened = opened.map_err(|StoreError(why)| {
                let message = format!(
                    "what waits for receivers can't be read: {why}; remove the file to go on without it"
                );
                Problem::new(Reason::Configuration, message)
            })?;
            Ok(Some(Box::new(opened)))
        }
        Place::Postgres(database) => Ok(Some(Box::new(DatabaseOutbox::new(connect(database)?)))),
    }
}

fn no_thread(error: &std::io::Error) -> Problem {
    internal(&format!("the rules have no thread: {error}"))
}
