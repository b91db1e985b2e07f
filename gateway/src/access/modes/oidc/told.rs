//! Which logouts the provider has told of, so that none is told twice. Pure.

use std::collections::HashMap;

use crate::limits::{CLOCK_LEEWAY_S, LOGOUT_TOLD_S, LOGOUTS_REMEMBERED_MAX};

/// The names of the logouts that the provider told of, with the second after which they are too old anyway.
#[derive(Default)]
pub(super) struct Told(HashMap<Box<str>, i64>);

impl Told {
    pub(super) fn is_first(&mut self, name: &str, now_s: i64) -> bool {
        self.0.retain(|_, until_s| *until_s > now_s);
        let until_s = now_s + 2 * (LOGOUT_TOLD_S + CLOCK_LEEWAY_S);
        // Beyond the bound a logout may be told twice, which ends what it ended already.
        if self.0.len() >= LOGOUTS_REMEMBERED_MAX {
            return !self.0.contains_key(name);
        }
        self.0.insert(name.into(), until_s).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: i64 = 1_795_000_000;

    #[test]
    fn a_logout_is_told_once() {
        let mut told = Told::default();
        assert!(told.is_first("1", NOW_S));
        assert!(!told.is_first("1", NOW_S + 1));
        assert!(told.is_first("2", NOW_S));
    }
}
