//! Bad clients of a running gateway, over real sockets: other clients notice nothing, and each is told why
//! its connection ends.

mod cluster;
mod files;
mod frames;
mod leaving;
mod many;
mod slow;

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::DEMO;
use crate::process::client::{Socket, opened, secret, text};
use crate::process::{Home, Served};

/// A gateway, and the secret of a page.
async fn served(home: &Home, flags: &[&str]) -> (Served, String) {
    let gateway = home.serve(&[&DEMO, flags].concat());
    let secret = secret(&gateway).await;
    (gateway, secret)
}

/// Another client, which must notice nothing.
async fn neighbour(gateway: &Served, secret: &str) -> Socket {
    let (socket, greeting) = opened(gateway, Some(secret)).await;
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
