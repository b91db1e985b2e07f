//! The code in a printed URL. It opens one page, once, within a few minutes. Codes are kept in memory alone, so a
//! restarted gateway accepts none of the old ones.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use shared::problem::Problem;
use subtle::ConstantTimeEq;

use super::hidden::{Hidden, random_text};
use crate::address::page_name::PageName;
use crate::limits::{LOCAL_CODE_LIFETIME_S, LOCAL_CODES_MAX};

/// The codes that were issued and not used, oldest first.
#[derive(Default)]
pub struct Codes {
    open: VecDeque<Issued>,
}

/// A code that was issued.
#[derive(Clone, Debug)]
pub struct Issued {
    at: Instant,
    pub code: Hidden,
    /// The name of the page that it opens; `None` where pages have none.
    pub name: Option<PageName>,
}

impl Codes {
    /// Drops the oldest code if there are too many.
    pub(super) fn issue(&mut self, name: Option<PageName>, now: Instant) -> Result<Issued, Problem> {
        let issued = Issued { at: now, code: Hidden::new(random_text()?), name };
        self.forget_old(now);
        while self.open.len() >= LOCAL_CODES_MAX {
            self.open.pop_front();
        }
        self.open.push_back(issued.clone());
        Ok(issued)
    }

    /// Whether a code opens the page of this name.
    pub(super) fn open_page(&mut self, name: &PageName, now: Instant) -> bool {
        self.forget_old(now);
        self.open.iter().any(|issued| issued.name.as_ref() == Some(name))
    }

    /// What was issued, if the code was valid; it isn't afterwards. Compares with every valid code in constant time.
    pub(super) fn redeem(&mut self, text: &str, now: Instant) -> Option<Issued> {
        self.forget_old(now);
        let mut found = None;
        for (index, issued) in self.open.iter().enumerate() {
            if bool::from(issued.code.expose().as_bytes().ct_eq(text.as_bytes())) {
                found = Some(index);
            }
        }
        found.and_then(|index| self.open.remove(index))
    }

    fn forget_old(&mut self, now: Instant) {
        let lifetime = Duration::from_secs(LOCAL_CODE_LIFETIME_S);
        self.open.retain(|issued| now.saturating_duration_since(issued.at) < lifetime);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authn_1_a_code_opens_once_and_soon_and_there_are_few() {
        let start = Instant::now();
        let mut codes = Codes::default();
        let issue = |codes: &mut Codes| codes.issue(None, start).expect("randomness").code;
        let code = issue(&mut codes);
        assert!(codes.redeem("", start).is_none());
        assert!(codes.redeem(code.expose(), start).is_some());
        assert!(codes.redeem(code.expose(), start).is_none(), "used twice");
        let old = issue(&mut codes);
        let too_old = start + Duration::from_secs(LOCAL_CODE_LIFETIME_S);
        assert!(codes.redeem(old.expose(), too_old).is_none(), "too old");
        let first = issue(&mut codes);
        let others: Vec<Hidden> = (0..LOCAL_CODES_MAX).map(|_| issue(&mut codes)).collect();
        assert!(codes.redeem(first.expose(), start).is_none(), "pushed out");
        assert!(others.iter().all(|code| codes.redeem(code.expose(), start).is_some()));
    }

    #[test]
    fn r_orig_2_the_name_of_a_page_is_known_as_long_as_its_code_is_unused_and_young() {
        let (start, mut codes) = (Instant::now(), Codes::default());
        let name = PageName::random().expect("randomness");
        let code = codes.issue(Some(name.clone()), start).expect("randomness").code;
        assert!(codes.open_page(&name, start));
        assert!(!codes.open_page(&PageName::random().expect("randomness"), start));
        assert!(!codes.open_page(&name, start + Duration::from_secs(LOCAL_CODE_LIFETIME_S)));
        let again = codes.issue(Some(name.clone()), start).expect("randomness").code;
        assert!(codes.redeem(again.expose(), start).is_some_and(|issued| issued.name == Some(name.clone())));
        assert!(!codes.open_page(&name, start), "{code:?} was forgotten, and the other one is used");
    }
}
