//! Tokens that another program signed (JWT, RFC 7519): the signature by a key of its key set, issuer, audience and
//! time. `jsonwebtoken` reads and compares, ring verifies ([`signature`]); the key set may be one that is
//! fetched ([`remote`]). Never signs, and takes neither `none` nor a shared secret.

mod remote;
mod signature;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

pub use remote::{RemoteError, RemoteKeys};

use crate::limits::{CLOCK_LEEWAY_S, JWT_BYTES_MAX, JWT_KEYS_MAX};

/// The public keys of one issuer (RFC 7517).
#[derive(Clone, Debug, Default)]
pub struct KeySet(Vec<Key>);

#[derive(Clone, Debug)]
struct Key {
    id: Option<Box<str>>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// What a token must say. The issuer is compared byte by byte: no slash is added or dropped.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub audience: &'a str,
    /// Seconds since 1970.
    pub now_s: i64,
}

/// The claims of a token that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims(Map<String, Value>);

/// Why a token isn't taken. It never quotes the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it isn't a signed token, or not of a kind that is taken")]
    Malformed,
    #[error("it is signed by a key that its issuer doesn't publish")]
    UnknownKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("it is another issuer's")]
    Issuer,
    #[error("it is for somebody else")]
    Audience,
    #[error("it ended {0} s ago")]
    Expired(i64),
    #[error("it begins in {0} s")]
    NotYet(i64),
    #[error("it doesn't say when it ends")]
    Endless,
}

impl KeySet {
    /// `None` if it isn't a key set. Keys that can't be used are left out: others of the set may be usable.
    pub fn parse(json: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = serde_json::from_slice(json).ok()?;
        Some(Self(set.keys.into_iter().take(JWT_KEYS_MAX).filter_map(Key::of).collect()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn candidates(&self, id: Option<&str>, algorithm: Algorithm) -> impl Iterator<Item = &Key> {
        self.0.iter().filter(move |key| {
            key.algorithms.contains(&algorithm) && (id.is_none() || key.id.as_deref() == id)
        })
    }
}

impl Key {
    fn of(value: Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(value).ok()?;
        if !matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let mut algorithms = algorithms_of(&jwk.algorithm);
        if let Some(only) = jwk.common.key_algorithm {
            let only = Algorithm::try_from(only).ok()?;
            algorithms.retain(|algorithm| *algorithm == only);
        }
        let key = DecodingKey::from_jwk(&jwk).ok()?;
        let id = jwk.common.key_id.map(Into::into);
        (!algorithms.is_empty()).then_some(Self { id, algorithms, key })
    }
}

/// What a key of this kind can have signed. A shared secret isn't among them, because its holder could sign as well
/// as verify.
fn algorithms_of(parameters: &AlgorithmParameters) -> Vec<Algorithm> {
    use Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
    match parameters {
        AlgorithmParameters::RSA(_) => vec![RS256, RS384, RS512, PS256, PS384, PS512],
        AlgorithmParameters::EllipticCurve(key) => match key.curve {
            EllipticCurve::P256 => vec![ES256],
            EllipticCurve::P384 => vec![ES384],
            _ => Vec::new(),
        },
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => vec![EdDSA],
        _ => Vec::new(),
    }
}

/// The token's claims, if one of the keys signed it and it says what is expected.
pub fn verify(token: &str, keys: &KeySet, expected: &Expected<'_>) -> Result<Claims, Refusal> {
    if token.len() > JWT_BYTES_MAX {
        return Err(Refusal::Malformed);
    }
    signature::install();
    // The crate knows no `none`, so that isn't a header to it.
    let header = decode_header(token).map_err(|_| Refusal::Malformed)?;
    // An extension that must be understood (RFC 7515, section 4.1.11), and isn't.
    if header.crit.is_some() {
        return Err(Refusal::Malformed);
    }
    let mut validation = Validation::new(header.alg);
    // Time is compared below: the crate would ask the system for it.
    validation.validate_exp = false;
    validation.set_required_spec_claims(&["iss", "aud"]);
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(&[expected.audience]);
    let mut refusal = Refusal::UnknownKey;
    for key in keys.candidates(header.kid.as_deref(), header.alg) {
        match decode::<Map<String, Value>>(token, &key.key, &validation) {
            Ok(data) => {
                let claims = Claims(data.claims);
                claims.check(expected)?;
                return Ok(claims);
            }
            Err(error) => refusal = refusal_of(error.kind()),
        }
        if refusal != Refusal::Signature {
            break;
        }
    }
    Err(refusal)
}

fn refusal_of(kind: &ErrorKind) -> Refusal {
    match kind {
        ErrorKind::InvalidSignature => Refusal::Signature,
        ErrorKind::InvalidIssuer => Refusal::Issuer,
        ErrorKind::InvalidAudience => Refusal::Audience,
        ErrorKind::MissingRequiredClaim(claim) if claim == "iss" => Refusal::Issuer,
        ErrorKind::MissingRequiredClaim(claim) if claim == "aud" => Refusal::Audience,
        _ => Refusal::Malformed,
    }
}

impl Claims {
    #[cfg(test)]
    pub(super) fn of(claims: Value) -> Self {
        Self(serde_json::from_value(claims).expect("an object"))
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// A `NumericDate`, which may have a fraction.
    pub fn seconds(&self, name: &str) -> Option<i64> {
        #[expect(clippy::cast_possible_truncation, reason = "a cast of floats saturates")]
        let seconds = self.get(name)?.as_f64()? as i64;
        Some(seconds)
    }

    fn check(&self, expected: &Expected<'_>) -> Result<(), Refusal> {
        // The crate takes a list of issuers as well.
        if self.text("iss") != Some(expected.issuer) {
            return Err(Refusal::Issuer);
        }
        let ends = self.seconds("exp").ok_or(Refusal::Endless)?;
        let over_s = expected.now_s.saturating_sub(ends);
        if over_s >= CLOCK_LEEWAY_S {
            return Err(Refusal::Expired(over_s));
        }
        match (self.get("nbf"), self.seconds("nbf")) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(Refusal::Malformed),
            (Some(_), Some(begins)) => {
                let left_s = begins.saturating_sub(expected.now_s);
                if left_s > CLOCK_LEEWAY_S { Err(Refusal::NotYet(left_s)) } else { Ok(()) }
            }
        }
    }
}
