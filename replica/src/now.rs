//! The time and the chance of an event, given by the driver: the replica reads no clock itself.

use shared::state::UnixMillis;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// The viewer's clock, made steady by [`MonotonicClock`].
    pub now_ms: UnixMillis,
    /// From 0 to below 1, new for each event.
    pub chance: f64,
}

/// A wall clock that never goes back: a laptop whose clock is set back an hour must not believe for an hour
/// that its last proof is young. A jump forward stays, for after a night's sleep everything is old. The
/// driver owns one and asks it for every `now_ms`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MonotonicClock {
    last_ms: UnixMillis,
    ahead_ms: i64,
}

impl MonotonicClock {
    pub fn now_ms(&mut self, wall_ms: UnixMillis) -> UnixMillis {
        let steady = wall_ms.saturating_add(self.ahead_ms);
        if steady < self.last_ms {
            self.ahead_ms = self.last_ms.saturating_sub(wall_ms);
        }
        self.last_ms = steady.max(self.last_ms);
        self.last_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_goes_on_from_where_it_was() {
        let mut steady = MonotonicClock::default();
        let read: Vec<_> = [1_000, 1_500, 200, 700, 5_000].into_iter().map(|ms| steady.now_ms(ms)).collect();
        assert_eq!(read, [1_000, 1_500, 1_500, 2_000, 6_300]);
    }
}
