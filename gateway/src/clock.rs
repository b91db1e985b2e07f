//! The clocks of the machine.

use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shared::state::UnixMillis;

use crate::limits::CLOCK_AHEAD_SAID_MS;

/// The gateway's clock, of which every instant is that its clients are told. It follows the wall clock, which goes on
/// while a laptop sleeps, but never goes back: a proof would be of the future, and hide that the next one is missing.
/// After a wall clock that was ahead has been set right, this one runs slower until both agree.
pub(crate) fn gateway_ms() -> UnixMillis {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    static CLOCK: Mutex<Clock> = Mutex::new(Clock { latest: None, is_said: false });
    let (wall, elapsed) = (wall(), STARTED.elapsed());
    let (now_ms, said) = CLOCK.lock().unwrap_or_else(PoisonError::into_inner).read(elapsed, wall);
    if let Some(ahead) = said {
        tracing::warn!(
            seconds = ahead.as_secs(),
            "the machine's clock was set back; the gateway's times are ahead of it and come to agree by {} minutes an \
             hour, or at once if it is started again",
            60 / SLOWER_BY
        );
    }
    now_ms
}

/// The wall clock, read at the rim.
pub(crate) fn wall_ms() -> UnixMillis {
    millis(wall())
}

fn wall() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

struct Clock {
    /// What was read last, and when, by a clock that only goes on.
    latest: Option<(Duration, Duration)>,
    is_said: bool,
}

/// While it is ahead of the wall clock, the clock loses one part in so many. The 15 seconds after which a view without
/// a proof is stale take less than two more then, and an hour is made up for in ten.
const SLOWER_BY: u32 = 10;

impl Clock {
    /// `elapsed`: by a clock that only goes on. With the distance to the wall clock, once for each time that it was set
    /// back by so much that people should hear of it.
    fn read(&mut self, elapsed: Duration, wall: Duration) -> (UnixMillis, Option<Duration>) {
        let (latest, at) = self.latest.unwrap_or((wall, elapsed));
        let step = elapsed.saturating_sub(at);
        let ahead = (latest + step).saturating_sub(wall);
        let now = if ahead.is_zero() { wall } else { latest + step - ahead.min(step / SLOWER_BY) };
        self.latest = Some((now, at.max(elapsed)));
        let is_far = ahead >= Duration::from_millis(CLOCK_AHEAD_SAID_MS);
        let is_new = is_far && !self.is_said;
        self.is_said = is_far || (self.is_said && !ahead.is_zero());
        (millis(now), is_new.then_some(ahead))
    }
}

fn millis(duration: Duration) -> UnixMillis {
    UnixMillis::try_from(duration.as_millis()).unwrap_or(UnixMillis::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: u64 = 60 * 60 * 1_000;

    fn clock() -> impl FnMut(u64, u64) -> (UnixMillis, Option<Duration>) {
        let mut clock = Clock { latest: None, is_said: false };
        move |elapsed_ms, wall_ms| {
            clock.read(Duration::from_millis(elapsed_ms), Duration::from_millis(wall_ms))
        }
    }

    #[test]
    fn it_goes_on_more_slowly_where_the_wall_clock_is_set_back_and_follows_it_ahead() {
        let mut read = clock();
        assert_eq!(read(10, 1_000_000), (1_000_000, None));
        assert_eq!(read(1_010, 500_000).0, 1_000_900, "set back by minutes");
        assert_eq!(read(2_010, 1_900_000), (1_900_000, None), "set ahead, or the machine slept");
    }

    #[test]
    fn a_clock_that_was_an_hour_ahead_and_was_set_right_is_right_again_after_ten_hours() {
        let mut read = clock();
        let right = 100 * HOUR;
        read(0, right);
        assert_eq!(read(1_000, right + HOUR), (UnixMillis::try_from(right + HOUR).expect("few"), None));
        let mut said = 0;
        for elapsed_ms in (2_000..10 * HOUR + 4_000).step_by(500) {
            let (now_ms, ahead) = read(elapsed_ms, right + elapsed_ms);
            said += usize::from(ahead.is_some());
            let is_right = now_ms == UnixMillis::try_from(right + elapsed_ms).expect("few");
            assert_eq!(is_right, elapsed_ms >= 10 * HOUR - 9_000, "{elapsed_ms}");
        }
        assert_eq!(said, 1);
        assert!(read(11 * HOUR, right).1.is_some(), "set back once more");
    }

    proptest! {
        #[test]
        fn it_never_goes_back_and_never_lags_behind_the_wall_clock(
            steps in prop::collection::vec((0_u64..5_000, 0_u64..10_000_000), 1..40),
        ) {
            let (mut read, mut elapsed_ms, mut before_ms) = (clock(), 0, 0);
            for (step_ms, wall_ms) in steps {
                elapsed_ms += step_ms;
                let (now_ms, _) = read(elapsed_ms, wall_ms);
                prop_assert!(now_ms >= before_ms);
                prop_assert!(now_ms >= UnixMillis::try_from(wall_ms).expect("few"));
                before_ms = now_ms;
            }
        }
    }
}
