//! Reads a time as a person types it: `14:02`, `14:02:10.5`, `8m`, `2h ago`, `yesterday 03:00`, `2026-11-28 03:00`. A time
//! without a day is the last one of that time, a number alone is minutes, and a time that is named is a whole minute or
//! second.

use shared::instant;
use shared::state::UnixMillis;

use super::part::Typed;
use crate::messages::Zone;

const DAY_MS: i64 = 86_400_000;
/// A longer text is no time.
const BYTES_MAX: usize = 60;

pub(super) fn read(text: &str, now_ms: UnixMillis, zone: Zone) -> Option<Typed> {
    if text.len() > BYTES_MAX {
        return None;
    }
    let text = text.trim().to_lowercase();
    match text.as_str() {
        "" => return None,
        "now" | "live" => return Some(Typed::Now),
        _ => {}
    }
    let back = text.strip_suffix("ago").or_else(|| text.strip_prefix('-')).unwrap_or(&text);
    if let Some(back_ms) = milliseconds_of(back) {
        return Some(Typed::At(now_ms.checked_sub(back_ms)?));
    }
    let here_ms = now_ms.saturating_add(zone.ahead_s(now_ms).saturating_mul(1_000));
    let today_ms = here_ms.div_euclid(DAY_MS) * DAY_MS;
    let words: Vec<&str> = text.split([' ', 't']).filter(|word| !word.is_empty()).collect();
    let local_ms = match words.as_slice() {
        [time] => {
            let time_ms = time_of_day(time)?;
            // What isn't yet was yesterday.
            let day_ms = if time_ms > here_ms.rem_euclid(DAY_MS) { today_ms - DAY_MS } else { today_ms };
            day_ms + time_ms
        }
        // "today" begins with the letter that parts date and time.
        ["oday", time] => today_ms + time_of_day(time)?,
        [..] if text.starts_with("yesterday") => {
            today_ms - DAY_MS + time_of_day(text.strip_prefix("yesterday")?.trim())?
        }
        [date, time] => {
            instant::seconds(&format!("{date}T00:00:00Z"))?.checked_mul(1_000)? + time_of_day(time)?
        }
        _ => return None,
    };
    Some(to_utc_ms(local_ms, zone)).filter(|ms| *ms <= now_ms).map(Typed::At)
}

/// `14:02`, `14:02:10`, `14:02:10.5`, `3:00`
fn time_of_day(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = whole.split(':').collect();
    let number = |text: &str, max: i64| {
        let is_short = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| is_short && *number <= max)
    };
    let (hour, minute, second) = match *parts.as_slice() {
        [hour, minute] if whole == text => (hour, minute, "0"),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let is_fraction = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let digits = fraction.bytes().chain(*b"00").take(3).filter(|_| is_fraction);
    let ms = digits.fold(0, |ms, digit| ms * 10 + i64::from(digit - b'0'));
    let seconds = number(hour, 23)? * 3_600 + number(minute, 59)? * 60 + number(second, 59)?;
    is_fraction.then_some(seconds * 1_000 + ms)
}

/// `2h`, `1h30m`, `90 s`, `2 hours`, `5`
fn milliseconds_of(text: &str) -> Option<i64> {
    let mut rest = text.trim();
    let mut seconds = 0_i64;
    if rest.is_empty() {
        return None;
    }
    if rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return rest.parse::<i64>().ok()?.checked_mul(60_000);
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, behind) = rest.split_at_checked(digits)?;
        let behind = behind.trim_start();
        let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(end)?;
        let unit_s = match unit {
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600,
            "d" | "day" | "days" => DAY_MS / 1_000,
            "w" | "week" | "weeks" => 7 * DAY_MS / 1_000,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<i64>().ok()?.checked_mul(unit_s)?)?;
        rest = behind.trim_start();
    }
    seconds.checked_mul(1_000)
}

/// A time that the clocks skip is read by the offset before it.
fn to_utc_ms(local_ms: i64, zone: Zone) -> UnixMillis {
    let guess_ms = local_ms - zone.ahead_s(local_ms).saturating_mul(1_000);
    local_ms - zone.ahead_s(guess_ms).saturating_mul(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_type_them() {
        let zone = Zone::of(|_| 3_600, 1_795_961_000);
        let at = |text: &str| crate::past::At::parse(text).expect("an instant").ms();
        // 15:30 for the reader.
        let now_ms = at("2026-11-29T14:30:00Z");
        for (typed, expected) in [
            ("14:02", "2026-11-29T13:02:00Z"),
            ("14:02:10", "2026-11-29T13:02:10Z"),
            ("14:02:10.5", "2026-11-29T13:02:10.500Z"),
            ("yesterday 14:02:10.1239", "2026-11-28T13:02:10.123Z"),
            (" 3:05 ", "2026-11-29T02:05:00Z"),
            ("23:00", "2026-11-28T22:00:00Z"),
            ("8m", "2026-11-29T14:22:00Z"),
            ("5", "2026-11-29T14:25:00Z"),
            ("5 min", "2026-11-29T14:25:00Z"),
            ("2h ago", "2026-11-29T12:30:00Z"),
            ("1h30m ago", "2026-11-29T13:00:00Z"),
            ("90 s ago", "2026-11-29T14:28:30Z"),
            ("-2 days", "2026-11-27T14:30:00Z"),
            ("yesterday 03:00", "2026-11-28T02:00:00Z"),
            ("Today 03:00", "2026-11-29T02:00:00Z"),
            ("2026-11-27 03:00:01", "2026-11-27T02:00:01Z"),
            ("2026-11-27T03:00", "2026-11-27T02:00:00Z"),
        ] {
            assert_eq!(read(typed, now_ms, zone), Some(Typed::At(at(expected))), "{typed}");
        }
        assert_eq!(read("Now", now_ms, zone), Some(Typed::Now));
        for typed in [
            "",
            "noon",
            "25:00",
            "14:2:3:4",
            "ago",
            "2x ago",
            "today 16:00",
            "2026-13-01 03:00",
            "t",
            "14:02.5",
            "14:02:10.",
            "14:02:10.x",
            "5 5",
            "99999999999999999999",
        ] {
            assert_eq!(read(typed, now_ms, zone), None, "{typed}");
        }
    }
}
