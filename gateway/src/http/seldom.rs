//! How often a line that strangers cause may stand in the log. It counts those that it leaves out.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::REFUSALS_LOGGED_EVERY_S;

#[derive(Default)]
pub struct Seldom(Mutex<SeldomState>);

#[derive(Default)]
struct SeldomState {
    last: Option<Instant>,
    left_out: u64,
}

impl Seldom {
    /// Counts one more. How many were left out since the last line, if a line is due now.
    pub(super) fn take(&self) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now())
    }
}

impl SeldomState {
    fn take(&mut self, now: Instant) -> Option<u64> {
        let pause = Duration::from_secs(REFUSALS_LOGGED_EVERY_S);
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < pause) {
            self.left_out += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_one_line_and_the_next_one_counts_the_rest() {
        let (mut state, start) = (SeldomState::default(), Instant::now());
        assert_eq!(state.take(start), Some(0));
        let said = (0..9_000).filter_map(|ms| state.take(start + Duration::from_millis(ms))).count();
        assert_eq!(said, 0);
        assert_eq!(state.take(start + Duration::from_secs(REFUSALS_LOGGED_EVERY_S)), Some(9_000));
    }
}
