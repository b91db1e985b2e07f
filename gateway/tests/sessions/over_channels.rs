//! A gateway without its HTTP layer: real sessions, hubs and feeds over the playground, a socket that is a
//! pair of channels, and the client at its other end.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use axum::extract::ws::Message;
use futures_util::{Sink, SinkExt, Stream};
use gateway::access::{Authenticator, Caller, Identity, Peer, RightsMode};
use gateway::audit::Audit;
use gateway::cluster::{Ceiling, Cluster, Source};
use gateway::config::Config;
use gateway::feed::{Redaction, RedactionSettings};
use gateway::metrics::Metrics;
use gateway::session::{self, Context, Limits, Team, Unread};
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::codec;
use shared::frame::server::{ServerFrame, Welcome};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, PollSendError, PollSender};

pub struct Gateway {
    pub playground: Playground,
    pub context: Arc<Context>,
    /// Nothing is recorded where a test doesn't ask for it.
    pub audit: Audit,
    pub cancel: CancellationToken,
    /// For sessions of pages.
    _folder: tempfile::TempDir,
}

/// The client's end of a connection.
pub struct Client {
    to: mpsc::UnboundedSender<Message>,
    pub from: mpsc::Receiver<Message>,
    /// The bytes received so far, for `ack`.
    pub received: u64,
    pub session: JoinHandle<()>,
}

/// What came from the gateway.
pub enum Heard {
    Frame(Box<ServerFrame>),
    Closed(u16),
}

impl Client {
    /// Says `hello` and reads the frames that answer it.
    pub async fn greeted(mut self) -> Self {
        self.say(&json!({ "hello": { "version": "dogwatch.v2" } }));
        assert!(matches!(self.frame().await, ServerFrame::Welcome(_)));
        assert!(matches!(self.frame().await, ServerFrame::Kinds(_)));
        self
    }

    pub fn say_text(&self, text: &str) {
        self.to.send(Message::text(text)).expect("the session lives");
    }

    pub fn say(&self, frame: &Value) {
        self.say_text(&frame.to_string());
    }

    pub fn subscribe(&self, id: u64, resource: &str) {
        let resource = json!({ "group": "", "version": "v1", "resource": resource });
        self.say(&json!({ "subscribe": { "id": id, "scope": { "resource": resource } } }));
    }

    /// Goes without a word. The session ends soon.
    pub fn leave(self) -> JoinHandle<()> {
        self.session
    }

    pub async fn heard(&mut self) -> Heard {
        match self.from.recv().await.expect("a close comes before the end") {
            Message::Close(frame) => Heard::Closed(frame.expect("with a code").code),
            message => {
                let message = encoded(message);
                self.received += message.byte_count() as u64;
                Heard::Frame(Box::new(codec::decode_server(&message).expect("a frame")))
            }
        }
    }

    pub async fn frame(&mut self) -> ServerFrame {
        match self.heard().await {
            Heard::Frame(frame) => *frame,
            Heard::Closed(code) => panic!("closed with {code}"),
        }
    }

    /// The next frame, acknowledged at once.
    pub async fn next(&mut self) -> ServerFrame {
        let frame = self.frame().await;
        self.say(&json!({ "ack": { "bytes": self.received } }));
        frame
    }

    /// Reads until the gateway closes the connection: the close's code.
    pub async fn until_closed(&mut self) -> u16 {
        loop {
            if let Heard::Closed(code) = self.heard().await {
                return code;
            }
        }
    }

    /// Reads frames until `wanted` gives something.
    pub async fn until<T>(&mut self, wanted: impl Fn(ServerFrame) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.next().await) {
                return found;
            }
        }
    }

    pub async fn welcome(&mut self) -> Welcome {
        self.until(|frame| match frame {
            ServerFrame::Welcome(welcome) => Some(*welcome),
            _ => None,
        })
        .await
    }
}

fn encoded(message: Message) -> codec::Message {
    match message {
        Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
        Message::Binary(bytes) => codec::Message::Binary(bytes.to_vec()),
        other => panic!("neither text nor binary: {other:?}"),
    }
}

/// The number of messages that a socket holds for a client in a test without back-pressure.
const ROOM: usize = 1 << 16;

struct Socket {
    incoming: mpsc::UnboundedReceiver<Message>,
    outgoing: PollSender<Message>,
}

impl Stream for Socket {
    type Item = Result<Message, Unread>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        self.incoming.poll_recv(cx).map(|message| message.map(Ok))
    }
}

