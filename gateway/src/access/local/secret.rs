//! A page's own secret: `dw1.ISSUED.NUMBER.SIGNATURE`. The gateway keeps none of them: it verifies its own
//! signature, after a restart as well. To revoke all secrets, delete the key.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::hidden::{Hidden, random_text};
use super::key::SigningKey;
use crate::limits::LOCAL_SECRET_LIFETIME_S;

const VERSION: &str = "dw1";

/// Signs and verifies the secrets of one port.
pub struct Signer {
    key: SigningKey,
    port: u16,
}

impl Signer {
    pub(in super::super) fn new(key: SigningKey, port: u16) -> Self {
        Self { key, port }
    }

    pub(in super::super) fn issue(&self, now: SystemTime) -> Result<Hidden, Problem> {
        let (issued, number) = (unix_seconds(now), random_text()?);
        let signature = URL_SAFE_NO_PAD.encode(self.mac(issued, &number).finalize().into_bytes());
        Ok(Hidden::new(format!("{VERSION}.{issued}.{number}.{signature}")))
    }

    /// When the secret expires; `None` if it has expired, or this key didn't sign it for this port.
    pub(in super::super) fn expiry(&self, text: &str, now: SystemTime) -> Option<UnixMillis> {
        let mut parts = text.split('.');
        let (Some(VERSION), Some(issued), Some(number), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return None;
        };
        let issued: u64 = issued.parse().ok()?;
        // Compares in constant time.
        self.mac(issued, number).verify_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
        let holds = unix_seconds(now).saturating_sub(issued) < LOCAL_SECRET_LIFETIME_S;
        let expires_s = issued.saturating_add(LOCAL_SECRET_LIFETIME_S);
        holds.then(|| i64::try_from(expires_s.saturating_mul(1_000)).unwrap_or(i64::MAX))
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

    fn signer(key: u8) -> Signer {
        Signer::new(SigningKey::from_bytes([key; 64]), 8484)
    }

    #[test]
    fn r_authn_1_no_changed_character_passes() {
        let now = SystemTime::now();
        let secret = signer(1).issue(now).expect("randomness");
        assert!(signer(1).expiry(secret.expose(), now).is_some());
        for index in 0..secret.expose().len() {
            let mut bytes = secret.expose().as_bytes().to_vec();
            bytes[index] ^= 1;
            let changed = String::from_utf8(bytes).expect("still text");
            assert_eq!(signer(1).expiry(&changed, now), None, "{index}");
        }
        for text in ["", ".", "...", "dw1...", "dw1.0..", &format!("{}.", secret.expose())] {
            assert_eq!(signer(1).expiry(text, now), None, "{text:?}");
        }
    }

    #[test]
    fn a_secret_of_another_key_or_of_long_ago_is_none() {
        let now = SystemTime::now();
        let secret = signer(1).issue(now).expect("randomness");
        assert_eq!(signer(2).expiry(secret.expose(), now), None);
        let later = now + Duration::from_secs(LOCAL_SECRET_LIFETIME_S + 1);
        assert_eq!(signer(1).expiry(secret.expose(), later), None);
    }
}
