//! Each transition of the link.

use shared::frame::client::Proof;
use shared::frame::server::{Challenge, Wanted};

use super::*;

fn at(now_ms: i64) -> Now {
    Now { now_ms, chance: 0.5 }
}

struct ConnectionRig {
    connection: Connection,
    outputs: Outputs,
}

impl ConnectionRig {
    fn open() -> Self {
        let mut rig =
            Self { connection: Connection::new("test", SignIn::Connection), outputs: Outputs::new() };
        rig.connection.dial(at(0), &mut rig.outputs);
        rig.connection.opened(vec![], at(10), &mut rig.outputs);
        rig.connection.welcomed(frame::VERSION, at(20), &mut rig.outputs).expect("our version");
        assert_eq!(rig.said(), ["connect", "hello"]);
        rig
    }

    fn said(&mut self) -> Vec<String> {
        self.outputs
            .drain(..)
            .map(|output| match output {
                Output::Connect => "connect".to_owned(),
                Output::Send(ClientFrame::Hello(_)) => "hello".to_owned(),
                Output::Send(ClientFrame::Ack(ack)) => format!("ack {}", ack.bytes),
                Output::Send(ClientFrame::Ping(ping)) => format!("ping {}", ping.n),
                Output::Send(ClientFrame::Auth(_)) => "auth".to_owned(),
                Output::Prove { nonce } => format!("prove {nonce}"),
                Output::Close { code } => format!("close {code}"),
                other => format!("{other:?}"),
            })
            .collect()
    }

    fn timer(&mut self, now_ms: i64) -> bool {
        self.connection.timer(at(now_ms), &mut self.outputs)
    }
}

#[test]
fn a_closed_link_is_dialled_again_after_a_part_of_the_spread_and_then_backs_off() {
    let mut rig = ConnectionRig::open();
    rig.connection.spread(3_000);
    let mut now_ms = 100;
    let mut waits = Vec::new();
    for _ in 0..7 {
        rig.connection.closed(Some(1006), at(now_ms));
        let until_ms = rig.connection.next_try_ms().expect("it waits");
        waits.push(until_ms - now_ms);
        now_ms = until_ms;
        rig.timer(now_ms);
        assert_eq!(rig.said(), ["connect"]);
    }
    assert_eq!(waits, [1_500, 1_500, 1_500, 1_600, 3_200, 5_000, 5_000]);
    assert_eq!(rig.connection.lost_ms(), Some(100));
}

#[test]
fn a_network_that_is_back_is_tried_at_once() {
    let mut rig = ConnectionRig::open();
    rig.connection.closed(None, at(100));
    rig.connection.dial(at(101), &mut rig.outputs);
    assert_eq!(rig.said(), ["connect"]);
    rig.connection.dial(at(102), &mut rig.outputs);
    assert!(rig.said().is_empty(), "one try at a time");
}

#[test]
fn what_was_received_is_acknowledged_at_64_kib_or_after_a_second() {
    let mut rig = ConnectionRig::open();
    rig.connection.received(1_000, at(1_000), &mut rig.outputs);
    assert!(rig.said().is_empty());
    rig.connection.received(70_000, at(1_100), &mut rig.outputs);
    assert_eq!(rig.said(), ["ack 71000"]);
    rig.connection.received(5, at(1_200), &mut rig.outputs);
    assert_eq!(rig.connection.timer_ms(), Some(2_200));
    rig.timer(2_200);
    assert_eq!(rig.said(), ["ack 71005"]);
}

#[test]
fn a_second_welcome_takes_no_acknowledgement_back() {
    let mut rig = ConnectionRig::open();
    rig.connection.received(70_000, at(100), &mut rig.outputs);
    rig.connection.welcomed(frame::VERSION, at(110), &mut rig.outputs).expect("our version");
    rig.connection.received(70_000, at(120), &mut rig.outputs);
    assert_eq!(rig.said(), ["ack 70000", "ack 140000"]);
}

#[test]
fn the_welcome_is_acknowledged_too() {
    let mut rig = ConnectionRig::open();
    rig.connection.closed(None, at(100));
    rig.timer(10_000);
    rig.connection.opened(vec![], at(10_000), &mut rig.outputs);
    rig.connection.received(400, at(10_001), &mut rig.outputs);
    rig.connection.welcomed(frame::VERSION, at(10_001), &mut rig.outputs).expect("our version");
    rig.timer(11_001);
    assert_eq!(rig.said(), ["connect", "hello", "ack 400"]);
    assert_eq!(rig.connection.timer_ms(), Some(20_001), "nothing is owed any more");
}

