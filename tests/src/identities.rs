//! The identities of a reverse proxy and of viewers, and their proofs: certificates of an authority, and tokens that a
//! key signs. All are made for one test.

use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub pem: String,
}

/// A certificate and its key, in PEM.
pub struct Pair {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), pem })
    }

    /// For a server of these names, or a client of the first of them.
    pub fn sign(&self, names: &[&str]) -> Result<Pair> {
        let mut params =
            CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
        params.distinguished_name.push(DnType::CommonName, *names.first().context("a name")?);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Pair { certificate, key: key.serialize_pem() })
    }

    /// A client that trusts this authority, with a certificate of its own or without.
    pub fn client(&self, own: Option<&Pair>) -> Result<Arc<ClientConfig>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes())?)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots);
        Ok(Arc::new(match own {
            None => builder.with_no_client_auth(),
            Some(pair) => builder.with_client_auth_cert(
                vec![CertificateDer::from_pem_slice(pair.certificate.as_bytes())?],
                PrivateKeyDer::from_pem_slice(pair.key.as_bytes())?,
            )?,
        }))
    }
}

/// Signs tokens (JWT) with a key of its own.
pub struct TokenIssuer(EcdsaKeyPair);

impl TokenIssuer {
    pub fn new() -> Result<Self> {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).ok().context("randomness")?;
        Ok(Self(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).ok().context("a key")?))
    }

    /// The JWK set of its public key.
    pub fn keys(&self) -> Value {
        let (x, y) = self.0.public_key().as_ref()[1..].split_at(32);
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        json!({ "keys": [{ "kty": "EC", "crv": "P-256", "kid": "one", "x": x, "y": y }] })
    }

    pub fn token(&self, claims: &Value) -> Result<String> {
        let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&json!({ "alg": "ES256", "kid": "one" })), encode(claims));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).ok().context("randomness")?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}
