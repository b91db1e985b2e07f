//! TLS with a certificate of the playground's own, made anew at each start: kubectl sends a token only
//! over TLS.

use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate, and the acceptor that shows it.
pub(crate) struct Tls {
    /// For a kubeconfig: a client that trusts it reaches the playground.
    pub(crate) certificate: String,
    /// The same, DER.
    pub(crate) certificate_der: Vec<u8>,
    pub(crate) acceptor: TlsAcceptor,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// Why there is no certificate: the random source or the cryptography failed.
pub(crate) type TlsError = Box<dyn std::error::Error + Send + Sync>;

impl Tls {
    pub(crate) fn new() -> Result<Self, TlsError> {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()])?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)?;
        let certificate_der = cert.der().to_vec();
        Ok(Self { certificate: cert.pem(), certificate_der, acceptor: TlsAcceptor::from(Arc::new(config)) })
    }
}
