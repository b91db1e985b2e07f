//! The socket of one session: a `hello` before anything else, then messages in and out until either side ends it, and a
//! last frame with the close code. What is said is decided in [`super::protocol`].

use std::collections::VecDeque;
use std::future::{poll_fn, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::future::{BoxFuture, OptionFuture};
use futures_util::{FutureExt, Sink, SinkExt, Stream, StreamExt};
use serde::Deserialize;
use shared::codec;
use shared::frame::client::{self, ClientFrame, Credential, Has, Hello};
use shared::frame::server::{Challenge, ServerFrame};
use shared::frame::{VERSION, close};
use shared::problem::{Problem, Reason};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::children::ChildrenAsked;
use super::clusters::{Asking, VisibleClusters};
use super::connections::ConnectionGuard;
use super::grants::Grants;
use super::logs::LogsTold;
use super::past::PastReads;
use super::protocol::{
    Action, Close, Effect, LogRequest, LoginLook, Now, OpenRequest, Opened, Session, Surroundings, Team,
};
use super::token::Token;
use super::wire::{Written, close_socket, to_message, write_step};
use super::{Cancel, Context, PreAuth, Unread};
use crate::access::{Caller, Identity, Login, RenewedLogin};
use crate::audit::Trail;
use crate::clock::{gateway_ms, wall_ms};
use crate::cluster::TokenGuard;
use crate::hub::{Encoded, HubHandle, HubRequest, SubscriberKey, ToSession};
use crate::inventory::Listed;
use crate::limits::{
    CONTROLS_BEFORE_HELLO_MAX, HELLO_BYTES_MAX, HELLO_TIMEOUT_S, LOGIN_ANSWER_S, OUTBOX_MESSAGES_MAX,
    PRE_AUTH_CLOSE_MS, SESSION_MESSAGES_MAX,
};
use crate::logs::{LogSaid, ViewAsked};
use crate::subscription_request::SubscriptionRequest;
use crate::traces::Pending;

/// Serves one connection until it ends. It never fails: what goes wrong is said on the socket. `pre_auth`,
/// which the connection holds until its identity is known, is dropped then.
pub async fn run<S, U>(socket: S, caller: (Caller, Trail), pre_auth: U, context: Arc<Context>, cancel: Cancel)
where
    S: Stream<Item = Result<Message, Unread>> + Sink<Message> + Unpin,
    U: PreAuth,
{
    run_for(None, socket, caller, pre_auth, context, cancel).await;
}

/// The same for one request of the gateway's own, which is asked as soon as the viewer is known.
pub async fn run_for<S, U>(
    asked: Option<SubscriptionRequest>,
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
        hello = hello => hello,
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
        Ok(greeted) => {
            let (reader, messages) = mpsc::channel(SESSION_MESSAGES_MAX);
            let timer = Box::pin(sleep_until(Instant::now()));
            let ends = Ends { sink: &mut sink, stream: &mut stream, messages, is_flushed: true, timer };
            let mut connection = Connection::new(&context, (caller, trail), greeted, reader);
            let refused = match asked {
                Some(asked) => connection.act(Action::Asked(Box::new(asked))).await,
                None => None,
            };
            match refused {
                Some(close) => Some(close),
                None => connection.serve(ends, &cancel).await,
            }
        }
        Err(close) => close,
    };
    if let Some(close) = close {
        close_socket(&mut sink, &mut stream, close).await;
    }
}

/// A client that is known.
struct Greeted {
    login: Login,
    credential: Option<Credential>,
    /// What it has already.
    has: Vec<Has>,
    guard: ConnectionGuard,
}

