//! What an administrator says of the provider and of sessions. [`super::flags`] reads it.

use std::path::PathBuf;

use super::claims::Mapping;

/// The settings of one identity provider, which each part of the mode is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcSettings {
    /// As the provider writes it, to the byte.
    pub issuer: String,
    pub client_id: String,
    /// `None`: a public client, which PKCE alone protects.
    pub client_secret_file: Option<PathBuf>,
    pub ca_file: Option<PathBuf>,
    pub mapping: Mapping,
    /// Besides `openid`.
    pub scopes: Vec<String>,
    pub session_hours: u32,
    /// How long a session goes on while the provider doesn't say that it does.
    pub unconfirmed_minutes: u32,
    pub session_key_file: Option<PathBuf>,
    pub peers: Option<Peers>,
}

impl OidcSettings {
    /// How long a session lasts.
    pub(super) fn session_ms(&self) -> i64 {
        i64::from(self.session_hours) * 3_600_000
    }
}

/// The gateways with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peers {
    /// `HOST:PORT`, all of whose addresses are one each.
    pub place: String,
    pub scheme: PeersScheme,
}

/// They serve as this gateway does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeersScheme {
    Http,
    /// With a certificate for the host of the public URL, of these authorities; `None`: of the system's.
    Https {
        ca_file: Option<PathBuf>,
    },
}

impl PeersScheme {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https { .. } => "https",
        }
    }
}
