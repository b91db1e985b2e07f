//! Kubernetes' timestamps in objects: RFC 3339, with or without a fraction; Go's zero time means none. It is
//! written here because a library would add formats and time zones to the page's wasm.

use crate::duration::UnixSeconds;

/// `None` for what is no timestamp and for the time that was never set.
pub fn seconds(text: &str) -> Option<UnixSeconds> {
    let bytes = text.as_bytes();
    let has = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    if !(has(4, b'-') && has(7, b'-') && has(10, b'T') && has(13, b':') && has(16, b':')) {
        return None;
    }
    let number = |from: usize, to: usize| digits(bytes.get(from..to)?);
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_date = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = text.get(19..)?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            (zone.len() < fraction.len()).then_some(zone)?
        }
        None => rest,
    };
    let local = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    // 0001-01-01T00:00:00Z, which Go writes for a time that was never set.
    const ZERO: UnixSeconds = -62_135_596_800;
    Some(local - offset(zone)?).filter(|seconds| *seconds != ZERO)
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

/// Seconds east of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let (sign, hours, minutes) = match zone.as_bytes() {
        [sign @ (b'+' | b'-'), hours @ .., b':', m, n] if hours.len() == 2 => {
            (sign, digits(hours)?, digits(&[*m, *n])?)
        }
        _ => return None,
    };
    let east = hours * 3_600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some(if *sign == b'+' { east } else { -east })
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970 (Howard Hinnant's `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn timestamps_are_read_with_and_without_a_fraction() {
        for (text, expected) in [
            ("2026-11-21T02:43:01Z", Some(1_795_228_981)),
            ("2026-11-21T02:43:01.999999Z", Some(1_795_228_981)),
            ("2026-11-21T03:43:01+01:00", Some(1_795_228_981)),
            ("2026-11-20T21:13:01-05:30", Some(1_795_228_981)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-02-29T12:00:00Z", Some(1_709_208_000)),
            ("2023-02-29T12:00:00Z", None),
            ("0001-01-01T00:00:00Z", None),
            ("2026-13-21T02:43:01Z", None),
            ("2026-11-21T02:43:60Z", None),
            ("2026-11-21T02:43:01", None),
            ("2026-11-21T02:43:01.Z", None),
            ("2026-11-21T02:43:01+1:00", None),
            ("2026-11-21T02:43:01+01:00 ", None),
            ("2026-11-21", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_timestamp_is_read_as_by_a_whole_library(
            (year, month, day) in (2_i64..9999, 0_i64..14, 0_i64..33),
            (hour, minute, second) in (0_i64..25, 0_i64..61, 0_i64..60),
            fraction in "(\\.[0-9]{1,9})?",
            zone in "Z|[+-][01][0-9]:[0-5][0-9]",
        ) {
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}");
            // `seconds` rounds down; the library rounds towards 1970.
            let theirs = text.parse::<Timestamp>().ok().map(|at| at.as_nanosecond().div_euclid(1_000_000_000));
            prop_assert_eq!(seconds(&text).map(i128::from), theirs, "{}", text);
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,30}") {
            let _ = seconds(&text);
        }
    }
}
