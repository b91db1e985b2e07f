//! Durations as Go reads them, because kubectl's flags take them: `30s`, `1h30m`, `1.5h`, `-1s`, `0`
//! (<https://pkg.go.dev/time#ParseDuration>). Never a clock.

use std::time::Duration;

/// A duration, and whether it is below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GoDuration {
    pub(crate) length: Duration,
    pub(crate) is_negative: bool,
}

/// Fails with Go's sentence.
pub(crate) fn parse(text: &str) -> Result<GoDuration, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(GoDuration { length: Duration::ZERO, is_negative: false });
    }
    let mut seconds = 0.0;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let number: f64 = number.parse().map_err(|_| invalid())?;
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        seconds += number
            * match unit {
                "ns" => 1e-9,
                "us" | "µs" | "μs" => 1e-6,
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "" => return Err(format!("time: missing unit in duration {text:?}")),
                other => return Err(format!("time: unknown unit {other:?} in duration {text:?}")),
            };
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    // Go counts nanoseconds in 63 bits.
    let length = Duration::try_from_secs_f64(seconds).ok().filter(|length| *length <= LONGEST);
    length.map(|length| GoDuration { length, is_negative }).ok_or_else(invalid)
}

const LONGEST: Duration = Duration::from_nanos(i64::MAX.unsigned_abs());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_go() {
        for (text, expected) in [
            ("0", Ok((0, false))),
            ("30s", Ok((30_000, false))),
            ("1h30m", Ok((5_400_000, false))),
            ("1.5h", Ok((5_400_000, false))),
            ("-1s", Ok((1_000, true))),
            ("+250ms", Ok((250, false))),
            ("-0", Ok((0, false))),
            ("", Err("time: invalid duration \"\"")),
            ("x", Err("time: invalid duration \"x\"")),
            ("s", Err("time: invalid duration \"s\"")),
            ("5", Err("time: missing unit in duration \"5\"")),
            ("5d", Err("time: unknown unit \"d\" in duration \"5d\"")),
            ("300000h", Ok((1_080_000_000_000, false))),
            ("3000000h", Err("time: invalid duration \"3000000h\"")),
        ] {
            let read = parse(text).map(|read| (read.length.as_millis(), read.is_negative));
            assert_eq!(read, expected.map_err(str::to_owned), "{text:?}");
        }
    }
}
