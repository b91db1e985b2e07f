//! The task of one receiver: it sends what waits, one after the other.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, Method, StatusCode, Uri, header};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::super::notification::{FeedPlace, Notification, Turn};
use super::super::outbox::{KeptMessage, MessageKey};
use super::super::settings::{ReceiverKind, ReceiverSettings};
use super::alerts::Alerts;
use super::cloud_event;
use super::ledger::Ledger;
use super::queue::{Message, Queue};
use super::signature::Keys;
use crate::access::https::Https;
use crate::clock::{gateway_ms, wall_ms};
use crate::limits::{NOTIFICATION_LOOK_MS, OUTBOX_LOOK_MS};
use crate::metrics::{ByReceiver, Metrics};
use crate::plain_file;

/// One receiver: how it is reached, and what waits for it.
pub(super) struct Receiver {
    name: Box<str>,
    url: Uri,
    https: Https,
    token_file: Option<PathBuf>,
    waiting: Mutex<Outbox>,
    news: Notify,
    is_failing: AtomicBool,
    ledger: Ledger,
    metrics: Metrics,
}

/// What is to be sent, and how.
enum Outbox {
    Webhook { queue: Queue, secret_file: PathBuf, source: Box<str> },
    Alertmanager(Alerts),
}

/// One request.
enum Send {
    Message(Message, PathBuf),
    /// With the time at which they were looked up.
    Alerts(Bytes, UnixMillis),
}

/// What came of it.
enum Outcome {
    Taken,
    /// It is tried again.
    Failed(String),
    /// The receiver wants no more of it.
    Refused(String),
}

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

impl Receiver {
    /// # Errors
    /// One of its files can't be used.
    pub(super) fn new(
        of: &ReceiverSettings,
        source: &str,
        ledger: Ledger,
        metrics: Metrics,
    ) -> Result<Self, Problem> {
        let outbox = match &of.kind {
            ReceiverKind::Webhook { secret_file } => {
                keys(secret_file).map_err(|why| {
                    Problem::new(Reason::Configuration, format!("receivers, {}: {why}", of.name))
                })?;
                Outbox::Webhook {
                    queue: Queue::default(),
                    secret_file: secret_file.clone(),
                    source: source.into(),
                }
            }
            ReceiverKind::Alertmanager => Outbox::Alertmanager(Alerts::new(source)),
        };
        Ok(Self {
            name: of.name.clone(),
            url: of.url.clone(),
            https: Https::new(of.ca_file.as_deref())?,
            token_file: of.token_file.clone(),
            waiting: Mutex::new(outbox),
            news: Notify::new(),
            is_failing: AtomicBool::new(false),
            ledger,
            metrics,
        })
    }

    pub(super) fn tell(&self, told: &Notification, now_ms: UnixMillis) {
        let lost = match &mut *self.waiting() {
            Outbox::Webhook { .. } if told.turn == Turn::Resolved && !told.rule.tells_resolved => return,
            Outbox::Webhook { queue, source, .. } => {
                let about = format!(
                    "{} {} {} {}",
                    told.rule.name, told.place.cluster, told.place.resource, told.group.0
                );
                let body = cloud_event::body(told, source);
                self.ledger.waits(KeptMessage {
                    key: self.key(&told.id),
                    about: about.clone().into(),
                    body: String::from_utf8_lossy(&body).into_owned(),
                    since_ms: now_ms,
                });
                self.ended(queue.push(Message { id: told.id.clone(), about: about.into(), body }, now_ms))
            }
            Outbox::Alertmanager(alerts) => alerts.note(told, now_ms),
        };
        self.lose(lost, "too many wait");
        self.news.notify_one();
    }

    /// A message that a gateway before this one didn't bring to an end.
    pub(super) fn take_over(&self, KeptMessage { key, about, body, since_ms }: KeptMessage) {
        let lost = match &mut *self.waiting() {
            Outbox::Webhook { queue, .. } => {
                self.ended(queue.push(Message { id: key.id, about, body: body.into() }, since_ms))
            }
            Outbox::Alertmanager(_) => 0,
        };
        self.lose(lost, "too many wait");
        self.news.notify_one();
    }

