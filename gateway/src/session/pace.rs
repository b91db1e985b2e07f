//! How often a session may subscribe: a burst at once, for a board of many views, then a trickle.

use crate::limits::{SUBSCRIBES_AT_ONCE, SUBSCRIBES_PER_S};

/// Milliseconds of a clock that only goes forward.
pub type MonotonicMs = u64;

#[derive(Debug)]
pub(super) struct Pace {
    left: u64,
    counted_at: MonotonicMs,
}

impl Pace {
    pub(super) fn new(now: MonotonicMs) -> Self {
        Self { left: SUBSCRIBES_AT_ONCE, counted_at: now }
    }

    /// Whether one more is within the pace; it is counted then.
    pub(super) fn take(&mut self, now: MonotonicMs) -> bool {
        let earned = now.saturating_sub(self.counted_at) * SUBSCRIBES_PER_S / 1_000;
        if earned > 0 {
            self.left = (self.left + earned).min(SUBSCRIBES_AT_ONCE);
            self.counted_at = now;
        }
        let allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_a_trickle() {
        let mut pace = Pace::new(0);
        let at_once = (0..1_000).filter(|_| pace.take(0)).count();
        assert_eq!(at_once as u64, SUBSCRIBES_AT_ONCE);
        assert!(!pace.take(50));
        let later = (0..100).filter(|_| pace.take(1_100)).count();
        assert_eq!(later as u64, SUBSCRIBES_PER_S * 1_100 / 1_000);
    }
}
