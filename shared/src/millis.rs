//! An instant of the gateway's clock.

/// Milliseconds since 1970, by the gateway's clock.
pub type UnixMillis = i64;
