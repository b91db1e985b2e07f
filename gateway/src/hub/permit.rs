//! Which subscription is meant, and which hub may send its session the next delivery.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One subscription of one session, unique in the gateway.
pub type SubscriberKey = u64;

/// The right to send one session its next delivery. While the session is ready for one, it offers the
/// permit; the first hub with news takes it and delivers. So one delivery is on its way at a time, and a
/// change needs no question and answer. Cheap to clone: all clones of one session's are the same permit.
#[derive(Clone, Debug, Default)]
pub struct SendPermit {
    is_offered: Arc<AtomicBool>,
}

impl SendPermit {
    pub(crate) fn offer(&self) {
        self.is_offered.store(true, Ordering::Release);
    }

    /// Whether the caller has it now.
    #[must_use]
    pub(crate) fn take(&self) -> bool {
        self.is_offered.swap(false, Ordering::Acquire)
    }
}
