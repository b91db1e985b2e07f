//! Kubernetes' timestamps as they stand in objects: RFC 3339, with or without a fraction; Go's zero
//! time is none. Never a zone of the viewer: that is [`crate::text::Zone`]'s.

use shared::duration::UnixSeconds;

/// `None` for what is no timestamp and for the time that was never set.
#[must_use]
pub fn seconds(text: &str) -> Option<UnixSeconds> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let has = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    if !(has(4, b'-') && has(7, b'-') && (has(10, b'T') || has(10, b't')) && has(13, b':') && has(16, b':')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60;
    if !in_range || second > 60 || year <= 1 {
        return None;
    }
    let rest = text.get(19..)?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let local = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(local - offset(zone)?)
}

/// Seconds east of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 3_600 + minutes.parse::<i64>().ok()? * 60))
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
    use super::*;

    #[test]
    fn timestamps_are_read_with_and_without_a_fraction() {
        for (text, expected) in [
            ("2026-11-21T02:43:01Z", Some(1_795_228_981)),
            ("2026-11-21T02:43:01.999999Z", Some(1_795_228_981)),
            ("2026-11-21T03:43:01+01:00", Some(1_795_228_981)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-02-29T12:00:00Z", Some(1_709_208_000)),
            ("0001-01-01T00:00:00Z", None),
            ("2026-13-21T02:43:01Z", None),
            ("2026-11-21T02:43:01", None),
            ("2026-11-21", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
