//! A time of the past, as a parameter or a flag has it. Never a clock.

use shared::instant;
use shared::problem::Problem;
use shared::state::UnixMillis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastTime {
    At(UnixMillis),
    /// So long before now.
    Ago(i64),
}

const UNITS: [(char, i64); 4] = [('d', 86_400_000), ('h', 3_600_000), ('m', 60_000), ('s', 1_000)];
/// A longer text is no time.
const BYTES_MAX: usize = 40;

impl PastTime {
    /// # Errors
    /// It is no time, in one sentence that says what is one.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let found = Some(text.trim()).filter(|text| text.len() <= BYTES_MAX).and_then(|text| {
            instant_ms(text)
                .or_else(|| unix_ms(text))
                .map(Self::At)
                .or_else(|| Some(Self::Ago(ago_ms(text)?)))
        });
        found.ok_or_else(|| {
            Problem::bad_request(format!(
                "{text:?} is no time: say one as 2026-11-29T14:02:10Z, in milliseconds since 1970, or as so long ago, such as 2h or 10m"
            ))
        })
    }

    /// A length of time, in milliseconds: `90s`, `10m`. `None`: it is none.
    #[must_use]
    pub fn length_ms(text: &str) -> Option<i64> {
        match Self::parse(text) {
            Ok(Self::Ago(ms)) => Some(ms),
            _ => None,
        }
    }

    /// # Errors
    /// It isn't over yet.
    pub fn ms(self, now_ms: UnixMillis) -> Result<UnixMillis, Problem> {
        match self {
            Self::At(ms) if ms > now_ms => Err(Problem::bad_request(
                "that time is yet to come by the gateway's clock; name one before now",
            )),
            Self::At(ms) => Ok(ms),
            Self::Ago(ms) => Ok(now_ms.saturating_sub(ms).max(0)),
        }
    }
}

/// In a query, a plus that isn't encoded is a space.
fn instant_ms(text: &str) -> Option<UnixMillis> {
    let text = text.replace(' ', "+");
    let seconds = instant::seconds(&text)?;
    let fraction = text.split_once('.').map(|(_, fraction)| fraction).unwrap_or_default();
    let digits = fraction.chars().chain("000".chars()).take(3).map(|digit| digit.to_digit(10).unwrap_or(0));
    let ms = digits.fold(0, |ms, digit| ms * 10 + i64::from(digit));
    (seconds >= 0).then(|| seconds * 1_000 + ms)
}

/// Seconds since 1970 would be a day in 1970, and are no time that anything recorded.
const FIRST_MS: UnixMillis = 1_000_000_000_000;

fn unix_ms(text: &str) -> Option<UnixMillis> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|ms| is_number && *ms >= FIRST_MS)
}

/// As `kubectl logs --since` takes it, and days.
fn ago_ms(text: &str) -> Option<i64> {
    let mut rest = text;
    let (mut ms, mut last) = (0_i64, i64::MAX);
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(unit_at);
        let letter = tail.chars().next()?;
        let (_, unit) = UNITS.iter().find(|(known, _)| *known == letter)?;
        // Each unit once, the largest first.
        if *unit >= last {
            return None;
        }
        last = *unit;
        ms = ms.checked_add(number.parse::<i64>().ok()?.checked_mul(*unit)?)?;
        rest = tail.get(letter.len_utf8()..)?;
    }
    (ms > 0).then_some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_an_instant_or_so_long_ago_and_says_else_what_is_one() {
        const NOW_MS: UnixMillis = 1_795_960_930_000;
        let of = |text: &str| PastTime::parse(text).and_then(|time| time.ms(NOW_MS));
        for (text, ms) in [
            ("2026-11-29T14:02:10Z", NOW_MS),
            ("2026-11-29T14:02:09.5Z", NOW_MS - 500),
            ("2026-11-29T15:02:10+01:00", NOW_MS),
            ("2026-11-29T15:02:10 01:00", NOW_MS),
            ("1795960929999", NOW_MS - 1),
            ("2h", NOW_MS - 7_200_000),
            ("1d2h3m4s", NOW_MS - 93_784_000),
            ("10m", NOW_MS - 600_000),
        ] {
            assert_eq!(of(text), Ok(ms), "{text}");
        }
        for text in [
            "",
            "h",
            "2",
            "2w",
            "0s",
            "-2h",
            "1m1h",
            "1h1h",
            "14:02",
            "2026-11-29",
            "1795960930",
            "99999999999999d",
            "2h ago",
            "ä",
        ] {
            let problem = of(text).expect_err(text);
            assert!(problem.message.contains("such as 2h or 10m"), "{text}: {}", problem.message);
        }
        assert!(of("1795960930001").expect_err("later").message.contains("yet to come"));
        assert_eq!(of("90000d"), Ok(0), "all that there is");
    }
}
