//! The identity of a request, from a token that the proxy signed (RFC 7519). Its issuer, its audience and its end are
//! checked, and it must be signed by a key of the proxy's, with an algorithm that has a public key.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{FutureExt, TryFutureExt};
use http::{HeaderMap, HeaderName, Uri, header};
use serde_json::Value;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;
use tokio_util::sync::CancellationToken;

use super::headers;
use super::names::{self, NamePlace};
use crate::access::Dependency;
use crate::access::https::Https;
use crate::access::jwt::{Claims, Expected, KeySet, RemoteError, RemoteKeys, verify};
use crate::clock::wall_ms;
use crate::cluster::Subject;
use crate::limits::PROXY_KEYS_AGE_S;
use crate::plain_file;

/// How the proxy signs who comes, as configured: which header holds the token, whose it must be, and its claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwtSettings {
    pub header: HeaderName,
    pub keys: KeySource,
    pub issuer: String,
    pub audience: String,
    pub user_claim: String,
    pub groups_claim: String,
}

/// Where the proxy's public keys are, a JWK set (RFC 7517).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    File(PathBuf),
    Url(Uri),
}

pub(super) struct Tokens {
    settings: JwtSettings,
    keys: Keys,
}

enum Keys {
    File { path: PathBuf, read: Mutex<(Instant, KeySet)> },
    Url { url: Uri, keys: Box<RemoteKeys>, dependency: Arc<Dependency> },
}

impl Tokens {
    /// Keys of a file must be there at the start; a server of keys may come later.
    pub(super) fn new(settings: JwtSettings) -> Result<Self, Problem> {
        let keys = match &settings.keys {
            KeySource::File(path) => {
                let read = plain_file::read(path);
                let read = keys_of(path, read).map_err(|why| Problem::new(Reason::Configuration, why))?;
                Keys::File { path: path.clone(), read: Mutex::new((Instant::now(), read)) }
            }
            KeySource::Url(url) => Keys::Url {
                url: url.clone(),
                keys: Box::new(RemoteKeys::new(Https::new(None)?)),
                dependency: Arc::new(Dependency::new("proxy-keys")),
            },
        };
        Ok(Self { settings, keys })
    }

    /// Where the keys come from, if it isn't a file.
    pub(super) fn dependency(&self) -> Option<&Arc<Dependency>> {
        match &self.keys {
            Keys::File { .. } => None,
            Keys::Url { dependency, .. } => Some(dependency),
        }
    }

    /// Asks whether the keys can be had, until it is cancelled.
    pub(super) async fn keep_looking(&self, until: CancellationToken) {
        if let Keys::Url { url, keys, dependency } = &self.keys {
            let look = || keys.look(url).map_err(|why| nobody_gets_in(url, &why.to_string())).boxed();
            dependency.keep_asking(look, &until).await;
        }
        until.cancelled().await;
    }

    /// With the time at which it ends.
    pub(super) async fn subject(&self, headers: &HeaderMap) -> Result<(Subject, UnixMillis), Problem> {
        let value = headers::single(headers, &self.settings.header)?;
        let token = if self.settings.header == header::AUTHORIZATION {
            value.strip_prefix("Bearer ").unwrap_or_default()
        } else {
            value
        };
        let claims = self.verified(token).await.map_err(|error| match error {
            // Not which part was wrong.
            RemoteError::Refused(why) => {
                tracing::debug!("a token of the proxy is refused: {why}");
                refused()
            }
            RemoteError::Unreachable(why) => {
                let message = format!(
                    "the keys that verify the proxy's tokens can't be had: {}; try again in a moment",
                    why.for_person()
                );
                Problem::new(Reason::ServiceUnavailable, message)
            }
        })?;
        // The moment that it names is the end of the login, whatever clocks are allowed elsewhere.
        let end_ms = end_ms(&claims).filter(|end_ms| *end_ms > wall_ms()).ok_or_else(refused)?;
        let JwtSettings { user_claim, groups_claim, .. } = &self.settings;
        Ok((subject(&claims, user_claim, groups_claim)?, end_ms))
    }

