//! R-NET-2: every kind of message that isn't a frame gets its close code and its sentence, and costs the
//! gateway no memory that stays.

use futures_util::SinkExt;
use rustix::process::Signal;
use serde_json::json;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{self, Message};

use super::{closed, expect_alive, neighbour, served};
use crate::process::client::Socket;
use crate::process::{Home, Served};

#[tokio::test]
async fn r_net_2_a_message_of_a_mebibyte_ends_its_own_connection_with_1009() {
    let home = Home::new();
    let (gateway, secret) = served(&home, &[]).await;
    let mut other = neighbour(&gateway, &secret).await;
    let mut socket = neighbour(&gateway, &secret).await;
    say(&mut socket, Message::text("x".repeat(1024 * 1024))).await;
    assert_eq!(closed(&mut socket).await, (json!("RequestEntityTooLarge"), 1009));
    expect_alive(&mut other).await;
}

#[tokio::test]
async fn r_net_2_a_message_in_pieces_without_an_end_is_closed_with_1009() {
    let home = Home::new();
    let (gateway, secret) = served(&home, &[]).await;
    let mut socket = neighbour(&gateway, &secret).await;
    endless(&mut socket).await;
    assert_eq!(closed(&mut socket).await, (json!("RequestEntityTooLarge"), 1009));
}

#[tokio::test]
async fn r_net_2_ten_thousand_tiny_frames_at_once_are_closed_with_1008() {
    let home = Home::new();
    let (gateway, secret) = served(&home, &[]).await;
    let mut other = neighbour(&gateway, &secret).await;
    for tiny in [Message::text(r#"{"ack":{"bytes":0}}"#), Message::Pong("x".into())] {
        let mut socket = neighbour(&gateway, &secret).await;
        flood(&mut socket, &tiny).await;
        assert_eq!(closed(&mut socket).await, (json!("Limit"), 1008));
    }
    expect_alive(&mut other).await;
}

#[tokio::test]
async fn r_net_2_a_frame_without_a_mask_is_closed_with_1002() {
    let home = Home::new();
    let (gateway, secret) = served(&home, &[]).await;
    let mut socket = unmasked(neighbour(&gateway, &secret).await).await;
    say(&mut socket, Message::text(r#"{"ping":{"n":1}}"#)).await;
    assert_eq!(closed(&mut socket).await, (json!("BadRequest"), 1002));
}

#[tokio::test]
async fn r_net_2_a_text_that_is_not_utf8_is_closed_with_1007() {
    let home = Home::new();
    let (gateway, secret) = served(&home, &[]).await;
    let mut socket = neighbour(&gateway, &secret).await;
    let broken = Frame::message(vec![0xff, 0xfe], OpCode::Data(Data::Text), true);
    say(&mut socket, Message::Frame(broken)).await;
    assert_eq!(closed(&mut socket).await, (json!("BadRequest"), 1007));
}

#[tokio::test]
async fn r_net_2_memory_stays_flat_however_often_it_is_tried() {
    const ROUNDS: usize = 40;
    const GROWTH_BYTES_MAX: u64 = 8 * 1024 * 1024;
    let home = Home::new();
    let (gateway, secret) = served(&home, &[]).await;
    // The allocator takes its arenas in the first rounds.
    abuse(&gateway, &secret, ROUNDS / 4).await;
    let before = gateway.resident_bytes();
    abuse(&gateway, &secret, ROUNDS).await;
    let grown = gateway.resident_bytes().saturating_sub(before);
    assert!(grown < GROWTH_BYTES_MAX, "{grown} bytes more");
    gateway.end(Signal::KILL);
}

async fn abuse(gateway: &Served, secret: &str, rounds: usize) {
    for _ in 0..rounds {
        let mut long = neighbour(gateway, secret).await;
        say(&mut long, Message::text("x".repeat(1024 * 1024))).await;
        assert_eq!(closed(&mut long).await.1, 1009);
        let mut pieces = neighbour(gateway, secret).await;
        endless(&mut pieces).await;
        assert_eq!(closed(&mut pieces).await.1, 1009);
        let mut bare = unmasked(neighbour(gateway, secret).await).await;
        say(&mut bare, Message::text("{}")).await;
        assert_eq!(closed(&mut bare).await.1, 1002);
    }
}

/// An error means that the gateway has stopped reading.
async fn say(socket: &mut Socket, message: Message) {
    drop(socket.send(message).await);
}

async fn endless(socket: &mut Socket) {
    let piece = |opcode| Message::Frame(Frame::message(vec![b'x'; 16 * 1024], OpCode::Data(opcode), false));
    let mut sent = socket.send(piece(Data::Text)).await;
    // Far beyond the limit, without an end.
    for _ in 0..64 {
        if sent.is_err() {
            break;
        }
        sent = socket.send(piece(Data::Continue)).await;
    }
}

async fn flood(socket: &mut Socket, tiny: &Message) {
    for _ in 0..10_000 {
        if socket.feed(tiny.clone()).await.is_err() {
            break;
        }
    }
    drop(socket.flush().await);
}

/// The server's role writes without a mask.
async fn unmasked(socket: Socket) -> Socket {
    let config = tungstenite::protocol::WebSocketConfig::default().accept_unmasked_frames(true);
    WebSocketStream::from_raw_socket(socket.into_inner(), Role::Server, Some(config)).await
}