/// Asks for a proof where one is needed. The first message must be a `hello` of this version with a valid credential,
/// of an identity that hasn't too many connections. `Err(None)`: the client has gone.
async fn handshake<W, R>(
    sink: &mut W,
    stream: &mut R,
    (caller, trail): (&Caller, &Trail),
    context: &Context,
) -> Result<Greeted, Option<Close>>
where
    W: Sink<Message> + Unpin,
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    let asked = context.authenticator.challenge(caller);
    let asked = asked.map_err(|problem| Close::because(close::TRY_AGAIN_LATER, problem))?;
    let hello = async {
        if let Some(message) = asked.clone().and_then(|asked| Encoded::new(&ServerFrame::Challenge(asked))) {
            sink.send(to_message(&message)).await.map_err(|_| None)?;
        }
        read_hello(stream).await
    };
    let Ok(hello) = timeout(Duration::from_secs(HELLO_TIMEOUT_S), hello).await else {
        let message = format!("no hello came within {HELLO_TIMEOUT_S} s");
        return Err(Some(Close::because(close::HELLO_TIMEOUT, Problem::new(Reason::Timeout, message))));
    };
    let hello = hello?;
    let credential = hello.credential.or_else(|| caller.bearer().cloned());
    // The client has said what it has to say: what takes long is whoever is asked about it.
    let login = context.login(credential.as_ref(), caller, asked);
    let login =
        timeout(Duration::from_secs(LOGIN_ANSWER_S), login).await.unwrap_or_else(|_| Err(unanswered()));
    let login = login.inspect_err(|problem| trail.refused(None, problem));
    let login = login.map_err(|problem| Close::because(refused_with(&problem), problem))?;
    let guard = context.sessions.enter(&login.identity, context.registry.now());
    let guard = guard.inspect_err(|problem| trail.refused(Some(&login), problem));
    let guard = guard.map_err(|problem| Close::because(close::TRY_AGAIN_LATER, problem))?;
    trail.logged_in(&login, how(credential.as_ref()));
    Ok(Greeted { login, credential, has: hello.has, guard })
}

/// The API server or the identity provider doesn't answer.
fn unanswered() -> Problem {
    let message =
        format!("whether this login is valid isn't known: no answer came within {LOGIN_ANSWER_S} s");
    Problem::new(Reason::ServiceUnavailable, message)
}

/// What proved who the viewer is.
fn how(credential: Option<&Credential>) -> &'static str {
    match credential {
        Some(Credential::Bearer(_)) => "the API server's review says whose token it is",
        Some(Credential::Proof(_)) => "the page's key proved its session",
        None => "the connection itself says who it is",
    }
}

/// The close code of a refused login. If the API server can't review a viewer now, the client may come back with the
/// same credential.
fn refused_with(problem: &Problem) -> u16 {
    match problem.reason {
        Reason::ServiceUnavailable => close::TRY_AGAIN_LATER,
        _ => close::UNAUTHORIZED,
    }
}

async fn read_hello<R>(stream: &mut R) -> Result<Hello, Option<Close>>
where
    R: Stream<Item = Result<Message, Unread>> + Unpin,
{
    for _ in 0..=CONTROLS_BEFORE_HELLO_MAX {
        let text = match stream.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Binary(_))) => break,
            Some(Err(unread)) => return Err(Close::of_unread(unread)),
            Some(Ok(Message::Close(_))) | None => return Err(None),
        };
        if text.len() > HELLO_BYTES_MAX {
            break;
        }
        // First, because a `hello` of another version may look different.
        if other_version(text.as_str()) {
            let message = format!("this gateway speaks {VERSION}; load the page again, or update the client");
            return Err(Some(Close::because(close::VERSION, Problem::new(Reason::Version, message))));
        }
        match codec::decode_client(text.as_str()) {
            Ok(ClientFrame::Hello(hello)) => return Ok(hello),
            Ok(_) | Err(_) => break,
        }
    }
    let problem = Problem::bad_request("the first message must be hello, with a version and a credential");
    Err(Some(Close::because(close::BAD_FRAME, problem)))
}

fn other_version(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Versioned {
        version: Box<str>,
    }
    #[derive(Deserialize)]
    struct First {
        hello: Versioned,
    }
    serde_json::from_str::<First>(text).is_ok_and(|first| *first.hello.version != *VERSION)
}

/// One session in the gateway: what it is told, and what carries its effects out.
///
/// It owns all that lives as long as the connection: the login's token, the rights that are watched, the questions
/// about clusters. [`run`] makes it; it goes from `next`, which waits for an action, to `act`, which applies it and
/// performs what follows.
struct Connection<'a> {
    context: &'a Context,
    caller: Caller,
    trail: Trail,
    started: Instant,
    session: Session<HubHandle>,
    guard: ConnectionGuard,
    identity: Identity,
    clusters: VisibleClusters,
    /// The version of `clusters` that the session knows.
    clusters_version: u64,
    signals: Signals,
    asking: Asking,
    grants: Grants,
    children: ChildrenAsked,
    past: PastReads,
    logs: LogsTold,
    token: Token,
    looking: Looking<'a>,
    /// Whether the login's session wasn't revoked, while that is looked for.
    open: Option<BoxFuture<'static, bool>>,
    /// For requests in the viewer's name.
    held: Option<TokenGuard>,
    reader: mpsc::Sender<ToSession>,
    /// In a traced session: views that wait for their first rows.
    views: Pending<SubscriberKey>,
}

