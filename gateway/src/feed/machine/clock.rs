//! The difference between the cluster's clock and the gateway's, from the `Date` of answers in whole
//! seconds. Each answer bounds the difference from both sides, and many answers narrow it.

/// By how much the cluster's clock is ahead.
#[derive(Debug, Default)]
pub(super) struct ClusterClock {
    bounds: Option<(i64, i64)>,
}

impl ClusterClock {
    /// The server wrote `date_ms` between `asked_ms` and `now_ms` of the gateway's clock.
    pub(super) fn learn(&mut self, date_ms: i64, asked_ms: i64, now_ms: i64) {
        let fresh = (date_ms - now_ms, date_ms + 999 - asked_ms);
        let met = self.bounds.map(|(low, high)| (low.max(fresh.0), high.min(fresh.1)));
        // If the bounds contradict, one of the clocks was set, and only the new ones are true.
        self.bounds = Some(met.filter(|(low, high)| low <= high).unwrap_or(fresh));
    }

    /// Zero if the bounds allow it, for two clocks on one machine don't differ.
    pub(super) fn ahead_ms(&self) -> i64 {
        match self.bounds {
            Some((low, high)) if low > 0 || high < 0 => low + (high - low) / 2,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_narrow_the_difference_and_a_step_begins_anew() {
        let mut clock = ClusterClock::default();
        assert_eq!(clock.ahead_ms(), 0);
        clock.learn(10_000, 10_300, 10_350);
        assert_eq!(clock.ahead_ms(), 0, "the same clock");
        clock.learn(75_000, 15_300, 15_350);
        let first = clock.ahead_ms();
        assert!((59_650..=60_699).contains(&first), "{first}");
        clock.learn(80_000, 20_700, 20_750);
        let second = clock.ahead_ms();
        assert!((59_650..=60_299).contains(&second), "narrower: {second}");
    }
}