impl Sink<Message> for Socket {
    type Error = PollSendError<Message>;
    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), Self::Error>> {
        self.outgoing.poll_ready_unpin(cx)
    }
    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Self::Error> {
        self.outgoing.start_send_unpin(message)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), Self::Error>> {
        self.outgoing.poll_flush_unpin(cx)
    }
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), Self::Error>> {
        self.outgoing.poll_close_unpin(cx)
    }
}

impl Gateway {
    pub async fn start(options: Options) -> Self {
        Self::admitting(Limits::default(), options).await
    }

    /// With the values of ConfigMaps.
    pub async fn showing_config_maps(options: Options) -> Self {
        let settings = RedactionSettings { config_map_values: true, ..RedactionSettings::default() };
        Self::with(Limits::default(), Redaction::of(&settings), Ceiling::default(), options).await
    }

    pub async fn admitting(limits: Limits, options: Options) -> Self {
        Self::with(limits, Redaction::default(), Ceiling::default(), options).await
    }

    /// A gateway for every holder of a token of the playground. It runs as the first user.
    pub async fn for_bearers(ceiling: Ceiling, options: Options) -> Self {
        Self::with_rights(RightsMode::Shared, ceiling, options).await
    }

    pub async fn with_rights(rights: RightsMode, ceiling: Ceiling, options: Options) -> Self {
        let mut gateway = Self::under(ceiling, options).await;
        let Context { clusters, metrics, .. } = &*gateway.context;
        let home = clusters.find(None).and_then(|home| home.reached).expect("it answered");
        let authenticator = Authenticator::bearer(home.cluster.clone());
        gateway.context = Context::new(
            home.cluster.clone(),
            (authenticator, rights),
            Limits::default(),
            metrics.clone(),
            Team::default(),
            Redaction::default(),
        );
        gateway
    }

    /// Around sessions that were made elsewhere.
    pub fn around(playground: Playground, context: Arc<Context>, audit: Audit) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { playground, context, audit, cancel: CancellationToken::new(), _folder: folder }
    }

    pub async fn configured(config: &Config, options: Options) -> Self {
        let redaction = Redaction::of(&config.redaction);
        let gateway = Self::with(Limits::default(), redaction, config.ceiling.clone(), options).await;
        gateway.context.team.send_replace(config.team.clone());
        gateway
    }

    pub async fn under(ceiling: Ceiling, options: Options) -> Self {
        Self::with(Limits::default(), Redaction::default(), ceiling, options).await
    }

    async fn with(limits: Limits, redaction: Redaction, ceiling: Ceiling, options: Options) -> Self {
        // The gateway runs as the first user.
        let user = options.users.first().map(|user| user.token.clone());
        let token = options.token.clone().or(user);
        let playground = Playground::start(options).await.expect("a free port");
        let source =
            Source::Url { url: playground.url(), token, certificate: None, name: "playground".into() };
        let metrics = Metrics::new();
        let cluster =
            Cluster::connect(source, ceiling, metrics.clone()).await.expect("the playground answers");
        let folder = tempfile::tempdir().expect("a folder");
        let identity = Identity::new("alice").expect("a name");
        let access = (Authenticator::local(folder.path(), 8484, identity), RightsMode::Shared);
        let context = Context::new(cluster, access, limits, metrics, Team::default(), redaction);
        let (audit, cancel) = (Audit::default(), CancellationToken::new());
        Self { playground, context, audit, cancel, _folder: folder }
    }

    /// A client after its handshake.
    pub async fn client(&self) -> Client {
        self.connect(Caller::SameUser).greeted().await
    }

    /// A client that said hello with a token.
    pub fn bearer(&self, token: &str) -> Client {
        let client = self.connect(Caller::Remote { origin: "".into(), bearer: None });
        client.say(
            &json!({"hello": {"version": "dogwatch.v2", "client": "test", "credential": {"bearer": token}}}),
        );
        client
    }

    pub fn connect(&self, caller: Caller) -> Client {
        self.connect_with_room(caller, ROOM)
    }

    /// `room` is the number of messages that the socket holds until the client takes one.
    pub fn connect_with_room(&self, caller: Caller, room: usize) -> Client {
        let (to, incoming) = mpsc::unbounded_channel();
        let (outgoing, from) = mpsc::channel(room);
        let socket = Socket { incoming, outgoing: PollSender::new(outgoing) };
        let trail = self.audit.trail(Peer::SameUser);
        let session = session::run(socket, (caller, trail), (), self.context.clone(), self.cancel.clone());
        Client { to, from, received: 0, session: tokio::spawn(session) }
    }
}
