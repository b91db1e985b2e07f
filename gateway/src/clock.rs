//! The clocks of the machine.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shared::state::UnixMillis;

/// The gateway's clock, of which every instant is that its clients are told. It follows the wall clock, which goes on
/// while a laptop sleeps, but never goes back: a proof would be of the future, and hide that the next one is missing.
pub(crate) fn gateway_ms() -> UnixMillis {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    static CLOCK: Clock = Clock { offset_ms: AtomicI64::new(UnixMillis::MIN) };
    CLOCK.read(STARTED.elapsed(), wall_ms())
}

/// The wall clock, read at the rim.
pub(crate) fn wall_ms() -> UnixMillis {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

struct Clock {
    offset_ms: AtomicI64,
}

impl Clock {
    fn read(&self, elapsed: Duration, wall_ms: UnixMillis) -> UnixMillis {
        let offset_ms = wall_ms.saturating_sub(millis(elapsed));
        let latest_ms = self.offset_ms.fetch_max(offset_ms, Ordering::Relaxed).max(offset_ms);
        latest_ms.saturating_add(millis(elapsed))
    }
}

fn millis(duration: Duration) -> UnixMillis {
    UnixMillis::try_from(duration.as_millis()).unwrap_or(UnixMillis::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_where_the_wall_clock_is_set_back_and_follows_it_ahead() {
        let clock = Clock { offset_ms: AtomicI64::new(UnixMillis::MIN) };
        let read = |elapsed_ms, wall_ms| clock.read(Duration::from_millis(elapsed_ms), wall_ms);
        assert_eq!(read(10, 1_000_000), 1_000_000);
        assert_eq!(read(1_010, 500_000), 1_001_000, "set back by minutes");
        assert_eq!(read(2_010, 1_900_000), 1_900_000, "set ahead, or the machine slept");
    }
}
