//! When a login ends, and when its client is warned. The time is an argument, of the wall clock, because a machine
//! may sleep.

use std::time::Duration;

use shared::login_end::warn_before_ms;
use shared::state::UnixMillis;

use crate::access::{Login, LoginSession};
use crate::limits::{LOGIN_LOOK_MS, LOGIN_PROVE_MS};

/// The end of one login.
#[derive(Debug)]
pub(super) struct Expiry {
    /// `None`: the login doesn't end by itself.
    at_ms: Option<UnixMillis>,
    /// What is left of it when the client is told.
    warn_ms: i64,
    asks: Asks,
}

/// What the client has still to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// To prove its key again, so that the login ends later.
    Proof,
    /// That the login ends.
    End,
    Nothing,
}

/// What is due now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// Ask the client, once, for another proof.
    Prove,
    /// Warn the client, once, that the login ends then.
    Tell(UnixMillis),
    Over,
}

impl Expiry {
    pub(super) fn of(login: &Login, now_ms: UnixMillis) -> Self {
        let asks = match login.session {
            Some(LoginSession::Key(_)) => Asks::Proof,
            Some(LoginSession::Cookie(_)) | None => Asks::End,
        };
        Self::at(login.expires_ms, asks, now_ms)
    }

    fn at(at_ms: Option<UnixMillis>, asks: Asks, now_ms: UnixMillis) -> Self {
        let held_ms = at_ms.map_or(0, |at_ms| at_ms.saturating_sub(now_ms));
        Self { at_ms, warn_ms: warn_before_ms(held_ms), asks }
    }

    /// How long to wait until the next look. Never long, because the clock that measures the wait may stand still
    /// while the machine sleeps.
    pub(super) fn look_in(&self, now_ms: UnixMillis) -> Option<Duration> {
        let before_ms = match self.asks {
            Asks::Proof => LOGIN_PROVE_MS,
            Asks::End => self.warn_ms,
            Asks::Nothing => 0,
        };
        let left_ms = self.at_ms?.saturating_sub(before_ms).saturating_sub(now_ms);
        Some(Duration::from_millis(left_ms.clamp(0, LOGIN_LOOK_MS).unsigned_abs()))
    }

    pub(super) fn look(&mut self, now_ms: UnixMillis) -> Due {
        let Some(at_ms) = self.at_ms else { return Due::Nothing };
        let left_ms = at_ms.saturating_sub(now_ms);
        if left_ms <= 0 {
            Due::Over
        } else if left_ms <= self.warn_ms && self.asks != Asks::Nothing {
            self.asks = Asks::Nothing;
            Due::Tell(at_ms)
        } else if left_ms <= LOGIN_PROVE_MS && self.asks == Asks::Proof {
            self.asks = Asks::End;
            Due::Prove
        } else {
            Due::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END_MS: UnixMillis = 10_000_000;

    /// What is due, in milliseconds before the end, if each look is at the time that it asks for.
    fn done_from(mut now_ms: UnixMillis) -> Vec<(UnixMillis, Due)> {
        let mut expiry = Expiry::at(Some(END_MS), Asks::End, now_ms);
        let mut done = Vec::new();
        while !matches!(done.last(), Some((_, Due::Over))) {
            let wait = expiry.look_in(now_ms).expect("it ends");
            assert!(wait.as_millis() <= LOGIN_LOOK_MS.unsigned_abs().into(), "a clock may stand still");
            now_ms += i64::try_from(wait.as_millis()).expect("short");
            match expiry.look(now_ms) {
                Due::Nothing => assert!(!wait.is_zero(), "it would spin"),
                due => done.push((END_MS - now_ms, due)),
            }
        }
        done
    }

    #[test]
    fn r_authn_9_a_login_is_said_to_end_before_it_does_and_is_over_to_the_millisecond() {
        for (held_ms, warned_ms) in
            [(END_MS, 60_000), (3_600_001, 60_000), (360_000, 60_000), (120_000, 20_000), (60_000, 10_000)]
        {
            let expected = [(warned_ms, Due::Tell(END_MS)), (0, Due::Over)];
            assert_eq!(done_from(END_MS - held_ms), expected, "held for {held_ms}");
        }
        assert_eq!(done_from(END_MS + 5), [(-5, Due::Over)], "it was over when it began");
    }

    #[test]
    fn a_machine_that_slept_through_the_end_finds_it_over_at_its_next_look() {
        let mut expiry = Expiry::at(Some(END_MS), Asks::End, 0);
        assert_eq!(expiry.look(END_MS - 3_600_000), Due::Nothing);
        assert_eq!(expiry.look(END_MS + 3_600_000), Due::Over);
    }

    #[test]
    fn a_login_without_an_end_is_never_looked_at() {
        let mut expiry = Expiry::at(None, Asks::End, 0);
        assert_eq!((expiry.look_in(END_MS), expiry.look(END_MS)), (None, Due::Nothing));
    }

    #[test]
    fn a_page_is_asked_to_prove_its_key_long_before_the_end_once() {
        let mut expiry = Expiry::at(Some(END_MS), Asks::Proof, 0);
        assert_eq!(expiry.look(END_MS - LOGIN_PROVE_MS - 1), Due::Nothing);
        assert_eq!(expiry.look(END_MS - LOGIN_PROVE_MS), Due::Prove);
        assert_eq!(expiry.look(END_MS - LOGIN_PROVE_MS + 1_000), Due::Nothing, "it was asked");
        assert_eq!(expiry.look(END_MS - 60_000), Due::Tell(END_MS), "it didn't answer");
        assert_eq!(expiry.look(END_MS), Due::Over);
    }
}
