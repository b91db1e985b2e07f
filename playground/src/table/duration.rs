//! Durations as apimachinery's `HumanDuration` prints them, and times as the server writes them.
//! It never reads a clock.

use jiff::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// A duration in whole seconds.
pub fn human_duration(seconds: i64) -> String {
    let with_rest = |whole: i64, unit: &str, rest: i64, rest_unit: &str| {
        if rest == 0 { format!("{whole}{unit}") } else { format!("{whole}{unit}{rest}{rest_unit}") }
    };
    match seconds {
        i64::MIN..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => with_rest(seconds / MINUTE, "m", seconds % MINUTE, "s"),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => with_rest(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m"),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => with_rest(seconds / DAY, "d", seconds % DAY / HOUR, "h"),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => with_rest(seconds / YEAR, "y", seconds % YEAR / DAY, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Seconds since 1970 of an RFC 3339 time.
pub(super) fn seconds_of(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// How long ago a time was; `<unknown>` where there is none.
pub fn since(time: &str, now_s: i64) -> String {
    match seconds_of(time) {
        Some(then) => human_duration(now_s - then),
        None => "<unknown>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_kubectl_prints_them() {
        for (seconds, expected) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (93, "93s"),
            (120, "2m"),
            (245, "4m5s"),
            (5_700, "95m"),
            (14_940, "4h9m"),
            (10_800, "3h"),
            (108_000, "30h"),
            (273_600, "3d4h"),
            (34_560_000, "400d"),
            (95_644_800, "3y12d"),
            (283_824_000, "9y"),
        ] {
            assert_eq!(human_duration(seconds), expected);
        }
        assert_eq!(since("", 0), "<unknown>");
        assert_eq!(since("1970-01-01T00:00:00Z", 60), "60s");
    }
}
