//! HTTP: the page and its assets, the exchange of the code, the way to an identity provider and back, also for programs, the upgrade to a WebSocket, probes, metrics
//! on their own listener. It knows neither clusters nor objects.
//!
//! Read in this order: [`routes`] (all there are), [`guard`] with [`crate::address::origin`] (which requests are
//! accepted), [`socket`] (where a viewer connects), [`stream`] (the same over plain HTTP), [`accept`] (how long a connection may take), [`tls`],
//! [`api_listener`] (where clients of the Kubernetes API come in, in mode `local`).

pub mod accept;
pub mod api_listener;
pub mod routes;
pub mod tls;

mod allowance;
mod answer;
mod api_token;
mod assets;
mod body;
mod clients;
mod guard;
mod gzip;
mod headers;
mod idle;
mod kubernetes;
mod linger;
mod local_pages;
mod login;
mod observe;
mod pre_auth;
mod preferences;
mod probes;
mod seldom;
mod sign_in;
mod sign_in_answers;
mod socket;
mod state;
mod stream;

#[cfg(test)]
mod tests;

pub use accept::{Connections, Listener};
pub use assets::{Assets, File};
pub use pre_auth::PreAuthLimit;
#[cfg(test)]
pub(crate) use probes::Reader;
pub use probes::{Check, Readiness};
pub use seldom::Seldom;
pub use socket::unread;
pub use state::{AppState, ServedClusters};
