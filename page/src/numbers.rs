//! Numbers, spans and clock times as the page writes them; the time zone is an argument. Sentences are in
//! [`crate::messages`].

use shared::state::UnixMillis;

pub use crate::zone::Zone;

/// `12,043`
pub fn count(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 change`, `2 changes`.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// `1.8 MB`, in powers of 1,000.
pub fn bytes(bytes: impl TryInto<u64>) -> String {
    let bytes = bytes.try_into().unwrap_or(u64::MAX);
    let unit = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match unit.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, name)) => {
            let tenths = bytes.saturating_mul(10) / size;
            format!("{}.{} {name}", count(tenths / 10), tenths % 10)
        }
        None => format!("{bytes} B"),
    }
}

/// `14:02:11`, the viewer's own time.
pub fn clock(at_ms: UnixMillis, zone: Zone) -> String {
    time_of_day(at_ms.div_euclid(1_000).saturating_add(zone.ahead_s(at_ms)))
}

/// `14:02:11`, of a second since 1970.
pub(crate) fn time_of_day(second: i64) -> String {
    let second = second.rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
}

/// `2026-11-29`, of a day since 1970.
pub(crate) fn date(days: i64) -> String {
    let (year, month, date) = civil(days);
    format!("{year:04}-{month:02}-{date:02}")
}

/// `14:02:11`, with the date if that isn't today.
pub fn instant(at_ms: UnixMillis, now_ms: UnixMillis, zone: Zone) -> String {
    let day = |ms: UnixMillis| ms.div_euclid(1_000).saturating_add(zone.ahead_s(ms)).div_euclid(86_400);
    if day(at_ms) == day(now_ms) {
        return clock(at_ms, zone);
    }
    format!("{} {}", date(day(at_ms)), clock(at_ms, zone))
}

/// The date of a day since 1970 (Howard Hinnant's `civil_from_days`).
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let date = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, date)
}

/// `41 s`, then `3 min`, then `2 h`.
pub fn span(ms: i64) -> String {
    match ms.max(0) / 1_000 {
        s @ 0..=59 => format!("{s} s"),
        s @ 60..=7_199 => format!("{} min", s / 60),
        s => format!("{} h", s / 3_600),
    }
}

pub fn ago(ms: i64) -> String {
    format!("{} ago", span(ms))
}

/// `First`, `Second`, … as in "Third try in 4 s".
pub fn ordinal(number: u32) -> String {
    match number {
        1 => "First".to_owned(),
        2 => "Second".to_owned(),
        3 => "Third".to_owned(),
        4 => "Fourth".to_owned(),
        5 => "Fifth".to_owned(),
        n => {
            let ending = match (n % 10, n % 100) {
                (_, 11..=13) => "th",
                (1, _) => "st",
                (2, _) => "nd",
                (3, _) => "rd",
                _ => "th",
            };
            format!("{n}{ending}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_as_the_page_writes_them() {
        assert_eq!([count(7), count(12_043), count(1_234_567)], ["7", "12,043", "1,234,567"]);
        assert_eq!([bytes(999), bytes(1_800_000), bytes(3_149)], ["999 B", "1.8 MB", "3.1 kB"]);
        assert_eq!([span(2_400), span(200_000), span(9_000_000)], ["2 s", "3 min", "2 h"]);
        assert_eq!([ordinal(3), ordinal(11), ordinal(22)], ["Third", "11th", "22nd"]);
    }

    #[test]
    fn a_clock_time_has_its_date_when_it_is_not_today() {
        let zone = Zone::of(|_| 3_600, 1_763_690_531);
        let at = 1_763_690_531_000; // 2025-11-21 02:02:11 UTC
        assert_eq!(instant(at, at + 5_000, zone), "03:02:11");
        assert_eq!(instant(at, at + 86_400_000, zone), "2025-11-21 03:02:11");
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
    }
}
