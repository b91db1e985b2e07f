//! Keys and tokens of tests: an issuer that signs whatever it is told.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

pub(in super::super) struct Issuer(EcdsaKeyPair);

impl Issuer {
    pub(in super::super) fn new() -> Self {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, key.as_ref(), &random);
        Self(pair.expect("a key"))
    }

    /// The public half, under this name.
    pub(in super::super) fn jwk(&self, id: &str) -> Value {
        let point = self.0.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        json!({ "kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "alg": "ES256", "x": x, "y": y })
    }

    pub(in super::super) fn token(&self, header: &Value, claims: &Value) -> String {
        let message = unsigned(header, claims);
        let signature = self.0.sign(&SystemRandom::new(), message.as_bytes()).expect("signed");
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Header and claims, in base64url.
pub(in super::super) fn unsigned(header: &Value, claims: &Value) -> String {
    let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
    format!("{}.{}", encode(header), encode(claims))
}
