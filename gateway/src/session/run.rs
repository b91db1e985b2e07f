//! The socket of one session: the greeting, then messages in and out until either side ends it.
//! What is said is decided in [`super::conversation`].

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use shared::frame::server::{Auth, Goaway, ServerFrame, Welcome};
use shared::frame::{VERSION, close};
use shared::problem::{Problem, Reason};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendError;
use tokio::time::{Instant, timeout};

use super::conversation::{Conversation, Hubs, Todo};
use super::expiry::{Due, Expiry};
use super::greeting::{Farewell, greet, say_farewell};
use super::message::{Ask, HubCommand, HubHandle, Ticket, ToSession};
use super::pace::Pace;
use super::registry::unix_ms;
use super::turn::Turn;
use super::{Cancel, Context, Unread};
use crate::access::{Login, Peer};
use crate::feed::FeedKey;
use crate::hub::{Encoded, Opening};
use crate::limits::{CREDIT_BYTES, HELLO_TIMEOUT_S, OUTBOX_MESSAGES_MAX, SESSION_MESSAGES_MAX, SILENT_S};

/// Serves one connection until it ends. Never fails: what goes wrong is said on the socket.
/// What a connection holds while nobody knows who it is, `ungreeted`, is dropped as soon as that is known.
pub async fn run<S, U>(socket: S, peer: Peer, ungreeted: U, context: Arc<Context>, cancel: Cancel)
where
    S: Stream<Item = Result<Message, Unread>> + Sink<Message> + Unpin,
{
    let (mut sink, mut stream) = socket.split();
    let greeting = timeout(Duration::from_secs(HELLO_TIMEOUT_S), greet(&mut stream, &peer, &context)).await;
    drop(ungreeted);
    let farewell = match greeting {
        Ok(Ok((login, presence))) => {
            let farewell = Session::new(&context, peer, login).serve(&mut sink, &mut stream, &cancel).await;
            drop(presence);
            farewell
        }
        Ok(Err(farewell)) => farewell,
        Err(_) => {
            let message = format!("no hello came within {HELLO_TIMEOUT_S} s");
            Farewell::because(close::HELLO_TIMEOUT, Problem::new(Reason::Timeout, message))
        }
    };
    say_farewell(&mut sink, &mut stream, farewell).await;
}

struct Session<'a> {
    context: &'a Context,
    peer: Peer,
    login: Login,
    expiry: Expiry,
    conversation: Conversation<HubHandle>,
    hubs: SessionHubs<'a>,
    messages: mpsc::Receiver<ToSession>,
    /// What the client may say.
    frames: Pace,
    started: Instant,
    heard: Instant,
}

struct SessionHubs<'a> {
    context: &'a Context,
    reader: mpsc::Sender<ToSession>,
    turn: Turn,
}

impl Hubs for SessionHubs<'_> {
    type Hub = HubHandle;

    fn ticket(&self) -> Ticket {
        self.context.registry.ticket()
    }

    fn fresh_view(&self) -> u32 {
        self.context.registry.fresh_view()
    }

    fn open(&self, key: FeedKey, ticket: Ticket, opening: Opening) -> Result<HubHandle, Problem> {
        let (reader, turn) = (self.reader.clone(), self.turn.clone());
        let command = HubCommand::Open { ticket, opening: Box::new(opening), reader, turn };
        self.context.registry.open(key, command)
    }
}

impl<'a> Session<'a> {
    fn new(context: &'a Context, peer: Peer, login: Login) -> Self {
        let (reader, messages) = mpsc::channel(SESSION_MESSAGES_MAX);
        let now = Instant::now();
        let conversation = Conversation::new(0);
        let turn = conversation.turn();
        Self {
            context,
            peer,
            expiry: Expiry::at(login.expires_ms),
            login,
            conversation,
            hubs: SessionHubs { context, reader, turn },
            messages,
            frames: Pace::of_frames(0),
            started: now,
            heard: now,
        }
    }

