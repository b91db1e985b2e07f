//! Durations as kubectl prints them (`HumanDuration` of k8s.io/apimachinery/pkg/util/duration).
//! Never a clock: the two instants are arguments.

/// Seconds since 1970, as Kubernetes' timestamps are.
pub type UnixSeconds = i64;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The AGE of something that began at `since`, read at `now`.
pub fn age(since: UnixSeconds, now: UnixSeconds) -> String {
    human(now.saturating_sub(since))
}

/// A duration in whole seconds, in kubectl's words.
pub fn human(seconds: i64) -> String {
    let pair = |a: i64, unit_a: char, b: i64, unit_b: char| {
        if b == 0 { format!("{a}{unit_a}") } else { format!("{a}{unit_a}{b}{unit_b}") }
    };
    match seconds {
        // Two clocks may differ by a second; a larger difference isn't an age.
        i64::MIN..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        s if s < 2 * MINUTE => format!("{s}s"),
        s if s < 10 * MINUTE => pair(s / MINUTE, 'm', s % MINUTE, 's'),
        s if s < 3 * HOUR => format!("{}m", s / MINUTE),
        s if s < 8 * HOUR => pair(s / HOUR, 'h', s % HOUR / MINUTE, 'm'),
        s if s < 2 * DAY => format!("{}h", s / HOUR),
        s if s < 8 * DAY => pair(s / DAY, 'd', s % DAY / HOUR, 'h'),
        s if s < 2 * YEAR => format!("{}d", s / DAY),
        s if s < 8 * YEAR => pair(s / YEAR, 'y', s % YEAR / DAY, 'd'),
        s => format!("{}y", s / YEAR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_reads_as_kubectl_prints_it() {
        for (seconds, expected) in [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (93, "93s"),
            (119, "119s"),
            (120, "2m"),
            (245, "4m5s"),
            (600, "10m"),
            (95 * MINUTE, "95m"),
            (3 * HOUR, "3h"),
            (4 * HOUR + 9 * MINUTE, "4h9m"),
            (8 * HOUR, "8h"),
            (30 * HOUR, "30h"),
            (2 * DAY, "2d"),
            (3 * DAY + 4 * HOUR, "3d4h"),
            (8 * DAY, "8d"),
            (400 * DAY, "400d"),
            (2 * YEAR, "2y"),
            (3 * YEAR + 12 * DAY, "3y12d"),
            (9 * YEAR, "9y"),
        ] {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
    }
}
