//! What the gateway was told: flags before the environment, the environment before the file, the
//! file before the default. Never a connection; what is wrong is one sentence that names the flag.
//!
//! Read in this order: [`settings`] (what can be said), [`resolve`] (what it comes to), [`cluster`] (which
//! cluster, and why that one).

mod cluster;
mod resolve;
mod settings;
mod team;

use std::net::SocketAddr;

use shared::problem::{Problem, Reason};

use crate::http::origin::Origin;
use crate::session::Team;

pub use cluster::ClusterChoice;
pub use settings::ServeFlags;

/// All that a gateway needs to know to start.
#[derive(Clone, Debug)]
pub struct Config {
    /// Loopback, for mode `local` is the only one there is.
    pub listen: SocketAddr,
    pub metrics_listen: Option<SocketAddr>,
    pub cluster: ClusterChoice,
    pub public_url: Option<Origin>,
    pub allowed_origins: Vec<Origin>,
    pub connections_max: usize,
    pub connections_per_identity_max: usize,
    pub team: Team,
}

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}
