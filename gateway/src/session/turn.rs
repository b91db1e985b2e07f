//! The right to send one session its next delivery. While the session is ready for one the right is
//! free, and whichever hub has news first takes it and delivers; else it is the session's, which pulls.
//! So one delivery is on its way at a time, and a change needs no question and answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cheap to clone: all of one session's are the same.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    is_free: Arc<AtomicBool>,
}

impl Turn {
    /// Whoever has it gives it back.
    pub(super) fn offer(&self) {
        self.is_free.store(true, Ordering::Release);
    }

    /// Whether it is the caller's now.
    #[must_use]
    pub(super) fn take(&self) -> bool {
        self.is_free.swap(false, Ordering::Acquire)
    }
}
