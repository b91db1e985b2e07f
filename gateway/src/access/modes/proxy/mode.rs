//! Mode `proxy` from its configuration to each request's login.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use http::HeaderMap;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};
use tokio_util::sync::CancellationToken;

use super::cidr::Cidr;
use super::flags::ProxyFlags;
use super::headers::{self, HeaderNames};
use super::jwt::Tokens;
use super::listener::ProxyListener;
use super::settings::{ProxySettings, Trust};
use crate::access::Dependency;
use crate::access::auth_mode::{AuthMode, Authenticate, Entrance, Greeting, Prepared};
use crate::access::authenticator::Authenticator;
use crate::access::identity::{Caller, Identity, Login, Peer, Rights};
use crate::access::modes::local::login::Local;
use crate::address::ProxyCertificate;

/// `--auth proxy`.
#[derive(Debug)]
pub(crate) struct ProxyMode {
    settings: ProxySettings,
    certificate: Option<ProxyCertificate>,
}

impl ProxyMode {
    /// Fails with one sentence that names the flag.
    pub(crate) fn resolve(flags: ProxyFlags) -> Result<Self, Problem> {
        let (settings, certificate) = flags.resolve()?;
        Ok(Self { settings, certificate })
    }
}

impl AuthMode for ProxyMode {
    fn mode(&self) -> LoginMode {
        LoginMode::Proxy
    }

    fn certificate(&self) -> Option<ProxyCertificate> {
        self.certificate.clone()
    }

    fn prepare(&self, _port: u16) -> BoxFuture<'_, Result<Prepared, Problem>> {
        Box::pin(async {
            let entrance = match &self.settings.trust {
                Trust::Socket(path) => Some(Box::new(ProxyListener::bind(path)?) as Box<dyn Entrance>),
                Trust::Certificate | Trust::Jwt(_) | Trust::Addresses(_) => None,
            };
            let proxy: Arc<dyn Authenticate> = Arc::new(Proxy::new(self.settings.clone())?);
            Ok(Prepared { entrance, api: None, start: Box::new(|_| ready(Ok(proxy)).boxed()) })
        })
    }
}

/// The proxy, as it is believed.
pub struct Proxy {
    headers: HeaderNames,
    trusted: Trusted,
    /// For the person who starts the gateway.
    explanation: String,
}

enum Trusted {
    /// As the connection says: [`Peer::Proxy`].
    Connection,
    Addresses(Vec<Cidr>),
    Tokens(Box<Tokens>),
}

impl Proxy {
    /// Fails if the keys of a file can't be read.
    pub fn new(settings: ProxySettings) -> Result<Self, Problem> {
        let explanation = settings.explanation();
        let trusted = match settings.trust {
            Trust::Certificate | Trust::Socket(_) => Trusted::Connection,
            Trust::Addresses(ranges) => Trusted::Addresses(ranges),
            Trust::Jwt(settings) => Trusted::Tokens(Box::new(Tokens::new(settings)?)),
        };
        Ok(Self { headers: settings.headers, trusted, explanation })
    }

    /// The login of a request. Fails with `Unauthorized` (it names no viewer, or doesn't come from the proxy),
    /// `BadRequest` (its headers contradict each other), or `ServiceUnavailable` (its token can't be verified now).
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

impl Authenticate for Proxy {
    fn mode(&self) -> LoginMode {
        LoginMode::Proxy
    }

    fn of_headers<'a>(
        &'a self,
        peer: Peer,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, Result<Option<Login>, Problem>> {
        Box::pin(async move { self.login(peer, headers).await.map(Some) })
    }

    fn login<'a>(
        &'a self,
        _credential: Option<&'a Credential>,
        caller: &'a Caller,
        _asked: Option<Challenge>,
    ) -> BoxFuture<'a, Result<Login, Problem>> {
        let known = match caller {
            // A credential adds nothing to what the connection says.
            Caller::Known(login) => Ok(Login::clone(login)),
            Caller::SameUser | Caller::Remote { .. } => {
                Err(Problem::new(Reason::Unauthorized, "only its proxy says who comes to this gateway"))
            }
        };
        ready(known).boxed()
    }

    fn dependency(&self) -> Option<Arc<Dependency>> {
        match &self.trusted {
            Trusted::Tokens(tokens) => tokens.dependency().cloned(),
            Trusted::Connection | Trusted::Addresses(_) => None,
        }
    }

    fn keep(self: Arc<Self>, until: CancellationToken) -> Option<(&'static str, BoxFuture<'static, ()>)> {
        self.dependency()?;
        let kept = async move {
            if let Trusted::Tokens(tokens) = &self.trusted {
                tokens.keep_looking(until).await;
            }
        };
        Some(("the proxy's keys", kept.boxed()))
    }

    fn codes(&self) -> Result<&Local, Problem> {
        let message = "no code opens this gateway; open the address of its proxy, which asks who you are";
        Err(Problem::new(Reason::Unauthorized, message))
    }

    fn greeting(&self, _demo_token: Option<String>) -> Result<Greeting, Problem> {
        Ok(Greeting { fragment: String::new(), name: None, sentence: self.explanation.clone() })
    }
}

impl Authenticator {
    /// The viewers whom a reverse proxy names.
    pub fn proxy(proxy: Proxy) -> Self {
        Self::new(Arc::new(proxy))
    }
}

fn is_in(ranges: &[Cidr], peer: Peer) -> bool {
    match peer {
        Peer::Remote(address) => ranges.iter().any(|range| range.contains(address.ip())),
        Peer::SameUser | Peer::Proxy | Peer::ApiClient(_) => false,
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

    fn proxy(trust: Trust) -> Proxy {
        let headers = HeaderNames {
            user: HeaderName::from_static("x-remote-user"),
            groups: HeaderName::from_static("x-remote-group"),
            separator: None,
        };
        Proxy::new(ProxySettings { headers, trust }).expect("no keys")
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
            let login = proxy(trust.clone()).login(peer, &headers).await;
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
