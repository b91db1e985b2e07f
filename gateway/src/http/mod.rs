//! The edge: the page and its assets, the exchange of the code, the upgrade to a WebSocket, probes,
//! metrics on their own listener. It decides who may speak to the gateway at all; it knows neither
//! clusters nor objects.
//!
//! Read in this order: [`routes`] (all there is), [`guard`] with [`origin`] (who may ask),
//! [`socket`] (the one way in for a viewer), [`accept`] (how long anybody may take).

pub mod accept;
pub mod assets;
pub mod origin;
pub mod probes;
pub mod routes;

mod answer;
mod guard;
mod headers;
mod idle;
mod linger;
mod login;
mod observe;
mod socket;
mod ungreeted;

#[cfg(test)]
mod tests;

use axum::extract::ws::WebSocket;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::auth::{Authenticator, Peer};
use crate::metrics::Metrics;

pub use assets::Assets;
pub use origin::Policy;
pub use probes::Readiness;
pub use socket::unread;
pub use ungreeted::{Place, Ungreeted};

/// Serves one viewer until it leaves or the token is cancelled. It holds a place until it is known.
pub type Sessions =
    Box<dyn Fn(WebSocket, Peer, Option<Place>, CancellationToken) -> BoxFuture<'static, ()> + Send + Sync>;

/// What all requests share.
pub struct Edge {
    pub assets: Assets,
    pub authenticator: Authenticator,
    pub metrics: Metrics,
    pub policy: Policy,
    pub readiness: Readiness,
    pub sessions: Sessions,
    pub ungreeted: Ungreeted,
    /// Where the page is, as people reach it: `http://127.0.0.1:8484/`.
    pub url: String,
    /// Cancelled when sessions must say goodbye.
    pub leaving: CancellationToken,
}
