//! Keeps what outlives the gateway: it brings what is new to the outbox each second, and asks it whether this gateway is the
//! one that tells webhooks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use history::StoreError;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::super::outbox::{FiringChange, KeptMessage, MessageKey, News, Outbox};
use crate::limits::{OUTBOX_EVERY_MS, OUTBOX_NEWS_MAX};

/// What is new, and whether this gateway tells webhooks. Cheap to clone.
#[derive(Clone, Default)]
pub struct Ledger {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    /// `None`: nothing outlives the gateway.
    news: Mutex<Option<News>>,
    /// Another gateway tells webhooks.
    is_second: AtomicBool,
}

/// What the outbox says that receivers have to do.
pub(super) struct Orders {
    /// Messages of a gateway that told webhooks before.
    pub(super) waiting: Vec<KeptMessage>,
    pub(super) ended: Vec<MessageKey>,
}

impl Ledger {
    /// A ledger with an outbox. Another gateway may be the one that tells webhooks, so nothing is told before that is known.
    #[must_use]
    pub fn kept() -> Self {
        let news = Mutex::new(Some(News::default()));
        Self { inner: Arc::new(Inner { news, is_second: AtomicBool::new(true) }) }
    }

    pub(super) fn is_kept(&self) -> bool {
        self.news().is_some()
    }

    /// Whether this gateway tells webhooks now.
    pub(super) fn may_send(&self) -> bool {
        !self.inner.is_second.load(Ordering::Relaxed)
    }

    pub(super) fn waits(&self, message: KeptMessage) {
        if let Some(news) = &mut *self.news() {
            news.messages.push(message);
        }
    }

    pub(super) fn ended(&self, keys: impl Iterator<Item = MessageKey>) {
        if let Some(news) = &mut *self.news() {
            news.ended.extend(keys);
        }
    }

    pub(super) fn changes(&self, change: Option<FiringChange>) {
        if let Some(news) = &mut *self.news() {
            news.changes.extend(change);
        }
    }

    fn news(&self) -> MutexGuard<'_, Option<News>> {
        self.inner.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until it is cancelled; then it writes what is new once more.
    pub(super) async fn run(
        self,
        mut outbox: Box<dyn Outbox>,
        (waiting, obey): (impl Fn() -> Vec<MessageKey>, impl Fn(Orders)),
        until: CancellationToken,
    ) {
        let (mut is_failing, mut led) = (false, false);
        let mut due = interval(Duration::from_millis(OUTBOX_EVERY_MS));
        due.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_last = until.run_until_cancelled(due.tick()).await.is_none();
            let (ledger, waiting) = (self.clone(), waiting());
            let turn = tokio::task::spawn_blocking(move || {
                let answer = ledger.turn(&mut *outbox, led, &waiting);
                (outbox, answer)
            });
            let Ok((asked, answer)) = turn.await else { return };
            outbox = asked;
            match answer {
                Ok((leads, orders)) => {
                    obey(orders);
                    self.inner.is_second.store(!leads, Ordering::Relaxed);
                    led = leads;
                    if std::mem::take(&mut is_failing) {
                        tracing::info!("notifications are kept again");
                    }
                }
                Err(StoreError(why)) => {
                    // A receiver can drop doubles, and can't know what no gateway tells it.
                    self.inner.is_second.store(false, Ordering::Relaxed);
                    led = false;
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::warn!("notifications aren't kept, and each gateway tells them: {why}");
                    }
                }
            }
            if is_last {
                return;
            }
        }
    }

    /// `led`: this gateway was the one that tells webhooks. `waits`: what waits for its receivers.
    fn turn(
        &self,
        outbox: &mut dyn Outbox,
        led: bool,
        waits: &[MessageKey],
    ) -> Result<(bool, Orders), StoreError> {
        let news = self.news().as_mut().map(std::mem::take).unwrap_or_default();
        if !news.is_empty()
            && let Err(error) = outbox.write(&news)
        {
            self.put_back(news);
            return Err(error);
        }
        let leads = outbox.leads()?;
        let waiting = if leads && !led { outbox.waiting()? } else { Vec::new() };
        let may_have_ended = !(waits.is_empty() || leads && led);
        let ended = if may_have_ended { outbox.ended_elsewhere(waits)? } else { Vec::new() };
        Ok((leads, Orders { waiting, ended }))
    }

    /// What couldn't be written is written the next time, the newest of it where it is too much.
    fn put_back(&self, mut old: News) {
        let mut news = self.news();
        let Some(news) = news.as_mut() else { return };
        old.messages.append(&mut news.messages);
        old.ended.append(&mut news.ended);
        old.changes.append(&mut news.changes);
        old.messages.drain(..old.messages.len().saturating_sub(OUTBOX_NEWS_MAX));
        old.ended.drain(..old.ended.len().saturating_sub(OUTBOX_NEWS_MAX));
        old.changes.drain(..old.changes.len().saturating_sub(OUTBOX_NEWS_MAX));
        *news = old;
    }
}
