//! A client that reads nothing. The messages that wait for its socket are bounded; when the bound is reached
//! the gateway reads nothing more from this client, and closes the connection after two minutes. The socket
//! is a channel with room for one message; time is paused.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use gateway::access::Caller;
use gateway::limits::{CLOSE_S, OUTBOX_MESSAGES_MAX, SILENT_S};
use playground::Options;
use serde_json::json;
use shared::frame::server::{Pong, ServerFrame};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::over_channels::{Client, Gateway};

/// The message in the socket, and the one that waits for its place.
const IN_SOCKET: usize = 2;
const PINGS: usize = 500;

/// A client that sends [`PINGS`] and reads no answer.
async fn client_that_pings(gateway: &Gateway) -> Client {
    let client = gateway.connect_with_room(Caller::SameUser, 1).greeted().await;
    for n in 0..PINGS {
        client.say(&json!({"ping": {"n": n}}));
    }
    // Every other task runs meanwhile.
    for _ in 0..PINGS {
        yield_now().await;
    }
    client
}

fn read_frames(gateway: &Gateway) -> usize {
    usize::try_from(gateway.context.metrics.frames_received.get()).expect("few")
}

#[tokio::test]
async fn while_64_messages_wait_for_a_socket_nothing_more_is_read_of_it_and_nothing_is_lost() {
    let gateway = Gateway::start(Options::quiet()).await;
    tokio::time::pause();
    let mut client = client_that_pings(&gateway).await;
    let read = read_frames(&gateway);
    let full = OUTBOX_MESSAGES_MAX..=OUTBOX_MESSAGES_MAX + IN_SOCKET;
    assert!(full.contains(&read), "{read} were read");
    // The client reads again, and gets every answer in order.
    for n in 0..PINGS as u64 {
        assert_eq!(client.frame().await, ServerFrame::Pong(Pong { n }));
    }
    assert_eq!(read_frames(&gateway), PINGS);
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_over_when_it_was_not_heard_for_two_minutes() {
    let gateway = Gateway::start(Options::quiet()).await;
    tokio::time::pause();
    let client = client_that_pings(&gateway).await;
    let started = Instant::now();
    client.session.await.expect("it ends well");
    assert_eq!(started.elapsed().as_secs(), SILENT_S + CLOSE_S);
    assert_eq!(gateway.context.metrics.sessions.get(), 0);
}
