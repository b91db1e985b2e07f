//! Every example of `docs/PROTOCOL.md` is a frame: it reads back to the same bytes, and no frame is
//! without an example. So the document can't drift from the code.

use std::collections::BTreeSet;

use shared::frame::client::{ClientFrame, LogText};
use shared::frame::server::{LogAnswer, Past, PastAnswer, ServerFrame};

const DOCUMENT: &str = include_str!("../../docs/PROTOCOL.md");

/// The examples of one chapter, each on one line. A chapter that is missing shows none.
fn examples(chapter: &str) -> Vec<&'static str> {
    let rest = DOCUMENT.split_once(&format!("\n## {chapter}\n")).map_or("", |(_, rest)| rest);
    let text = rest.split("\n## ").next().unwrap_or_default();
    let blocks = text.split("```json\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines()).collect()
}

/// Every example reads back byte for byte, and every type of frame has one.
macro_rules! check {
    ($frame:ty, $chapter:literal) => {
        let mut shown = BTreeSet::new();
        for example in examples($chapter) {
            let frame: $frame = serde_json::from_str(example).expect(example);
            assert_eq!(serde_json::to_string(&frame).expect("json"), example);
            shown.insert(frame.frame_type());
        }
        assert_eq!(shown, <$frame>::TYPES.iter().copied().collect());
    };
}

#[test]
fn every_frame_of_a_client_has_an_example_that_reads_back_byte_for_byte() {
    check!(ClientFrame, "What a client says");
}

#[test]
fn every_frame_of_the_gateway_has_an_example_that_reads_back_byte_for_byte() {
    check!(ServerFrame, "What the gateway says");
}

/// An answer of the past is read later than its frame.
#[test]
fn every_answer_about_the_past_is_one_of_those_that_there_are() {
    let mut kinds = BTreeSet::new();
    for example in examples("What the gateway says") {
        let frame: ServerFrame = serde_json::from_str(example).expect(example);
        let ServerFrame::Past(answer) = frame else { continue };
        let again = match (answer.read_changes(), answer.read()) {
            (Some(changes), None) => {
                kinds.insert("changes");
                PastAnswer::of_changes(answer.id, changes)
            }
            (None, Some(past)) => {
                kinds.insert(if matches!(past, Past::Recorded(_)) { "recorded" } else { "history" });
                PastAnswer::of(answer.id, &past)
            }
            other => panic!("{example}: {other:?}"),
        };
        assert_eq!(again, Some(answer), "{example}");
    }
    assert_eq!(kinds, BTreeSet::from(["changes", "recorded", "history"]));
}

/// A question for logs is read later than its frame, and so is an answer.
#[test]
fn every_question_for_logs_and_every_answer_is_one_that_there_is() {
    let (mut questions, mut answers) = (0, 0);
    for example in examples("What a client says") {
        let frame: ClientFrame = serde_json::from_str(example).expect(example);
        let ClientFrame::Log(text) = frame else { continue };
        let log = text.read().expect(example);
        assert_eq!(LogText::of(log.id, &log.scope, &log.asked), Some(text), "{example}");
        questions += 1;
    }
    for example in examples("What the gateway says") {
        let frame: ServerFrame = serde_json::from_str(example).expect(example);
        let ServerFrame::Log(answer) = frame else { continue };
        let part = answer.read().expect(example);
        assert_eq!(LogAnswer::of(answer.id, &part), Some(answer), "{example}");
        answers += 1;
    }
    assert!(questions > 2 && answers > 2, "{questions} {answers}");
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
