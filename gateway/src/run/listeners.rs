//! What the gateway listens on. Never who is served there.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use shared::problem::{Problem, Reason};
use tokio::net::TcpListener;

use super::internal;
use crate::access::local::folders::{self, Folders};
use crate::access::local::listener::LocalListener;
use crate::access::oidc::OidcSettings;
use crate::access::proxy::listener::ProxyListener;
use crate::access::proxy::{Proxy, ProxySettings, Trust};
use crate::access::{Authenticator, local};
use crate::audit::AuditFile;
use crate::config::{AuthMode, Config};
use crate::http::tls::Tls;

/// All that the gateway listens on, and the audit log: bound and opened before anything else, so that a start that
/// can't work ends at once.
pub(super) struct Listeners {
    pub(super) tcp: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) metrics: Option<TcpListener>,
    pub(super) way_in: WayIn,
    pub(super) audit: Option<AuditFile>,
}

/// What an [`AuthMode`] has besides the port.
pub(super) enum WayIn {
    Local(LocalListener, Authenticator),
    Bearer,
    Oidc(Box<OidcSettings>),
    /// The proxy's socket, if that is how it is known.
    Proxy(Option<ProxyListener>, Authenticator),
}

impl Listeners {
    pub(super) async fn bind(config: &Config) -> Result<Self, Problem> {
        let tcp = listen("--listen", config.listen).await?;
        let address = tcp.local_addr().map_err(|error| internal(&error.to_string()))?;
        let metrics = match config.metrics_listen {
            Some(address) => Some(listen("--metrics-listen", address).await?),
            None => None,
        };
        let tls = config.tls.clone().map(Tls::load).transpose()?;
        let way_in = WayIn::bind(&config.auth, address.port()).await?;
        let audit = config.audit_log.as_ref().map(AuditFile::open).transpose()?;
        Ok(Self { tcp, address, tls, metrics, way_in, audit })
    }
}

impl WayIn {
    async fn bind(auth: &AuthMode, port: u16) -> Result<Self, Problem> {
        match auth {
            AuthMode::Local => Self::local(port),
            AuthMode::Bearer => Ok(Self::Bearer),
            AuthMode::Oidc(settings) => Ok(Self::Oidc(settings.clone())),
            AuthMode::Proxy(settings) => Self::proxy(settings).await,
        }
    }

    fn local(port: u16) -> Result<Self, Problem> {
        let folders = Folders::of_environment()?;
        folders::make_private(&folders.state)?;
        let runtime = folders.runtime.first().unwrap_or(&folders.state);
        let listener = LocalListener::bind(runtime, port)?;
        let identity = local::identity().ok_or_else(|| internal("this user has no name"))?;
        Ok(Self::Local(listener, Authenticator::local(&folders.state, port, identity)))
    }

    async fn proxy(settings: &ProxySettings) -> Result<Self, Problem> {
        let listener = match &settings.trust {
            Trust::Socket(path) => Some(ProxyListener::bind(path)?),
            Trust::Certificate | Trust::Jwt(_) | Trust::Addresses(_) => None,
        };
        Ok(Self::Proxy(listener, Authenticator::proxy(Proxy::new(settings.clone()).await?)))
    }
}

async fn listen(flag: &str, address: SocketAddr) -> Result<TcpListener, Problem> {
    TcpListener::bind(address).await.map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!(
                    "something listens there already; choose another port with {flag}, or 0 for a free one"
                )
            }
            io::ErrorKind::PermissionDenied => format!("it isn't permitted; choose another port with {flag}"),
            _ => format!("{error}; choose another address with {flag}"),
        };
        Problem::new(Reason::Configuration, format!("can't listen on {address}: {why}"))
    })
}
