//! The binary over real sockets, on the playground: which clients it accepts, what its log never holds, how it
//! ends, and bad clients. Other clients notice nothing of those, and each is told why its connection ends.
//! These tests measure times and memory, so they run beside no control plane.

mod api_clients;
mod api_inputs;
mod api_rights;
mod audit;
mod client;
mod cluster;
mod clusters;
mod feeds;
mod files;
mod frames;
mod kubectl;
mod leaving;
mod log;
mod logs_command;
mod many;
mod metrics;
mod namespaces;
mod past;
mod past_chaos;
mod past_database;
mod past_fleet;
mod past_full;
mod past_purge;
mod proxied;
mod proxied_by_nginx;
mod published;
mod recipes;
mod record_rights;
mod reload;
mod replay;
mod rules;
mod serve;
mod since;
mod slow;
mod stream;
mod tail;
mod tokens;
mod traces;

use serde_json::Value;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::gateways::{Socket, expect_alive, next_frame};

use client::{Page, opened, signed_in};

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

/// The reason of the last problem, and the code of the close.
async fn closed(socket: &mut Socket) -> (Value, u16) {
    let mut last = Value::Null;
    loop {
        match next_frame(socket).await {
            Ok(frame) => last = frame,
            Err(code) => return (last["problem"]["reason"].clone(), code),
        }
    }
}
