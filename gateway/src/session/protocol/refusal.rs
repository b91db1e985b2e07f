//! One sentence for a frame that can't be read, and whether the connection goes on: an unknown type or a
//! scope with a mistake is answered; a message that isn't a frame ends the connection.

use serde_json::Value;
use shared::codec::DecodeError;
use shared::frame::client::{ClientFrame, SubscriptionId};
use shared::frame::{CLIENT_FRAME_BYTES_MAX, close};
use shared::problem::Problem;

pub(super) struct Refusal {
    /// The subscription that isn't opened, where the frame named one.
    pub(super) subscription: Option<SubscriptionId>,
    pub(super) problem: Problem,
    pub(super) close: Option<u16>,
}

pub(super) fn of(text: &str, error: &DecodeError) -> Refusal {
    if let DecodeError::TooLong(bytes) = error {
        let message =
            format!("a frame of {bytes} bytes is too long; at most {CLIENT_FRAME_BYTES_MAX} are read");
        return end(message);
    }
    let Ok(Value::Object(frame)) = serde_json::from_str::<Value>(text) else {
        return end(
            "the message isn't a frame: expected a JSON object with one key, the frame's type".to_owned()
        );
    };
    let mut keys = frame.iter();
    let (Some((kind, body)), None) = (keys.next(), keys.next()) else {
        return end(format!(
            "a frame is a JSON object with one key, the frame's type; this one has {}",
            frame.len()
        ));
    };
    if !ClientFrame::TYPES.contains(&kind.as_str()) {
        let known = ClientFrame::TYPES.join(", ");
        let shown: String = kind.chars().take(40).collect();
        return go_on(None, format!("a frame of the type {shown:?} is not known here; there are {known}"));
    }
    let subscription =
        body.get("id").and_then(Value::as_u64).and_then(|id| SubscriptionId::try_from(id).ok());
    go_on(subscription, format!("{kind} can't be read: {}", without_position(&error.to_string())))
}

/// Our own sentences need no line and column of serde's.
fn without_position(message: &str) -> &str {
    let message = message.strip_prefix("not a frame: ").unwrap_or(message);
    message.rsplit_once(" at line ").map_or(message, |(sentence, _)| sentence)
}

fn go_on(subscription: Option<SubscriptionId>, message: String) -> Refusal {
    Refusal { subscription, problem: Problem::bad_request(message), close: None }
}

fn end(message: String) -> Refusal {
    Refusal { subscription: None, problem: Problem::bad_request(message), close: Some(close::BAD_FRAME) }
}

#[cfg(test)]
mod tests {
    use shared::codec::decode_client;

    use super::*;

    #[test]
    fn each_bad_frame_gets_its_sentence() {
        for (text, subscription, closes, words) in [
            ("not json", None, true, "isn't a frame"),
            ("[]", None, true, "isn't a frame"),
            ("{}", None, true, "one key"),
            (&" ".repeat(CLIENT_FRAME_BYTES_MAX + 1), None, true, "too long"),
            (r#"{"dance":{}}"#, None, false, "\"dance\" is not known"),
            (r#"{"subscribe":{"id":4}}"#, Some(4), false, "missing field `scope`"),
            (r#"{"ack":{"bytes":-1}}"#, None, false, "ack can't be read"),
            (
                r#"{"subscribe":{"id":4,"scope":{"resource":{"group":"","version":"v1","resource":"pods"}},"columns":[{"name":"A","path":".spec[x]"}]}}"#,
                Some(4),
                false,
                r#"the path ".spec[x]" of the column "A" can't be read: invalid array index x at character 7"#,
            ),
            (
                r#"{"subscribe":{"id":4,"scope":{"resource":{"group":"","version":"v1","resource":"pods/exec"}}}}"#,
                Some(4),
                false,
                "resource \"pods/exec\" is not valid",
            ),
        ] {
            let refusal = of(text, &decode_client(text).expect_err("not a frame"));
            assert_eq!(refusal.subscription, subscription, "{text}");
            assert_eq!(refusal.close.is_some(), closes, "{text}");
            assert!(refusal.problem.message.contains(words), "{text}: {}", refusal.problem);
        }
    }
}
