//! Mode `bearer`: a token of the cluster's own, which the API server reviews. It is kept nowhere but in the session
//! that it opened; what is remembered for a moment is its hash, also of one that was refused. The mode has no flags and no
//! socket of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
use crate::limits::{
    REVIEW_CACHE_S, TOKEN_BYTES_MAX, TOKEN_REFUSED_KEPT_S, TOKEN_REVIEWS_AT_ONCE_MAX, TOKENS_REFUSED_MAX,
};

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
        ready(Ok(Prepared { entrance: None, api: None, start: Box::new(start) })).boxed()
    }
}

/// The tokens of viewers, each reviewed by the API server.
pub struct Tokens {
    cluster: Cluster,
    known: Mutex<HashMap<Hash, Known>>,
    refused: Mutex<RefusedTokens>,
    /// Strangers may send any number of tokens.
    at_once: Semaphore,
}

struct Known {
    at: Instant,
    subject: Arc<Subject>,
}

/// A token's, in whose place it is remembered.
type Hash = [u8; 32];

/// The tokens that the API server refused just now. A client that sends the same one again and again causes no review
/// for each try.
#[derive(Default)]
struct RefusedTokens(HashMap<Hash, Instant>);

impl RefusedTokens {
    fn holds(&mut self, hash: &Hash, now: Instant) -> bool {
        let kept = Duration::from_secs(TOKEN_REFUSED_KEPT_S);
        self.0.retain(|_, at| now.saturating_duration_since(*at) < kept);
        self.0.contains_key(hash)
    }

    fn add(&mut self, hash: Hash, now: Instant) {
        if self.0.len() >= TOKENS_REFUSED_MAX {
            let oldest = self.0.iter().min_by_key(|(_, at)| **at).map(|(hash, _)| *hash);
            oldest.and_then(|hash| self.0.remove(&hash));
        }
        self.0.insert(hash, now);
    }
}

impl Tokens {
    fn new(cluster: Cluster) -> Self {
        let at_once = Semaphore::new(TOKEN_REVIEWS_AT_ONCE_MAX);
        Self { cluster, known: Mutex::default(), refused: Mutex::default(), at_once }
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
        let hash: Hash = Sha256::digest(token).into();
        let subject = match self.known(&hash) {
            Some(subject) => subject,
            None if self.refusals().holds(&hash, Instant::now()) => return Err(refused()),
            None => {
                let _permit = self.at_once.acquire().await.map_err(|_| refused())?;
                let at = Instant::now();
                // Another connection with the same token may have been answered meanwhile.
                if self.refusals().holds(&hash, at) {
                    return Err(refused());
                }
                let Some(subject) = self.cluster.review_token(token).await? else {
                    self.refusals().add(hash, Instant::now());
                    return Err(refused());
                };
                let subject = Arc::new(subject);
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

    fn known(&self, hash: &Hash) -> Option<Arc<Subject>> {
        let mut known = self.lock();
        known.retain(|_, known| known.at.elapsed() < Duration::from_secs(REVIEW_CACHE_S));
        known.get(hash).map(|known| Arc::clone(&known.subject))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Hash, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refusals(&self) -> MutexGuard<'_, RefusedTokens> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_refused_token_is_remembered_for_a_while_and_the_oldest_makes_room() {
        let hash = |number: usize| -> Hash { Sha256::digest(number.to_string()).into() };
        let start = Instant::now();
        let after = |ms: usize| start + Duration::from_millis(u64::try_from(ms).expect("small"));
        let mut refused = RefusedTokens::default();
        for number in 0..=TOKENS_REFUSED_MAX {
            refused.add(hash(number), after(number));
        }
        assert_eq!(refused.0.len(), TOKENS_REFUSED_MAX);
        let now = after(TOKENS_REFUSED_MAX);
        assert!(!refused.holds(&hash(0), now) && refused.holds(&hash(1), now));
        assert!(!refused.holds(&hash(1), after(1) + Duration::from_secs(TOKEN_REFUSED_KEPT_S)));
        assert!(!refused.holds(&hash(TOKENS_REFUSED_MAX), now + Duration::from_secs(TOKEN_REFUSED_KEPT_S)));
        assert!(refused.0.is_empty());
    }

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
