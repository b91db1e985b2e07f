//! What the gateway listens on. Never who is served there.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use shared::problem::{Problem, Reason};
use tokio::net::TcpListener;

use super::internal;
use crate::access::local::folders::{self, Folders};
use crate::access::local::listener::LocalListener;
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
    pub(super) local: Option<LocalUser>,
    pub(super) audit: Option<AuditFile>,
    pub(super) proxy: Option<BehindProxy>,
}

/// What mode `proxy` has besides: the proxy's socket, if that is how it is known.
pub(super) struct BehindProxy {
    pub(super) listener: Option<ProxyListener>,
    pub(super) authenticator: Authenticator,
}

/// What mode `local` has besides: the Unix socket, and the user's sessions.
pub(super) struct LocalUser {
    pub(super) listener: LocalListener,
    pub(super) authenticator: Authenticator,
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
        let (local, proxy) = match &config.auth {
            AuthMode::Local => (Some(LocalUser::bind(address.port())?), None),
            AuthMode::Bearer | AuthMode::Oidc => (None, None),
            AuthMode::Proxy(settings) => (None, Some(BehindProxy::bind(settings).await?)),
        };
        let audit = config.audit_log.as_ref().map(AuditFile::open).transpose()?;
        Ok(Self { tcp, address, tls, metrics, local, proxy, audit })
    }
}

impl BehindProxy {
    async fn bind(settings: &ProxySettings) -> Result<Self, Problem> {
        let listener = match &settings.trust {
            Trust::Socket(path) => Some(ProxyListener::bind(path)?),
            Trust::Certificate | Trust::Jwt(_) | Trust::Addresses(_) => None,
        };
        let authenticator = Authenticator::proxy(Proxy::new(settings.clone()).await?);
        Ok(Self { listener, authenticator })
    }
}

impl LocalUser {
    fn bind(port: u16) -> Result<Self, Problem> {
        let folders = Folders::of_environment()?;
        folders::make_private(&folders.state)?;
        let runtime = folders.runtime.first().unwrap_or(&folders.state);
        let listener = LocalListener::bind(runtime, port)?;
        let identity = local::identity().ok_or_else(|| internal("this user has no name"))?;
        Ok(Self { listener, authenticator: Authenticator::local(&folders.state, port, identity) })
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
