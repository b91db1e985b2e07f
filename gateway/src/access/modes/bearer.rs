//! Mode `bearer`: a token of the cluster's own, which the API server reviews. It is kept nowhere but in the session
//! that it opened; what is remembered for a moment is its hash. The mode has no flags and no socket of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;
use tokio::sync::Semaphore;

use crate::access::auth_mode::{
    AuthMode, Authenticate, Greeting, Prepared, StartContext, Surroundings, wrong,
};
use crate::access::authenticator::Authenticator;
use crate::access::identity::{Caller, Identity, Login, Rights};
use crate::access::modes::local::login::Local;
use crate::cluster::{Cluster, Subject};
use crate::limits::{REVIEW_CACHE_S, TOKEN_BYTES_MAX, TOKEN_REVIEWS_AT_ONCE_MAX};

/// `--auth bearer`.
#[derive(Debug)]
pub(crate) struct BearerMode;

impl BearerMode {
    /// Fails where there are several clusters.
    pub(crate) fn resolve(around: &Surroundings<'_>) -> Result<Self, Problem> {
        if around.has_several_clusters {
            return Err(wrong(
                "--auth bearer is for one cluster, for a token is of one cluster and says nothing at another; choose \
                 --auth oidc or proxy for several",
            ));
        }
        Ok(Self)
    }
}

impl AuthMode for BearerMode {
    fn mode(&self) -> LoginMode {
        LoginMode::Bearer
    }

    fn prepare(&self, _port: u16) -> BoxFuture<'_, Result<Prepared, Problem>> {
        let of = |opened: StartContext| {
            let message = "a gateway that takes tokens has one cluster";
            let cluster = opened.only.ok_or_else(|| Problem::new(Reason::InternalError, message))?;
            Ok(Arc::new(Tokens::new(cluster)) as Arc<dyn Authenticate>)
        };
        let start = move |opened| ready(of(opened)).boxed();
        ready(Ok(Prepared { entrance: None, start: Box::new(start) })).boxed()
    }
}

/// The tokens of viewers, each reviewed by the API server.
pub struct Tokens {
    cluster: Cluster,
    known: Mutex<HashMap<[u8; 32], Known>>,
    /// Strangers may send any number of tokens.
    at_once: Semaphore,
}

struct Known {
    at: Instant,
    subject: Arc<Subject>,
}

impl Tokens {
    fn new(cluster: Cluster) -> Self {
        Self { cluster, known: Mutex::default(), at_once: Semaphore::new(TOKEN_REVIEWS_AT_ONCE_MAX) }
    }

    /// Fails with `Unauthorized` if the API server knows no user for it, and with `ServiceUnavailable` if it can't
    /// say.
    async fn login(&self, token: &str) -> Result<Login, Problem> {
        if token.is_empty()
            || token.len() > TOKEN_BYTES_MAX
            || !token.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(refused());
        }
        let hash: [u8; 32] = Sha256::digest(token).into();
        let subject = match self.known(&hash) {
            Some(subject) => subject,
            None => {
                let _permit = self.at_once.acquire().await.map_err(|_| refused())?;
                let at = Instant::now();
                let subject = Arc::new(self.cluster.review_token(token).await?.ok_or_else(refused)?);
                self.lock().insert(hash, Known { at, subject: Arc::clone(&subject) });
                subject
            }
        };
        let identity = Identity::reviewed(&subject.user).ok_or_else(refused)?;
        Ok(Login {
            identity,
            expires_ms: expires_ms(token),
            session: None,
            rights: Rights::OfViewer(subject),
            mode: LoginMode::Bearer,
            provider: None,
        })
    }

    fn known(&self, hash: &[u8; 32]) -> Option<Arc<Subject>> {
        let mut known = self.lock();
        known.retain(|_, known| known.at.elapsed() < Duration::from_secs(REVIEW_CACHE_S));
        known.get(hash).map(|known| Arc::clone(&known.subject))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Authenticate for Tokens {
    fn mode(&self) -> LoginMode {
        LoginMode::Bearer
    }

    fn login<'a>(
        &'a self,
        credential: Option<&'a Credential>,
        _caller: &'a Caller,
        _asked: Option<Challenge>,
    ) -> BoxFuture<'a, Result<Login, Problem>> {
        match credential {
            Some(Credential::Bearer(token)) => self.login(token).boxed(),
            Some(Credential::Proof(_)) | None => {
                ready(Err(unauthorized("this gateway wants a token of the cluster"))).boxed()
            }
        }
    }

    fn codes(&self) -> Result<&Local, Problem> {
        Err(unauthorized("no code opens this gateway; it wants a token of the cluster"))
    }

    fn greeting(&self, demo_token: Option<String>) -> Result<Greeting, Problem> {
        let token = demo_token.map(|command| format!(" One is printed by: {command}")).unwrap_or_default();
        let sentence = format!("Whoever has a token of the cluster may log in.{token}");
        Ok(Greeting { fragment: String::new(), name: None, sentence })
    }
}

impl Authenticator {
    /// The viewers who have a token of the cluster.
    pub fn bearer(cluster: Cluster) -> Self {
        Self::new(Arc::new(Tokens::new(cluster)))
    }
}

fn unauthorized(message: &'static str) -> Problem {
    Problem::new(Reason::Unauthorized, message)
}

fn refused() -> Problem {
    let message = "the cluster knows no such token, or knows it no longer; log in with another";
    Problem::new(Reason::Unauthorized, message)
}

/// When a JWT that the API server took ends (RFC 7519, section 4.1.4). `None`: it isn't one, or says nothing of it.
fn expires_ms(token: &str) -> Option<UnixMillis> {
    #[derive(Deserialize)]
    struct Claims {
        exp: f64,
    }
    let claims = token.split('.').nth(1)?;
    let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "a cast of floats saturates")]
    Some((claims.exp * 1_000.0) as UnixMillis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_says_when_it_ends_is_believed() {
        let token = |claims: &str| format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(expires_ms(&token("{\"exp\":1795491149}")), Some(1_795_491_149_000));
        assert_eq!(expires_ms(&token("{\"exp\":1.5}")), Some(1_500));
        for none in ["opaque", "a.b.c", &token("{}"), &token("{\"exp\":\"soon\"}"), &token("[]"), ""] {
            assert_eq!(expires_ms(none), None, "{none}");
        }
    }
}
