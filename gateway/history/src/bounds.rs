//! How much a history may take, and when a segment is full.

use shared::state::UnixMillis;

#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The bytes of all segments together, but for the one that is written last.
    pub bytes: u64,
    pub age_ms: i64,
}

/// A segment ends with so many bytes, or with an eighth of what all may take.
const SEGMENT_BYTES: u64 = 64 * 1024 * 1024;
const SEGMENTS_OF_BOUND: u64 = 8;
const SEGMENT_AGE_MS: i64 = 24 * 60 * 60 * 1_000;

impl Bounds {
    pub(crate) fn segment_bytes(&self) -> u64 {
        SEGMENT_BYTES.min(self.bytes / SEGMENTS_OF_BOUND)
    }

    /// Whether a segment that began then has lasted long enough.
    pub(crate) fn is_old(from_ms: UnixMillis, now_ms: UnixMillis) -> bool {
        now_ms - from_ms >= SEGMENT_AGE_MS
    }
}
