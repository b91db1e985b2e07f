//! What one session says and does, decided without a socket: frames, messages of hubs, answers of the gateway and the
//! time go in; messages to send, requests to hubs and other effects come out.

use std::ops::Deref;
use std::sync::Arc;

use shared::codec::{self, DecodeError};
use shared::frame::client::{ClientFrame, Has, SubscriptionId};
use shared::frame::server::{Goaway, Pong, ProblemFrame, ServerFrame, Welcome};
use shared::frame::{VERSION, close};
use shared::problem::{Problem, Reason};

use crate::access::{Login, LoginSession};
use crate::audit::Viewer;
use crate::cluster::Subject;
use crate::hub::{Delivery, Encoded, HubRequest, SubscriberKey, ToSession};
use crate::limits::{CREDIT_BYTES, MESSAGE_BYTES_MAX, SILENT_S};
use crate::rate_limiter::{MonotonicMs, RateLimiter};
use clusters::ToldClusters;
pub use events::{
    Action, AnswerId, ChildrenRequest, Close, Effect, Effects, LogRequest, LoginLook, Now, OpenRequest,
    Opened, PastRequest, ReviewRequest,
};
use flow::Flow;
use login::{Confirmed, CurrentLogin};
use logs::Logs;
use subscriptions::{Purpose, Subscriptions};
pub use surroundings::{KnownCluster, Reach, Surroundings, Team};

mod clusters;
mod events;
mod flow;
mod login;
mod logs;
mod refusal;
mod subscribe;
mod subscriptions;
mod surroundings;
#[cfg(test)]
mod tests;

/// One viewer's connection, without its socket: what the client may have, in which state each of its subscriptions is,
/// and what it is sent next.
///
/// A session is a machine: [`Session::apply`] takes one [`Action`] and gives its [`Effects`]. The loop around it
/// (`run.rs` in the product; the protocol's tests, the simulation and the fuzzer have their own) waits for the next
/// action, applies it, and carries the effects out. The answer to an effect is another action.
///
/// `apply` never waits, never asks the gateway around it for anything and never reads a clock. What it needs to know
/// of the gateway it was told by actions, and keeps in `surroundings`: before each frame, message and timer the loop
/// tells it a change of the rules, of the ceiling and of the clusters, so that nothing is decided by what held before.
/// What has an effect elsewhere is an [`Effect`]: opening at a hub, counting a try, looking at a credential, the audit
/// log. Only the permit is shared with the hubs: an atomic flag, and the number of timelines that share the credit.
///
/// An answer may come late, or never. Those of a subscription on its way (counted, numbered, opened) name what waits for
/// them with an [`AnswerId`], and a subscription that went another way meanwhile waits for another one: a hub that
/// opened for nothing is left at once. Where the loop carries effects out at once, as the product does, a subscription
/// is open before the next action.
///
/// The owners:
/// - `login`: the viewer, the end of the login, and the proof that the client was asked for.
/// - `surroundings`: what the gateway told. `told`: what of its clusters the client was told.
/// - `subscriptions`: each subscription's state, from the client's question to the hub that has it.
/// - `logs`: each log that is told, or is about to be.
/// - `flow`: the outbox, the credit, and the permit to send the next delivery.
/// - `frames`, `subscribes` and `heard_at`: how much the client asks, and when it was last heard.
///
/// The methods here take frames and messages of hubs. Those in `subscribe.rs` follow a subscription, those in
/// `logs.rs` follow a log, those in `clusters.rs` follow the list of clusters.
pub struct Session<H> {
    login: CurrentLogin,
    surroundings: Surroundings,
    told: ToldClusters,
    subscriptions: Subscriptions<H>,
    logs: Logs,
    flow: Flow,
    frames: RateLimiter,
    subscribes: RateLimiter,
    heard_at: MonotonicMs,
}

impl<H: Clone> Session<H> {
    /// It says `welcome` at once, and `kinds` unless the client has them.
    #[must_use]
    pub fn new(login: Login, has: &[Has], surroundings: Surroundings, now: Now) -> Self {
        Self::with_credit((login, has), surroundings, now, CREDIT_BYTES)
    }

