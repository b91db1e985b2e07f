//! Kubernetes' timestamps: RFC 3339 in UTC, with or without a fraction; the zero time is none.

use jiff::Timestamp;
use shared::duration::UnixSeconds;

/// `None` for what is no timestamp and for Go's zero time.
pub(crate) fn seconds(text: &str) -> Option<UnixSeconds> {
    let seconds = text.parse::<Timestamp>().ok()?.as_second();
    // 0001-01-01T00:00:00Z, which Go writes for a time that was never set.
    const ZERO: UnixSeconds = -62_135_596_800;
    (seconds != ZERO).then_some(seconds)
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
            ("0001-01-01T00:00:00Z", None),
            ("yesterday", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
