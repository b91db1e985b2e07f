//! How often a viewer may do a thing: a burst at once, for a board of many views, then a trickle.

use crate::limits::{
    AUDIT_REFUSALS_AT_ONCE, AUDIT_REFUSALS_PER_S, FEED_STARTS_PER_S, FRAMES_AT_ONCE, FRAMES_PER_S,
    SUBSCRIBES_AT_ONCE, SUBSCRIBES_PER_S, SUBSCRIBES_REFILL_S, SUBSCRIPTIONS_PER_CONNECTION,
};

/// Milliseconds of a clock that never goes back.
pub type MonotonicMs = u64;

#[derive(Debug)]
pub(crate) struct RateLimiter {
    at_once: u64,
    per_s: u64,
    left: u64,
    counted_at: MonotonicMs,
}

impl RateLimiter {
    pub(crate) fn of_subscribes(now: MonotonicMs) -> Self {
        Self::new(SUBSCRIBES_AT_ONCE, SUBSCRIBES_PER_S, now)
    }

    /// The limit of one person's subscribes. The person may have `connections` connections.
    pub(crate) fn of_persons_subscribes(connections: usize, now: MonotonicMs) -> Self {
        let at_once = connections.saturating_mul(SUBSCRIPTIONS_PER_CONNECTION);
        let at_once = u64::try_from(at_once).unwrap_or(u64::MAX).max(SUBSCRIBES_AT_ONCE);
        Self::new(at_once, (at_once / SUBSCRIBES_REFILL_S).max(SUBSCRIBES_PER_S), now)
    }

    /// Each message of a view allows one more, because the client may acknowledge it: see [`RateLimiter::earn`].
    pub(crate) fn of_frames(now: MonotonicMs) -> Self {
        Self::new(FRAMES_AT_ONCE, FRAMES_PER_S, now)
    }

    /// The limit of one person's starts of feeds: at once as many as the person may have.
    pub(crate) fn of_feed_starts(at_once: usize, now: MonotonicMs) -> Self {
        Self::new(u64::try_from(at_once).unwrap_or(u64::MAX), FEED_STARTS_PER_S, now)
    }

    /// The limit of audited refusals, for all clients without a login together.
    pub(crate) fn of_audited_refusals(now: MonotonicMs) -> Self {
        Self::new(AUDIT_REFUSALS_AT_ONCE, AUDIT_REFUSALS_PER_S, now)
    }

    fn new(at_once: u64, per_s: u64, now: MonotonicMs) -> Self {
        Self { at_once, per_s, left: at_once, counted_at: now }
    }

    /// Counts one more. Whether it is within the rate.
    pub(crate) fn take(&mut self, now: MonotonicMs) -> bool {
        self.count(now);
        let allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allowed
    }

    /// Whether it would forget nothing by being made anew.
    pub(crate) fn is_full(&mut self, now: MonotonicMs) -> bool {
        self.count(now);
        self.left == self.at_once
    }

    fn count(&mut self, now: MonotonicMs) {
        let earned = now.saturating_sub(self.counted_at) * self.per_s / 1_000;
        if earned > 0 {
            self.left = (self.left + earned).min(self.at_once);
            self.counted_at = now;
        }
    }

    /// Allows so many more.
    pub(crate) fn earn(&mut self, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.left = self.left.saturating_add(count).min(self.at_once);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_then_a_trickle() {
        let mut limiter = RateLimiter::of_subscribes(0);
        let at_once = (0..1_000).filter(|_| limiter.take(0)).count();
        assert_eq!(at_once as u64, SUBSCRIBES_AT_ONCE);
        assert!(!limiter.take(50));
        let later = (0..100).filter(|_| limiter.take(1_100)).count();
        assert_eq!(later as u64, SUBSCRIBES_PER_S * 1_100 / 1_000);
    }

    #[test]
    fn a_client_that_answers_each_frame_is_never_too_fast() {
        let mut limiter = RateLimiter::of_frames(0);
        for _ in 0..10 * FRAMES_AT_ONCE {
            assert!(limiter.take(0));
            limiter.earn(1);
        }
        let unasked = (0..10 * FRAMES_AT_ONCE).filter(|_| limiter.take(0)).count();
        assert_eq!(unasked as u64, FRAMES_AT_ONCE);
    }
}
