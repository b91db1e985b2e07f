//! The code in a printed URL. It opens one page, once, within a few minutes. Codes are kept in memory alone, so a
//! restarted gateway accepts none of the old ones.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use shared::problem::Problem;
use subtle::ConstantTimeEq;

use super::hidden::{Hidden, random_text};
use crate::limits::{LOCAL_CODE_LIFETIME_S, LOCAL_CODES_MAX};

/// The codes that were issued and not used, oldest first.
#[derive(Default)]
pub struct Codes {
    open: VecDeque<(Instant, Hidden)>,
}

impl Codes {
    /// Drops the oldest code if there are too many.
    pub(super) fn issue(&mut self, now: Instant) -> Result<Hidden, Problem> {
        let code = Hidden::new(random_text()?);
        self.forget_old(now);
        while self.open.len() >= LOCAL_CODES_MAX {
            self.open.pop_front();
        }
        self.open.push_back((now, code.clone()));
        Ok(code)
    }

    /// Whether the code was valid; it isn't afterwards. Compares with every valid code in constant time.
    pub(super) fn redeem(&mut self, text: &str, now: Instant) -> bool {
        self.forget_old(now);
        let mut found = None;
        for (index, (_, code)) in self.open.iter().enumerate() {
            if bool::from(code.expose().as_bytes().ct_eq(text.as_bytes())) {
                found = Some(index);
            }
        }
        found.and_then(|index| self.open.remove(index)).is_some()
    }

    fn forget_old(&mut self, now: Instant) {
        let lifetime = Duration::from_secs(LOCAL_CODE_LIFETIME_S);
        self.open.retain(|(issued, _)| now.saturating_duration_since(*issued) < lifetime);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authn_1_a_code_opens_once_and_soon_and_there_are_few() {
        let start = Instant::now();
        let mut codes = Codes::default();
        let code = codes.issue(start).expect("randomness");
        assert!(!codes.redeem("", start));
        assert!(codes.redeem(code.expose(), start));
        assert!(!codes.redeem(code.expose(), start), "used twice");
        let old = codes.issue(start).expect("randomness");
        assert!(!codes.redeem(old.expose(), start + Duration::from_secs(LOCAL_CODE_LIFETIME_S)), "too old");
        let first = codes.issue(start).expect("randomness");
        let others: Vec<Hidden> =
            (0..LOCAL_CODES_MAX).map(|_| codes.issue(start).expect("randomness")).collect();
        assert!(!codes.redeem(first.expose(), start), "pushed out");
        assert!(others.iter().all(|code| codes.redeem(code.expose(), start)));
    }
}
