//! What one session says and does, decided without a socket: frames, messages of hubs and the time go in;
//! messages to send and requests to hubs come out.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Deref;
use std::sync::Arc;

use shared::codec::{self, DecodeError};
use shared::frame::client::{ClientFrame, Has, SubscriptionId};
use shared::frame::close;
use shared::frame::server::{self, Challenge, Goaway, Pong, ProblemFrame, ServerFrame, Welcome};
use shared::problem::{Problem, Reason};

use super::credit::Credit;
use super::expiry::Expiry;
use crate::access::{Identity, Login, LoginSession, Rights};
use crate::audit::Viewer;
use crate::feed::FeedKey;
use crate::hub::{Delivery, Encoded, HubRequest, SendPermit, SubscriberKey, SubscriptionRequest, ToSession};
use crate::limits::{CREDIT_BYTES, MESSAGE_BYTES_MAX, SILENT_S};
use crate::rate_limiter::{MonotonicMs, RateLimiter};
use clusters::Clusters;
pub use events::{Action, Close, Effects, Found, Gateway, Now, ReviewRequest};
use rights::AskedRights;
use subscriptions::Reviewed;

mod clusters;
mod events;
mod login;
mod refusal;
mod rights;
mod subscriptions;
#[cfg(test)]
mod tests;

pub struct Session<H> {
    identity: Identity,
    /// As its page shows it.
    viewer: server::Viewer,
    expiry: Expiry,
    /// What a page's key proved, and may prove again, or the cookie of the upgrade.
    session: Option<LoginSession>,
    rights: Rights,
    /// The name of what is shown and masked, as the client knows it.
    rules: Box<str>,
    /// The client sent a credential, and waits for the answer.
    is_logging_in: bool,
    /// What the key is to sign next. One answer uses it up.
    asked: Option<Challenge>,
    heard_at: MonotonicMs,
    frames: RateLimiter,
    subscribes: RateLimiter,
    keys: HashMap<SubscriptionId, SubscriberKey>,
    subscriptions: BTreeMap<SubscriberKey, Subscription<H>>,
    /// Those whose rights are reviewed, also while nothing is granted.
    reviewed: BTreeMap<SubscriptionId, Reviewed>,
    asked_rights: BTreeMap<SubscriptionId, AskedRights>,
    /// The subscriptions with news, each once, in the order of the news.
    waiting: VecDeque<SubscriberKey>,
    sending: Sending,
    permit: SendPermit,
    outbox: VecDeque<Arc<Encoded>>,
    credit: Credit,
    clusters: Clusters,
}

/// One open subscription.
struct Subscription<H> {
    hub: H,
    feed: FeedKey,
    request: Arc<SubscriptionRequest>,
    /// It waits for its turn to pull.
    has_news: bool,
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

impl<H: Clone> Session<H> {
    /// It says `welcome` at once, and `kinds` unless the client has them.
    #[must_use]
    pub fn new(login: Login, has: &[Has], gateway: &impl Gateway<Hub = H>, now: Now) -> Self {
        Self::with_credit((login, has), gateway, now, CREDIT_BYTES)
    }

    /// Tests shrink the credit.
    #[must_use]
    pub fn with_credit(
        (login, has): (Login, &[Has]),
        gateway: &impl Gateway<Hub = H>,
        now: Now,
        credit_bytes: u64,
    ) -> Self {
        let mut session = Self {
            expiry: Expiry::of(&login),
            viewer: login.viewer(),
            session: login.session,
            rights: login.rights,
            rules: gateway.rules(),
            is_logging_in: false,
            asked: None,
            identity: login.identity,
            heard_at: now.monotonic_ms,
            frames: RateLimiter::of_frames(now.monotonic_ms),
            subscribes: RateLimiter::of_subscribes(now.monotonic_ms),
            keys: HashMap::new(),
            subscriptions: BTreeMap::new(),
            reviewed: BTreeMap::new(),
            asked_rights: BTreeMap::new(),
            waiting: VecDeque::new(),
            sending: Sending::Idle,
            permit: SendPermit::default(),
            outbox: VecDeque::new(),
            credit: Credit::of(credit_bytes),
            clusters: Clusters::default(),
        };
        session.say_clusters_first(has, gateway);
        session
    }

