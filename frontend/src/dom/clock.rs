//! The browser's clock and its random numbers. No other module asks for either.

use std::cell::Cell;

use shared::state::UnixMillis;

#[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
pub(crate) fn now_ms() -> UnixMillis {
    js_sys::Date::now() as UnixMillis
}

/// Minutes that the reader's time zone is ahead of UTC. The browser looks it up in a table, so it is asked at most
/// once a minute.
#[expect(clippy::cast_possible_truncation, reason = "an offset is at most 14 hours")]
pub(crate) fn utc_offset_minutes() -> i32 {
    thread_local! {
        static HELD: Cell<Option<(i64, i32)>> = const { Cell::new(None) };
    }
    let minute = now_ms().div_euclid(60_000);
    HELD.with(|held| match held.get() {
        Some((asked, offset)) if asked == minute => offset,
        _ => {
            let offset = -(js_sys::Date::new_0().get_timezone_offset() as i32);
            held.set(Some((minute, offset)));
            offset
        }
    })
}

/// A random number from 0 to below 1, to spread reconnects.
pub(crate) fn chance() -> f64 {
    js_sys::Math::random()
}
