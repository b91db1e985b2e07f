//! Mode `proxy`: a reverse proxy has asked who it is, and says so with each request. It is believed for one thing that
//! nobody else has: a certificate, a Unix socket, a signature, or an address. Never for a header alone.
//!
//! Read in this order: [`headers`] and [`jwt`] (what it says), [`names`] (which names are taken), [`listener`] and
//! [`cidr`] (where it comes from).

pub mod cidr;
pub mod headers;
pub mod jwt;
pub mod listener;
mod names;

use std::path::PathBuf;
use std::sync::Arc;

use http::HeaderMap;
use shared::frame::server::LoginMode;
use shared::problem::{Problem, Reason};

use super::identity::{Identity, Login, Peer, Rights};
use cidr::Cidr;
use headers::HeaderNames;
use jwt::{JwtSettings, Tokens};

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
    /// For whoever starts the gateway.
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

pub struct Proxy {
    headers: HeaderNames,
    trusted: Trusted,
}

enum Trusted {
    /// As the connection says: [`Peer::Proxy`].
    Connection,
    Addresses(Vec<Cidr>),
    Tokens(Box<Tokens>),
}

impl Proxy {
    /// Fails if the keys of a file can't be read.
    pub async fn new(settings: ProxySettings) -> Result<Self, Problem> {
        let trusted = match settings.trust {
            Trust::Certificate | Trust::Socket(_) => Trusted::Connection,
            Trust::Addresses(ranges) => Trusted::Addresses(ranges),
            Trust::Jwt(settings) => Trusted::Tokens(Box::new(Tokens::new(settings).await?)),
        };
        Ok(Self { headers: settings.headers, trusted })
    }

    /// Whom a request is of.
    /// Fails with `Unauthorized` (it is nobody's, or comes from elsewhere), `BadRequest` (its headers contradict each
    /// other), or `ServiceUnavailable` (its token can't be verified now).
    pub async fn login(&self, peer: Peer, headers: &HeaderMap) -> Result<Login, Problem> {
        let (subject, expires_ms) = match &self.trusted {
            Trusted::Tokens(tokens) => {
                let (subject, end_ms) = tokens.subject(headers).await?;
                (subject, Some(end_ms))
            }
            Trusted::Connection if peer == Peer::Proxy => (headers::subject(headers, &self.headers)?, None),
            Trusted::Addresses(ranges) if is_in(ranges, peer) => {
                (headers::subject(headers, &self.headers)?, None)
            }
            Trusted::Connection | Trusted::Addresses(_) => return Err(elsewhere()),
        };
        let identity = Identity::new(&subject.user).ok_or_else(elsewhere)?;
        let rights = Rights::OfViewer(Arc::new(subject));
        Ok(Login { identity, expires_ms, session: None, rights, mode: LoginMode::Proxy, provider: None })
    }
}

fn is_in(ranges: &[Cidr], peer: Peer) -> bool {
    match peer {
        Peer::Remote(address) => ranges.iter().any(|range| range.contains(address.ip())),
        Peer::SameUser | Peer::Proxy => false,
    }
}

fn elsewhere() -> Problem {
    let message =
        "this gateway is reached through its proxy alone, which asks who you are; open the proxy's address";
    Problem::new(Reason::Unauthorized, message)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use http::{HeaderName, HeaderValue};

    use super::*;

    async fn proxy(trust: Trust) -> Proxy {
        let headers = HeaderNames {
            user: HeaderName::from_static("x-remote-user"),
            groups: HeaderName::from_static("x-remote-group"),
            separator: None,
        };
        Proxy::new(ProxySettings { headers, trust }).await.expect("no keys")
    }

    fn from(address: &str) -> Peer {
        Peer::Remote(SocketAddr::new(address.parse().expect(address), 40_000))
    }

    #[tokio::test]
    async fn r_authn_6_only_the_peer_that_is_trusted_says_who_it_is() {
        let ranges =
            || vec![Cidr::parse("10.0.0.0/8").expect("a range"), Cidr::parse("::1").expect("a range")];
        let headers = HeaderMap::from_iter([
            (HeaderName::from_static("x-remote-user"), HeaderValue::from_static("alice")),
            (HeaderName::from_static("x-remote-group"), HeaderValue::from_static("dev")),
        ]);
        for (trust, peer, expected) in [
            (Trust::Certificate, Peer::Proxy, true),
            (Trust::Certificate, from("127.0.0.1"), false),
            (Trust::Certificate, Peer::SameUser, false),
            (Trust::Socket("/run/p.sock".into()), Peer::Proxy, true),
            (Trust::Socket("/run/p.sock".into()), from("127.0.0.1"), false),
            (Trust::Addresses(ranges()), from("10.1.2.3"), true),
            (Trust::Addresses(ranges()), from("::1"), true),
            (Trust::Addresses(ranges()), from("127.0.0.1"), false),
            (Trust::Addresses(ranges()), Peer::Proxy, false),
        ] {
            let login = proxy(trust.clone()).await.login(peer, &headers).await;
            match login {
                Ok(login) => {
                    let Rights::OfViewer(subject) = login.rights else { panic!("a viewer's own rights") };
                    assert!(expected, "{trust:?} {peer:?}");
                    assert_eq!((login.identity.name(), &*subject.user), ("alice", "alice"));
                    assert!(subject.groups.iter().map(|group| &**group).eq(["dev"]));
                }
                Err(problem) => {
                    assert!(!expected, "{trust:?} {peer:?}: {problem}");
                    assert_eq!(problem.reason, Reason::Unauthorized);
                }
            }
        }
    }
}
