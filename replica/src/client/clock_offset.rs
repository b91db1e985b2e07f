//! The gateway's clock against the viewer's, and how late a message is. A laptop that wakes up after half a
//! minute reads what was said half a minute ago, and must not take it for the present.

use shared::state::UnixMillis;

/// The clocks are compared by the least delayed message of this minute and the last one. Older messages
/// are forgotten, so that a clock that was set is believed again.
#[derive(Debug, Default)]
pub(super) struct ClockOffset {
    /// When the present minute began, and the gateway's clock minus the viewer's in it, at most.
    minute: Option<(UnixMillis, i64)>,
    /// The same of the minute before.
    last_ahead_ms: Option<i64>,
}

/// Time for six messages or more of a live view, and far more than any delay that is no outage.
const MINUTE_MS: i64 = 60_000;

impl ClockOffset {
    /// A message said at `gateway_ms` is received now. Returns how long it was on its way, beyond the
    /// quickest.
    pub(super) fn learn(&mut self, gateway_ms: UnixMillis, now_ms: UnixMillis) -> i64 {
        let ahead_ms = gateway_ms.saturating_sub(now_ms);
        match &mut self.minute {
            Some((since_ms, highest_ms)) if now_ms.saturating_sub(*since_ms) < MINUTE_MS => {
                *highest_ms = ahead_ms.max(*highest_ms);
            }
            minute => {
                self.last_ahead_ms = minute.replace((now_ms, ahead_ms)).map(|(_, highest_ms)| highest_ms);
            }
        }
        self.ahead_ms().saturating_sub(ahead_ms)
    }

    pub(super) fn ahead_ms(&self) -> i64 {
        self.minute.map(|(_, highest_ms)| highest_ms).max(self.last_ahead_ms).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_was_held_up_is_as_late_as_it_was_held_up() {
        let mut offset = ClockOffset::default();
        assert_eq!(offset.learn(5_000, 1_000), 0);
        assert_eq!(offset.learn(9_900, 6_000), 100);
        assert_eq!(offset.learn(10_000, 40_000), 34_000);
        assert_eq!(offset.ahead_ms(), 4_000);
    }

    #[test]
    fn a_clock_that_was_set_is_believed_again_after_two_minutes() {
        let mut offset = ClockOffset::default();
        offset.learn(0, 0);
        // The viewer's clock jumps an hour ahead.
        let late_ms = |offset: &mut ClockOffset, at_ms: i64| offset.learn(at_ms, at_ms + 3_600_000);
        assert_eq!(late_ms(&mut offset, 5_000), 3_600_000);
        assert_eq!(late_ms(&mut offset, 5_000 + 2 * MINUTE_MS), 0);
    }
}
