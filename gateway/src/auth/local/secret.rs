//! A page's own secret: `dw1.ISSUED.NUMBER.SIGNATURE`. The gateway keeps none of them: what it
//! signed it knows again, after a restart as well. To call all of them back, delete the key.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use shared::problem::Problem;

use super::code::random_text;
use super::key::SigningKey;
use crate::limits::LOCAL_SECRET_LIFETIME_S;

const VERSION: &str = "dw1";

/// `Debug` hides it.
#[derive(Clone)]
pub struct Secret(Box<str>);

/// Signs and knows again the secrets of one port.
pub struct Signer {
    key: SigningKey,
    port: u16,
}

impl Secret {
    /// For the page that asked, and nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

impl Signer {
    #[must_use]
    pub fn new(key: SigningKey, port: u16) -> Self {
        Self { key, port }
    }

    /// # Errors
    /// When the system has no randomness.
    pub fn issue(&self, now: SystemTime) -> Result<Secret, Problem> {
        let (issued, number) = (unix_seconds(now), random_text()?);
        let signature = URL_SAFE_NO_PAD.encode(self.mac(issued, &number).finalize().into_bytes());
        Ok(Secret(format!("{VERSION}.{issued}.{number}.{signature}").into()))
    }

    /// Whether this key signed it for this port, not too long ago.
    #[must_use]
    pub fn verify(&self, text: &str, now: SystemTime) -> bool {
        self.expiry(text, now).is_some()
    }

    /// Until when it holds, in milliseconds since 1970; `None`: it doesn't.
    #[must_use]
    pub fn expiry(&self, text: &str, now: SystemTime) -> Option<i64> {
        let mut parts = text.split('.');
        let (Some(VERSION), Some(issued), Some(number), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let (Ok(issued), Ok(signature)) = (issued.parse(), URL_SAFE_NO_PAD.decode(signature)) else {
            return None;
        };
        // Compares in constant time.
        let signed = self.mac(issued, number).verify_slice(&signature).is_ok();
        let holds = signed && unix_seconds(now).saturating_sub(issued) < LOCAL_SECRET_LIFETIME_S;
        holds.then(|| {
            i64::try_from((issued + LOCAL_SECRET_LIFETIME_S).saturating_mul(1_000)).unwrap_or(i64::MAX)
        })
    }

    fn mac(&self, issued: u64, number: &str) -> Hmac<Sha256> {
        let mut mac = self.key.mac();
        mac.update(format!("dogwatch local\n{VERSION}\n{}\n{issued}\n{number}", self.port).as_bytes());
        mac
    }
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn signer() -> Signer {
        Signer::new(SigningKey::from_bytes([1; 64]), 8484)
    }

    #[test]
    fn r_authn_1_no_changed_character_passes() {
        let now = SystemTime::now();
        let secret = signer().issue(now).expect("randomness");
        assert!(signer().verify(secret.expose(), now));
        for index in 0..secret.expose().len() {
            let mut bytes = secret.expose().as_bytes().to_vec();
            bytes[index] ^= 1;
            let changed = String::from_utf8(bytes).expect("still text");
            assert!(!signer().verify(&changed, now), "{index}");
        }
        for text in ["", ".", "...", "dw1...", "dw1.0..", &format!("{}.", secret.expose())] {
            assert!(!signer().verify(text, now), "{text:?}");
        }
    }

    #[test]
    fn a_secret_of_another_key_or_of_long_ago_is_none() {
        let now = SystemTime::now();
        let secret = signer().issue(now).expect("randomness");
        let other = Signer::new(SigningKey::from_bytes([2; 64]), 8484);
        assert!(!other.verify(secret.expose(), now));
        assert!(!signer().verify(secret.expose(), now + Duration::from_secs(LOCAL_SECRET_LIFETIME_S + 1)));
    }

    #[test]
    fn r_data_4_a_secret_is_not_printed() {
        let secret = signer().issue(SystemTime::now()).expect("randomness");
        assert!(!format!("{secret:?}").contains(secret.expose()));
    }
}
