//! The gateway's settings: flags before the environment, the environment before the file, the
//! file before the default. Never a connection; what is wrong is one sentence that names the flag.
//!
//! Read in this order: [`settings`] (all there are, with those of mode `oidc` in [`oidc`]), [`resolve`] (what they mean), [`cluster`] (which
//! cluster, and why that one).

mod cluster;
mod oidc;
mod resolve;
mod settings;
mod team;

use std::net::SocketAddr;

use shared::problem::{Problem, Reason};

use crate::access::oidc::OidcSettings;
use crate::cluster::Ceiling;
use crate::feed::RedactionSettings;
use crate::http::origin::Origin;
use crate::session::{Limits, Team};

pub use cluster::ClusterChoice;
pub use settings::ServeFlags;

/// How people prove who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthMode {
    /// As the gateway's own user, on the same machine.
    Local,
    /// With a token of the cluster.
    Bearer,
    /// At an identity provider.
    Oidc,
}

/// The settings, as the gateway uses them.
#[derive(Clone, Debug)]
pub struct Config {
    pub auth: AuthMode,
    /// In mode `oidc` alone.
    pub oidc: Option<OidcSettings>,
    /// Always loopback in mode `local`.
    pub listen: SocketAddr,
    pub metrics_listen: Option<SocketAddr>,
    pub cluster: ClusterChoice,
    pub public_url: Option<Origin>,
    pub allowed_origins: Vec<Origin>,
    pub ceiling: Ceiling,
    pub redaction: RedactionSettings,
    pub connections_max: usize,
    pub limits: Limits,
    pub team: Team,
}

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}
