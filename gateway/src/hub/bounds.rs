//! What a hub is told of itself, and what bounds it.

use shared::frame::FRAME_BYTES_MAX;

use super::log::LogBounds;
use crate::limits::{RESUME_CHANGES_MAX, TIMELINE_BYTES_MAX, TIMELINE_ENTRIES_MAX, TOMBSTONES_MAX};

/// What a hub says of itself in every answer to `subscribe`.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The uid of `kube-system`, or a hash of server and CA.
    pub cluster: Box<str>,
}

/// Tests shrink them.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Deletes that a client can miss and still be continued.
    pub tombstones: usize,
    /// Changes by which a viewer of another hub may be behind.
    pub remembered_changes: usize,
    /// Frames are cut near this.
    pub frame_bytes: usize,
    /// Of each timeline.
    pub log: LogBounds,
}

impl Default for Bounds {
    fn default() -> Self {
        let log = LogBounds { entries: TIMELINE_ENTRIES_MAX, bytes: TIMELINE_BYTES_MAX };
        Self {
            tombstones: TOMBSTONES_MAX,
            remembered_changes: RESUME_CHANGES_MAX,
            frame_bytes: FRAME_BYTES_MAX,
            log,
        }
    }
}
