//! API tokens: a time and a signature over it by a key of this process. So none is kept, and a restarted gateway takes
//! none of the former. Pure: the time is an argument.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::limits::{API_TOKEN_BYTES_MAX, API_TOKEN_LIFETIME_S};

/// The key that signs this gateway's tokens. It never leaves the process.
pub(super) struct TokenKey(hmac::Key);

/// `Debug` hides the token.
pub struct IssuedToken {
    pub token: String,
    pub expires_ms: UnixMillis,
}

impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedToken").field("expires_ms", &self.expires_ms).finish_non_exhaustive()
    }
}

const KEY_BYTES: usize = 32;
/// What is signed beside the time, so that the signature means nothing elsewhere.
const PURPOSE: &str = "dogwatch API token of mode local, expires at ms ";

impl TokenKey {
    /// # Errors
    /// The system has no randomness.
    pub(super) fn random() -> Result<Self, Problem> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| {
            Problem::new(Reason::InternalError, format!("the system has no randomness: {error}"))
        })?;
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    pub(super) fn issue(&self, now: SystemTime) -> IssuedToken {
        let expires_ms = millis(now + Duration::from_secs(API_TOKEN_LIFETIME_S));
        let signature = hmac::sign(&self.0, signed(expires_ms).as_bytes());
        let token = format!("{expires_ms}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()));
        IssuedToken { token, expires_ms }
    }

    /// Compares in constant time. A token that would count longer than its lifetime is refused: the clock was set back
    /// since it was issued.
    pub(super) fn verify(&self, token: &str, now: SystemTime) -> bool {
        if token.len() > API_TOKEN_BYTES_MAX {
            return false;
        }
        let Some((time, signature)) = token.split_once('.') else { return false };
        let (Ok(expires_ms), Ok(signature)) =
            (time.parse::<UnixMillis>(), URL_SAFE_NO_PAD.decode(signature.as_bytes()))
        else {
            return false;
        };
        let latest = millis(now + Duration::from_secs(API_TOKEN_LIFETIME_S));
        hmac::verify(&self.0, signed(expires_ms).as_bytes(), &signature).is_ok()
            && millis(now) < expires_ms
            && expires_ms <= latest
    }
}

fn signed(expires_ms: UnixMillis) -> String {
    format!("{PURPOSE}{expires_ms}")
}

fn millis(time: SystemTime) -> UnixMillis {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    i64::try_from(since).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authn_16_an_api_token_counts_ten_minutes_at_the_gateway_that_issued_it() {
        let (key, other) = (TokenKey::random().expect("randomness"), TokenKey::random().expect("randomness"));
        let start = UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        let issued = key.issue(start);
        let lifetime = Duration::from_secs(API_TOKEN_LIFETIME_S);
        assert_eq!(issued.expires_ms, 1_790_000_600_000);
        for (name, now, counts) in [
            ("at once", start, true),
            ("in its last second", start + lifetime - Duration::from_secs(1), true),
            ("at its end", start + lifetime, false),
            ("after the clock was set back", start - Duration::from_secs(1), false),
        ] {
            assert_eq!(key.verify(&issued.token, now), counts, "{name}");
        }
        assert!(!other.verify(&issued.token, start), "another gateway's");
    }

    #[test]
    fn r_authn_16_what_is_no_api_token_is_refused_whatever_it_looks_like() {
        let key = TokenKey::random().expect("randomness");
        let start = UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        let IssuedToken { token, expires_ms } = key.issue(start);
        let (_, signature) = token.split_once('.').expect("two parts");
        let later = format!("{}.{signature}", expires_ms + 1);
        let padded = format!("{token}=");
        let zero = format!("0{token}");
        let long = format!("{token}{}", "A".repeat(API_TOKEN_BYTES_MAX));
        let cut = &token[..token.len() - 2];
        for text in ["", ".", "1.", &format!("{expires_ms}."), signature, &later, &padded, &long, cut] {
            assert!(!key.verify(text, start), "{text}");
        }
        // Another spelling of the same time is the same token.
        assert!(key.verify(&zero, start));
        assert!(!format!("{:?}", key.issue(start)).contains(signature));
    }
}
