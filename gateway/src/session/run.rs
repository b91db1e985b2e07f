//! The socket of one session: the handshake, then messages in and out until either side ends it. What is
//! said is decided in [`super::protocol`].

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::future::{BoxFuture, OptionFuture};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, Kinds, ViewId, Viewer, Welcome};
use shared::frame::{VERSION, close};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::clusters::{Asking, VisibleClusters};
use super::grants::Grants;
use super::handshake::{Greeted, close_of, close_socket, handshake, to_message, words_of};
use super::protocol::{Action, Close, Effects, Found, Gateway, Now, Session};
use super::token::Token;
use super::{Cancel, Context, PreAuth, Team, Unread};
use crate::access::{Caller, Identity, Login, LoginSession};
use crate::audit::Trail;
use crate::clock::{gateway_ms, wall_ms};
use crate::cluster::{Ceiling, cluster_name};
use crate::feed::FeedKey;
use crate::hub::{HubHandle, HubRequest, SendPermit, SubscriberKey, SubscriptionRequest, ToSession};
use crate::limits::{
    CREDIT_BYTES, HELLO_TIMEOUT_S, OUTBOX_MESSAGES_MAX, PRE_AUTH_CLOSE_MS, SESSION_MESSAGES_MAX,
};
use crate::traces::Pending;

/// Serves one connection until it ends. It never fails: what goes wrong is said on the socket. `pre_auth`,
/// which the connection holds until its identity is known, is dropped then.
pub async fn run<S, U>(
    socket: S,
    (caller, trail): (Caller, Trail),
    pre_auth: U,
    context: Arc<Context>,
    cancel: Cancel,
) where
    S: Stream<Item = Result<Message, Unread>> + Sink<Message> + Unpin,
    U: PreAuth,
{
    let (mut sink, mut stream) = socket.split();
    let hello = handshake(&mut sink, &mut stream, (&caller, &trail), &context);
    let hello = tokio::select! {
        biased;
        hello = timeout(Duration::from_secs(HELLO_TIMEOUT_S), hello) => hello,
        () = pre_auth.displaced() => {
            let message = "other sockets of this address came, and this one said nothing; come back";
            let close = Close::because(close::TRY_AGAIN_LATER, Problem::new(Reason::Limit, message));
            let closing = close_socket(&mut sink, &mut stream, close);
            drop(timeout(Duration::from_millis(PRE_AUTH_CLOSE_MS), closing).await);
            return;
        }
    };
    drop(pre_auth);
    let close = match hello {
        Ok(Ok(greeted)) => {
            let (reader, messages) = mpsc::channel(SESSION_MESSAGES_MAX);
            let identity = greeted.login.identity.clone();
            let is_team = context.authenticator.reviews_rights();
            let clusters = VisibleClusters::new(context.clusters.clone(), is_team);
            let views = Pending::default();
            let surroundings =
                Surroundings { context: &context, caller, trail, identity, clusters, reader, views };
            serve(&surroundings, greeted, messages, &mut sink, &mut stream, &cancel).await
        }
        Ok(Err(close)) => close,
        Err(_) => {
            let message = format!("no hello came within {HELLO_TIMEOUT_S} s");
            Some(Close::because(close::HELLO_TIMEOUT, Problem::new(Reason::Timeout, message)))
        }
    };
    if let Some(close) = close {
        close_socket(&mut sink, &mut stream, close).await;
    }
}

/// The gateway around a session.
struct Surroundings<'a> {
    context: &'a Context,
    caller: Caller,
    trail: Trail,
    identity: Identity,
    clusters: VisibleClusters,
    reader: mpsc::Sender<ToSession>,
    /// Of a traced session: views that wait for their first rows.
    views: Pending<SubscriberKey>,
}

impl Surroundings<'_> {
    /// Ends the span of a view's first rows.
    fn heard(&self, message: &ToSession) {
        match message {
            ToSession::Delivery(key, _) | ToSession::Pushed(key, _) => self.views.end(key, false),
            ToSession::Forbidden(key) | ToSession::Ended(key, _) => self.views.end(key, true),
            ToSession::News(_) => {}
        }
    }

    fn look_at(
        &self,
        credential: Credential,
        asked: Option<Challenge>,
    ) -> BoxFuture<'_, Result<Login, Problem>> {
        let Self { context, caller, .. } = self;
        Box::pin(async move { context.login(Some(&credential), caller, asked).await })
    }
}

fn no_kinds() -> Kinds {
    Kinds::new(cluster_name(""), Vec::new(), Vec::new())
}

