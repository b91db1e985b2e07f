//! A key set that its issuer publishes at a URL. It is fetched when a token names a key that isn't known, at most
//! every few seconds, and when it is old.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::{Claims, Expected, KeySet, Refusal, verify};
use crate::access::https::Https;
use crate::limits::{JWT_KEYS_AGAIN_S, JWT_KEYS_KEPT_S};

/// Cheap to clone.
#[derive(Clone)]
pub struct RemoteKeys {
    https: Https,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    keys: Arc<KeySet>,
    asked: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    #[error(transparent)]
    Refused(Refusal),
    /// Why the keys can't be had, in a few words.
    #[error("{0}")]
    Unreachable(String),
}

impl RemoteKeys {
    pub fn new(https: Https) -> Self {
        Self { https, held: Arc::default() }
    }

    /// Verifies a token by the keys at this URL. Fails with `Unreachable` only where no key is known that fits.
    pub async fn verify(
        &self,
        url: &Uri,
        token: &str,
        expected: &Expected<'_>,
    ) -> Result<Claims, RemoteError> {
        // One fetch at a time: the lock is held meanwhile.
        let mut held = self.held.lock().await;
        if held.is_older_than(JWT_KEYS_KEPT_S) {
            // Where that fails, the former keys are asked.
            drop(self.fetch(&mut held, url).await);
        }
        let verified = verify(token, &held.keys, expected);
        // A token without a key's name may be signed by one that is new.
        let may_be_new = matches!(verified, Err(Refusal::UnknownKey | Refusal::Signature));
        if !may_be_new || !held.is_older_than(JWT_KEYS_AGAIN_S) {
            let keys = Arc::clone(&held.keys);
            return match verified {
                Err(_) if keys.0.is_empty() => Err(RemoteError::Unreachable("it has no keys".to_owned())),
                verified => verified.map_err(RemoteError::Refused),
            };
        }
        self.fetch(&mut held, url).await.map_err(RemoteError::Unreachable)?;
        verify(token, &held.keys, expected).map_err(RemoteError::Refused)
    }

    async fn fetch(&self, held: &mut Held, url: &Uri) -> Result<(), String> {
        held.asked = Some(Instant::now());
        let answer = self.https.get(url).await?;
        if !answer.status.is_success() {
            return Err(format!("its keys are answered with {}", answer.status.as_u16()));
        }
        let keys = KeySet::parse(&answer.body).ok_or("its keys can't be read")?;
        held.keys = Arc::new(keys);
        Ok(())
    }
}

impl Held {
    fn is_older_than(&self, seconds: u64) -> bool {
        self.asked.is_none_or(|asked| asked.elapsed() >= Duration::from_secs(seconds))
    }
}