    async fn verified(&self, token: &str) -> Result<Claims, RemoteError> {
        let JwtSettings { issuer, audience, .. } = &self.settings;
        let expected = Expected { issuer, audience, now_s: wall_ms() / 1_000 };
        match &self.keys {
            Keys::Url { url, keys, .. } => keys.verify(url, token, &expected).await,
            Keys::File { path, read } => {
                let keys = current(path, read).await;
                verify(token, &keys, &expected).map_err(RemoteError::Refused)
            }
        }
    }
}

/// A file that can't be read any more leaves the keys as they were. While it is read again, they count.
async fn current(path: &Path, held: &Mutex<(Instant, KeySet)>) -> KeySet {
    let lock = || held.lock().unwrap_or_else(PoisonError::into_inner);
    let is_old = |(read, _): &(Instant, KeySet)| read.elapsed() >= Duration::from_secs(PROXY_KEYS_AGE_S);
    let is_due = {
        let mut held = lock();
        is_old(&held) && {
            held.0 = Instant::now();
            true
        }
    };
    if is_due {
        match keys_of(path, plain_file::read_async(path).await) {
            Ok(keys) => lock().1 = keys,
            Err(why) => tracing::warn!("{why}; the former keys stay in use"),
        }
    }
    lock().1.clone()
}

fn keys_of(path: &Path, read: io::Result<Vec<u8>>) -> Result<KeySet, String> {
    let shown = path.display();
    let text = read.map_err(|error| format!("--proxy-jwt-keys {shown} can't be read: {error}"))?;
    KeySet::parse(&text).filter(|keys| !keys.is_empty()).ok_or_else(|| {
        format!("--proxy-jwt-keys {shown} is no JWK set with a public key of RSA, P-256, P-384 or Ed25519")
    })
}

fn nobody_gets_in(url: &Uri, why: &str) -> String {
    format!(
        "nobody gets in. The keys of --proxy-jwt-keys {url} can't be had: {why}. Check this address, that the gateway may \
         reach it, and that the system trusts its certificate."
    )
}

fn refused() -> Problem {
    let message = "the token that the proxy sent isn't valid, or not any more; load the page again";
    Problem::new(Reason::Unauthorized, message)
}

fn subject(claims: &Claims, user_claim: &str, groups_claim: &str) -> Result<Subject, Problem> {
    let user = claims.text(user_claim).ok_or_else(|| {
        let message =
            format!("the proxy's token doesn't say who you are: it has no text in its claim {user_claim:?}");
        Problem::new(Reason::Unauthorized, message)
    })?;
    // Kubernetes does the same: an address that isn't verified may belong to another user.
    if user_claim == "email"
        && claims.get("email_verified").is_some_and(|verified| *verified != Value::Bool(true))
    {
        let message = "the proxy's token says that your address isn't verified";
        return Err(Problem::new(Reason::Unauthorized, message));
    }
    let groups = match claims.get(groups_claim) {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::String(group)) => Some(vec![group.as_str()]),
        Some(Value::Array(groups)) => groups.iter().map(Value::as_str).collect(),
        Some(_) => None,
    };
    let groups = groups.ok_or_else(|| {
        let message = format!("the claim {groups_claim:?} of the proxy's token is no list of texts");
        Problem::bad_request(message)
    })?;
    names::subject((user, NamePlace::Claim(user_claim)), (groups.into_iter(), NamePlace::Claim(groups_claim)))
}

fn end_ms(claims: &Claims) -> Option<UnixMillis> {
    let seconds = claims.get("exp")?.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "a cast of floats saturates")]
    Some((seconds * 1_000.0) as UnixMillis)
}

#[cfg(test)]
#[path = "tests/jwt.rs"]
mod tests;