    pub fn apply<T: Deref<Target = str>>(
        &mut self,
        action: Action<T>,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
    ) -> Effects<H> {
        let mut effects = Effects::default();
        if !gateway.are_rules(&self.rules) {
            self.purge(gateway, &mut effects);
        }
        if self.clusters.version != gateway.clusters_version() {
            self.on_clusters(gateway, &mut effects);
        }
        effects.close = match action {
            Action::Text(text) => self
                .hear(now.monotonic_ms)
                .and_then(|()| self.on_text(&text, gateway, now, &mut effects))
                .err(),
            Action::Binary => {
                let problem = Problem::bad_request("a client's frames are text");
                Some(Close::because(close::BAD_FRAME, problem))
            }
            Action::Heartbeat => self.hear(now.monotonic_ms).err(),
            Action::Hub(message) => {
                self.on_hub(message, gateway, &mut effects);
                None
            }
            Action::Login(login) => self.log_in(login, &mut effects).err(),
            Action::Granted(id, grant) => {
                self.granted(id, grant, gateway, &mut effects);
                None
            }
            Action::Clusters => {
                self.on_clusters(gateway, &mut effects);
                None
            }
            Action::Welcome => {
                self.say_welcome(gateway);
                None
            }
            Action::Written => None,
            Action::Deadline => self.on_deadline(gateway, now, &mut effects).err(),
            Action::GoingAway => {
                let problem = Problem::new(Reason::ShuttingDown, "the gateway is going away");
                let goaway = Goaway { problem, spread_ms: gateway.spread_ms() };
                let last = Some(Box::new(ServerFrame::Goaway(goaway)));
                Some(Close { code: close::SERVICE_RESTART, last })
            }
        };
        self.pull(&mut effects);
        effects
    }

    /// When [`Action::Deadline`] is due at the latest.
    #[must_use]
    pub fn deadline(&self, now: Now) -> MonotonicMs {
        let login_ms = self.expiry.look_in(now.unix_ms).map(|wait| wait.as_millis());
        let login_at = login_ms.map_or(MonotonicMs::MAX, |wait_ms| {
            now.monotonic_ms.saturating_add(u64::try_from(wait_ms).unwrap_or(MonotonicMs::MAX))
        });
        (self.heard_at + SILENT_S * 1_000).min(login_at)
    }

    /// The messages that wait for the socket. Bounded by `OUTBOX_MESSAGES_MAX`, for nothing is read of the
    /// client meanwhile.
    #[must_use]
    pub fn outbox_len(&self) -> usize {
        self.outbox.len()
    }

    pub fn next_message(&mut self) -> Option<Arc<Encoded>> {
        let message = self.outbox.pop_front()?;
        self.credit.spend(message.bytes.len());
        Some(message)
    }

    /// For the audit log.
    #[must_use]
    pub fn viewer(&self) -> Viewer<'_> {
        Viewer { identity: &self.identity, rights: &self.rights }
    }

    /// Closes everything that is open, with the connection.
    pub fn end(&mut self) -> Vec<(H, HubRequest)> {
        let open = std::mem::take(&mut self.subscriptions);
        open.into_iter().map(|(key, open)| (open.hub, HubRequest::Close(key))).collect()
    }

    fn hear(&mut self, now: MonotonicMs) -> Result<(), Close> {
        self.heard_at = now;
        if self.frames.take(now) {
            return Ok(());
        }
        let problem = Problem::new(Reason::Limit, "so many messages in so short a time; come back slower");
        Err(Close::because(close::POLICY, problem))
    }