    /// What waits for a webhook.
    pub(super) fn waiting_keys(&self) -> Vec<MessageKey> {
        match &*self.waiting() {
            Outbox::Webhook { queue, .. } => queue.ids().map(|id| self.key(id)).collect(),
            Outbox::Alertmanager(_) => Vec::new(),
        }
    }

    /// Another gateway brought it to an end.
    pub(super) fn forget(&self, id: &str) {
        if let Outbox::Webhook { queue, .. } = &mut *self.waiting() {
            queue.remove(id);
        }
    }

    fn key(&self, id: &str) -> MessageKey {
        MessageKey { receiver: self.name.clone(), id: id.into() }
    }

    /// Returns how many these are.
    fn ended(&self, ids: Vec<Box<str>>) -> u64 {
        self.ledger.ended(ids.iter().map(|id| self.key(id)));
        u64::try_from(ids.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn proven(&self, place: &FeedPlace, now_ms: UnixMillis) {
        if let Outbox::Alertmanager(alerts) = &mut *self.waiting() {
            alerts.proven(place, now_ms);
        }
    }

    /// Sends what waits until it is cancelled.
    pub(super) async fn run(self: Arc<Self>, until: CancellationToken) {
        while let Some(()) = until.run_until_cancelled(self.step()).await {}
        let left = match &*self.waiting() {
            Outbox::Webhook { queue, .. } if !self.ledger.is_kept() => queue.len(),
            Outbox::Webhook { .. } | Outbox::Alertmanager(_) => 0,
        };
        self.lose(u64::try_from(left).unwrap_or(u64::MAX), "the gateway ended");
    }

    async fn step(&self) {
        let now_ms = gateway_ms();
        let (expired, send, due_ms, waiting) = match &mut *self.waiting() {
            Outbox::Webhook { queue, secret_file, .. } => {
                let expired = self.ended(queue.expire(now_ms));
                let next = queue.next(now_ms).filter(|_| self.ledger.may_send());
                let send = next.map(|it| Send::Message(it.clone(), secret_file.clone()));
                // A gateway that doesn't send looks again when it may.
                let due_ms = queue.due_ms().map(|due_ms| due_ms.max(now_ms + OUTBOX_LOOK_MS));
                (expired, send, due_ms, queue.len())
            }
            Outbox::Alertmanager(alerts) => {
                let expired = alerts.expire(now_ms);
                (
                    expired,
                    alerts.next(now_ms).map(|body| Send::Alerts(body, now_ms)),
                    alerts.due_ms(),
                    alerts.len(),
                )
            }
        };
        self.lose(expired, "it wasn't taken in time");
        let label = ByReceiver { receiver: self.name.to_string() };
        let waiting = i64::try_from(waiting).unwrap_or(i64::MAX);
        self.metrics.notifications_waiting.get_or_create(&label).set(waiting);
        let Some(send) = send else {
            let pause_ms = due_ms.map_or(NOTIFICATION_LOOK_MS, |due_ms| due_ms - now_ms);
            let pause_ms = u64::try_from(pause_ms.clamp(1, NOTIFICATION_LOOK_MS)).unwrap_or(1);
            let _ = tokio::time::timeout(Duration::from_millis(pause_ms), self.news.notified()).await;
            return;
        };
        let outcome = match &send {
            Send::Message(message, secret_file) => self.send_message(message, secret_file).await,
            Send::Alerts(body, _) => self.send_alerts(body.clone()).await,
        };
        self.note(&send, &outcome);
    }

    fn note(&self, send: &Send, outcome: &Outcome) {
        let (now_ms, chance) = (gateway_ms(), chance());
        let label = ByReceiver { receiver: self.name.to_string() };
        match outcome {
            Outcome::Taken => self.metrics.notifications_sent.get_or_create(&label).inc(),
            Outcome::Failed(_) | Outcome::Refused(_) => {
                self.metrics.notification_failures.get_or_create(&label).inc()
            }
        };
        let is_lost = match (&mut *self.waiting(), send, outcome) {
            (Outbox::Webhook { queue, .. }, Send::Message(message, _), Outcome::Failed(_)) => {
                queue.failed(&message.id, now_ms, chance);
                false
            }
            (Outbox::Webhook { queue, .. }, Send::Message(message, _), outcome) => {
                queue.remove(&message.id);
                self.ledger.ended(std::iter::once(self.key(&message.id)));
                matches!(outcome, Outcome::Refused(_))
            }
            (Outbox::Alertmanager(alerts), Send::Alerts(_, sent_ms), Outcome::Taken) => {
                alerts.taken(*sent_ms, now_ms);
                false
            }
            (Outbox::Alertmanager(alerts), ..) => {
                alerts.failed(now_ms, chance);
                false
            }
            (Outbox::Webhook { .. }, Send::Alerts(..), _) => false,
        };
        if is_lost {
            self.lose(1, "the receiver wants no more");
        }
        let why = match outcome {
            Outcome::Taken => None,
            Outcome::Failed(why) | Outcome::Refused(why) => Some(why),
        };
        // The first failure of a row, and its end.
        match (why, self.is_failing.swap(why.is_some(), Ordering::Relaxed)) {
            (Some(why), false) => {
                tracing::warn!(receiver = %self.name, "notifications wait, because it can't be told: {why}");
            }
            (None, true) => tracing::info!(receiver = %self.name, "it takes notifications again"),
            (Some(_), true) | (None, false) => {}
        }
    }

    async fn send_message(&self, message: &Message, secret_file: &Path) -> Outcome {
        // Keys are rotated while the gateway runs.
        let file = secret_file.to_path_buf();
        let keys = match tokio::task::spawn_blocking(move || keys(&file)).await {
            Ok(Ok(keys)) => keys,
            Ok(Err(why)) => return Outcome::Failed(why),
            Err(_) => return Outcome::Failed("its keys can't be read".to_owned()),
        };
        let timestamp_s = wall_ms().div_euclid(1_000);
        let signature = keys.sign(&message.id, timestamp_s, &message.body);
        let timestamp = timestamp_s.to_string();
        let headers = [
            (header::CONTENT_TYPE, cloud_event::CONTENT_TYPE),
            (WEBHOOK_ID, &message.id),
            (WEBHOOK_TIMESTAMP, &timestamp),
            (WEBHOOK_SIGNATURE, &signature),
        ];
        self.post(&headers, message.body.clone()).await
    }

    async fn send_alerts(&self, body: Bytes) -> Outcome {
        self.post(&[(header::CONTENT_TYPE, "application/json")], body).await
    }

    async fn post(&self, headers: &[(HeaderName, &str)], body: Bytes) -> Outcome {
        let mut headers = headers.to_vec();
        let token = match &self.token_file {
            None => None,
            Some(path) => match plain_file::read_async(path).await {
                Ok(token) => Some(format!("Bearer {}", String::from_utf8_lossy(token.trim_ascii()))),
                Err(error) => return Outcome::Failed(format!("{}: {error}", path.display())),
            },
        };
        headers.extend(token.as_deref().map(|token| (header::AUTHORIZATION, token)));
        match self.https.send(Method::POST, &self.url, &headers, body).await {
            Ok(answer) if answer.status.is_success() => Outcome::Taken,
            Ok(answer) if answer.status == StatusCode::GONE => Outcome::Refused("it answered 410".to_owned()),
            Ok(answer) => Outcome::Failed(format!("it answered {}", answer.status.as_u16())),
            Err(why) => Outcome::Failed(why.to_string()),
        }
    }

    fn lose(&self, count: u64, why: &str) {
        if count == 0 {
            return;
        }
        let label = ByReceiver { receiver: self.name.to_string() };
        self.metrics.notifications_lost.get_or_create(&label).inc_by(count);
        tracing::warn!(receiver = %self.name, count, "notifications are lost: {why}");
    }

    fn waiting(&self) -> MutexGuard<'_, Outbox> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn keys(file: &Path) -> Result<Keys, String> {
    let wrong = |why: String| format!("secret-file {}: {why}", file.display());
    let text = plain_file::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    Keys::parse(&text).map_err(wrong)
}

/// From 0 to 1. Without randomness the pause is the whole one.
fn chance() -> f64 {
    getrandom::u32().map_or(0.0, |number| f64::from(number) / f64::from(u32::MAX))
}
