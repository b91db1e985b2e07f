//! Which logins have come back already: each is good for one question to the provider, whatever codes follow.

use std::collections::HashMap;

use shared::state::UnixMillis;

use crate::limits::LOGINS_USED_MAX;

/// The states of these logins, with the time at which they are too old anyway.
#[derive(Default)]
pub(super) struct UsedLogins(HashMap<Box<str>, UnixMillis>);

impl UsedLogins {
    pub(super) fn is_first(&mut self, state: &str, until_ms: UnixMillis, now_ms: UnixMillis) -> bool {
        self.0.retain(|_, until_ms| *until_ms > now_ms);
        if self.0.contains_key(state) {
            return false;
        }
        if self.0.len() >= LOGINS_USED_MAX {
            let first = self.0.iter().min_by_key(|(_, until_ms)| **until_ms).map(|(state, _)| state.clone());
            first.and_then(|state| self.0.remove(&state));
        }
        self.0.insert(state.into(), until_ms);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: UnixMillis = 1_795_000_000_000;

    #[test]
    fn a_login_comes_back_once_and_is_forgotten_when_it_is_too_old() {
        let mut used = UsedLogins::default();
        assert!(used.is_first("a", NOW_MS + 1_000, NOW_MS));
        assert!(!used.is_first("a", NOW_MS + 1_000, NOW_MS + 999));
        assert!(used.is_first("b", NOW_MS + 2_000, NOW_MS + 1_000));
        assert_eq!(used.0.len(), 1);
    }

    #[test]
    fn one_login_more_than_the_bound_takes_the_place_of_the_oldest() {
        let mut used = UsedLogins::default();
        for (number, until_ms) in (0..=LOGINS_USED_MAX).zip(NOW_MS + 1..) {
            assert!(used.is_first(&number.to_string(), until_ms, NOW_MS));
        }
        assert_eq!(used.0.len(), LOGINS_USED_MAX);
        assert!(!used.is_first("1", NOW_MS + 2, NOW_MS));
        assert!(used.is_first("0", NOW_MS + 1, NOW_MS));
    }
}
