//! What the gateway was told: flags before the environment, the environment before the file, the
//! file before what is usual. Never a connection; what is wrong is one sentence that names the flag.
//!
//! Read in this order: [`flags`] (what can be said), [`file`] (the same as YAML), [`resolve`] (what
//! it comes to), [`source`] (which cluster, and why that one).

pub mod file;
pub mod flags;
pub mod resolve;
pub mod source;
mod team;

use std::net::SocketAddr;

use shared::problem::{Problem, Reason};

use crate::http::origin::Origin;
use crate::session::Team;

pub use flags::ServeFlags;
pub use source::Shown;

/// All that a gateway needs to know to start.
#[derive(Clone, Debug)]
pub struct Config {
    /// Loopback, for mode `local` is the only one there is.
    pub listen: SocketAddr,
    pub metrics_listen: Option<SocketAddr>,
    pub shown: Shown,
    pub public_url: Option<Origin>,
    pub allowed_origins: Vec<Origin>,
    pub connections_max: usize,
    pub connections_per_identity_max: usize,
    pub team: Team,
}

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}
