//! The key of a subscription, and what all subscriptions of one session share at their hubs: which of them may send
//! the next delivery, and among how many feeds its timelines share their memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// One subscription of one session, unique in the gateway.
pub type SubscriberKey = u64;

/// The right to send one session its next delivery. While the session is ready for one, it offers the
/// permit; the first hub with news takes it and delivers. So one delivery is on its way at a time, and a
/// change needs no question and answer. Cheap to clone: all clones of one session's are the same permit.
#[derive(Clone, Debug, Default)]
pub struct SendPermit {
    of_session: Arc<OfSession>,
}

#[derive(Debug, Default)]
struct OfSession {
    is_offered: AtomicBool,
    timeline_feeds: AtomicUsize,
}

/// A session among those that live.
pub(super) type SessionNumber = usize;

impl SendPermit {
    pub(crate) fn offer(&self) {
        self.of_session.is_offered.store(true, Ordering::Release);
    }

    /// Whether the caller has it now.
    #[must_use]
    pub(crate) fn take(&self) -> bool {
        self.of_session.is_offered.swap(false, Ordering::Acquire)
    }

    pub(crate) fn set_timeline_feeds(&self, count: usize) {
        self.of_session.timeline_feeds.store(count, Ordering::Relaxed);
    }

    /// The feeds in which the session has timelines, at least one.
    pub(crate) fn timeline_feeds(&self) -> usize {
        self.of_session.timeline_feeds.load(Ordering::Relaxed).max(1)
    }

    pub(super) fn session(&self) -> SessionNumber {
        Arc::as_ptr(&self.of_session).addr()
    }
}