#[test]
fn a_silent_gateway_is_asked_and_then_given_up() {
    let mut rig = ConnectionRig::open();
    assert!(!rig.timer(10_020));
    assert_eq!(rig.said(), ["ping 1"]);
    rig.connection.received(10, at(11_000), &mut rig.outputs);
    assert!(!rig.timer(21_000));
    assert_eq!(rig.said(), ["ack 10", "ping 2"]);
    assert!(rig.timer(26_000));
    assert_eq!(rig.said(), ["close 1000"]);
    assert_eq!(rig.connection.problem.as_ref().map(|problem| problem.reason), Some(Reason::TimedOut));
    assert!(matches!(&rig.connection.link, Link::Waiting { .. }));
}

#[test]
fn a_socket_that_neither_opens_nor_fails_is_given_up_after_ten_seconds() {
    let mut rig =
        ConnectionRig { connection: Connection::new("test", SignIn::Connection), outputs: Outputs::new() };
    rig.connection.dial(at(0), &mut rig.outputs);
    assert_eq!(rig.connection.timer_ms(), Some(10_000));
    rig.timer(10_000);
    assert_eq!(rig.said(), ["connect", "close 1000"]);
}

#[test]
fn a_refused_credential_is_not_tried_again_until_there_is_another() {
    let mut rig = ConnectionRig::open();
    rig.connection.set_problem(Problem::new(Reason::Unauthorized, "the code was used"));
    rig.connection.closed(Some(close::UNAUTHORIZED), at(100));
    rig.connection.dial(at(200), &mut rig.outputs);
    assert!(rig.said().is_empty());
    assert_eq!(rig.connection.timer_ms(), None);
    let Link::Refused { problem, .. } = &rig.connection.link else { panic!("refused") };
    assert_eq!(problem.message, "the code was used");
    rig.connection.set_sign_in(SignIn::Key, at(300), &mut rig.outputs);
    assert_eq!(rig.said(), ["connect"]);
}

/// With a key, and a socket that is open.
fn with_key() -> ConnectionRig {
    let mut rig = ConnectionRig { connection: Connection::new("test", SignIn::Key), outputs: Outputs::new() };
    rig.connection.dial(at(0), &mut rig.outputs);
    rig.connection.opened(vec![], at(10), &mut rig.outputs);
    assert_eq!(rig.said(), ["connect"], "the gateway speaks first");
    rig
}

impl ConnectionRig {
    fn challenged(&mut self, nonce: &str) {
        let asked = Challenge { nonce: nonce.into(), wanted: Wanted::Proof };
        self.connection.challenged(asked, vec![], at(11), &mut self.outputs);
    }

    fn refusal(&self) -> Option<Refusal> {
        match self.connection.link {
            Link::Refused { why, .. } => Some(why),
            _ => None,
        }
    }
}

fn proof() -> Option<Proof> {
    Some(Proof { session: "s".into(), signature: "x".into() })
}

#[test]
fn a_key_answers_the_challenge_of_its_own_connection_once() {
    let mut rig = with_key();
    rig.challenged("a");
    assert_eq!(rig.said(), ["prove a"]);
    rig.connection.closed(None, at(20));
    rig.timer(10_000);
    rig.connection.opened(vec![], at(10_001), &mut rig.outputs);
    rig.challenged("b");
    rig.connection.proved("a", proof(), vec![], at(10_002), &mut rig.outputs);
    assert_eq!(
        rig.said(),
        ["connect", "prove b"],
        "what the earlier connection asked is not said to this one"
    );
    for _ in 0..2 {
        rig.connection.proved("b", proof(), vec![], at(10_003), &mut rig.outputs);
    }
    assert_eq!(rig.said(), ["hello"]);
    rig.connection.welcomed(frame::VERSION, at(10_004), &mut rig.outputs).expect("this version");
    rig.challenged("c");
    rig.connection.proved("c", proof(), vec![], at(10_005), &mut rig.outputs);
    assert_eq!(rig.said(), ["prove c", "auth"]);
}

#[test]
fn a_key_that_is_gone_is_a_refused_login() {
    let mut rig = with_key();
    rig.challenged("a");
    rig.connection.proved("a", None, vec![], at(20), &mut rig.outputs);
    assert_eq!(rig.said(), ["prove a", "close 1000"]);
    assert_eq!(rig.refusal(), Some(Refusal::NoKey));
}