    async fn serve<W, R>(mut self, sink: &mut W, stream: &mut R, cancel: &Cancel) -> Farewell
    where
        W: Sink<Message> + Unpin,
        R: Stream<Item = Result<Message, Unread>> + Unpin,
    {
        let mut kinds = self.context.cluster.kinds();
        self.welcome();
        let known = kinds.borrow_and_update().clone();
        self.conversation.say(&ServerFrame::Kinds((*known).clone()));
        let mut flushed = true;
        let farewell = loop {
            let silent_at = self.heard + Duration::from_secs(SILENT_S);
            let may_read = self.conversation.outbox_len() < OUTBOX_MESSAGES_MAX;
            let must_write = self.conversation.outbox_len() > 0;
            let login_at = self.expiry.look_in(unix_ms()).map(|wait| Instant::now() + wait);
            let todo = tokio::select! {
                () = cancel.cancelled() => break self.goaway(),
                written = poll_fn(|cx| write_step(sink, cx, must_write, flushed)) => match written {
                    Ok(Written::MayWrite) => {
                        if self.write_one(sink).is_none() {
                            break Farewell(None);
                        }
                        flushed = false;
                        let mut todo = Todo::default();
                        self.conversation.pull(&mut todo);
                        todo
                    }
                    Ok(Written::Flushed) => {
                        flushed = true;
                        Todo::default()
                    }
                    Err(()) => break Farewell(None),
                },
                Some(message) = self.messages.recv() => self.conversation.take(message),
                incoming = stream.next(), if may_read => match self.hear(incoming) {
                    Ok(todo) => todo,
                    Err(farewell) => break farewell,
                },
                changed = kinds.changed() => {
                    if changed.is_err() {
                        break self.goaway();
                    }
                    let known = kinds.borrow_and_update().clone();
                    self.conversation.say(&ServerFrame::Kinds((*known).clone()));
                    Todo::default()
                }
                () = until(login_at) => match self.login_ends() {
                    Some(farewell) => break farewell,
                    None => Todo::default(),
                },
                () = tokio::time::sleep_until(silent_at) => break Farewell(Some((close::SILENT, None))),
            };
            let todo = self.log_in(todo);
            if let Some(code) = self.perform(todo).await {
                break Farewell(Some((code, self.last_frame().map(Box::new))));
            }
        };
        let todo = self.conversation.end();
        self.perform(todo).await;
        farewell
    }

    /// What the conversation had to say before it closed goes out with the close.
    fn last_frame(&mut self) -> Option<ServerFrame> {
        let mut last = None;
        while let Some(message) = self.conversation.next_message() {
            last = Some(message);
        }
        serde_json::from_slice(&last?.bytes).ok()
    }

