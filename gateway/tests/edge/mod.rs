//! What strangers and bad clients can do to a running gateway, over real sockets: nothing that anybody
//! else notices. Each is told why its connection ends.

mod cluster;
mod files;
mod frames;
mod leaving;
mod many;
mod slow;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use futures_util::SinkExt;

use crate::process::client::{Socket, opened, text};
use crate::process::{Home, Served};

const DEMO: [&str; 3] = ["--demo", "--listen", "127.0.0.1:0"];

/// A gateway, and the secret of a page.
async fn served(home: &Home, flags: &[&str]) -> (Served, String) {
    let gateway = home.serve(&[&DEMO, flags].concat());
    let (_, secret) = crate::process::client::login(&gateway, gateway.code()).await;
    (gateway, secret.expect("a secret"))
}

/// Somebody whom it should not concern.
async fn neighbour(gateway: &Served, secret: &str) -> Socket {
    let (socket, greeting) = opened(gateway, Some(secret)).await;
    assert!(greeting.get("welcome").is_some(), "{greeting}");
    socket
}

async fn expect_alive(socket: &mut Socket) {
    socket.send(Message::text(json!({ "ping": { "n": 7 } }).to_string())).await.expect("sent");
    while text(socket).await.expect("it goes on").get("pong").is_none() {}
}

/// The problem that it was told last, and the code that it was closed with.
async fn farewell(socket: &mut Socket) -> (Value, u16) {
    let mut last = Value::Null;
    loop {
        match text(socket).await {
            Ok(frame) => last = frame,
            Err(code) => return (last["problem"]["reason"].clone(), code),
        }
    }
}
