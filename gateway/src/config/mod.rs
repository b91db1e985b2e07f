//! The gateway's settings: flags before the environment, the environment before the file, the
//! file before the default. Never a connection; what is wrong is one sentence that names the flag.
//!
//! Read in this order: [`settings`] (all there are), [`resolve`] (what they mean), [`cluster`] (which
//! cluster, and why that one), [`needs`] (the rights that follow), [`oidc`], [`proxy`] and [`tls`] (what those need), [`reloading`] (what of them may change
//! while the gateway runs).

mod cluster;
mod lists;
mod needs;
mod oidc;
mod profiles;
mod proxy;
mod reached_at;
mod reloading;
mod resolve;
mod rights;
mod settings;
mod team;
mod tls;

use std::net::SocketAddr;

use shared::problem::{Problem, Reason};

use crate::access::RightsMode;
use crate::access::oidc::OidcSettings;
use crate::access::proxy::ProxySettings;
use crate::address::BasePath;
use crate::address::TlsFiles;
use crate::address::origin::Origin;
use crate::audit::AuditTarget;
use crate::cluster::Ceiling;
use crate::feed::RedactionSettings;
use crate::log::LogFormat;
use crate::rbac::KnownBy;
use crate::session::{Limits, Team};
use crate::traces::Endpoint;

pub use cluster::ClusterChoice;
pub use profiles::ProfileSettings;
pub use reloading::{Reloaded, Reloading};
pub use settings::ServeFlags;

/// How people prove who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthMode {
    /// As the gateway's own user, on the same machine.
    Local,
    /// With a token of the cluster.
    Bearer,
    /// At an identity provider.
    Oidc(Box<OidcSettings>),
    /// To a reverse proxy, which says it.
    Proxy(Box<ProxySettings>),
}

impl AuthMode {
    /// As `--auth` has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Bearer => "bearer",
            Self::Oidc(_) => "oidc",
            Self::Proxy(_) => "proxy",
        }
    }

    /// How the cluster knows the viewers. `None`: it knows the gateway's own user alone.
    pub(crate) fn known_by(&self) -> Option<KnownBy> {
        match self {
            Self::Local => None,
            Self::Bearer => Some(KnownBy::Token),
            Self::Oidc(_) | Self::Proxy(_) => Some(KnownBy::Name),
        }
    }
}

/// The settings, as the gateway uses them.
#[derive(Clone, Debug)]
pub struct Config {
    pub auth: AuthMode,
    /// Of no meaning in mode `local`.
    pub rights: RightsMode,
    /// Always loopback in mode `local`.
    pub listen: SocketAddr,
    /// Never in mode `local`.
    pub tls: Option<TlsFiles>,
    pub metrics_listen: Option<SocketAddr>,
    pub cluster: ClusterChoice,
    /// Where clusters are shown of ClusterProfiles, too.
    pub profiles: Option<ProfileSettings>,
    pub public_url: Option<Origin>,
    /// Where the gateway is below its origin. A cookie of it has this `Path`.
    pub base_path: BasePath,
    pub audit_log: Option<AuditTarget>,
    pub log_format: LogFormat,
    /// Where spans go.
    pub collector: Option<Endpoint>,
    pub allowed_origins: Vec<Origin>,
    pub ceiling: Ceiling,
    pub redaction: RedactionSettings,
    pub connections_max: usize,
    pub limits: Limits,
    pub team: Team,
    /// For another reading of them.
    pub reloading: Reloading,
}

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}
