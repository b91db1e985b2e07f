//! The time of a page of the past, as the address says it: `2026-11-29T14:02:10Z`, or with its milliseconds. It is by the
//! gateway's clock, so that a link means the same for every reader.

use std::fmt;

use shared::instant;
use shared::state::UnixMillis;

use crate::numbers::{date, time_of_day};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At(UnixMillis);

/// A longer text is no time.
const BYTES_MAX: usize = 40;

impl At {
    /// By the gateway's clock.
    #[must_use]
    pub fn new(gateway_ms: UnixMillis) -> Self {
        Self(gateway_ms)
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let seconds = Some(text).filter(|text| text.len() <= BYTES_MAX).and_then(instant::seconds)?;
        let fraction = text.split_once('.').map(|(_, fraction)| fraction).unwrap_or_default();
        let digits =
            fraction.chars().chain("000".chars()).take(3).map(|digit| digit.to_digit(10).unwrap_or(0));
        let ms = digits.fold(0, |ms, digit| ms * 10 + i64::from(digit));
        (seconds > 0).then_some(Self(seconds * 1_000 + ms))
    }

    /// By the gateway's clock.
    #[must_use]
    pub fn ms(self) -> UnixMillis {
        self.0
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(1_000);
        write!(f, "{}T{}", date(seconds.div_euclid(86_400)), time_of_day(seconds))?;
        match self.0.rem_euclid(1_000) {
            0 => f.write_str("Z"),
            ms => write!(f, ".{ms:03}Z"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_it_is_read() {
        for text in ["2026-11-29T14:02:10Z", "2026-11-29T14:02:10.120Z", "2024-02-29T23:59:59Z"] {
            assert_eq!(At::parse(text).map(|at| at.to_string()).as_deref(), Some(text));
        }
        for text in ["", "14:02", "2026-11-29", "1969-01-01T00:00:00Z", "2026-13-29T14:02:10Z"] {
            assert_eq!(At::parse(text), None, "{text}");
        }
        assert_eq!(At::parse("2026-11-29T14:02:10.5Z"), At::parse("2026-11-29T14:02:10.500Z"));
    }
}