impl Gateway for Surroundings<'_> {
    type Hub = HubHandle;

    fn welcome(&self, viewer: Viewer) -> Welcome {
        let Team { pinned, boards } = self.context.team.borrow().clone();
        Welcome {
            version: VERSION.into(),
            gateway: env!("CARGO_PKG_VERSION").into(),
            clusters: self.clusters.identities(),
            viewer,
            pinned,
            boards,
            rules: self.rules(),
            credit_bytes: CREDIT_BYTES,
            now_ms: gateway_ms(),
        }
    }

    fn kinds(&self) -> Arc<Kinds> {
        self.context.clusters.find(None).map(|home| home.kinds()).unwrap_or_else(|| Arc::new(no_kinds()))
    }

    fn clusters(&self) -> Vec<(Option<u64>, Arc<Kinds>)> {
        self.clusters.kinds()
    }

    fn clusters_version(&self) -> u64 {
        self.clusters.version()
    }

    fn find(&self, cluster: Option<&ClusterName>) -> Found {
        self.clusters.find(cluster)
    }

    fn retry_clusters(&self) {
        self.context.clusters.retry();
    }

    fn ceiling(&self) -> Ceiling {
        self.context.clusters.ceiling()
    }

    fn rules(&self) -> Box<str> {
        self.context.registry.rules().borrow().clone()
    }

    fn are_rules(&self, name: &str) -> bool {
        self.context.registry.are_rules(name)
    }

    fn count_mismatch(&self) {
        self.context.metrics.digest_mismatches.inc();
    }

    fn spread_ms(&self) -> u32 {
        self.context.sessions.spread_ms()
    }

    fn challenge(&self) -> Option<Challenge> {
        // Without randomness the login just isn't renewed.
        self.context.authenticator.challenge(&self.caller).ok().flatten()
    }

    fn is_open(&self, session: &LoginSession) -> bool {
        self.context.authenticator.is_open(session)
    }

    fn renewed(&self, session: &LoginSession) -> Option<Login> {
        self.context.authenticator.renewed(session)
    }

    fn may_subscribe(&self) -> Result<(), Problem> {
        let Context { sessions, registry, .. } = self.context;
        sessions.may_subscribe(&self.identity, registry.now())
    }

    fn fresh_view(&self) -> ViewId {
        self.context.registry.fresh_view()
    }

    fn is_current(&self, key: &FeedKey) -> bool {
        self.context.registry.is_current(key)
    }

    fn open(
        &self,
        key: FeedKey,
        request: &Arc<SubscriptionRequest>,
        is_second: bool,
        permit: &SendPermit,
    ) -> Result<(SubscriberKey, HubHandle), Problem> {
        let (asked, reader) = (Arc::clone(request), self.reader.clone());
        let registry = &self.context.registry;
        let (key, hub) = registry.open(&self.identity, key, asked, is_second, reader, permit.clone())?;
        self.views.begin(key, "first rows", || request.scope.resource.to_string());
        Ok((key, hub))
    }
}

