//! Every example of `docs/PROTOCOL.md` is a frame: it reads back to the same bytes, and no frame is
//! without an example. So the document can't drift from the code.

use std::collections::BTreeSet;

use shared::frame::client::ClientFrame;
use shared::frame::server::ServerFrame;

const DOCUMENT: &str = include_str!("../../docs/PROTOCOL.md");

/// The examples of one chapter, each on one line. A chapter that is missing shows none.
fn examples(chapter: &str) -> Vec<&'static str> {
    let rest = DOCUMENT.split_once(&format!("\n## {chapter}\n")).map_or("", |(_, rest)| rest);
    let text = rest.split("\n## ").next().unwrap_or_default();
    let blocks = text.split("```json\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines()).collect()
}

/// A match without a wildcard: a new frame doesn't compile until it is named here, and is then missed
/// in the document.
fn client_name(frame: &ClientFrame) -> &'static str {
    match frame {
        ClientFrame::Hello(_) => "hello",
        ClientFrame::Auth(_) => "auth",
        ClientFrame::Subscribe(_) => "subscribe",
        ClientFrame::Unsubscribe(_) => "unsubscribe",
        ClientFrame::Get(_) => "get",
        ClientFrame::Retry(_) => "retry",
        ClientFrame::Ack(_) => "ack",
        ClientFrame::Ping(_) => "ping",
    }
}

const CLIENT_FRAMES: [&str; 8] = ["hello", "auth", "subscribe", "unsubscribe", "get", "retry", "ack", "ping"];

fn server_name(frame: &ServerFrame) -> &'static str {
    match frame {
        ServerFrame::Welcome(_) => "welcome",
        ServerFrame::Auth(_) => "auth",
        ServerFrame::Kinds(_) => "kinds",
        ServerFrame::Subscribed(_) => "subscribed",
        ServerFrame::Rows(_) => "rows",
        ServerFrame::Object(_) => "object",
        ServerFrame::Timeline(_) => "timeline",
        ServerFrame::Sync(_) => "sync",
        ServerFrame::State(_) => "state",
        ServerFrame::Scope(_) => "scope",
        ServerFrame::Problem(_) => "problem",
        ServerFrame::Goaway(_) => "goaway",
        ServerFrame::Pong(_) => "pong",
    }
}

const SERVER_FRAMES: [&str; 13] = [
    "welcome",
    "auth",
    "kinds",
    "subscribed",
    "rows",
    "object",
    "timeline",
    "sync",
    "state",
    "scope",
    "problem",
    "goaway",
    "pong",
];

#[test]
fn every_frame_of_a_client_has_an_example_that_reads_back_byte_for_byte() {
    let mut shown = BTreeSet::new();
    for example in examples("What a client says") {
        let frame: ClientFrame = serde_json::from_str(example).expect(example);
        assert_eq!(serde_json::to_string(&frame).expect("json"), example);
        shown.insert(client_name(&frame));
    }
    assert_eq!(shown, CLIENT_FRAMES.into());
}

#[test]
fn every_frame_of_the_gateway_has_an_example_that_reads_back_byte_for_byte() {
    let mut shown = BTreeSet::new();
    for example in examples("What the gateway says") {
        let frame: ServerFrame = serde_json::from_str(example).expect(example);
        assert_eq!(serde_json::to_string(&frame).expect("json"), example);
        shown.insert(server_name(&frame));
    }
    assert_eq!(shown, SERVER_FRAMES.into());
}

#[test]
fn the_documents_numbers_are_the_codes() {
    use shared::frame::{CLIENT_FRAME_BYTES_MAX, DEFLATE_BYTES_MIN, VERSION, close};
    for code in [
        close::SERVICE_RESTART,
        close::BAD_FRAME,
        close::UNAUTHORIZED,
        close::OTHER_IDENTITY,
        close::VERSION,
        close::HELLO_TIMEOUT,
        close::SILENT,
    ] {
        assert!(DOCUMENT.contains(&format!("\n| {code} | ")), "close code {code}");
    }
    for number in [CLIENT_FRAME_BYTES_MAX, DEFLATE_BYTES_MIN] {
        let text = format!("{},{:03} bytes", number / 1_000, number % 1_000);
        assert!(DOCUMENT.contains(&text), "{text}");
    }
    assert!(DOCUMENT.contains(&format!("`{VERSION}`")));
}
