//! How many bytes of lines a second one viewer is told. Pure.

use std::time::Duration;

use crate::limits::LOG_BYTES_PER_S;

/// What one viewer was told of late. A second's worth may come at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// When all that was told is paid for, since some beginning.
    paid_at: Duration,
}

impl Pace {
    /// So many bytes are told now.
    pub fn spend(&mut self, bytes: usize, now: Duration) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let cost = Duration::from_micros(bytes.saturating_mul(1_000_000) / LOG_BYTES_PER_S);
        self.paid_at = self.paid_at.max(now) + cost;
    }

    /// How long nothing more may be told.
    pub fn wait(&self, now: Duration) -> Duration {
        self.paid_at.saturating_sub(now + Duration::from_secs(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_net_8_a_viewer_is_told_so_many_bytes_a_second() {
        let part = 256 * 1024;
        let (mut pace, mut now, mut told) = (Pace::default(), Duration::from_secs(100), 0);
        while now < Duration::from_secs(110) {
            now += pace.wait(now) + Duration::from_millis(1);
            pace.spend(part, now);
            told += part as u64;
        }
        let allowed = 11 * LOG_BYTES_PER_S;
        assert!((allowed - LOG_BYTES_PER_S..=allowed + 2 * part as u64).contains(&told), "{told}");
        assert_eq!(pace.wait(now + Duration::from_secs(2)), Duration::ZERO);
    }
}
