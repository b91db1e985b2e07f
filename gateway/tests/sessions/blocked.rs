//! A client that takes nothing: the messages that wait for its socket are bounded, then nothing more is
//! read of the client, and then the connection ends. The socket is a channel with room for one message;
//! time is paused.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use axum::extract::ws::Message;
use futures_util::{Sink, SinkExt, Stream};
use gateway::access::Peer;
use gateway::limits::{CLOSE_S, OUTBOX_MESSAGES_MAX, SILENT_S};
use gateway::session::{self, Unread};
use playground::Options;
use serde_json::{Value, json};
use shared::codec;
use shared::frame::server::{Pong, ServerFrame};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, yield_now};
use tokio::time::Instant;
use tokio_util::sync::PollSender;

use crate::over_channels::{Gateway, encoded};

struct Narrow {
    incoming: mpsc::UnboundedReceiver<Message>,
    outgoing: PollSender<Message>,
}

impl Stream for Narrow {
    type Item = Result<Message, Unread>;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        self.incoming.poll_recv(cx).map(|message| message.map(Ok))
    }
}

impl Sink<Message> for Narrow {
    type Error = ();
    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), ()>> {
        self.outgoing.poll_ready_unpin(cx).map_err(drop)
    }
    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), ()> {
        self.outgoing.start_send_unpin(message).map_err(drop)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), ()>> {
        self.outgoing.poll_flush_unpin(cx).map_err(drop)
    }
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Result<(), ()>> {
        self.outgoing.poll_close_unpin(cx).map_err(drop)
    }
}

struct Client {
    to: mpsc::UnboundedSender<Message>,
    from: mpsc::Receiver<Message>,
    session: JoinHandle<()>,
}

/// In the socket: one that is written, and the place of one that is about to be.
const IN_SOCKET: usize = 2;
const PINGS: usize = 500;

impl Client {
    /// Greeted, and then it says this much without taking anything.
    async fn that_pings(gateway: &Gateway) -> Self {
        let (to, incoming) = mpsc::unbounded_channel();
        let (outgoing, from) = mpsc::channel(1);
        let socket = Narrow { incoming, outgoing: PollSender::new(outgoing) };
        let session =
            session::run(socket, Peer::SameUser, (), gateway.context.clone(), gateway.cancel.clone());
        let mut client = Self { to, from, session: tokio::spawn(session) };
        client.say(&json!({"hello": {"version": "dogwatch.v1"}}));
        assert!(matches!(client.next().await, ServerFrame::Welcome(_)));
        assert!(matches!(client.next().await, ServerFrame::Kinds(_)));
        for n in 0..PINGS {
            client.say(&json!({"ping": {"n": n}}));
        }
        // Everybody else has had a turn, again and again.
        for _ in 0..PINGS {
            yield_now().await;
        }
        client
    }

    fn say(&self, frame: &Value) {
        self.to.send(Message::text(frame.to_string())).expect("the session lives");
    }

    async fn next(&mut self) -> ServerFrame {
        let message = encoded(self.from.recv().await.expect("the session lives"));
        codec::decode_server(&message).expect("a frame")
    }
}

fn read_frames(gateway: &Gateway) -> usize {
    usize::try_from(gateway.context.metrics.frames_received.get()).expect("few")
}

#[tokio::test]
async fn while_64_messages_wait_for_a_socket_nothing_more_is_read_of_it_and_nothing_is_lost() {
    let gateway = Gateway::start(Options::quiet()).await;
    tokio::time::pause();
    let mut client = Client::that_pings(&gateway).await;
    let read = read_frames(&gateway);
    let full = OUTBOX_MESSAGES_MAX..=OUTBOX_MESSAGES_MAX + IN_SOCKET;
    assert!(full.contains(&read), "{read} were read");
    // It takes again, and gets every answer in its order.
    for n in 0..PINGS as u64 {
        assert_eq!(client.next().await, ServerFrame::Pong(Pong { n }));
    }
    assert_eq!(read_frames(&gateway), PINGS);
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_over_when_it_was_not_heard_for_two_minutes() {
    let gateway = Gateway::start(Options::quiet()).await;
    tokio::time::pause();
    let client = Client::that_pings(&gateway).await;
    let started = Instant::now();
    client.session.await.expect("it ends well");
    assert_eq!(started.elapsed().as_secs(), SILENT_S + CLOSE_S);
    assert_eq!(gateway.context.metrics.sessions.get(), 0);
}
