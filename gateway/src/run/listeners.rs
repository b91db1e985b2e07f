//! What the gateway listens on. Never who is served there.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use shared::problem::{Problem, Reason};
use tokio::net::TcpListener;

use super::internal;
use crate::access::local::api::ApiListener;
use crate::access::{Entrance, Prepared, Start};
use crate::audit::AuditFile;
use crate::config::Config;
use crate::http::tls::Tls;

/// All that the gateway listens on, and the audit log: bound and opened before anything else, so that a start that
/// can't work ends at once.
pub(super) struct Listeners {
    pub(super) tcp: TcpListener,
    pub(super) address: SocketAddr,
    /// The same port of the other loopback address, where pages have names: a browser tries both.
    pub(super) other_loopback: Option<TcpListener>,
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) metrics: Option<TcpListener>,
    /// The socket of the auth mode, besides the port.
    pub(super) entrance: Option<Box<dyn Entrance>>,
    /// For clients of the Kubernetes API.
    pub(super) api: Option<ApiListener>,
    pub(super) audit: Option<AuditFile>,
}

impl Listeners {
    /// With what begins the auth mode.
    pub(super) async fn bind(config: &Config) -> Result<(Self, Start), Problem> {
        let (tcp, other_loopback) = if config.auth.has_names() {
            both_loopbacks(config.listen).await?
        } else {
            (listen("--listen", config.listen).await?, None)
        };
        let address = tcp.local_addr().map_err(|error| internal(&error.to_string()))?;
        let metrics = match config.metrics_listen {
            Some(address) => Some(listen("--metrics-listen", address).await?),
            None => None,
        };
        let tls = config.tls.clone().map(Tls::load).transpose()?;
        let Prepared { entrance, api, start } = config.auth.prepare(address.port()).await?;
        let audit = config.audit_log.as_ref().map(AuditFile::open).transpose()?;
        Ok((Self { tcp, address, other_loopback, tls, metrics, entrance, api, audit }, start))
    }
}

/// Where a port was free on one address and taken on the other, a free one is looked for again.
const TRIES: usize = 16;

/// A browser leads a name below `localhost` to `127.0.0.1` and to `[::1]`, and whoever had the other address at this
/// port would see what is meant for the gateway. A machine without IPv6 has but one.
async fn both_loopbacks(address: SocketAddr) -> Result<(TcpListener, Option<TcpListener>), Problem> {
    let other: IpAddr = match address.ip() {
        IpAddr::V4(_) => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv4Addr::LOCALHOST.into(),
    };
    let mut tries = 0;
    loop {
        let tcp = listen("--listen", address).await?;
        let port = tcp.local_addr().map_err(|error| internal(&error.to_string()))?.port();
        let other = SocketAddr::new(other, port);
        tries += 1;
        match TcpListener::bind(other).await {
            Ok(bound) => return Ok((tcp, Some(bound))),
            Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable || has_no_family(&error) => {
                return Ok((tcp, None));
            }
            Err(_) if address.port() == 0 && tries < TRIES => {}
            Err(error) => {
                let why = match error.kind() {
                    io::ErrorKind::AddrInUse => "another program listens there".to_owned(),
                    _ => error.to_string(),
                };
                let message = format!(
                    "can't listen on {other} beside {address}: {why}, and browsers may be led there; choose another port \
                     with --listen, or 0 for a free one"
                );
                return Err(Problem::new(Reason::Configuration, message));
            }
        }
    }
}

fn has_no_family(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
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
