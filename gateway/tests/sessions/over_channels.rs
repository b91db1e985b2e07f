//! A gateway without its http: real sessions, hubs and feeds over the playground, a socket that is a pair
//! of channels, and the client at its other end.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use axum::extract::ws::Message;
use futures_util::{Sink, Stream};
use gateway::access::local::key::SigningKey;
use gateway::access::{Authenticator, Identity, Peer};
use gateway::cluster::{Cluster, Source};
use gateway::limits::CONNECTIONS_PER_IDENTITY_MAX;
use gateway::metrics::Metrics;
use gateway::session::{self, Context, Team, Unread};
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::codec;
use shared::frame::server::ServerFrame;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub struct Gateway {
    pub playground: Playground,
    pub context: Arc<Context>,
    pub cancel: CancellationToken,
}

/// The client's end of a connection.
pub struct Client {
    pub to: mpsc::UnboundedSender<Message>,
    pub from: mpsc::UnboundedReceiver<Message>,
    /// In bytes, as an `ack` says it.
    pub received: u64,
}

/// What came from the gateway.
pub enum Heard {
    Frame(Box<ServerFrame>),
    Closed(u16),
}

impl Client {
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

    /// The first frame that is wanted.
    pub async fn until<T>(&mut self, wanted: impl Fn(ServerFrame) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.next().await) {
                return found;
            }
        }
    }
}

pub fn encoded(message: Message) -> codec::Message {
    match message {
        Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
        Message::Binary(bytes) => codec::Message::Binary(bytes.to_vec()),
        other => panic!("neither text nor binary: {other:?}"),
    }
}

struct Socket {
    incoming: mpsc::UnboundedReceiver<Message>,
    outgoing: mpsc::UnboundedSender<Message>,
}

impl Stream for Socket {
    type Item = Result<Message, Unread>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        self.incoming.poll_recv(cx).map(|message| message.map(Ok))
    }
}

impl Sink<Message> for Socket {
    type Error = ();
    fn poll_ready(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Ok(()))
    }
    fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), ()> {
        self.outgoing.send(message).map_err(drop)
    }
    fn poll_flush(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_close(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Result<(), ()>> {
        Poll::Ready(Ok(()))
    }
}

impl Gateway {
    pub async fn start(options: Options) -> Self {
        Self::admitting(CONNECTIONS_PER_IDENTITY_MAX, options).await
    }

    pub async fn admitting(per_identity_max: usize, options: Options) -> Self {
        // The first of the users is the gateway's own.
        let user = options.users.first().map(|user| user.token.clone());
        let token = options.token.clone().or(user);
        let playground = Playground::start(options).await.expect("a free port");
        let source = Source::Url { url: playground.url(), token, name: "playground".into() };
        let cluster = Cluster::connect(source).await.expect("the playground answers");
        let metrics = Metrics::new();
        let identity = Identity::new("alice", &[]).expect("a name");
        let authenticator = Authenticator::local(SigningKey::from_bytes([7; 64]), 8484, identity);
        let context = Context::new(cluster, authenticator, per_identity_max, metrics, Team::default());
        Self { playground, context, cancel: CancellationToken::new() }
    }

    /// A client that is through with the handshake.
    pub async fn client(&self) -> Client {
        let mut client = self.connect(Peer::SameUser);
        client.say(&json!({ "hello": { "version": "dogwatch.v1" } }));
        assert!(matches!(client.frame().await, ServerFrame::Welcome(_)));
        assert!(matches!(client.frame().await, ServerFrame::Kinds(_)));
        client
    }

    pub fn connect(&self, peer: Peer) -> Client {
        let (to, incoming) = mpsc::unbounded_channel();
        let (outgoing, from) = mpsc::unbounded_channel();
        let socket = Socket { incoming, outgoing };
        tokio::spawn(session::run(socket, peer, (), self.context.clone(), self.cancel.clone()));
        Client { to, from, received: 0 }
    }
}
