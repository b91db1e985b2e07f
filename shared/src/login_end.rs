//! How long before its end a login is renewed, and its viewer is told: one rule for the gateway and its clients. A login
//! may hold for less than the usual pauses, so each of them is a share of the time that it has, too.

/// A login that holds for long is renewed so long before its end.
pub const RENEW_BEFORE_MS_MAX: i64 = 120_000;

/// `held_ms`: how long the login was to hold when its end was told.
#[must_use]
pub const fn renew_before_ms(held_ms: i64) -> i64 {
    let third_ms = held_ms / 3;
    if third_ms < RENEW_BEFORE_MS_MAX { third_ms } else { RENEW_BEFORE_MS_MAX }
}

/// A viewer is told in the second half of the time for renewals: a renewal that works is never spoken of.
#[must_use]
pub const fn warn_before_ms(held_ms: i64) -> i64 {
    renew_before_ms(held_ms) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_renewed_two_minutes_before_its_end_and_a_short_one_at_a_third_of_its_time() {
        for (held_ms, renewed_ms, warned_ms) in [
            (12 * 3_600_000, 120_000, 60_000),
            (360_000, 120_000, 60_000),
            (300_000, 100_000, 50_000),
            (120_000, 40_000, 20_000),
            (60_000, 20_000, 10_000),
            (0, 0, 0),
        ] {
            assert_eq!(
                (renew_before_ms(held_ms), warn_before_ms(held_ms)),
                (renewed_ms, warned_ms),
                "{held_ms}"
            );
        }
    }
}
