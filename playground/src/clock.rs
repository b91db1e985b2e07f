//! Times as text. It never reads a clock.

use jiff::Timestamp;

/// Seconds since 1970 as the server writes times into objects.
pub fn text_of(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Seconds since 1970 as an HTTP `Date`.
pub fn http_date_of(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