/// Pending forever while nothing is looked for.
async fn answered(look: &mut Option<BoxFuture<'static, bool>>) -> bool {
    match look {
        Some(look) => look.await,
        None => std::future::pending().await,
    }
}

/// A credential that is looked at.
type Looking<'a> = OptionFuture<BoxFuture<'a, Result<Login, Problem>>>;
/// What a session of the product is applied to.
type SocketAction = Action<Utf8Bytes, HubHandle>;

/// What wakes a session when the gateway around it changes.
struct Signals {
    clusters: watch::Receiver<Arc<[Listed]>>,
    rules: watch::Receiver<Box<str>>,
    team: watch::Receiver<Team>,
}

/// Both ways of a socket, and the hubs' messages.
struct Ends<'a, W, R> {
    sink: &'a mut W,
    stream: &'a mut R,
    messages: mpsc::Receiver<ToSession>,
    /// All that was written has gone out.
    is_flushed: bool,
    /// Putting it off takes no lock. A new one for each event would take two.
    timer: Pin<Box<Sleep>>,
}

/// What a connection waited for.
enum Event {
    Act(SocketAction),
    Writable(Result<Written, ()>),
    Hub(ToSession),
    Incoming(Option<Result<Message, Unread>>),
    LookedAt(Result<Login, Problem>),
    LookedFor { is_open: bool },
    TokenDue(Credential),
    ClustersChanged,
    ClusterAnswered((u64, bool)),
    TeamChanged,
    Deadline,
    GoingAway,
}

/// A connection that ends. `None`: the client has gone.
struct Ended(Option<Close>);

impl<'a> Connection<'a> {
    fn new(
        context: &'a Context,
        (caller, trail): (Caller, Trail),
        Greeted { login, credential, has, guard }: Greeted,
        reader: mpsc::Sender<ToSession>,
    ) -> Self {
        let started = Instant::now();
        let clusters = VisibleClusters::new(context.clusters.clone(), context.authenticator.reviews_rights());
        let mut signals = Signals {
            clusters: context.clusters.listed(),
            rules: context.registry.rules(),
            team: context.team.subscribe(),
        };
        signals.clusters.mark_unchanged();
        let mut asking = Asking::default();
        asking.ask_as(&clusters, login.rights.subject());
        let held = context.hold_token(&login, credential.as_ref());
        let identity = login.identity.clone();
        let clusters_version = clusters.version();
        let surroundings = surroundings(context, &clusters);
        Self {
            session: Session::new(login, &has, surroundings, now(started)),
            token: Token::of(credential),
            grants: Grants::default(),
            children: ChildrenAsked::default(),
            past: PastReads::default(),
            logs: LogsTold::default(),
            looking: OptionFuture::default(),
            open: None,
            views: Pending::default(),
            context,
            caller,
            trail,
            started,
            guard,
            identity,
            clusters,
            clusters_version,
            signals,
            asking,
            held,
            reader,
        }
    }

