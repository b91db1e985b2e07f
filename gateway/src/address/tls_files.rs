//! The files of TLS at the gateway's own listener, as configured. Never what they hold.

use std::path::PathBuf;

/// What to serve with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The chain, the gateway's own certificate first; PEM.
    pub certificate: PathBuf,
    /// PKCS#8, PKCS#1 or SEC1; PEM.
    pub key: PathBuf,
    pub proxy: Option<ProxyCertificate>,
}

/// The certificates that identify the reverse proxy. Clients without one are served as well, without an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyCertificate {
    /// The authorities that sign it; PEM.
    pub authorities: PathBuf,
    /// The certificate's common name or one of its alternative names must be in this list. An empty list allows every
    /// name, which is asked for by `*`.
    pub names: Vec<String>,
}
