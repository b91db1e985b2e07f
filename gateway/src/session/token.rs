//! The token of an open connection, which is looked at again and again: the API server says of no token that it was
//! taken back. Where it can't say, a token holds on for a while.

use std::time::Duration;

use shared::frame::client::Credential;
use shared::problem::{Problem, Reason};
use tokio::time::{Instant, sleep_until};

use crate::access::Login;
use crate::limits::{REVIEW_CACHE_S, TOKEN_AGAIN_S, TOKEN_KEPT_S};

pub(super) struct Token {
    /// `None`: the connection has none.
    bearer: Option<Credential>,
    again: Instant,
    confirmed: Instant,
}

impl Token {
    /// Of a credential that was just confirmed.
    pub(super) fn of(credential: Option<Credential>) -> Self {
        let bearer = credential.filter(|credential| matches!(credential, Credential::Bearer(_)));
        let now = Instant::now();
        Self { bearer, again: now + Duration::from_secs(TOKEN_AGAIN_S), confirmed: now }
    }

    pub(super) fn bearer(&self) -> Option<&Credential> {
        self.bearer.as_ref()
    }

    /// Returns when it is time to look at it again.
    pub(super) async fn due(&mut self) -> Credential {
        match &self.bearer {
            Some(bearer) => {
                sleep_until(self.again).await;
                self.again = Instant::now() + Duration::from_secs(REVIEW_CACHE_S);
                bearer.clone()
            }
            None => std::future::pending().await,
        }
    }

    /// Whether the connection goes on although nothing is known for certain.
    pub(super) fn holds_after(&mut self, answer: &Result<Login, Problem>) -> bool {
        match answer {
            Ok(_) => {
                self.confirmed = Instant::now();
                self.again = self.confirmed + Duration::from_secs(TOKEN_AGAIN_S);
                false
            }
            Err(problem) => {
                problem.reason == Reason::ServiceUnavailable
                    && self.confirmed.elapsed() < Duration::from_secs(TOKEN_KEPT_S)
            }
        }
    }
}
