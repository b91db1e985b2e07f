//! How frames are written: as JSON, and large ones as raw deflate (RFC 1951) of the same JSON in a binary
//! message. Never a socket. The page only reads, so its wasm doesn't contain the writing side.

use crate::frame::CLIENT_FRAME_BYTES_MAX;
use crate::frame::client::ClientFrame;
use crate::frame::server::ServerFrame;
use crate::json::{self, Malformed};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// One WebSocket message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Text(String),
    Binary(Vec<u8>),
}

impl Message {
    pub fn byte_count(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Not a client's frame of this version: the reader sends `problem` and closes, or ignores an unknown kind.
    #[error("not a frame: {0}")]
    Json(#[from] serde_json::Error),
    /// Not a frame of this version's gateway.
    #[error("not a frame: {0}")]
    Frame(#[from] Malformed),
    #[error("not raw deflate, or more than {INFLATED_BYTES_MAX} bytes of it")]
    Deflate,
    #[error("the inflated frame isn't UTF-8")]
    Utf8,
    #[error("{0} bytes; a frame from a client has at most {CLIENT_FRAME_BYTES_MAX}")]
    TooLong(usize),
}

/// A frame is cut near 256 KiB, but an object that is larger is sent whole (16 MiB at most).
pub const INFLATED_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Fails only if a map's key isn't a string, which no frame has.
#[cfg(not(target_arch = "wasm32"))]
pub fn encode(frame: &impl serde::Serialize) -> Result<Message, serde_json::Error> {
    Ok(pack(serde_json::to_string(frame)?))
}

/// A frame's JSON as a message: text, or deflated where it is large.
#[cfg(not(target_arch = "wasm32"))]
pub fn pack(json: String) -> Message {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    /// For rows it compresses as well as 6, zlib's default, in less time; lower levels compress less.
    const LEVEL: u32 = 5;

    if json.len() < crate::frame::DEFLATE_BYTES_MIN {
        return Message::Text(json);
    }
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    // Writing to memory doesn't fail; if it did, the frame would go as the text that it is.
    match deflate.write_all(json.as_bytes()).and_then(|()| deflate.finish()) {
        Ok(bytes) => Message::Binary(bytes),
        Err(_) => Message::Text(json),
    }
}

/// Fails if the message can't be read; it never panics.
pub fn decode_server(message: &Message) -> Result<ServerFrame, DecodeError> {
    match message {
        Message::Text(text) => read(text),
        Message::Binary(bytes) => {
            let json =
                decompress_to_vec_with_limit(bytes, INFLATED_BYTES_MAX).map_err(|_| DecodeError::Deflate)?;
            read(std::str::from_utf8(&json).map_err(|_| DecodeError::Utf8)?)
        }
    }
}

fn read(json: &str) -> Result<ServerFrame, DecodeError> {
    Ok(json::read(json)?)
}

/// Clients send text, because their frames are short. Fails as [`decode_server`] does, and with
/// [`DecodeError::TooLong`].
pub fn decode_client(text: &str) -> Result<ClientFrame, DecodeError> {
    if text.len() > CLIENT_FRAME_BYTES_MAX {
        return Err(DecodeError::TooLong(text.len()));
    }
    Ok(serde_json::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cell::Cell;
    use crate::frame::server::{Patch, Rows};
    use crate::row::{Row, RowId};

    fn rows(count: u64) -> ServerFrame {
        let row = |n: u64| Row {
            id: RowId::from_hash(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            resource_version: n.to_string().as_str().into(),
            namespace: Some("shop".into()),
            name: format!("cart-{n}").into(),
            created: Some(1_763_690_000),
            cells: vec![Cell::text("cart"), Cell::Int(3)],
            extra: None,
        };
        ServerFrame::Rows(Rows { view: 1, to: count, put: (0..count).map(row).collect(), ..Rows::default() })
    }

    #[test]
    fn a_small_frame_is_text_and_a_large_one_deflated_and_both_read_back() {
        let small = encode(&rows(1)).expect("encodes");
        assert!(matches!(small, Message::Text(_)));
        assert_eq!(decode_server(&small).expect("decodes"), rows(1));
        let large = encode(&rows(1000)).expect("encodes");
        assert!(matches!(large, Message::Binary(_)));
        assert_eq!(decode_server(&large).expect("decodes"), rows(1000));
    }

    #[test]
    fn a_change_of_one_cell_is_a_hundred_bytes() {
        let patch = Patch {
            id: RowId::from_hash(u64::MAX),
            cells: [(2, Cell::text("CrashLoopBackOff"))].into(),
            resource_version: None,
        };
        let frame = Rows {
            view: 3,
            from: 1204,
            to: 1205,
            resource_version: "884129317".into(),
            set: vec![patch],
            ..Rows::default()
        };
        assert!(encode(&ServerFrame::Rows(frame)).expect("encodes").byte_count() <= 125);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>, text: String) {
            let _ = decode_server(&Message::Binary(bytes));
            let _ = decode_client(&text);
            let _ = decode_server(&Message::Text(text));
        }
    }
}
