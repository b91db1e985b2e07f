//! One connection of a viewer, a page or `tail`: its subscriptions and its credit. Never `kube`, nor axum beyond the socket's messages.
//!
//! Read in this order: [`protocol`] (what a session says and does, decided without a socket),
//! [`handshake`] (how a connection begins and ends),
//! [`run`] (the socket), [`connections`] (how many there are).

mod connections;
mod credit;
mod expiry;
mod handshake;
mod protocol;
mod rate_limiter;
mod run;

pub use connections::Sessions;
pub use protocol::{Action, Close, Effects, Gateway, Now, Session};
pub use run::run;

use std::sync::Arc;

use shared::frame::server::Board;
use tokio_util::sync::CancellationToken;

use crate::access::Authenticator;
use crate::cluster::Cluster;
use crate::feed::{FeedOptions, Redaction};
use crate::hub::Registry;
use crate::metrics::Metrics;

/// What every session of a gateway shares.
pub struct Context {
    pub registry: Registry,
    pub sessions: Sessions,
    pub authenticator: Authenticator,
    pub cluster: Cluster,
    pub metrics: Metrics,
    pub team: Team,
}

/// What a team gave its gateway to show to every viewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    pub pinned: Vec<Box<str>>,
    pub boards: Vec<Board>,
}

impl Context {
    /// With no hub and no session yet.
    #[must_use]
    pub fn new(
        cluster: Cluster,
        authenticator: Authenticator,
        connections_per_identity_max: usize,
        metrics: Metrics,
        team: Team,
        redaction: Redaction,
    ) -> Arc<Self> {
        let sessions = Sessions::admitting(connections_per_identity_max, metrics.clone());
        let spread_ms = {
            let sessions = sessions.clone();
            move || sessions.spread_ms()
        };
        let options = FeedOptions { redaction, ..FeedOptions::default() };
        let registry = Registry::new(cluster.clone(), options, metrics.clone(), spread_ms);
        Arc::new(Self { registry, sessions, authenticator, cluster, metrics, team })
    }
}

/// Why nothing more can be read of a socket, as far as its client is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    TooLong,
    NotUtf8,
    /// Not what RFC 6455 asks for.
    Malformed,
    Gone,
}

/// Ends the tasks below it when it is dropped.
type Cancel = CancellationToken;
