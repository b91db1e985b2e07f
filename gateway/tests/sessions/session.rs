//! One session on its own: its handshake, its refusals and their messages, how far it goes ahead of a
//! client, and how it ends. Time is paused where a test waits.

#![expect(clippy::panic, reason = "a test says what it expects by failing")]

use crate::over_channels::{Client, Gateway, Heard};
use gateway::access::Caller;
use gateway::limits::{CREDIT_BYTES, FEED_LINGER_S, HELLO_BYTES_MAX, SUBSCRIBES_AT_ONCE};
use playground::Options;
use serde_json::{Value, json};
use shared::frame::FRAME_BYTES_MAX;
use shared::frame::server::{Pong, ServerFrame};
use shared::problem::Reason;

const ORIGIN: &str = "http://127.0.0.1:8484";

fn page() -> Caller {
    Caller::Remote { origin: ORIGIN.into(), bearer: None }
}

async fn quiet() -> Gateway {
    Gateway::start(Options::quiet()).await
}

async fn expect_problem(client: &mut Client, reason: Reason, words: &str) {
    match client.frame().await {
        ServerFrame::Problem(frame) => {
            assert_eq!(frame.problem.reason, reason);
            assert!(frame.problem.message.contains(words), "{}", frame.problem);
        }
        other => panic!("a problem, not {other:?}"),
    }
}

async fn expect_close(client: &mut Client, expected: u16) {
    match client.heard().await {
        Heard::Closed(code) => assert_eq!(code, expected),
        Heard::Frame(frame) => panic!("a close, not {frame:?}"),
    }
}

/// The pong shows that the connection lives, and that the gateway has read all that was sent before.
async fn expect_alive(client: &mut Client) {
    client.say(&json!({ "ping": { "n": 7 } }));
    client.until(|frame| matches!(frame, ServerFrame::Pong(Pong { n: 7 })).then_some(())).await;
}

#[tokio::test]
async fn r_authn_8_who_says_nothing_is_told_so_and_closed() {
    let gateway = quiet().await;
    tokio::time::pause();
    let opened = tokio::time::Instant::now();
    let mut client = gateway.connect(Caller::SameUser);
    expect_problem(&mut client, Reason::Timeout, "no hello").await;
    assert_eq!(opened.elapsed().as_secs(), 5);
    expect_close(&mut client, 4408).await;
}

#[tokio::test]
async fn r_authn_8_a_first_message_that_is_refused_gets_its_sentence_and_its_close() {
    let gateway = quiet().await;
    let hello = |version: &str, credential: Value| {
        json!({ "hello": { "version": version, "credential": credential } }).to_string()
    };
    let former = hello("dogwatch.v1", json!({ "local": "dw1.1.x.y" }));
    let wrong = json!({ "proof": { "session": "AAAAAAAAAAAAAAAAAAAAAA", "signature": "AAAA" } });
    let too_long = json!({ "bearer": "x".repeat(HELLO_BYTES_MAX) });
    for (caller, text, reason, words, code) in [
        (Caller::SameUser, hello("dogwatch.v9", Value::Null), Reason::Version, "dogwatch.v2", 4406),
        (page(), former, Reason::Version, "dogwatch.v2; load the page again", 4406),
        (page(), hello("dogwatch.v2", Value::Null), Reason::Unauthorized, "dogwatch url", 4401),
        (page(), hello("dogwatch.v2", wrong), Reason::Unauthorized, "dogwatch url", 4401),
        (page(), hello("dogwatch.v2", json!({ "bearer": "x" })), Reason::Unauthorized, "dogwatch url", 4401),
        (Caller::SameUser, "garbage".to_owned(), Reason::BadRequest, "hello", 4400),
        (Caller::SameUser, "{\"ping\":{\"n\":1}}".to_owned(), Reason::BadRequest, "hello", 4400),
        (Caller::SameUser, hello("dogwatch.v2", too_long), Reason::BadRequest, "hello", 4400),
    ] {
        let asks = caller != Caller::SameUser;
        let mut client = gateway.connect(caller);
        if asks {
            assert!(matches!(client.frame().await, ServerFrame::Challenge(_)));
        }
        client.say_text(&text);
        expect_problem(&mut client, reason, words).await;
        expect_close(&mut client, code).await;
    }
}

