//! One connection of a viewer, a page or `tail`: its subscriptions and its credit. Never `kube`, nor axum beyond the socket's messages.
//!
//! Read in this order: [`protocol`] (what a session says and does, decided without a socket),
//! [`handshake`] (how a connection begins and ends),
//! [`run`] (the socket), [`grants`] (the rights that are watched), [`token`] (the
//! token that is looked at again), [`connections`] (how many there are).

mod connections;
mod credit;
mod expiry;
mod grants;
mod handshake;
mod protocol;
mod run;
mod token;

pub use connections::Sessions;
pub use protocol::{Action, Close, Effects, Gateway, Now, Session};
pub use run::run;

use std::sync::Arc;

use shared::frame::server::Board;
use shared::problem::Problem;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::access::{Authenticator, Reviews};
use crate::cluster::{Ceiling, Cluster};
use crate::feed::{FeedOptions, Redaction};
use crate::hub::{FeedBounds, Registry};
use crate::limits::CONNECTIONS_PER_IDENTITY_MAX;
use crate::metrics::Metrics;

/// What every session of a gateway shares.
pub struct Context {
    pub registry: Registry,
    pub sessions: Sessions,
    pub authenticator: Authenticator,
    pub reviews: Reviews,
    pub cluster: Cluster,
    pub metrics: Metrics,
    /// Every session hears of a change.
    pub team: watch::Sender<Team>,
}

/// What a team gave its gateway to show to every viewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    pub pinned: Vec<Box<str>>,
    pub boards: Vec<Board>,
}

/// How much one person may ask of a gateway, and all together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connections_per_identity: usize,
    pub feeds: FeedBounds,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections_per_identity: CONNECTIONS_PER_IDENTITY_MAX, feeds: FeedBounds::default() }
    }
}

impl Context {
    /// With no hub and no session yet.
    #[must_use]
    pub fn new(
        cluster: Cluster,
        authenticator: Authenticator,
        limits: Limits,
        metrics: Metrics,
        team: Team,
        redaction: Redaction,
    ) -> Arc<Self> {
        let sessions = Sessions::admitting(limits.connections_per_identity, metrics.clone());
        let spread_ms = {
            let sessions = sessions.clone();
            move || sessions.spread_ms()
        };
        let options = FeedOptions { redaction, ..FeedOptions::default() };
        let registry = Registry::new(cluster.clone(), options, limits.feeds, metrics.clone(), spread_ms);
        let (reviews, team) = (Reviews::new(cluster.clone()), watch::Sender::new(team));
        Arc::new(Self { registry, sessions, authenticator, reviews, cluster, metrics, team })
    }
}

impl Context {
    /// What is shown and masked from now on. Every open view begins anew, and its client drops what it has.
    ///
    /// # Errors
    /// As [`Registry::purge`].
    pub fn show(&self, ceiling: Ceiling, redaction: Redaction) -> Result<(), Problem> {
        self.cluster.set_ceiling(ceiling);
        self.registry.purge(redaction)
    }
}

/// What a connection holds until its viewer has authenticated.
pub trait PreAuth {
    /// Returns when its place is another's.
    fn displaced(&self) -> impl Future<Output = ()> + Send;
}

/// A connection that needs no place.
impl PreAuth for () {
    async fn displaced(&self) {
        std::future::pending().await
    }
}

impl<P: PreAuth + Sync> PreAuth for Option<P> {
    async fn displaced(&self) {
        match self {
            Some(held) => held.displaced().await,
            None => std::future::pending().await,
        }
    }
}

/// Why nothing more can be read of a socket, as far as its client is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    TooLong,
    /// It comes in pieces, and none is the last.
    Endless,
    NotUtf8,
    /// Not what RFC 6455 asks for.
    Malformed,
    Gone,
}

/// Ends the tasks below it when it is dropped.
type Cancel = CancellationToken;
