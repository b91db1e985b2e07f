//! R-NET-2: a message that isn't a frame ends its own connection with the close code of its kind and a
//! sentence. Other clients notice nothing, and the gateway's memory stays flat.

use futures_util::SinkExt;
use serde_json::json;
use testkit::dogwatch::Dogwatch;
use testkit::gateways::Socket;
use testkit::process::resident_mib;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{self, Message};

use crate::client::{Page, upgraded};
use crate::{closed, expect_alive, neighbour, served};

#[tokio::test]
async fn r_net_2_ten_thousand_tiny_frames_at_once_are_closed_with_1008() {
    let (gateway, page) = served(&[]).await;
    let mut other = neighbour(&gateway, &page).await;
    let mut unknown = upgraded(&gateway).await.expect("opened");
    flood(&mut unknown, &Message::Ping("x".into())).await;
    assert_eq!(closed(&mut unknown).await, (json!("BadRequest"), 4400), "before its hello");
    for tiny in [Message::text(r#"{"ack":{"bytes":0}}"#), Message::Pong("x".into())] {
        let mut socket = neighbour(&gateway, &page).await;
        flood(&mut socket, &tiny).await;
        assert_eq!(closed(&mut socket).await, (json!("Limit"), 1008));
    }
    expect_alive(&mut other).await;
}

#[tokio::test]
async fn r_net_2_empty_pieces_without_an_end_are_closed_with_1008_also_before_a_hello() {
    let (gateway, page) = served(&[]).await;
    let mut other = neighbour(&gateway, &page).await;
    let silent = upgraded(&gateway).await.expect("opened");
    for mut socket in [neighbour(&gateway, &page).await, silent] {
        let piece = |opcode| Message::Frame(Frame::message("", OpCode::Data(opcode), false));
        say(&mut socket, piece(Data::Text)).await;
        flood(&mut socket, &piece(Data::Continue)).await;
        assert_eq!(closed(&mut socket).await, (json!("Limit"), 1008));
    }
    expect_alive(&mut other).await;
}

#[tokio::test]
async fn r_net_2_each_kind_of_bad_message_has_its_close_code_and_costs_no_memory_that_stays() {
    const ROUNDS: usize = 40;
    const GROWTH_MIB_MAX: f64 = 8.0;
    let (gateway, page) = served(&[]).await;
    let mut other = neighbour(&gateway, &page).await;
    // In the first rounds the allocator takes the memory that it keeps.
    for _ in 0..ROUNDS / 4 {
        send_each_kind(&gateway, &page).await;
    }
    let before = resident_mib(gateway.pid()).expect("it runs");
    for _ in 0..ROUNDS {
        send_each_kind(&gateway, &page).await;
    }
    let grown = resident_mib(gateway.pid()).expect("it runs") - before;
    assert!(grown < GROWTH_MIB_MAX, "{grown} MiB more");
    expect_alive(&mut other).await;
}

/// One connection for each kind of bad message.
async fn send_each_kind(gateway: &Dogwatch, page: &Page) {
    let mut mebibyte = neighbour(gateway, page).await;
    say(&mut mebibyte, Message::text("x".repeat(1024 * 1024))).await;
    assert_eq!(closed(&mut mebibyte).await, (json!("RequestEntityTooLarge"), 1009));
    let mut without_end = neighbour(gateway, page).await;
    endless(&mut without_end).await;
    assert_eq!(closed(&mut without_end).await, (json!("RequestEntityTooLarge"), 1009));
    let mut bare = unmasked(neighbour(gateway, page).await).await;
    say(&mut bare, Message::text(r#"{"ping":{"n":1}}"#)).await;
    assert_eq!(closed(&mut bare).await, (json!("BadRequest"), 1002));
    let mut not_utf8 = neighbour(gateway, page).await;
    let broken = Frame::message(vec![0xff, 0xfe], OpCode::Data(Data::Text), true);
    say(&mut not_utf8, Message::Frame(broken)).await;
    assert_eq!(closed(&mut not_utf8).await, (json!("BadRequest"), 1007));
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
    for _ in 0..100_000 {
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
