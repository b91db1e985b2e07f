//! The gateway's settings: flags before the environment, the environment before the file, the
//! file before the default. Never a connection; what is wrong is one sentence that names the flag.
//!
//! Read in this order: [`settings`] (all there are; those of an auth mode stand in its folder of `access::modes`),
//! [`resolve`] (what they mean), [`cluster`] (which cluster, and why that one), [`needs`] (the rights that follow), [`history`] and [`record`] (the record), [`tls`]
//! and [`reached_at`], [`reloading`] (what of them may change while the gateway runs).

mod cluster;
mod history;
mod lists;
mod needs;
mod profiles;
mod reached_at;
mod record;
mod reloading;
mod resolve;
mod rights;
mod rules;
mod settings;
mod team;
mod texts;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;

use crate::access::auth_mode::wrong;
use crate::access::{AuthMode, RightsMode};
use crate::address::BasePath;
use crate::address::TlsFiles;
use crate::address::origin::Origin;
use crate::audit::AuditTarget;
use crate::cluster::Ceiling;
use crate::feed::RedactionSettings;
use crate::log::LogFormat;
use crate::past::HistorySettings;
use crate::rules::RulesSettings;
use crate::session::{Limits, Team};
use crate::traces::Endpoint;

pub use cluster::ClusterChoice;
pub use profiles::ProfileSettings;
pub use record::RecordConfig;
pub use reloading::{Reloaded, Reloading};
pub use rules::rules_of_file;
pub use settings::ServeFlags;

/// The settings, as the gateway uses them.
#[derive(Clone, Debug)]
pub struct Config {
    pub auth: Arc<dyn AuthMode>,
    /// Has no meaning in mode `local`.
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
    pub history: HistorySettings,
    pub rules: RulesSettings,
    pub team: Team,
    /// For another reading of them.
    pub reloading: Reloading,
}
