//! A gateway without its http: real sessions, hubs and feeds over the playground, and a socket that
//! is a pair of channels. Never an assertion.

#![expect(clippy::expect_used, reason = "a scene that can't be set is a failed test")]

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use axum::extract::ws::Message;
use futures_util::{Sink, Stream};
use gateway::access::local::key::SigningKey;
use gateway::access::{Authenticator, Identity, Peer};
use gateway::cluster::{Cluster, Source};
use gateway::feed::FeedOptions;
use gateway::limits::CONNECTIONS_PER_IDENTITY_MAX;
use gateway::metrics::Metrics;
use gateway::session::{self, Context, Registry, Team, Unread};
use playground::{Options, Playground};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub struct Gateway {
    pub playground: Playground,
    pub context: Arc<Context>,
    pub cancel: CancellationToken,
}

/// The client's end of a connection.
pub struct Line {
    pub to: mpsc::UnboundedSender<Message>,
    pub from: mpsc::UnboundedReceiver<Message>,
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
        let registry =
            Registry::admitting(per_identity_max, cluster.clone(), FeedOptions::default(), metrics.clone());
        let identity = Identity::new("alice", &[]).expect("a name");
        let authenticator = Authenticator::local(SigningKey::from_bytes([7; 64]), 8484, identity);
        let context = Context::shared(registry, authenticator, cluster, metrics, Team::default());
        Self { playground, context, cancel: CancellationToken::new() }
    }

    pub fn connect(&self, peer: Peer) -> Line {
        let (to, incoming) = mpsc::unbounded_channel();
        let (outgoing, from) = mpsc::unbounded_channel();
        let socket = Socket { incoming, outgoing };
        tokio::spawn(session::run(socket, peer, (), self.context.clone(), self.cancel.clone()));
        Line { to, from }
    }
}
