//! The tokens of viewers, for what is asked of the API server in their own name: each in memory, for as long as its
//! connection is open. Never printed, and never part of a key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::HeaderValue;
use shared::state::UnixMillis;
use tokio::sync::watch;

use super::subject::Subject;

#[derive(Default)]
pub(super) struct ViewerTokens {
    inner: Arc<Mutex<Inner>>,
    /// The number of the last token that was brought.
    last: watch::Sender<TokenNumber>,
}

#[derive(Default)]
struct Inner {
    held: HashMap<Arc<Subject>, Vec<Held>>,
}

pub(super) type TokenNumber = u64;

struct Held {
    number: TokenNumber,
    authorization: HeaderValue,
    expires_ms: UnixMillis,
    /// The API server refused it last.
    is_refused: bool,
}

/// A connection's token is held until this is dropped.
pub struct TokenGuard {
    inner: Arc<Mutex<Inner>>,
    subject: Arc<Subject>,
    number: TokenNumber,
}

impl Drop for TokenGuard {
    fn drop(&mut self) {
        let mut inner = lock(&self.inner);
        if let Some(held) = inner.held.get_mut(&self.subject) {
            held.retain(|held| held.number != self.number);
            if held.is_empty() {
                inner.held.remove(&self.subject);
            }
        }
    }
}

impl ViewerTokens {
    /// `None`: no header can carry it.
    pub(super) fn hold(
        &self,
        subject: &Arc<Subject>,
        token: &str,
        expires_ms: Option<UnixMillis>,
    ) -> Option<TokenGuard> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        authorization.set_sensitive(true);
        let mut inner = lock(&self.inner);
        let number = self.last.borrow().saturating_add(1);
        let expires_ms = expires_ms.unwrap_or(UnixMillis::MAX);
        let held = Held { number, authorization, expires_ms, is_refused: false };
        inner.held.entry(Arc::clone(subject)).or_default().push(held);
        self.last.send_replace(number);
        Some(TokenGuard { inner: Arc::clone(&self.inner), subject: Arc::clone(subject), number })
    }

    /// The token that lasts longest of those that weren't refused, and of equal ones the latest.
    pub(super) fn best(&self, subject: &Arc<Subject>) -> Option<(TokenNumber, HeaderValue)> {
        let inner = lock(&self.inner);
        let rank = |held: &&Held| (!held.is_refused, held.expires_ms, held.number);
        let best = inner.held.get(subject)?.iter().max_by_key(rank)?;
        Some((best.number, best.authorization.clone()))
    }

    /// Notes how the API server answered a request with this token.
    pub(super) fn answered(&self, subject: &Arc<Subject>, number: TokenNumber, is_refused: bool) {
        let mut inner = lock(&self.inner);
        let held = inner.held.get_mut(subject).into_iter().flatten();
        held.filter(|held| held.number == number).for_each(|held| held.is_refused = is_refused);
    }

    /// Changes with each token that is brought.
    pub(super) fn held_another(&self) -> watch::Receiver<TokenNumber> {
        self.last.subscribe()
    }

    /// Whether there is a token that wasn't refused.
    pub(super) fn has_another(&self, subject: &Arc<Subject>) -> bool {
        lock(&self.inner).held.get(subject).is_some_and(|held| held.iter().any(|held| !held.is_refused))
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alice() -> Arc<Subject> {
        Arc::new(Subject { user: "alice".into(), uid: "".into(), groups: [].into(), extra: [].into() })
    }

    fn best(tokens: &ViewerTokens) -> Option<String> {
        let (_, authorization) = tokens.best(&alice())?;
        Some(authorization.to_str().expect("text").trim_start_matches("Bearer ").to_owned())
    }

    #[test]
    fn the_token_that_lasts_longest_is_used_and_none_after_its_last_connection() {
        let tokens = ViewerTokens::default();
        let early = tokens.hold(&alice(), "early", Some(1_000)).expect("a token");
        let late = tokens.hold(&alice(), "late", Some(2_000)).expect("a token");
        let other = tokens.hold(&alice(), "other", Some(1_500)).expect("a token");
        assert_eq!(best(&tokens).as_deref(), Some("late"));
        drop(late);
        assert_eq!(best(&tokens).as_deref(), Some("other"));
        drop((early, other));
        assert_eq!(best(&tokens), None);
        assert!(lock(&tokens.inner).held.is_empty(), "nothing is left of it");
    }

    #[test]
    fn a_token_that_was_refused_makes_room_for_another_and_is_tried_where_there_is_none() {
        let tokens = ViewerTokens::default();
        let _first = tokens.hold(&alice(), "first", Some(2_000)).expect("a token");
        let (number, _) = tokens.best(&alice()).expect("one");
        tokens.answered(&alice(), number, true);
        assert_eq!((best(&tokens).as_deref(), tokens.has_another(&alice())), (Some("first"), false));
        let _second = tokens.hold(&alice(), "second", Some(1_000)).expect("a token");
        assert_eq!((best(&tokens).as_deref(), tokens.has_another(&alice())), (Some("second"), true));
        tokens.answered(&alice(), number, false);
        assert_eq!(best(&tokens).as_deref(), Some("first"));
    }

    #[test]
    fn r_data_4_a_token_that_is_held_is_never_printed() {
        let tokens = ViewerTokens::default();
        let _held = tokens.hold(&alice(), "canary-4711", None).expect("a token");
        let printed = format!("{:?}", tokens.best(&alice()));
        assert!(printed.contains("Sensitive") && !printed.contains("canary"), "{printed}");
        assert!(tokens.hold(&alice(), "a\r\nb", None).is_none());
    }
}
