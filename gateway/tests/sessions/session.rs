//! One session on its own: its handshake, its refusals and their sentences, how far it goes ahead of a
//! client, and how it ends. Time is paused, so nothing sleeps.

#![expect(clippy::panic, reason = "a test says what it expects by failing")]

use std::net::{Ipv4Addr, SocketAddr};

use crate::over_channels::{Client, Gateway, Heard};
use gateway::access::Peer;
use gateway::limits::{CREDIT_BYTES, FEED_LINGER_S, SUBSCRIBES_AT_ONCE};
use playground::Options;
use serde_json::{Value, json};
use shared::frame::FRAME_BYTES_MAX;
use shared::frame::server::ServerFrame;
use shared::problem::Reason;

const REMOTE: Peer = Peer::Remote(SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 40_000));

/// What these scenarios expect of a client.
trait Expect {
    async fn expect_problem(&mut self, reason: Reason, words: &str);
    async fn expect_close(&mut self, expected: u16);
    async fn expect_alive(&mut self);
}

async fn quiet() -> Gateway {
    Gateway::start(Options::quiet()).await
}

impl Expect for Client {
    async fn expect_problem(&mut self, reason: Reason, words: &str) {
        match self.frame().await {
            ServerFrame::Problem(frame) => {
                assert_eq!(frame.problem.reason, reason);
                assert!(frame.problem.message.contains(words), "{}", frame.problem);
            }
            other => panic!("a problem, not {other:?}"),
        }
    }

    async fn expect_close(&mut self, expected: u16) {
        match self.heard().await {
            Heard::Closed(code) => assert_eq!(code, expected),
            Heard::Frame(frame) => panic!("a close, not {frame:?}"),
        }
    }

    /// A pong that comes says that the connection lives, and that all before it was heard.
    async fn expect_alive(&mut self) {
        self.say(&json!({ "ping": { "n": 7 } }));
        loop {
            if let ServerFrame::Pong(pong) = self.frame().await {
                assert_eq!(pong.n, 7);
                return;
            }
        }
    }
}

#[tokio::test]
async fn r_authn_8_who_says_nothing_is_told_so_and_closed() {
    let gateway = quiet().await;
    tokio::time::pause();
    let mut client = gateway.connect(Peer::SameUser);
    client.expect_problem(Reason::Timeout, "no hello").await;
    client.expect_close(4408).await;
}

#[tokio::test]
async fn another_version_is_told_which_one_is_spoken() {
    let gateway = quiet().await;
    let mut client = gateway.connect(Peer::SameUser);
    client.say(&json!({ "hello": { "version": "dogwatch.v9" } }));
    client.expect_problem(Reason::Version, "dogwatch.v1").await;
    client.expect_close(4406).await;
}

#[tokio::test]
async fn over_tcp_nobody_comes_in_without_a_credential() {
    let gateway = quiet().await;
    for credential in [Value::Null, json!({ "local": "wrong" }), json!({ "bearer": "wrong" })] {
        let mut client = gateway.connect(REMOTE);
        client.say(&json!({ "hello": { "version": "dogwatch.v1", "credential": credential } }));
        client.expect_problem(Reason::Unauthorized, "dogwatch url").await;
        client.expect_close(4401).await;
    }
}

#[tokio::test]
async fn r_authn_8_what_is_not_a_hello_closes_at_once() {
    let gateway = quiet().await;
    for text in ["garbage", "{\"ping\":{\"n\":1}}", &"x".repeat(70_000)] {
        let mut client = gateway.connect(Peer::SameUser);
        client.say_text(text);
        client.expect_problem(Reason::BadRequest, "hello").await;
        client.expect_close(4400).await;
    }
}

#[tokio::test]
async fn a_frame_that_is_not_known_or_does_not_fit_is_answered_and_nothing_else_stops() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    client.say(&json!({ "dance": {} }));
    client.expect_problem(Reason::BadRequest, "dance").await;
    client.say(&json!({ "unsubscribe": { "id": 9 } }));
    client.expect_problem(Reason::BadRequest, "no subscription 9").await;
    client.say(&json!({ "hello": { "version": "dogwatch.v1" } }));
    client.expect_problem(Reason::BadRequest, "already").await;
    client.subscribe(1, "secrets");
    client.expect_problem(Reason::Forbidden, "").await;
    client.subscribe(2, "pods/exec");
    client.expect_problem(Reason::BadRequest, "pods/exec").await;
    client.expect_alive().await;
}

#[tokio::test]
async fn garbage_gets_its_sentence_and_then_the_close() {
    let gateway = quiet().await;
    for text in ["garbage", "[]", "{}", &" ".repeat(70_000)] {
        let mut client = gateway.client().await;
        client.say_text(text);
        client.expect_problem(Reason::BadRequest, "frame").await;
        client.expect_close(4400).await;
    }
}