/// `None`: the client has gone.
async fn serve<W, R>(
    surroundings: &Surroundings<'_>,
    Greeted { login, credential, has, mut guard }: Greeted,
    mut messages: mpsc::Receiver<ToSession>,
    sink: &mut W,
    stream: &mut R,
    cancel: &Cancel,
) -> Option<Close>
where
    W: Sink<Message> + Unpin,
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    let metrics = &surroundings.context.metrics;
    let started = Instant::now();
    let now = || Now {
        monotonic_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        unix_ms: wall_ms(),
    };
    let mut clusters = surroundings.context.clusters.listed();
    clusters.mark_unchanged();
    let mut asking = Asking::default();
    asking.ask_as(&surroundings.clusters, login.rights.subject());
    let mut held = surroundings.context.hold_token(&login, credential.as_ref());
    let mut rules = surroundings.context.registry.rules();
    let mut team = surroundings.context.team.subscribe();
    let mut token = Token::of(credential);
    let mut looking = OptionFuture::default();
    let mut grants = Grants::default();
    let mut session = Session::new(login, &has, surroundings, now());
    let mut flushed = true;
    let close = loop {
        let deadline = started + Duration::from_millis(session.deadline(now()));
        let may_read = session.outbox_len() < OUTBOX_MESSAGES_MAX;
        let must_write = session.outbox_len() > 0;
        let action = tokio::select! {
            () = cancel.cancelled() => Action::GoingAway,
            written = poll_fn(|cx| write_step(sink, cx, must_write, flushed)) => match written {
                Ok(Written::MayWrite) => {
                    if let Some(message) = session.next_message() {
                        metrics.frames_sent.inc();
                        metrics.sent_bytes.inc_by(message.bytes.len() as u64);
                        if sink.start_send_unpin(to_message(&message)).is_err() {
                            break None;
                        }
                    }
                    flushed = false;
                    Action::Written
                }
                Ok(Written::Flushed) => {
                    flushed = true;
                    continue;
                }
                Err(()) => break None,
            },
            Some(message) = messages.recv() => {
                surroundings.heard(&message);
                Action::Hub(message)
            }
            incoming = stream.next(), if may_read => match incoming {
                Some(Ok(Message::Text(text))) => {
                    metrics.frames_received.inc();
                    Action::Text(text)
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Action::Heartbeat,
                Some(Ok(Message::Binary(_))) => Action::Binary,
                Some(Err(unread)) => break close_of(unread),
                Some(Ok(Message::Close(_))) | None => break None,
            },
            (id, grant) = grants.next() => Action::Granted(id, grant),
            Some(login) = &mut looking => {
                looking = OptionFuture::default();
                if token.holds_after(&login) {
                    continue;
                }
                if let Ok(login) = &login {
                    held = surroundings.context.hold_token(login, token.bearer());
                }
                Action::Login(login)
            }
            credential = token.due() => {
                looking = Some(surroundings.look_at(credential, None)).into();
                continue;
            }
            // Whatever the action is, a session first looks at the clusters and at the rules.
            changed = clusters.changed() => {
                asking.ask(&surroundings.clusters);
                if changed.is_ok() { Action::Written } else { Action::GoingAway }
            }
            answer = asking.next() => {
                surroundings.clusters.answer_came(answer);
                Action::Written
            }
            changed = rules.changed() => if changed.is_ok() { Action::Written } else { Action::GoingAway },
            changed = team.changed() => if changed.is_ok() { Action::Welcome } else { Action::GoingAway },
            () = tokio::time::sleep_until(deadline) => Action::Deadline,
        };
        let mut effects = session.apply(action, surroundings, now());
        asking.ask_as(&surroundings.clusters, session.subject());
        guard.count(session.subscription_count());
        for decision in effects.audit.drain(..) {
            surroundings.trail.decided(session.viewer(), &decision);
        }
        for request in effects.reviews.drain(..) {
            grants.perform(request, |name| surroundings.context.reviews_of(name));
        }
        if let Some((credential, asked)) = effects.login.take() {
            token.replace(credential.clone());
            looking = Some(surroundings.look_at(credential, asked)).into();
        }
        let close = perform(&mut session, surroundings, effects, now()).await;
        if close.is_some() {
            break close;
        }
    };
    surroundings.trail.ended(session.viewer(), &words_of(close.as_ref()));
    let effects = Effects { requests: session.end(), ..Effects::default() };
    perform(&mut session, surroundings, effects, now()).await;
    drop(held);
    close
}

async fn perform(
    session: &mut Session<HubHandle>,
    surroundings: &Surroundings<'_>,
    effects: Effects<HubHandle>,
    now: Now,
) -> Option<Close> {
    let mut requests = VecDeque::from(effects.requests);
    while let Some((hub, request)) = requests.pop_front() {
        // A hub that ended said so to its subscribers, unless it was aborted.
        if let (false, HubRequest::Pull(key)) = (hub.send(request).await, request) {
            let problem = Problem::new(Reason::InternalError, "the watch has ended; subscribe anew");
            let ended: Action<Utf8Bytes> = Action::Hub(ToSession::Ended(key, problem));
            requests.extend(session.apply(ended, surroundings, now).requests);
        }
    }
    effects.close
}

/// What the sink can do next.
enum Written {
    MayWrite,
    Flushed,
}

/// Polls, so that it can stand beside reading without either being lost.
fn write_step<W: Sink<Message> + Unpin>(
    sink: &mut W,
    cx: &mut TaskContext<'_>,
    must_write: bool,
    flushed: bool,
) -> Poll<Result<Written, ()>> {
    if must_write {
        sink.poll_ready_unpin(cx).map(|ready| ready.map(|()| Written::MayWrite).map_err(drop))
    } else if flushed {
        Poll::Pending
    } else {
        sink.poll_flush_unpin(cx).map(|done| done.map(|()| Written::Flushed).map_err(drop))
    }
}
