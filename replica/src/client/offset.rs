//! The gateway's clock against the viewer's, and how late a message is: who wakes up after half a
//! minute reads what was said half a minute ago, and must not take it for the present.

use shared::state::UnixMillis;

/// The least delayed message of the last while tells the clocks apart best. An older one is forgotten,
/// so that a clock that was set is believed again.
#[derive(Debug, Default)]
pub(super) struct Offset {
    /// The gateway's clock minus the viewer's, at most: in this stretch and the one before.
    stretch: Option<Stretch>,
    before_ms: Option<i64>,
}

#[derive(Debug)]
struct Stretch {
    since_ms: UnixMillis,
    ahead_ms: i64,
}

/// Six messages or more of a live view, and far more than any delay that is no outage.
const STRETCH_MS: i64 = 60_000;

impl Offset {
    /// A message said at `gateway_ms` is heard now: how long it was on its way, beyond the quickest.
    pub(super) fn learn(&mut self, gateway_ms: UnixMillis, now_ms: UnixMillis) -> i64 {
        let ahead_ms = gateway_ms.saturating_sub(now_ms);
        match &mut self.stretch {
            Some(stretch) if now_ms.saturating_sub(stretch.since_ms) < STRETCH_MS => {
                stretch.ahead_ms = stretch.ahead_ms.max(ahead_ms);
            }
            stretch => {
                self.before_ms = stretch.take().map(|stretch| stretch.ahead_ms);
                *stretch = Some(Stretch { since_ms: now_ms, ahead_ms });
            }
        }
        self.ahead_ms().saturating_sub(ahead_ms)
    }

    pub(super) fn ahead_ms(&self) -> i64 {
        let now_ms = self.stretch.as_ref().map(|stretch| stretch.ahead_ms);
        now_ms.max(self.before_ms).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_was_held_up_is_as_late_as_it_was_held_up() {
        let mut offset = Offset::default();
        assert_eq!(offset.learn(5_000, 1_000), 0);
        assert_eq!(offset.learn(9_900, 6_000), 100);
        assert_eq!(offset.learn(10_000, 40_000), 34_000);
        assert_eq!(offset.ahead_ms(), 4_000);
    }

    #[test]
    fn a_clock_that_was_set_is_believed_again_after_two_stretches() {
        let mut offset = Offset::default();
        offset.learn(0, 0);
        // The viewer's clock jumps an hour ahead.
        let late_ms = |offset: &mut Offset, at_ms: i64| offset.learn(at_ms, at_ms + 3_600_000);
        assert_eq!(late_ms(&mut offset, 5_000), 3_600_000);
        assert_eq!(late_ms(&mut offset, 5_000 + 2 * STRETCH_MS), 0);
    }
}
