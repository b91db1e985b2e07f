//! The code in a printed URL: it opens one page, once, soon. Kept in memory alone, so a restarted
//! gateway knows none of the old ones.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use shared::problem::{Problem, Reason};
use subtle::ConstantTimeEq;

use crate::limits::{LOCAL_CODE_LIFETIME_S, LOCAL_CODES_MAX};

/// 128 bits: not to be guessed within its life.
const CODE_BYTES: usize = 16;

/// `Debug` hides it.
#[derive(Clone)]
pub struct Code(Box<str>);

/// Those that were issued and not used, oldest first.
#[derive(Default)]
pub struct Codes {
    open: VecDeque<(Instant, Code)>,
}

impl Code {
    /// For the URL's fragment, and nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(hidden)")
    }
}

impl Codes {
    /// One more; the oldest goes when there are too many.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn issue(&mut self, now: Instant) -> Result<Code, Problem> {
        let code = Code(random_text()?);
        self.forget_old(now);
        while self.open.len() >= LOCAL_CODES_MAX {
            self.open.pop_front();
        }
        self.open.push_back((now, code.clone()));
        Ok(code)
    }

    /// Whether it was open; it isn't afterwards. Compares with every open code in constant time.
    pub fn redeem(&mut self, text: &str, now: Instant) -> bool {
        self.forget_old(now);
        let mut found = None;
        for (index, (_, code)) in self.open.iter().enumerate() {
            if bool::from(code.0.as_bytes().ct_eq(text.as_bytes())) {
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

pub(super) fn random_text() -> Result<Box<str>, Problem> {
    let mut bytes = [0; CODE_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::new(Reason::InternalError, format!("the system has no randomness: {error}"))
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authn_1_a_code_used_twice_is_refused() {
        let now = Instant::now();
        let mut codes = Codes::default();
        let code = codes.issue(now).expect("randomness");
        assert!(codes.redeem(code.expose(), now));
        assert!(!codes.redeem(code.expose(), now));
        assert!(!codes.redeem("", now));
    }

    #[test]
    fn a_code_has_its_time_and_there_are_few() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut codes = Codes::default();
        let code = codes.issue(start).expect("randomness");
        assert!(!codes.redeem(code.expose(), at(LOCAL_CODE_LIFETIME_S)), "too old");
        let first = codes.issue(start).expect("randomness");
        let others: Vec<Code> =
            (0..LOCAL_CODES_MAX).map(|_| codes.issue(start).expect("randomness")).collect();
        assert!(!codes.redeem(first.expose(), start), "pushed out");
        assert!(others.iter().all(|code| codes.redeem(code.expose(), start)));
    }

    #[test]
    fn r_data_4_a_code_is_not_printed() {
        let code = Codes::default().issue(Instant::now()).expect("randomness");
        assert!(!format!("{code:?}").contains(code.expose()));
    }
}