    /// Tests shrink the credit.
    #[must_use]
    pub fn with_credit(
        (login, has): (Login, &[Has]),
        surroundings: Surroundings,
        now: Now,
        credit_bytes: u64,
    ) -> Self {
        let mut session = Self {
            login: CurrentLogin::of(login, now),
            surroundings,
            told: ToldClusters::default(),
            subscriptions: Subscriptions::default(),
            logs: Logs::default(),
            flow: Flow::of(credit_bytes),
            frames: RateLimiter::of_frames(now.monotonic_ms),
            subscribes: RateLimiter::of_subscribes(now.monotonic_ms),
            heard_at: now.monotonic_ms,
        };
        session.say_clusters_first(has, now);
        session
    }

    pub fn apply<T: Deref<Target = str>>(&mut self, action: Action<T, H>, now: Now) -> Effects<H> {
        let mut effects = Effects::default();
        effects.close = self.handle(action, now, &mut effects).err();
        let pull = self.flow.pull(|key| self.subscriptions.take_news(key));
        effects.requests.extend(pull);
        effects
    }

    /// When [`Action::Deadline`] is due at the latest.
    #[must_use]
    pub fn deadline(&self, now: Now) -> MonotonicMs {
        (self.heard_at + SILENT_S * 1_000).min(self.login.deadline(now))
    }

    /// The messages that wait for the socket. Bounded by `OUTBOX_MESSAGES_MAX`, for nothing is read of the
    /// client meanwhile.
    #[must_use]
    pub fn outbox_len(&self) -> usize {
        self.flow.outbox_len()
    }

    pub fn next_message(&mut self) -> Option<Arc<Encoded>> {
        self.flow.next_message()
    }