    fn on_text(
        &mut self,
        text: &str,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<(), Close> {
        match codec::decode_client(text) {
            Ok(frame) => self.on_frame(frame, gateway, now, effects),
            Err(error) => self.refuse(text, &error),
        }
    }

    fn on_frame(
        &mut self,
        frame: ClientFrame,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<(), Close> {
        match frame {
            ClientFrame::Hello(_) => self.problem(None, Problem::bad_request("hello was said already")),
            ClientFrame::Subscribe(subscribe) => self.subscribe((*subscribe).into(), gateway, now, effects),
            ClientFrame::Get(get) => self.subscribe((*get).into(), gateway, now, effects),
            ClientFrame::Rights(asked) => self.ask_rights(asked, gateway, now, effects),
            // A credential in the place of one that is being looked at would be a way never to hear the answer.
            ClientFrame::Auth(_) if self.is_logging_in => {
                let message = "another credential is being looked at; wait for the answer to it";
                self.problem(None, Problem::bad_request(message));
            }
            ClientFrame::Auth(auth) => {
                self.is_logging_in = true;
                effects.login = Some((auth.credential, self.asked.take()));
            }
            ClientFrame::Unsubscribe(unsubscribe) => {
                if unsubscribe.differed {
                    gateway.count_mismatch();
                }
                if !self.close(unsubscribe.id, effects) {
                    self.unknown(unsubscribe.id);
                }
            }
            ClientFrame::Retry(retry) => {
                match self.keys.get(&retry.id).and_then(|key| self.subscriptions.get(key)) {
                    Some(open) => effects.requests.push((open.hub.clone(), HubRequest::Retry)),
                    // Nothing is granted of it, which is asked again by itself.
                    None if self.reviewed.contains_key(&retry.id) => {}
                    None if self.clusters.unreached.contains_key(&retry.id) => gateway.retry_clusters(),
                    None => self.unknown(retry.id),
                }
            }
            ClientFrame::Ack(ack) => self.credit.acknowledge(ack.bytes),
            ClientFrame::Ping(ping) => self.say(&ServerFrame::Pong(Pong { n: ping.n })),
        }
        Ok(())
    }

    fn on_hub(&mut self, message: ToSession, gateway: &impl Gateway<Hub = H>, effects: &mut Effects<H>) {
        match message {
            ToSession::News(key) => self.queue(key),
            ToSession::Delivery(key, delivery) => {
                if self.sending == Sending::Pulling(key) {
                    self.sending = Sending::Idle;
                }
                self.receive(key, delivery, effects);
            }
            ToSession::Pushed(key, delivery) => {
                self.sending = Sending::Idle;
                self.receive(key, delivery, effects);
            }
            ToSession::Forbidden(key) => self.reduce(key, gateway, effects),
            ToSession::Ended(key, problem) => {
                if let Some(id) = self.subscriptions.get(&key).map(|open| open.request.id) {
                    self.close(id, effects);
                    self.problem(Some(id), problem);
                }
            }
        }
    }

    fn receive(&mut self, key: SubscriberKey, delivery: Delivery, effects: &mut Effects<H>) {
        let Some(open) = self.subscriptions.get_mut(&key) else { return };
        if !delivery.messages.is_empty() && !delivery.is_undecided && open.request.token.is_some() {
            // These messages move the client past its token.
            Arc::make_mut(&mut open.request).token = None;
        }
        let id = open.request.id;
        if let Some(bytes) = delivery.messages.iter().map(|message| message.bytes.len()).max()
            && bytes > MESSAGE_BYTES_MAX
        {
            // No socket of the gateway takes it, so the subscription ends, and not the connection.
            self.close(id, effects);
            let message = format!(
                "this needs a message of {bytes} bytes, and one has at most {MESSAGE_BYTES_MAX}; look at the object with `kubectl get -o yaml`"
            );
            return self.problem(Some(id), Problem::new(Reason::TooLarge, message));
        }
        // Answers to frames earn nothing: whoever asks for ever would be answered for ever.
        self.frames.earn(delivery.messages.len());
        self.outbox.extend(delivery.messages);
        if delivery.more {
            self.queue(key);
        }
        if delivery.is_over {
            self.close(id, effects);
        }
    }

    /// Asks for the next delivery if the last one has gone out and there is credit for another. Without
    /// news, it offers the permit.
    fn pull(&mut self, effects: &mut Effects<H>) {
        if self.sending == Sending::Offered && self.permit.take() {
            self.sending = Sending::Idle;
        }
        // While a hub has the permit it delivers; nothing is asked for until then.
        if self.sending != Sending::Idle || !self.outbox.is_empty() || !self.credit.is_left() {
            return;
        }
        while let Some(key) = self.waiting.pop_front() {
            if let Some(open) = self.subscriptions.get_mut(&key) {
                open.has_news = false;
                self.sending = Sending::Pulling(key);
                return effects.requests.push((open.hub.clone(), HubRequest::Pull(key)));
            }
        }
        self.sending = Sending::Offered;
        self.permit.offer();
    }

    fn queue(&mut self, key: SubscriberKey) {
        if let Some(open) = self.subscriptions.get_mut(&key)
            && !std::mem::replace(&mut open.has_news, true)
        {
            self.waiting.push_back(key);
        }
    }

    fn welcome(&self, gateway: &impl Gateway<Hub = H>) -> Welcome {
        Welcome { rules: self.rules.clone(), ..gateway.welcome(self.viewer.clone()) }
    }

    fn say_welcome(&mut self, gateway: &impl Gateway<Hub = H>) {
        let welcome = self.welcome(gateway);
        self.clusters.said(&welcome.clusters);
        self.say(&ServerFrame::Welcome(Box::new(welcome)));
    }

    fn say(&mut self, frame: &ServerFrame) {
        self.outbox.extend(Encoded::new(frame).map(Arc::new));
    }

    fn problem(&mut self, id: Option<SubscriptionId>, problem: Problem) {
        self.say(&ServerFrame::Problem(ProblemFrame { id, problem }));
    }

    fn unknown(&mut self, id: SubscriptionId) {
        self.problem(None, Problem::bad_request(format!("there is no subscription {id}")));
    }

    fn refuse(&mut self, text: &str, error: &DecodeError) -> Result<(), Close> {
        let refusal = refusal::of(text, error);
        match refusal.close {
            Some(code) => Err(Close::because(code, refusal.problem)),
            None => {
                self.problem(refusal.subscription, refusal.problem);
                Ok(())
            }
        }
    }
}