    fn hear(&mut self, incoming: Option<Result<Message, Unread>>) -> Result<Todo<HubHandle>, Farewell> {
        self.heard = Instant::now();
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if !self.frames.take(now) {
            let problem =
                Problem::new(Reason::Limit, "so many messages in so short a time; come back slower");
            return Err(Farewell::because(close::POLICY, problem));
        }
        match incoming {
            Some(Ok(Message::Text(text))) => {
                self.context.metrics.frames_received.inc();
                let kinds = self.context.cluster.kinds().borrow().clone();
                Ok(self.conversation.hear(text.as_str(), &kinds, &self.hubs, now))
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(Todo::default()),
            Some(Ok(Message::Binary(_))) => {
                Err(Farewell::because(close::BAD_FRAME, Problem::bad_request("a client's frames are text")))
            }
            Some(Err(unread)) => Err(unread.into()),
            Some(Ok(Message::Close(_))) | None => Err(Farewell(None)),
        }
    }

    /// A credential that came on the open connection.
    fn log_in(&mut self, mut todo: Todo<HubHandle>) -> Todo<HubHandle> {
        let Some(credential) = todo.auth.take() else { return todo };
        let login = self.context.authenticator.login(Some(&credential), &self.peer);
        let told = login.as_ref().map(|login| (login.identity.name().into(), login.expires_ms));
        let after = self.conversation.authenticated(self.login.identity.name(), told.map_err(Clone::clone));
        if let (Ok(login), None) = (login, after.close) {
            self.expiry = Expiry::at(login.expires_ms);
            self.login = login;
        }
        todo.asks.extend(after.asks);
        Todo { close: todo.close.or(after.close), ..todo }
    }

    fn login_ends(&mut self) -> Option<Farewell> {
        match self.expiry.look(unix_ms()) {
            Due::Nothing => None,
            Due::Tell(expires_ms) => {
                let user = self.login.identity.name().into();
                self.conversation.say(&ServerFrame::Auth(Auth { user, expires_ms: Some(expires_ms) }));
                None
            }
            Due::Over => {
                let problem = Problem::new(Reason::Unauthorized, "the login has ended; log in again");
                Some(Farewell::because(close::UNAUTHORIZED, problem))
            }
        }
    }

    /// Hubs never wait for a session, so handing them a command is a matter of microseconds.
    async fn perform(&mut self, todo: Todo<HubHandle>) -> Option<u16> {
        let mut asks = VecDeque::from(todo.asks);
        for ticket in todo.narrow {
            asks.extend(self.conversation.narrow(ticket, &self.hubs).asks);
        }
        while let Some((hub, ask)) = asks.pop_front() {
            // A hub that ended said so to its readers, unless it was cut down.
            if let Err(SendError(HubCommand::Ask(Ask::Pull(ticket)))) =
                hub.commands.send(HubCommand::Ask(ask)).await
            {
                let problem = Problem::new(Reason::InternalError, "the watch has ended; subscribe anew");
                asks.extend(self.conversation.take(ToSession::Ended(ticket, problem)).asks);
            }
        }
        todo.close
    }

    fn welcome(&mut self) {
        let cluster = &self.context.cluster;
        let welcome = Welcome {
            version: VERSION.into(),
            gateway: env!("CARGO_PKG_VERSION").into(),
            cluster: cluster.identity(),
            user: self.login.identity.name().into(),
            namespaces: cluster.default_namespaces().to_vec(),
            pinned: self.context.team.pinned.clone(),
            boards: self.context.team.boards.clone(),
            credit_bytes: CREDIT_BYTES,
            now_ms: unix_ms(),
        };
        self.conversation.say(&ServerFrame::Welcome(Box::new(welcome)));
    }

    fn goaway(&self) -> Farewell {
        let problem = Problem::new(Reason::ShuttingDown, "the gateway is going away");
        let goaway = Goaway { problem, spread_ms: self.context.registry.spread_ms() };
        Farewell(Some((close::SERVICE_RESTART, Some(Box::new(ServerFrame::Goaway(goaway))))))
    }

    /// `None`: the socket is gone.
    fn write_one<W: Sink<Message> + Unpin>(&mut self, sink: &mut W) -> Option<()> {
        if let Some(message) = self.conversation.next_message() {
            self.count_sent(&message);
            self.frames.earn();
            sink.start_send_unpin(to_message(&message)).ok()?;
        }
        Some(())
    }

    fn count_sent(&self, message: &Encoded) {
        self.context.metrics.frames_sent.inc();
        self.context.metrics.sent_bytes.inc_by(message.bytes.len() as u64);
    }
}

/// Never, without an instant.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
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

pub(super) fn to_message(encoded: &Encoded) -> Message {
    if encoded.is_text {
        // It was written as text; a second look finds the same.
        match Utf8Bytes::try_from(encoded.bytes.clone()) {
            Ok(text) => Message::Text(text),
            Err(_) => Message::Binary(encoded.bytes.clone()),
        }
    } else {
        Message::Binary(encoded.bytes.clone())
    }
}