    /// `None`: the client has gone.
    async fn serve<W, R>(&mut self, mut ends: Ends<'_, W, R>, cancel: &Cancel) -> Option<Close>
    where
        W: Sink<Message> + Unpin,
        R: Stream<Item = Result<Message, Unread>> + Unpin,
    {
        let close = loop {
            let event = self.next(&mut ends, cancel).await;
            let action = match self.action_of(event, &mut ends) {
                Ok(Some(action)) => action,
                Ok(None) => continue,
                Err(Ended(close)) => break close,
            };
            // A session looks at the gateway around it before whatever else it does.
            let changed = self.changed();
            if let Some(changed) = changed {
                self.act(changed).await;
            }
            let close = self.act(action).await;
            if close.is_some() {
                break close;
            }
        };
        let words = close.as_ref().map_or("the client left".into(), Close::words);
        self.trail.ended(self.session.viewer(), &words);
        for (hub, request) in self.session.end() {
            hub.send(request).await;
        }
        close
    }

    async fn next<W, R>(&mut self, ends: &mut Ends<'_, W, R>, cancel: &Cancel) -> Event
    where
        W: Sink<Message> + Unpin,
        R: Stream<Item = Result<Message, Unread>> + Unpin,
    {
        let Ends { sink, stream, messages, is_flushed, timer } = ends;
        let deadline = self.started + Duration::from_millis(self.session.deadline(now(self.started)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        let may_read = self.session.outbox_len() < OUTBOX_MESSAGES_MAX;
        let must_write = self.session.outbox_len() > 0;
        let takes_logs = self.session.takes_logs();
        let Self { grants, children, past, logs, looking, open, token, asking, signals, .. } = self;
        let or_away = |is_alive: bool, event| if is_alive { event } else { Event::GoingAway };
        // What comes with each frame stands first, because most of the others take a lock to wait. Neither of these two is
        // ready for long: the outbox ends, and the permit bounds what the hubs send. What the client sends stands last,
        // so that a client that never stops delays nothing else, such as the end of its login.
        tokio::select! {
            biased;
            () = ready(()), if cancel.is_cancelled() => Event::GoingAway,
            written = poll_fn(|cx| write_step(*sink, cx, must_write, *is_flushed)) => Event::Writable(written),
            Some(message) = messages.recv() => Event::Hub(message),
            () = cancel.cancelled() => Event::GoingAway,
            (id, grant) = grants.next() => Event::Act(Action::Granted(id, grant)),
            (answer, found) = children.next() => Event::Act(Action::ChildrenFound(answer, found)),
            (answer, read) = past.next() => Event::Act(Action::PastRead(answer, read)),
            Some(login) = &mut *looking => Event::LookedAt(login),
            is_open = answered(open) => Event::LookedFor { is_open },
            credential = token.due() => Event::TokenDue(credential),
            changed = signals.clusters.changed() => or_away(changed.is_ok(), Event::ClustersChanged),
            answer = asking.next() => Event::ClusterAnswered(answer),
            changed = signals.rules.changed() => or_away(changed.is_ok(), Event::Act(Action::Written)),
            changed = signals.team.changed() => or_away(changed.is_ok(), Event::TeamChanged),
            () = timer.as_mut() => Event::Deadline,
            (answer, said) = logs.next(), if takes_logs => Event::Act(Action::LogSaid(answer, said)),
            incoming = stream.next(), if may_read => Event::Incoming(incoming),
        }
    }

    /// `None`: it is nothing that the session hears of.
    fn action_of<W, R>(
        &mut self,
        event: Event,
        ends: &mut Ends<'_, W, R>,
    ) -> Result<Option<SocketAction>, Ended>
    where
        W: Sink<Message> + Unpin,
    {
        let action = match event {
            Event::Act(action) => action,
            Event::Writable(written) => return self.write(written, ends),
            Event::Hub(message) => {
                self.heard(&message);
                Action::Hub(message)
            }
            Event::Incoming(incoming) => return self.read(incoming).map(Some),
            Event::LookedAt(login) => {
                self.looking = OptionFuture::default();
                if self.token.holds_after(&login) {
                    return Ok(None);
                }
                if let Ok(login) = &login {
                    self.held = self.context.hold_token(login, self.token.bearer());
                }
                Action::Login(login)
            }
            Event::TokenDue(credential) => {
                self.look_at(credential, None);
                return Ok(None);
            }
            Event::ClustersChanged => {
                self.asking.ask(&self.clusters);
                Action::Written
            }
            Event::ClusterAnswered(answer) => {
                self.clusters.answer_came(answer);
                Action::Written
            }
            Event::TeamChanged => Action::Team(self.context.team.borrow().clone()),
            Event::LookedFor { is_open } => {
                self.open = None;
                if is_open {
                    return Ok(None);
                }
                Action::Deadline(LoginLook::Ended)
            }
            Event::Deadline => Action::Deadline(self.login_look()),
            Event::GoingAway => Action::GoingAway { spread_ms: self.context.sessions.spread_ms() },
        };
        Ok(Some(action))
    }

    fn read(&self, incoming: Option<Result<Message, Unread>>) -> Result<SocketAction, Ended> {
        match incoming {
            Some(Ok(Message::Text(text))) => {
                self.context.metrics.frames_received.inc();
                Ok(Action::Text(text))
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(Action::Heartbeat),
            Some(Ok(Message::Binary(_))) => Ok(Action::Binary),
            Some(Err(unread)) => Err(Ended(Close::of_unread(unread))),
            Some(Ok(Message::Close(_))) | None => Err(Ended(None)),
        }
    }

    fn write<W, R>(
        &mut self,
        written: Result<Written, ()>,
        ends: &mut Ends<'_, W, R>,
    ) -> Result<Option<SocketAction>, Ended>
    where
        W: Sink<Message> + Unpin,
    {
        match written {
            Ok(Written::MayWrite) => {
                if let Some(message) = self.session.next_message() {
                    self.context.metrics.frames_sent.inc();
                    self.context.metrics.sent_bytes.inc_by(message.bytes.len() as u64);
                    if ends.sink.start_send_unpin(to_message(&message)).is_err() {
                        return Err(Ended(None));
                    }
                }
                ends.is_flushed = false;
                Ok(Some(Action::Written))
            }
            Ok(Written::Flushed) => {
                ends.is_flushed = true;
                Ok(None)
            }
            Err(()) => Err(Ended(None)),
        }
    }

    /// Ends the span of a view's first rows.
    fn heard(&self, message: &ToSession) {
        match message {
            ToSession::Delivery(key, _) | ToSession::Pushed(key, _) => self.views.end(key, false),
            ToSession::Forbidden(key) | ToSession::Ended(key, _) => self.views.end(key, true),
            ToSession::News(_) => {}
        }
    }

    /// The gateway around the session, if it isn't the one that the session knows.
    fn changed(&mut self) -> Option<SocketAction> {
        let known = self.session.surroundings();
        let version = self.clusters.version();
        let is_same = version == self.clusters_version
            && self.context.registry.are_rules(&known.rules)
            && self.context.clusters.ceiling() == known.ceiling;
        if is_same {
            return None;
        }
        self.clusters_version = version;
        Some(Action::Surroundings(surroundings(self.context, &self.clusters)))
    }

    /// Whether the session is open is answered when its store has answered, which may take long.
    fn login_look(&mut self) -> LoginLook {
        let Some(session) = self.session.login_session() else { return LoginLook::Same };
        let authenticator = &self.context.authenticator;
        self.open.get_or_insert_with(|| authenticator.is_open(session));
        match authenticator.renewed(session) {
            None => LoginLook::Same,
            Some(RenewedLogin::Confirmed(login)) => LoginLook::Renewed(Box::new(login)),
            Some(RenewedLogin::Unconfirmed(login)) => LoginLook::Unconfirmed(Box::new(login)),
        }
    }

    fn look_at(&mut self, credential: Credential, asked: Option<Challenge>) {
        let (context, caller) = (self.context, self.caller.clone());
        let patience = self.token.patience();
        let looking = async move {
            let login = context.login(Some(&credential), &caller, asked);
            match patience {
                Some(patience) => timeout(patience, login).await.unwrap_or_else(|_| Err(unanswered())),
                None => login.await,
            }
        };
        self.looking = Some(looking.boxed()).into();
    }

    /// Applies an action and performs what follows from it: first what has an answer, which is applied as well, and
    /// then the requests to hubs.
    async fn act(&mut self, action: SocketAction) -> Option<Close> {
        // Most actions have no answer, so no queue is allocated for one.
        let (mut first, mut actions) = (Some(action), VecDeque::new());
        let mut requests = VecDeque::new();
        let mut close = None;
        loop {
            if let Some(action) = first.take().or_else(|| actions.pop_front()) {
                let effects = self.session.apply(action, now(self.started));
                self.asking.ask_as(&self.clusters, self.session.subject());
                for effect in effects.effects {
                    actions.extend(self.perform(effect));
                }
                requests.extend(effects.requests);
                close = close.or(effects.close);
                continue;
            }
            // After the answers: a subscription that is asked for doesn't count against itself.
            self.guard.count(self.session.subscription_count());
            let Some((hub, request)) = requests.pop_front() else { return close };
            // A hub that ended said so to its subscribers, unless it was aborted.
            if let (false, HubRequest::Pull(key)) = (hub.send(request).await, request) {
                let problem = Problem::new(Reason::InternalError, "the watch has ended; subscribe anew");
                actions.push_back(Action::Hub(ToSession::Ended(key, problem)));
            }
        }
    }

    /// The answer, where there is one at once.
    fn perform(&mut self, effect: Effect) -> Option<SocketAction> {
        let Context { sessions, registry, authenticator, metrics, clusters, .. } = self.context;
        match effect {
            Effect::Count(answer) => {
                let counted = sessions.may_subscribe(&self.identity, registry.now());
                return Some(Action::Counted(answer, counted));
            }
            Effect::NumberView(answer) => return Some(Action::Numbered(answer, registry.fresh_view())),
            Effect::Open(open) => return Some(Action::Opened(open.answer, self.open(open))),
            Effect::Challenge => {
                // Without randomness the login just isn't renewed.
                return Some(Action::Challenged(authenticator.challenge(&self.caller).ok().flatten()));
            }
            Effect::Login(credential, asked) => {
                self.token.replace(credential.clone());
                self.look_at(credential, asked);
            }
            Effect::Review(request) => self.grants.perform(request, |name| self.context.reviews_of(name)),
            Effect::FindChildren(request) => {
                let named = self.context.team.borrow().child_kinds.clone();
                self.children.ask(self.context.reached(&request.cluster), named, request);
            }
            Effect::OpenLog(request) => return self.open_log(request),
            Effect::CloseLog(id) => self.logs.close(id),
            Effect::ReadPast(request) => {
                let cluster = match &request.request.scope.cluster {
                    Some(name) => self.context.reached(name),
                    None => clusters.find(None).and_then(|home| home.reached),
                };
                let cluster = cluster.map(|reached| reached.cluster);
                let record = self.context.record.get().cloned();
                let rules = (clusters.ceiling(), registry.redaction());
                self.past.ask((record, cluster), rules, request);
            }
            Effect::Record(decision) => self.trail.decided(self.session.viewer(), &decision),
            Effect::RetryClusters => clusters.retry(),
            Effect::CountMismatch => {
                metrics.digest_mismatches.inc();
            }
        }
        None
    }

    /// The answer, where the logs aren't there.
    fn open_log(&mut self, request: LogRequest) -> Option<SocketAction> {
        let LogRequest { answer, asked, cluster, namespace, pods, upstream } = request;
        let reached = self.context.reached(&cluster).filter(|reached| reached.cluster.shows_logs());
        let Some(reached) = reached else {
            let problem = Problem::new(Reason::NotFound, "this gateway shows no logs of the cluster");
            return Some(Action::LogSaid(answer, LogSaid::Ended(problem)));
        };
        let (cluster, identity) = (reached.cluster, self.identity.clone());
        let client::Log { scope, asked, .. } = (*asked).clone();
        let asked = ViewAsked { cluster, upstream, identity, namespace, scope, pods, asked };
        self.logs.open(answer, self.context.logs.view(asked));
        None
    }

    fn open(&self, open: OpenRequest) -> Result<Opened<HubHandle>, Problem> {
        let registry = &self.context.registry;
        let chosen = open.choose(|feed| registry.is_current(feed));
        let (feed, is_second) =
            chosen.ok_or_else(|| Problem::new(Reason::InternalError, "no feed answers this subscription"))?;
        let resource = || open.request.scope.resource.to_string();
        let (request, reader) = (Arc::clone(&open.request), self.reader.clone());
        let (key, hub) =
            registry.open(&self.identity, feed.clone(), request, is_second, reader, open.permit.clone())?;
        self.views.begin(key, "first rows", resource);
        Ok(Opened { key, hub, feed })
    }
}

fn surroundings(context: &Context, clusters: &VisibleClusters) -> Surroundings {
    // The rules first: a ceiling is set before the rules that it comes with.
    let rules = context.registry.rules().borrow().clone();
    let team = context.team.borrow().clone();
    let (ceiling, clusters) = (context.clusters.ceiling(), clusters.known());
    let record = context.record.get();
    let (records, replays) = (record.is_some(), record.and_then(|record| record.replays()));
    let file = record.and_then(|record| record.file()).cloned();
    Surroundings { rules, ceiling, clusters, records, replays, file, team }
}

fn now(started: Instant) -> Now {
    Now {
        monotonic_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        unix_ms: wall_ms(),
        gateway_ms: gateway_ms(),
    }
}