#[test]
fn a_gateway_that_wants_a_token_gets_one_when_there_is_one_and_another_on_the_open_connection() {
    let mut rig = with_key();
    let wants = || Challenge { nonce: "a".into(), wanted: Wanted::Bearer };
    rig.connection.challenged(wants(), vec![], at(20), &mut rig.outputs);
    assert_eq!((rig.said(), rig.refusal()), (vec!["close 1000".to_owned()], Some(Refusal::NoToken)));
    let Link::Refused { problem, .. } = rig.connection.link() else { panic!("refused") };
    assert_eq!(problem.reason, Reason::Unauthorized);
    assert!(problem.message.contains("wants a token"), "{problem}");
    let token = |text: &str| SignIn::Bearer(text.into());
    rig.connection.set_sign_in(token("wrong"), at(30), &mut rig.outputs);
    rig.connection.opened(vec![], at(40), &mut rig.outputs);
    rig.connection.challenged(wants(), vec![], at(41), &mut rig.outputs);
    assert_eq!(rig.said(), ["connect", "hello"]);
    rig.connection.closed(Some(close::UNAUTHORIZED), at(50));
    assert_eq!(rig.refusal(), Some(Refusal::Token));
    rig.connection.set_sign_in(token("right"), at(60), &mut rig.outputs);
    rig.connection.opened(vec![], at(70), &mut rig.outputs);
    rig.connection.welcomed(frame::VERSION, at(80), &mut rig.outputs).expect("this version");
    rig.connection.set_sign_in(token("next"), at(90), &mut rig.outputs);
    assert_eq!(rig.said(), ["connect", "hello", "auth"]);
}

#[test]
fn where_the_upgrade_says_who_connects_a_page_greets_when_it_is_asked_and_hears_why_it_is_refused() {
    for (wanted, expected) in [(Wanted::Login, Refusal::Login), (Wanted::Proxy, Refusal::Proxy)] {
        let mut rig = with_key();
        let asked = || Challenge { nonce: "a".into(), wanted };
        rig.connection.challenged(asked(), vec![], at(20), &mut rig.outputs);
        assert_eq!(rig.said(), ["hello"]);
        rig.connection.welcomed(frame::VERSION, at(30), &mut rig.outputs).expect("this version");
        rig.connection.challenged(asked(), vec![], at(40), &mut rig.outputs);
        assert_eq!(rig.said(), Vec::<String>::new(), "the open connection has nothing to add");
        rig.connection.closed(Some(close::UNAUTHORIZED), at(50));
        if wanted == Wanted::Proxy {
            assert_eq!(rig.refusal(), None, "the next connection may be named anew");
            rig.timer(10_000);
            rig.connection.closed(None, at(10_001));
        }
        assert_eq!(rig.refusal(), Some(expected));
    }
}

#[test]
fn a_proxy_that_names_its_viewer_anew_is_noticed_by_nobody() {
    let mut rig = with_key();
    let asked = || Challenge { nonce: "a".into(), wanted: Wanted::Proxy };
    rig.connection.challenged(asked(), vec![], at(20), &mut rig.outputs);
    rig.connection.welcomed(frame::VERSION, at(30), &mut rig.outputs).expect("this version");
    for round in [100_000, 200_000] {
        rig.connection.closed(Some(close::UNAUTHORIZED), at(round));
        rig.timer(round + 10_000);
        rig.connection.opened(vec![], at(round + 10_001), &mut rig.outputs);
        rig.connection.challenged(asked(), vec![], at(round + 10_002), &mut rig.outputs);
        rig.connection.welcomed(frame::VERSION, at(round + 10_003), &mut rig.outputs).expect("this version");
        assert!(rig.connection.is_open());
    }
    assert_eq!(rig.said(), ["hello", "connect", "hello", "connect", "hello"]);
    rig.connection.closed(None, at(300_000));
    assert_eq!(rig.refusal(), None, "the network alone ends no login");
}

#[test]
fn another_version_is_the_end_of_this_page() {
    let mut rig = ConnectionRig::open();
    rig.connection.closed(None, at(100));
    rig.timer(10_000);
    rig.connection.opened(vec![], at(10_001), &mut rig.outputs);
    assert!(rig.connection.welcomed("dogwatch.v3", at(10_002), &mut rig.outputs).is_err());
    assert_eq!(rig.said(), ["connect", "hello", "close 4406"]);
    rig.connection.closed(Some(close::VERSION), at(10_003));
    rig.connection.dial(at(10_004), &mut rig.outputs);
    assert!(rig.said().is_empty());
    let Link::OtherVersion { problem, .. } = &rig.connection.link else { panic!("another version") };
    assert_eq!(problem.message, "this page speaks dogwatch.v2, the gateway dogwatch.v3");
    assert_eq!(
        other_version("load evil.example"),
        "this page speaks dogwatch.v2, the gateway another version"
    );
}
