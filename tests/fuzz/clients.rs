//! A client that says anything, on real conversations over real hubs, beside a neighbour that only wants
//! its table. What is looked at: every answer is a frame, a refusal is a `problem` or the documented
//! close, the neighbour stays exact, and of a client that left nothing is left.

mod house;

use serde_json::Value;
use shared::codec::{self, DecodeError};
use shared::frame::client::ClientFrame;
use shared::frame::server::ServerFrame;
use shared::frame::{CLIENT_FRAME_BYTES_MAX, close};
use shared::problem::{Problem, Reason};

use crate::chance::Chance;
use crate::{corpus, mutate};
use house::{HOSTILE, House};

const FRAMES: usize = 30;

pub fn run(chance: &mut Chance) {
    let corpus = corpus::of_clients();
    let mut house = House::new();
    house.expect_exact();
    for _ in 0..FRAMES {
        let frame = chance.pick(&corpus);
        let text =
            if chance.percent(40) { frame.to_owned() } else { mutate::mutated(chance, frame, &corpus) };
        hear(chance, &mut house, &text);
        if chance.percent(60) {
            house.change(chance);
        }
        if chance.percent(10) {
            house.grant(HOSTILE, u32::try_from(chance.below(20)).unwrap_or_default(), "elsewhere");
            house.neighbour_loses_sight();
        }
        house.hostile_reads = chance.percent(70);
        house.pump();
        house.expect_exact();
    }
    house.hostile_leaves();
    house.pump();
    house.expect_nothing_left();
}

fn hear(chance: &mut Chance, house: &mut House, text: &str) {
    let decoded = codec::decode_client(text);
    let outbox_before = house.outbox_len(HOSTILE);
    let (mut closed, auth) = house.hear(HOSTILE, text);
    let shown: String = text.chars().take(300).collect();
    match &decoded {
        Err(error) => {
            assert!(house.outbox_len(HOSTILE) > outbox_before, "nothing was said to {shown}");
            assert_eq!(closed.is_some(), is_no_frame(text, error), "{closed:?} for {shown}");
        }
        Ok(ClientFrame::Ping(_) | ClientFrame::Hello(_)) => {
            assert!(house.outbox_len(HOSTILE) > outbox_before, "nothing was said to {shown}");
        }
        Ok(_) => assert_eq!(closed, None, "{shown}"),
    }
    assert!(closed.is_none_or(|code| code == close::BAD_FRAME));
    if auth {
        let (now, code) = match chance.below(3) {
            0 => (Ok(("alice".into(), None)), None),
            1 => (Ok(("mallory".into(), Some(1))), Some(close::OTHER_IDENTITY)),
            _ => (Err(Problem::new(Reason::Unauthorized, "no")), Some(close::UNAUTHORIZED)),
        };
        closed = house.authenticated(now);
        assert_eq!(closed, code);
    }
    if closed.is_some() {
        let last = house.last_words();
        assert!(matches!(last, Some(ServerFrame::Problem(_))), "a close without a reason: {last:?}");
        house.hostile_leaves();
    }
}

/// What ends a connection, by the document: no JSON object with one key, or too long.
fn is_no_frame(text: &str, error: &DecodeError) -> bool {
    let is_frame = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => fields.len() == 1,
        _ => false,
    };
    assert_eq!(matches!(error, DecodeError::TooLong(_)), text.len() > CLIENT_FRAME_BYTES_MAX);
    !is_frame || text.len() > CLIENT_FRAME_BYTES_MAX
}
