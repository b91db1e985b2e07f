//! The browser's clock and its random numbers. No other module asks for either.

use std::cell::RefCell;

use page::messages::Zone;
use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

#[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 are far below 2^53")]
pub(crate) fn now_ms() -> UnixMillis {
    js_sys::Date::now() as UnixMillis
}

/// The zone of the reader's system. Its name is asked for once a minute, and its offsets when it is another one.
pub(crate) fn zone() -> Zone {
    thread_local! {
        static HELD: RefCell<(i64, Option<String>, Zone)> = const { RefCell::new((0, None, Zone::UTC)) };
    }
    let now_ms = now_ms();
    let minute = now_ms.div_euclid(60_000);
    HELD.with_borrow_mut(|(asked, name, zone)| {
        if std::mem::replace(asked, minute) != minute {
            let name_now = zone_name();
            if name.as_ref() != Some(&name_now) {
                *zone = Zone::of(ahead_at, now_ms.div_euclid(1_000));
                *name = Some(name_now);
            }
        }
        *zone
    })
}

/// `Europe/Berlin`; empty where the browser doesn't say it.
fn zone_name() -> String {
    let format = js_sys::Intl::DateTimeFormat::new(&js_sys::Array::new(), &js_sys::Object::new());
    let name = js_sys::Reflect::get(&format.resolved_options(), &"timeZone".into());
    name.ok().and_then(|name| name.as_string()).unwrap_or_default()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "an offset is at most 14 hours"
)]
fn ahead_at(at_s: UnixSeconds) -> i64 {
    let date = js_sys::Date::new(&((at_s * 1_000) as f64).into());
    -(date.get_timezone_offset() as i64) * 60
}

/// A random number from 0 to below 1, to spread reconnects.
pub(crate) fn chance() -> f64 {
    js_sys::Math::random()
}
