//! What the gateway listens on. Never who is served there.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use shared::problem::{Problem, Reason};
use tokio::net::TcpListener;

use super::internal;
use crate::access::{Entrance, Prepared, Start};
use crate::audit::AuditFile;
use crate::config::Config;
use crate::http::tls::Tls;

/// All that the gateway listens on, and the audit log: bound and opened before anything else, so that a start that
/// can't work ends at once.
pub(super) struct Listeners {
    pub(super) tcp: TcpListener,
    pub(super) address: SocketAddr,
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) metrics: Option<TcpListener>,
    /// The socket of the auth mode, besides the port.
    pub(super) entrance: Option<Box<dyn Entrance>>,
    pub(super) audit: Option<AuditFile>,
}

impl Listeners {
    /// With what begins the auth mode.
    pub(super) async fn bind(config: &Config) -> Result<(Self, Start), Problem> {
        let tcp = listen("--listen", config.listen).await?;
        let address = tcp.local_addr().map_err(|error| internal(&error.to_string()))?;
        let metrics = match config.metrics_listen {
            Some(address) => Some(listen("--metrics-listen", address).await?),
            None => None,
        };
        let tls = config.tls.clone().map(Tls::load).transpose()?;
        let Prepared { entrance, start } = config.auth.prepare(address.port()).await?;
        let audit = config.audit_log.as_ref().map(AuditFile::open).transpose()?;
        Ok((Self { tcp, address, tls, metrics, entrance, audit }, start))
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
