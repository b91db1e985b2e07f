//! The token of an open connection, which is looked at again and again: the API server says of no token that it was
//! taken back. Where it can't say, a token holds on for a while.

use std::time::Duration;

use shared::frame::client::Credential;
use shared::problem::{Problem, Reason};
use tokio::time::{Instant, sleep_until};

use crate::access::Login;
use crate::limits::{LOGIN_ANSWER_S, REVIEW_CACHE_S, TOKEN_AGAIN_S, TOKEN_KEPT_S};

pub(super) struct Token {
    /// `None`: the connection has none.
    bearer: Option<Credential>,
    again: Instant,
    confirmed: Instant,
}

impl Token {
    /// Begins with a credential that was just confirmed.
    pub(super) fn of(credential: Option<Credential>) -> Self {
        let bearer = credential.filter(is_bearer);
        let now = Instant::now();
        Self { bearer, again: now + Duration::from_secs(TOKEN_AGAIN_S), confirmed: now }
    }

    /// Another credential takes its place, and is being looked at. Only the answer confirms it, so a client that
    /// brings another one again and again, none of which can be reviewed, doesn't stay for longer.
    pub(super) fn replace(&mut self, credential: Credential) {
        self.bearer = Some(credential).filter(is_bearer);
        self.again = Instant::now() + Duration::from_secs(REVIEW_CACHE_S);
    }

    pub(super) fn bearer(&self) -> Option<&Credential> {
        self.bearer.as_ref()
    }

    /// Returns when it is time to look at it again.
    pub(super) async fn due(&mut self) -> Credential {
        match &self.bearer {
            Some(bearer) => {
                sleep_until(self.again.min(self.ends())).await;
                self.again = Instant::now() + Duration::from_secs(REVIEW_CACHE_S);
                bearer.clone()
            }
            None => std::future::pending().await,
        }
    }

    /// How long an answer is waited for: never for longer than the connection goes on without one. `None`: without an
    /// end, because the connection has no token.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.bearer.as_ref()?;
        let left = self.ends().saturating_duration_since(Instant::now());
        Some(left.min(Duration::from_secs(LOGIN_ANSWER_S)))
    }

    fn ends(&self) -> Instant {
        self.confirmed + Duration::from_secs(TOKEN_KEPT_S)
    }

    /// Whether the connection goes on although nothing is known for certain.
    pub(super) fn holds_after(&mut self, answer: &Result<Login, Problem>) -> bool {
        match answer {
            Ok(_) => {
                self.confirmed = Instant::now();
                self.again = self.confirmed + Duration::from_secs(TOKEN_AGAIN_S);
                false
            }
            Err(problem) => problem.reason == Reason::ServiceUnavailable && Instant::now() < self.ends(),
        }
    }
}

fn is_bearer(credential: &Credential) -> bool {
    matches!(credential, Credential::Bearer(_))
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn bearer(token: &str) -> Credential {
        Credential::Bearer(token.into())
    }

    fn unavailable() -> Result<Login, Problem> {
        Err(Problem::new(Reason::ServiceUnavailable, "the API server can't review tokens"))
    }

    #[tokio::test(start_paused = true)]
    async fn r_authn_12_a_token_that_nobody_can_look_at_holds_for_two_minutes_however_often_another_is_brought()
     {
        let mut token = Token::of(Some(bearer("first")));
        let mut held_s = 0;
        while held_s <= TOKEN_KEPT_S && token.holds_after(&unavailable()) {
            advance(Duration::from_secs(1)).await;
            held_s += 1;
            token.replace(bearer("another"));
        }
        assert_eq!(held_s, TOKEN_KEPT_S);
    }

    #[tokio::test(start_paused = true)]
    async fn r_authn_12_a_connection_whose_reviews_are_never_answered_ends_after_two_minutes() {
        let begun = Instant::now();
        let mut token = Token::of(Some(bearer("first")));
        loop {
            token.due().await;
            let patience = token.patience().expect("it has a token");
            assert!(tokio::time::timeout(patience, std::future::pending::<()>()).await.is_err());
            if !token.holds_after(&unavailable()) {
                break;
            }
        }
        assert_eq!(begun.elapsed().as_secs(), TOKEN_KEPT_S);
        assert_eq!(Token::of(None).patience(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_token_that_was_brought_last_is_looked_at_again() {
        let mut token = Token::of(Some(bearer("first")));
        token.replace(bearer("second"));
        assert_eq!(token.due().await, bearer("second"));
    }
}
