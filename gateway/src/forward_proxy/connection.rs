//! Connections through a proxy, and what goes wrong with them: a failure names the proxy, because the server's address is
//! right. Never the choice of a proxy.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use shared::problem::{Problem, Reason};
use tower::{BoxError, Service};

use super::address::Address;
use super::variables::{NamedBy, Proxy};
use crate::causes::causes;
use crate::limits::UPSTREAM_CONNECT_TIMEOUT_S;

/// A connector to the API server over one to its proxy.
#[derive(Clone)]
pub(crate) struct ThroughProxy<C> {
    inner: C,
    proxy: Arc<Proxy>,
}

/// A connection through a proxy that didn't come about.
#[derive(Debug)]
pub(crate) struct ProxyFailure {
    proxy: Arc<Proxy>,
    /// Where the connection was to lead: `host:port`.
    server: String,
    source: BoxError,
}

/// Over SOCKS, where the proxy resolves the server's name.
pub(crate) fn socks<C>(proxy: &Proxy, connector: C) -> Option<ThroughProxy<SocksV5<C>>> {
    let socks = SocksV5::new(uri(proxy, "http")?, connector);
    let socks = match proxy.address.user.clone() {
        Some((user, password)) => socks.with_auth(user, password),
        None => socks,
    };
    Some(ThroughProxy { inner: socks, proxy: Arc::new(proxy.clone()) })
}

/// Over `CONNECT`. `scheme` says whether the connector speaks TLS with the proxy.
pub(crate) fn tunnel<C>(proxy: &Proxy, scheme: &str, connector: C) -> Option<ThroughProxy<Tunnel<C>>> {
    let tunnel = Tunnel::new(uri(proxy, scheme)?, connector);
    let tunnel = match authorization(proxy) {
        Some(value) => tunnel.with_auth(value),
        None => tunnel,
    };
    Some(ThroughProxy { inner: tunnel, proxy: Arc::new(proxy.clone()) })
}

fn uri(proxy: &Proxy, scheme: &str) -> Option<Uri> {
    let address = &proxy.address;
    format!("{scheme}://{}:{}/", address.host, address.port_or_usual()).parse().ok()
}

fn authorization(proxy: &Proxy) -> Option<HeaderValue> {
    let (user, password) = proxy.address.user.as_ref()?;
    HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))).ok()
}

impl<C> Service<Uri> for ThroughProxy<C>
where
    C: Service<Uri>,
    C::Error: Into<BoxError>,
    C::Future: Send + 'static,
    C::Response: 'static,
{
    type Response = C::Response;
    type Error = ProxyFailure;
    type Future = BoxFuture<'static, Result<C::Response, ProxyFailure>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ProxyFailure>> {
        let proxy = &self.proxy;
        self.inner.poll_ready(context).map_err(|error| ProxyFailure {
            proxy: proxy.clone(),
            server: "the server".to_owned(),
            source: error.into(),
        })
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let proxy = self.proxy.clone();
        let named = Address::of(&server).map_or_else(|| "the server".to_owned(), |server| server.authority());
        let connecting = self.inner.call(with_port(server));
        async move {
            connecting.await.map_err(|error| ProxyFailure { proxy, server: named, source: error.into() })
        }
        .boxed()
    }
}

/// A proxy is told the port, and the libraries would take 443 for that of `http://`, too.
fn with_port(server: Uri) -> Uri {
    let (Some("http"), Some(host), None) = (server.scheme_str(), server.host(), server.port_u16()) else {
        return server;
    };
    format!("http://{host}:80/").parse().unwrap_or(server)
}

impl fmt::Display for ProxyFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} made no connection", self.proxy)
    }
}

impl Error for ProxyFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

impl ProxyFailure {
    /// The failure as a sentence that names the proxy and what to do. It quotes nothing that the proxy answered.
    pub(crate) fn problem(&self) -> Problem {
        let Self { proxy, server, .. } = self;
        let mut text = String::new();
        for cause in causes(self) {
            if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
                let message = format!("no TLS connection with {proxy} came about: {tls}");
                return Problem::new(Reason::TlsFailure, message);
            }
            if let Some(error) = cause.downcast_ref::<io::Error>()
                && let Some(problem) = of_io(proxy, error)
            {
                return problem;
            }
            text += &format!("{cause}; ");
        }
        let (reason, message) = if text.contains("dns error") || text.contains("lookup address") {
            (Reason::NameNotFound, format!("the host name of {proxy} is not known"))
        } else if text.contains("authorization required") || text.contains("auth") {
            (
                Reason::ConnectionClosed,
                format!("{proxy} wants a user and a password, or others than it was given"),
            )
        } else if text.contains("unexpected end of file") {
            (Reason::ConnectionClosed, format!("{proxy} closed the connection"))
        } else {
            let else_direct = match proxy.named_by {
                NamedBy::ProxyUrl => "remove `proxy-url`",
                NamedBy::Variable(_) => "name the server in NO_PROXY",
            };
            let message = format!(
                "{proxy} refused to connect to {server}; let it connect there, or {else_direct} if the server is reached without a proxy"
            );
            (Reason::ConnectionClosed, message)
        };
        Problem::new(reason, message)
    }
}

fn of_io(proxy: &Proxy, error: &io::Error) -> Option<Problem> {
    let (reason, message) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            (Reason::ConnectionRefused, format!("nothing listens at the address of {proxy}"))
        }
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionAborted => {
            (Reason::ConnectionReset, format!("{proxy} cut the connection"))
        }
        io::ErrorKind::TimedOut => {
            (Reason::TimedOut, format!("{proxy} took no connection within {UPSTREAM_CONNECT_TIMEOUT_S} s"))
        }
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown => {
            (Reason::NoRoute, format!("there is no route to the address of {proxy}"))
        }
        io::ErrorKind::UnexpectedEof => (Reason::ConnectionClosed, format!("{proxy} closed the connection")),
        _ => return None,
    };
    Some(Problem::new(reason, message))
}
