//! What bounds a hub.

use shared::frame::FRAME_BYTES_MAX;

use crate::limits::{RESUME_CHANGES_MAX, TIMELINE_BYTES_MAX, TIMELINE_ENTRIES_MAX, TOMBSTONES_MAX};

/// Tests shrink them.
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
    pub log_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            tombstones: TOMBSTONES_MAX,
            remembered_changes: RESUME_CHANGES_MAX,
            frame_bytes: FRAME_BYTES_MAX,
            log_entries: TIMELINE_ENTRIES_MAX,
            log_bytes: TIMELINE_BYTES_MAX,
        }
    }
}
