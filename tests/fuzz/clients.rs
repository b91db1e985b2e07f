//! A client that sends random frames to real sessions over real hubs, beside a second client that follows one table.
//! Each answer is a frame, each refusal a `problem` or the documented close code, the second client stays exact, and
//! no subscription is left of a client that closed its connection.

mod rig;

use serde_json::Value;
use shared::codec::{self, DecodeError};
use shared::frame::client::ClientFrame;
use shared::frame::server::ServerFrame;
use shared::frame::{CLIENT_FRAME_BYTES_MAX, close};
use shared::problem::{Problem, Reason};

use crate::{corpus, mutate};
use rig::{ClientsRig, HOSTILE};
use simulation::chance::Chance;
use simulation::effects::login;

const FRAMES: usize = 30;

pub fn run(chance: &mut Chance) {
    let corpus = corpus::of_clients();
    let mut rig = ClientsRig::new();
    rig.expect_exact();
    for _ in 0..FRAMES {
        let frame = chance.pick(&corpus);
        let text =
            if chance.percent(40) { frame.to_owned() } else { mutate::mutated(chance, frame, &corpus) };
        hear(chance, &mut rig, &text);
        if chance.percent(60) {
            rig.change(chance);
        }
        if chance.percent(10) {
            rig.upstream_forbids();
        }
        rig.hostile_reads = chance.percent(70);
        rig.pump();
        rig.expect_exact();
    }
    rig.hostile_leaves();
    rig.pump();
    rig.expect_nothing_left();
}

fn hear(chance: &mut Chance, rig: &mut ClientsRig, text: &str) {
    let decoded = codec::decode_client(text);
    let (login, denied) = match chance.index(3) {
        0 => (Ok(login("alice")), None),
        1 => (Ok(login("mallory")), Some(close::OTHER_IDENTITY)),
        _ => (Err(Problem::new(Reason::Unauthorized, "no")), Some(close::UNAUTHORIZED)),
    };
    rig.set_login(login);
    let outbox_before = rig.outbox_len(HOSTILE);
    let closed = rig.hear(HOSTILE, text);
    let code = closed.as_ref().map(|close| close.code);
    let shown: String = text.chars().take(300).collect();
    match &decoded {
        Err(error) => {
            let is_answered = closed.is_some() || rig.outbox_len(HOSTILE) > outbox_before;
            assert!(is_answered, "nothing was said to {shown}");
            assert_eq!(code, is_no_frame(text, error).then_some(close::BAD_FRAME), "{shown}");
        }
        Ok(ClientFrame::Ping(_) | ClientFrame::Hello(_)) => {
            assert!(rig.outbox_len(HOSTILE) > outbox_before, "nothing was said to {shown}");
        }
        Ok(ClientFrame::Auth(_)) => assert_eq!(code, denied, "{shown}"),
        Ok(_) => assert_eq!(code, None, "{shown}"),
    }
    if let Some(close) = closed {
        let last = close.last.as_deref();
        assert!(matches!(last, Some(ServerFrame::Problem(_))), "a close without a reason: {last:?}");
        rig.hostile_leaves();
    }
}

/// Whether the protocol ends the connection for this text: it isn't a JSON object with one key, or it is too long.
fn is_no_frame(text: &str, error: &DecodeError) -> bool {
    let is_frame = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => fields.len() == 1,
        _ => false,
    };
    assert_eq!(matches!(error, DecodeError::TooLong(_)), text.len() > CLIENT_FRAME_BYTES_MAX);
    !is_frame || text.len() > CLIENT_FRAME_BYTES_MAX
}
