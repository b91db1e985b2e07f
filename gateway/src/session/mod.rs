//! One browser: its subscriptions, its credit, its rights; and which feeds run for all of them.
//! Never `kube`, nor axum beyond the socket's messages.
//!
//! Read in this order: [`registry`] (which feeds run), [`owner`] (of one hub, decided without a
//! task) and [`hub_task`] (its channels), [`conversation`] (what one session says, decided without
//! a socket), [`greeting`] (how a connection begins and ends), [`run`] (the socket).

#[cfg(test)]
mod bounds;
mod conversation;
mod credit;
mod expiry;
mod greeting;
mod hub_task;
mod message;
mod owner;
mod pace;
mod registry;
mod run;
#[cfg(test)]
mod testing;
mod turn;

pub use conversation::{Conversation, Hubs, Todo};
pub use message::{Ask, Ticket, ToSession};
pub use owner::{Elapsed, Owner};
pub use pace::MonotonicMs;
pub use registry::Registry;
pub use run::run;
pub use turn::Turn;

use std::sync::Arc;

use shared::frame::server::Board;
use tokio_util::sync::CancellationToken;

use crate::access::Authenticator;
use crate::cluster::Cluster;
use crate::metrics::Metrics;

/// What every session of a gateway shares.
pub struct Context {
    pub registry: Registry,
    pub authenticator: Authenticator,
    pub cluster: Cluster,
    pub metrics: Metrics,
    pub team: Team,
}

/// What a team gave its gateway to show to everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    pub pinned: Vec<Box<str>>,
    pub boards: Vec<Board>,
}

impl Context {
    #[must_use]
    pub fn shared(
        registry: Registry,
        authenticator: Authenticator,
        cluster: Cluster,
        metrics: Metrics,
        team: Team,
    ) -> Arc<Self> {
        Arc::new(Self { registry, authenticator, cluster, metrics, team })
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