#[tokio::test]
async fn a_number_that_is_open_is_not_opened_twice() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    client.subscribe(1, "pods");
    client.subscribe(1, "nodes");
    loop {
        if let ServerFrame::Problem(frame) = client.frame().await {
            assert!(frame.problem.message.contains("open already"), "{}", frame.problem);
            break;
        }
    }
    client.expect_alive().await;
}

#[tokio::test]
async fn r_net_3_one_subscription_too_many_is_a_problem_and_the_others_live() {
    let gateway = quiet().await;
    tokio::time::pause();
    let mut client = gateway.client().await;
    for id in 0..=SUBSCRIBES_AT_ONCE {
        client.subscribe(id, "no-such-resource");
    }
    let mut refused = 0;
    let mut limited = 0;
    while refused + limited <= SUBSCRIBES_AT_ONCE {
        match client.frame().await {
            ServerFrame::Problem(frame) if frame.problem.reason == Reason::Limit => limited += 1,
            ServerFrame::Problem(_) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((refused, limited), (SUBSCRIBES_AT_ONCE, 1));
    client.expect_alive().await;
}

/// What of a view is whole after this frame.
fn cuts_in(frame: &ServerFrame) -> u64 {
    u64::from(matches!(frame, ServerFrame::Rows(rows) if !rows.more))
}

#[tokio::test]
async fn r_net_4_a_reader_without_credit_is_not_disturbed_and_gets_the_latest_when_it_acknowledges() {
    const VIEWS: u64 = 250;
    /// What was asked of a hub before the credit was used up: one delivery.
    const DELIVERY_FRAMES_MAX: u64 = 4;
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    for id in 0..VIEWS {
        client.subscribe(id, "pods");
    }
    let mut cuts = 0;
    while client.received <= CREDIT_BYTES {
        cuts += cuts_in(&client.frame().await);
    }
    let mut late = 0;
    for n in 0..50 {
        client.say(&json!({ "ping": { "n": n } }));
        loop {
            match client.frame().await {
                ServerFrame::Pong(_) => break,
                frame => {
                    late += 1;
                    cuts += cuts_in(&frame);
                }
            }
        }
    }
    assert!(late <= DELIVERY_FRAMES_MAX, "{late} frames without credit");
    assert!(client.received <= CREDIT_BYTES + FRAME_BYTES_MAX as u64);
    assert!(cuts < VIEWS, "there was nothing to hold back");
    while cuts < VIEWS {
        client.say(&json!({ "ack": { "bytes": client.received } }));
        cuts += cuts_in(&client.frame().await);
    }
}

#[tokio::test]
async fn two_minutes_without_a_sign_of_life_end_it_and_a_ping_is_one() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(100)).await;
    client.expect_alive().await;
    tokio::time::advance(std::time::Duration::from_secs(100)).await;
    client.expect_alive().await;
    client.expect_close(4409).await;
}

#[tokio::test]
async fn a_gateway_that_ends_says_when_to_come_back() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    gateway.cancel.cancel();
    match client.frame().await {
        ServerFrame::Goaway(goaway) => {
            assert_eq!((goaway.problem.reason, goaway.spread_ms), (Reason::ShuttingDown, 500))
        }
        other => panic!("{other:?}"),
    }
    client.expect_close(1012).await;
    gateway.context.registry.shutdown().await;
}

#[tokio::test]
async fn viewers_share_one_feed_that_outlives_the_last_of_them_by_a_minute() {
    let gateway = quiet().await;
    let (mut first, mut second) = (gateway.client().await, gateway.client().await);
    for client in [&mut first, &mut second] {
        client.subscribe(1, "pods");
        while cuts_in(&client.frame().await) == 0 {}
    }
    let feeds = || gateway.context.metrics.feeds.get();
    assert_eq!((feeds(), gateway.playground.open_watches("pods")), (1, 1));
    tokio::time::pause();
    for client in [&mut first, &mut second] {
        client.say(&json!({ "unsubscribe": { "id": 1 } }));
        client.expect_alive().await;
    }
    tokio::time::advance(std::time::Duration::from_secs(FEED_LINGER_S - 10)).await;
    first.expect_alive().await;
    second.expect_alive().await;
    assert_eq!(feeds(), 1, "somebody may come back");
    tokio::time::advance(std::time::Duration::from_secs(11)).await;
    let mut rounds = 0;
    while feeds() > 0 {
        first.expect_alive().await;
        rounds += 1;
        assert!(rounds < 10_000, "it never ends");
    }
}

#[tokio::test]
async fn a_shutdown_leaves_no_hub_and_no_feed_behind() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    client.subscribe(1, "pods");
    while cuts_in(&client.frame().await) == 0 {}
    gateway.cancel.cancel();
    gateway.context.registry.shutdown().await;
    assert_eq!(gateway.context.metrics.feeds.get(), 0);
}
