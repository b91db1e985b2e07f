//! The writing side, for servers. The page only reads, so its wasm doesn't contain this.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

use super::Message;
use crate::frame::DEFLATE_BYTES_MIN;

/// For rows it compresses as well as 6, zlib's default, in less time; lower levels compress less.
const LEVEL: u32 = 5;

/// Fails only if a map's key isn't a string, which no frame has.
pub fn encode(frame: &impl Serialize) -> Result<Message, serde_json::Error> {
    Ok(pack(serde_json::to_string(frame)?))
}

/// A frame's JSON as a message: text, or deflated where it is large.
pub fn pack(json: String) -> Message {
    if json.len() < DEFLATE_BYTES_MIN {
        return Message::Text(json);
    }
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    // Writing to memory doesn't fail; if it did, the frame would go as the text that it is.
    match deflate.write_all(json.as_bytes()).and_then(|()| deflate.finish()) {
        Ok(bytes) => Message::Binary(bytes),
        Err(_) => Message::Text(json),
    }
}