    /// For the audit log.
    #[must_use]
    pub fn viewer(&self) -> Viewer<'_> {
        Viewer { identity: self.login.identity(), rights: self.login.rights() }
    }

    /// The session of the login, which may be revoked or renewed: [`Action::Deadline`] tells what it is.
    #[must_use]
    pub fn login_session(&self) -> Option<&LoginSession> {
        self.login.session()
    }

    /// What the gateway was said to be, as far as this session knows.
    #[must_use]
    pub fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    /// Also those of which nothing is granted.
    #[must_use]
    pub fn subscription_count(&self) -> usize {
        self.subscriptions.len() + self.logs.len()
    }

    /// Whether the next part of logs may be told now: one at a time, within the credit.
    #[must_use]
    pub fn takes_logs(&self) -> bool {
        self.logs.are_told() && self.flow.takes_more()
    }

    /// Closes everything that is open, with the connection. What a hub opens later is left when its answer is applied.
    pub fn end(&mut self) -> Vec<(H, HubRequest)> {
        let left = self.subscriptions.take_all();
        left.into_iter().map(|former| (former.hub, HubRequest::Close(former.key))).collect()
    }

    /// The viewer, where the API server reviews them. Another one after a login that was renewed with other groups.
    pub(in crate::session) fn subject(&self) -> Option<&Arc<Subject>> {
        self.login.rights().subject()
    }

    fn handle<T: Deref<Target = str>>(
        &mut self,
        action: Action<T, H>,
        now: Now,
        effects: &mut Effects<H>,
    ) -> Result<(), Close> {
        match action {
            Action::Text(text) => {
                self.hear(now.monotonic_ms)?;
                return self.on_text(&text, now, effects);
            }
            Action::Asked(request) => self.count(*request, Purpose::Subscribe, now, effects),
            Action::Binary => {
                let problem = Problem::bad_request("a client's frames are text");
                return Err(Close::because(close::BAD_FRAME, problem));
            }
            Action::Heartbeat => return self.hear(now.monotonic_ms),
            Action::Hub(message) => self.on_hub(message, effects),
            Action::Login(login) => {
                let confirmed = self.login.answered(login, now, effects)?;
                self.on_login(confirmed, effects);
            }
            Action::Granted(id, grant) => {
                if !self.log_granted(id, &grant, effects) {
                    self.granted(id, grant, effects);
                }
            }
            Action::LogSaid(answer, said) => self.log_said(answer, said, effects),
            Action::Surroundings(changed) => self.on_surroundings(changed, now, effects),
            Action::Team(team) => {
                self.surroundings.team = team;
                self.say_welcome(now);
            }
            Action::Counted(answer, counted) => {
                if !self.log_counted(answer, &counted, effects) {
                    self.counted(answer, counted, effects);
                }
            }
            Action::Numbered(answer, view) => self.numbered(answer, view),
            Action::Opened(answer, result) => self.opened(answer, result, effects),
            Action::ChildrenFound(answer, found) => self.children_found(answer, found, effects),
            Action::PastRead(answer, read) => self.past_read(answer, read),
            Action::Challenged(asked) => {
                self.login.challenged(asked.clone());
                if let Some(asked) = asked {
                    self.flow.say(&ServerFrame::Challenge(asked));
                }
            }
            Action::Written => {}
            Action::Deadline(look) => return self.on_deadline(look, now, effects),
            Action::GoingAway { spread_ms } => {
                let problem = Problem::new(Reason::ShuttingDown, "the gateway is going away");
                let last = Some(Box::new(ServerFrame::Goaway(Goaway { problem, spread_ms })));
                return Err(Close { code: close::SERVICE_RESTART, last });
            }
        }
        Ok(())
    }

    /// The rules come first, for a client that hears another name of them keeps nothing.
    fn on_surroundings(&mut self, changed: Surroundings, now: Now, effects: &mut Effects<H>) {
        let before = std::mem::replace(&mut self.surroundings, changed);
        if before.rules != self.surroundings.rules {
            self.purge(now, effects);
            self.end_logs("what this gateway shows has changed", effects);
        }
        self.on_clusters(now, effects);
    }

    fn hear(&mut self, now: MonotonicMs) -> Result<(), Close> {
        self.heard_at = now;
        if self.frames.take(now) {
            return Ok(());
        }
        let problem = Problem::new(Reason::Limit, "so many messages in so short a time; come back slower");
        Err(Close::because(close::POLICY, problem))
    }

    fn on_text(&mut self, text: &str, now: Now, effects: &mut Effects<H>) -> Result<(), Close> {
        match codec::decode_client(text) {
            Ok(frame) => {
                self.on_frame(frame, now, effects);
                Ok(())
            }
            Err(error) => self.refuse_text(text, &error),
        }
    }

    fn on_frame(&mut self, frame: ClientFrame, now: Now, effects: &mut Effects<H>) {
        match frame {
            ClientFrame::Hello(_) => self.problem(None, Problem::bad_request("hello was said already")),
            ClientFrame::Subscribe(subscribe) => {
                self.count((*subscribe).into(), Purpose::Subscribe, now, effects);
            }
            ClientFrame::Get(get) => self.count((*get).into(), Purpose::Subscribe, now, effects),
            ClientFrame::Rights(asked) => self.count_question(asked, now, effects),
            ClientFrame::Children(asked) => self.count_children(asked, now, effects),
            ClientFrame::Past(asked) => self.count_past(*asked, now, effects),
            ClientFrame::Log(text) => match text.read() {
                Ok(asked) => self.count_log(asked, now, effects),
                Err(error) => {
                    self.problem(None, Problem::bad_request(format!("`log` can't be read: {error}")));
                }
            },
            ClientFrame::Auth(auth) => match self.login.look_at(auth.credential) {
                Ok(look) => effects.push(look),
                Err(problem) => self.problem(None, problem),
            },
            ClientFrame::Unsubscribe(unsubscribe) => {
                if unsubscribe.differed {
                    effects.push(Effect::CountMismatch);
                }
                if !self.close(unsubscribe.id, effects) && !self.close_log(unsubscribe.id, effects) {
                    self.unknown(unsubscribe.id);
                }
            }
            ClientFrame::Retry(retry) => self.retry(retry.id, effects),
            ClientFrame::Ack(ack) => self.flow.acknowledge(ack.bytes),
            ClientFrame::Ping(ping) => self.flow.say(&ServerFrame::Pong(Pong { n: ping.n })),
        }
    }

    fn on_hub(&mut self, message: ToSession, effects: &mut Effects<H>) {
        match message {
            ToSession::News(key) => self.queue(key),
            ToSession::Delivery(key, delivery) => {
                self.flow.delivered(key);
                self.receive(key, delivery, effects);
            }
            ToSession::Pushed(key, delivery) => {
                self.flow.pushed();
                self.receive(key, delivery, effects);
            }
            ToSession::Forbidden(key) => self.reduce(key, effects),
            ToSession::Ended(key, problem) => {
                if let Some(id) = self.subscriptions.id_of(key) {
                    self.end_with(id, problem, effects);
                }
            }
        }
    }

    fn receive(&mut self, key: SubscriberKey, delivery: Delivery, effects: &mut Effects<H>) {
        let Some(id) = self.subscriptions.delivered(key, &delivery) else { return };
        if let Some(bytes) = delivery.messages.iter().map(|message| message.bytes.len()).max()
            && bytes > MESSAGE_BYTES_MAX
        {
            // No socket of the gateway takes it, so the subscription ends, and not the connection.
            let message = format!(
                "this needs a message of {bytes} bytes, and one has at most {MESSAGE_BYTES_MAX}; look at the object with `kubectl get -o yaml`"
            );
            return self.end_with(id, Problem::new(Reason::TooLarge, message), effects);
        }
        // Answers to frames earn nothing: a client that asks for ever would be answered for ever.
        self.frames.earn(delivery.messages.len());
        self.flow.send(delivery.messages);
        if delivery.more {
            self.queue(key);
        }
        if delivery.is_over {
            self.close(id, effects);
        }
    }

    fn queue(&mut self, key: SubscriberKey) {
        if self.subscriptions.note_news(key) {
            self.flow.queue(key);
        }
    }

    fn on_login(&mut self, confirmed: Confirmed, effects: &mut Effects<H>) {
        if let Some(auth) = confirmed.auth {
            self.flow.say(&ServerFrame::Auth(auth));
        }
        if confirmed.is_other_upstream {
            self.leave_feeds(effects);
        }
        if confirmed.is_other_upstream || confirmed.is_other_subject {
            self.end_logs("the login has changed", effects);
        }
        if confirmed.is_other_subject {
            self.review_again(effects);
        }
    }

    fn on_deadline(&mut self, look: LoginLook, now: Now, effects: &mut Effects<H>) -> Result<(), Close> {
        if now.monotonic_ms >= self.heard_at + SILENT_S * 1_000 {
            return Err(Close { code: close::SILENT, last: None });
        }
        if let Some(confirmed) = self.login.look(look, now, effects)? {
            self.on_login(confirmed, effects);
        }
        if let Some(auth) = self.login.expire(now, effects)? {
            self.flow.say(&ServerFrame::Auth(auth));
        }
        Ok(())
    }

    fn welcome(&self, now: Now) -> Welcome {
        let Surroundings { clusters, rules, team, .. } = &self.surroundings;
        let Team { pinned, boards, .. } = team.clone();
        Welcome {
            version: VERSION.into(),
            gateway: env!("CARGO_PKG_VERSION").into(),
            clusters: clusters.iter().map(|cluster| cluster.identity.clone()).collect(),
            viewer: self.login.viewer(),
            pinned,
            boards,
            records: self.surroundings.records,
            logs: self.surroundings.shows_logs(),
            replays: self.surroundings.replays,
            file: self.surroundings.file.clone().map(Box::new),
            rules: rules.clone(),
            credit_bytes: self.flow.credit_bytes(),
            now_ms: now.gateway_ms,
        }
    }

    fn say_welcome(&mut self, now: Now) {
        let welcome = self.welcome(now);
        self.told.welcomed(&welcome.clusters);
        self.flow.say(&ServerFrame::Welcome(Box::new(welcome)));
    }

    fn problem(&mut self, id: Option<SubscriptionId>, problem: Problem) {
        self.flow.say(&ServerFrame::Problem(ProblemFrame { id, problem }));
    }

    fn unknown(&mut self, id: SubscriptionId) {
        self.problem(None, Problem::bad_request(format!("there is no subscription {id}")));
    }

    fn refuse_text(&mut self, text: &str, error: &DecodeError) -> Result<(), Close> {
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
