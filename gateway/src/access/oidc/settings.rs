//! What an administrator says of the provider and of sessions. Never read here: `config` does that.

use std::path::PathBuf;

use super::claims::Mapping;

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
    pub session_key_file: Option<PathBuf>,
    /// `HOST:PORT`, all of whose addresses are gateways with the same key.
    pub peers: Option<String>,
}
