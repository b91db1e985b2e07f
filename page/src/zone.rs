//! The reader's time zone: by how much its clocks are ahead of UTC, and since when. An instant is shown by the offset of
//! its own time, so summer's times stay right in winter.

use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

/// It is copied with each model, so its table is made once and stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// In the order of time. The first holds before it as well; UTC where there is none.
    offsets: &'static [Offset],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offset {
    from_s: UnixSeconds,
    ahead_s: i64,
}

/// Objects of a cluster are seldom older.
const BEFORE_S: i64 = 20 * 366 * DAY_S;
/// A page may stay open for long.
const AFTER_S: i64 = 2 * 366 * DAY_S;
/// Clocks are never changed twice within this time. The shortest that is known lasts four weeks: Morocco's for Ramadan.
const STEP_S: i64 = 7 * DAY_S;
const DAY_S: i64 = 86_400;

impl Zone {
    pub const UTC: Self = Self { offsets: &[] };

    /// `ahead_at` says for an instant by how many seconds the zone's clocks are ahead of UTC then.
    #[must_use]
    pub fn of(ahead_at: impl Fn(UnixSeconds) -> i64, now_s: UnixSeconds) -> Self {
        let (mut at_s, end_s) = (now_s.saturating_sub(BEFORE_S), now_s.saturating_add(AFTER_S));
        let mut ahead_s = ahead_at(at_s);
        let mut offsets = vec![Offset { from_s: at_s, ahead_s }];
        while at_s < end_s {
            let next_s = at_s.saturating_add(STEP_S);
            let next_ahead_s = ahead_at(next_s);
            if next_ahead_s != ahead_s {
                let from_s = first_with(&ahead_at, next_ahead_s, at_s, next_s);
                offsets.push(Offset { from_s, ahead_s: next_ahead_s });
            }
            (at_s, ahead_s) = (next_s, next_ahead_s);
        }
        Self { offsets: Box::leak(offsets.into_boxed_slice()) }
    }

    /// Seconds to add to UTC at an instant.
    #[must_use]
    pub fn ahead_s(self, at_ms: UnixMillis) -> i64 {
        let at_s = at_ms.div_euclid(1_000);
        let after = self.offsets.partition_point(|offset| offset.from_s <= at_s);
        let held = self.offsets.get(after.saturating_sub(1));
        held.map_or(0, |offset| offset.ahead_s)
    }
}

/// The first second of a new offset, which isn't there at `from_s` yet and is at `to_s`.
fn first_with(
    ahead_at: &impl Fn(UnixSeconds) -> i64,
    ahead_s: i64,
    mut from_s: UnixSeconds,
    mut to_s: UnixSeconds,
) -> UnixSeconds {
    while to_s - from_s > 1 {
        let middle_s = from_s + (to_s - from_s) / 2;
        if ahead_at(middle_s) == ahead_s {
            to_s = middle_s;
        } else {
            from_s = middle_s;
        }
    }
    to_s
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::numbers::{clock, instant};

    fn seconds(text: &str) -> UnixSeconds {
        text.parse::<Timestamp>().expect("an instant").as_second()
    }

    fn zone(name: &str) -> (Zone, TimeZone) {
        let rules = TimeZone::get(name).expect("a zone of the system");
        let ahead = |at_s| {
            let at = Timestamp::from_second(at_s).expect("within range");
            i64::from(rules.to_offset(at).seconds())
        };
        (Zone::of(ahead, seconds("2026-11-28T12:00:00Z")), rules)
    }

    #[test]
    fn a_time_of_summer_is_the_same_in_winter() {
        let (berlin, _) = zone("Europe/Berlin");
        let noon_ms = seconds("2026-07-01T12:00:00Z") * 1_000;
        assert_eq!(clock(noon_ms, berlin), "14:00:00");
        let winter_ms = seconds("2026-11-28T12:00:00Z") * 1_000;
        assert_eq!(instant(noon_ms, winter_ms, berlin), "2026-07-01 14:00:00");
        assert_eq!(clock(winter_ms, berlin), "13:00:00");
        // The clocks went back at 01:00 UTC.
        let change_ms = seconds("2026-10-25T01:00:00Z") * 1_000;
        assert_eq!([clock(change_ms - 1_000, berlin), clock(change_ms, berlin)], ["02:59:59", "02:00:00"]);
    }

    #[test]
    fn every_hour_of_these_years_is_as_the_zones_rules_say() {
        for name in [
            "UTC",
            "Europe/Berlin",
            "America/New_York",
            "Asia/Kathmandu",
            "Australia/Lord_Howe",
            "Africa/Casablanca",
        ] {
            let (zone, rules) = zone(name);
            let (from_s, to_s) = (seconds("2016-01-01T00:00:00Z"), seconds("2028-01-01T00:00:00Z"));
            for at_s in (from_s..to_s).step_by(3_600) {
                let at = Timestamp::from_second(at_s).expect("within range");
                assert_eq!(
                    zone.ahead_s(at_s * 1_000),
                    i64::from(rules.to_offset(at).seconds()),
                    "{name}, {at}"
                );
            }
        }
    }

    #[test]
    fn utc_has_no_table() {
        assert_eq!(Zone::default().ahead_s(0), 0);
    }
}
