//! The binary over real sockets, on the playground: which clients it accepts, what its log never holds, how it
//! ends, and bad clients. Other clients notice nothing of those, and each is told why its connection ends.
//! These tests measure times and memory, so they run beside no control plane.

mod audit;
mod client;
mod cluster;
mod clusters;
mod feeds;
mod files;
mod frames;
mod leaving;
mod log;
mod many;
mod metrics;
mod namespaces;
mod proxied;
mod proxied_by_nginx;
mod published;
mod reload;
mod serve;
mod slow;
mod stream;
mod tail;
mod tokens;
mod traces;

use futures_util::SinkExt;
use serde_json::{Value, json};
use testkit::dogwatch::{Dogwatch, Home};
use tokio_tungstenite::tungstenite::Message;

use client::{Page, Socket, opened, signed_in, text};

const DEMO: [&str; 3] = ["--demo", "--listen", "127.0.0.1:0"];

/// A gateway of the demo, and a page that signed in.
async fn served(flags: &[&str]) -> (Dogwatch, Page) {
    let home = Home::new().expect("a folder");
    let gateway = home.serve(&[&DEMO, flags].concat()).expect("it starts");
    let page = signed_in(&gateway).await;
    (gateway, page)
}

/// Another client, which must notice nothing.
async fn neighbour(gateway: &Dogwatch, page: &Page) -> Socket {
    let (socket, greeting) = opened(gateway, Some(page)).await;
    assert!(greeting.get("welcome").is_some(), "{greeting}");
    socket
}

async fn expect_alive(socket: &mut Socket) {
    socket.send(Message::text(json!({ "ping": { "n": 7 } }).to_string())).await.expect("sent");
    while text(socket).await.expect("it goes on").get("pong").is_none() {}
}

/// The reason of the last problem, and the code of the close.
async fn closed(socket: &mut Socket) -> (Value, u16) {
    let mut last = Value::Null;
    loop {
        match text(socket).await {
            Ok(frame) => last = frame,
            Err(code) => return (last["problem"]["reason"].clone(), code),
        }
    }
}
