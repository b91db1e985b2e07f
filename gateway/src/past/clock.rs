//! The time of what is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use shared::state::UnixMillis;

use crate::clock::gateway_ms;

/// The time that the record has for what is heard now: the gateway's, but for a lead.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordClock {
    behind_ms: Arc<AtomicI64>,
}

impl RecordClock {
    pub(super) fn before(lead: Duration) -> Self {
        let clock = Self::default();
        clock.set_behind(lead);
        clock
    }

    pub(super) fn set_behind(&self, behind: Duration) {
        let behind_ms = i64::try_from(behind.as_millis()).unwrap_or_default();
        self.behind_ms.store(behind_ms, Ordering::Relaxed);
    }

    pub(super) fn now_ms(&self) -> UnixMillis {
        gateway_ms() - self.behind_ms.load(Ordering::Relaxed)
    }
}
