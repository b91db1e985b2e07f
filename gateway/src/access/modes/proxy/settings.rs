//! What an administrator says of the proxy. [`super::flags`] reads it.

use std::path::PathBuf;

use super::cidr::Cidr;
use super::headers::HeaderNames;
use super::jwt::JwtSettings;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxySettings {
    pub headers: HeaderNames,
    pub trust: Trust,
}

/// What the proxy is believed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Its certificate, which the gateway's own TLS verifies.
    Certificate,
    /// It connects to this Unix socket.
    Socket(PathBuf),
    /// It signs a token; the headers of names aren't read.
    Jwt(JwtSettings),
    /// Its address is in one of these ranges.
    Addresses(Vec<Cidr>),
}

impl ProxySettings {
    /// For the operator who starts the gateway.
    pub fn explanation(&self) -> String {
        let user = &self.headers.user;
        match &self.trust {
            Trust::Certificate => {
                format!("Its proxy says in {user} who comes, and is known by its certificate.")
            }
            Trust::Socket(path) => {
                format!("Its proxy says in {user} who comes, and connects to {}.", path.display())
            }
            Trust::Jwt(jwt) => {
                format!("Its proxy says in a token that it signs, in {}, who comes.", jwt.header)
            }
            Trust::Addresses(_) => {
                format!(
                    "Its proxy says in {user} who comes; every program at its addresses can say so as well."
                )
            }
        }
    }
}
