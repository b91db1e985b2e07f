//! What a hub is built into: how it reaches a session, the rules by which it continues or resets a subscriber, and what
//! bounds it. The product keeps every rule; only the simulation replaces one, to show that the mistake is found.

use shared::frame::FRAME_BYTES_MAX;

use crate::limits::{
    CUSTOM_HUB_BYTES_MAX, RESUME_CHANGES_MAX, TIMELINE_BYTES_MAX, TIMELINE_ENTRIES_MAX, TOMBSTONES_MAX,
};

/// How a hub reaches a session, and the rules of its positions.
pub trait Host {
    /// How a session is reached.
    type Session;

    /// The horizon after the tombstone of the change `dropped` was given up.
    #[must_use]
    fn horizon(_before: u64, dropped: u64) -> u64 {
        dropped
    }

    /// Whether a subscriber may have missed deletes: those after its cursor, or after `start` where it
    /// began from nothing at `start`.
    #[must_use]
    fn needs_reset(horizon: u64, cursor: u64, start: u64) -> bool {
        horizon > cursor.max(start)
    }

    /// Whether a viewer that holds rows of this digest has exactly the rows of that one.
    #[must_use]
    fn holds_same_rows(held: u64, known: u64) -> bool {
        held == known
    }
}

/// A hub alone, for tests and benches.
impl Host for () {
    type Session = ();
}

/// What bounds a hub. Tests shrink it.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Deletes that a client can miss and still be continued.
    pub tombstones: usize,
    /// Changes by which a viewer of another hub may be behind.
    pub remembered_changes: usize,
    /// Frames are cut near this.
    pub frame_bytes: usize,
    /// The entries of each timeline.
    pub log_entries: usize,
    /// The bytes of each timeline, and of all of one connection together.
    pub log_bytes: usize,
    /// The cells of custom columns.
    pub custom_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            tombstones: TOMBSTONES_MAX,
            remembered_changes: RESUME_CHANGES_MAX,
            frame_bytes: FRAME_BYTES_MAX,
            log_entries: TIMELINE_ENTRIES_MAX,
            log_bytes: TIMELINE_BYTES_MAX,
            custom_bytes: CUSTOM_HUB_BYTES_MAX,
        }
    }
}