#[tokio::test]
async fn a_frame_that_is_not_known_or_does_not_fit_is_answered_and_nothing_else_stops() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    for (frame, reason, words) in [
        (json!({ "dance": {} }), Reason::BadRequest, "dance"),
        (json!({ "unsubscribe": { "id": 9 } }), Reason::BadRequest, "no subscription 9"),
        (json!({ "hello": { "version": "dogwatch.v2" } }), Reason::BadRequest, "already"),
    ] {
        client.say(&frame);
        expect_problem(&mut client, reason, words).await;
    }
    client.subscribe(1, "secrets");
    expect_problem(&mut client, Reason::Hidden, "").await;
    client.subscribe(2, "pods/exec");
    expect_problem(&mut client, Reason::BadRequest, "pods/exec").await;
    client.subscribe(3, "pods");
    client.subscribe(3, "nodes");
    let problem = |frame| if let ServerFrame::Problem(frame) = frame { Some(frame.problem) } else { None };
    assert!(client.until(problem).await.message.contains("open already"));
    expect_alive(&mut client).await;
}

#[tokio::test]
async fn garbage_gets_its_sentence_and_then_the_close() {
    let gateway = quiet().await;
    for text in ["garbage", "[]", "{}", &" ".repeat(70_000)] {
        let mut client = gateway.client().await;
        client.say_text(text);
        expect_problem(&mut client, Reason::BadRequest, "frame").await;
        expect_close(&mut client, 4400).await;
    }
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
    expect_alive(&mut client).await;
}

/// 1 if the rows are a cut after this frame.
fn cuts_in(frame: &ServerFrame) -> u64 {
    u64::from(matches!(frame, ServerFrame::Rows(rows) if !rows.more))
}

#[tokio::test]
async fn r_net_4_a_reader_without_credit_is_not_disturbed_and_gets_the_latest_when_it_acknowledges() {
    const VIEWS: u64 = 250;
    /// One delivery, which the session had requested before the credit was used up.
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
    expect_alive(&mut client).await;
    tokio::time::advance(std::time::Duration::from_secs(100)).await;
    expect_alive(&mut client).await;
    expect_close(&mut client, 4409).await;
}

#[tokio::test]
async fn a_gateway_that_ends_says_when_to_come_back_and_leaves_no_hub_and_no_feed_behind() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    client.subscribe(1, "pods");
    while cuts_in(&client.frame().await) == 0 {}
    gateway.cancel.cancel();
    let goaway = |frame| if let ServerFrame::Goaway(frame) = frame { Some(frame) } else { None };
    let goaway = client.until(goaway).await;
    assert_eq!((goaway.problem.reason, goaway.spread_ms), (Reason::ShuttingDown, 500));
    expect_close(&mut client, 1012).await;
    gateway.context.registry.shutdown().await;
    assert_eq!(gateway.context.metrics.feeds.get(), 0);
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
        expect_alive(client).await;
    }
    tokio::time::advance(std::time::Duration::from_secs(FEED_LINGER_S - 10)).await;
    expect_alive(&mut first).await;
    expect_alive(&mut second).await;
    assert_eq!(feeds(), 1, "somebody may come back");
    tokio::time::advance(std::time::Duration::from_secs(11)).await;
    let mut rounds = 0;
    while feeds() > 0 {
        expect_alive(&mut first).await;
        rounds += 1;
        assert!(rounds < 10_000, "it never ends");
    }
}

#[tokio::test]
async fn r_authz_11_a_scope_that_would_change_a_url_is_refused_before_any_request() {
    let gateway = quiet().await;
    let mut client = gateway.client().await;
    let before = gateway.playground.requests().len();
    let long = "a".repeat(300);
    let traversals = ["a/secrets/b?x=", "..", ".", "a/b", "%2f", "a%2fb", "\0", "a\u{202e}b\n", &long];
    let mut id = 0;
    for text in traversals {
        let pods = json!({ "group": "", "version": "v1", "resource": "pods" });
        for scope in [
            json!({ "resource": { "group": text, "version": "v1", "resource": "pods" } }),
            json!({ "resource": { "group": "", "version": text, "resource": "pods" } }),
            json!({ "resource": { "group": "", "version": "v1", "resource": text } }),
            json!({ "resource": pods, "namespaces": [text] }),
            json!({ "resource": pods, "namespaces": ["shop"], "name": text }),
        ] {
            id += 1;
            client.say(&json!({ "subscribe": { "id": id, "scope": scope } }));
            expect_problem(&mut client, Reason::BadRequest, "").await;
        }
    }
    assert_eq!(gateway.playground.requests().len(), before, "something was asked of the API server");
    client.subscribe(id + 1, "pods");
    while cuts_in(&client.frame().await) == 0 {}
    assert!(gateway.playground.requests().len() > before, "requests are recorded");
}
