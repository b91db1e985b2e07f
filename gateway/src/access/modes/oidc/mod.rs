//! Mode `oidc`: people sign in at an identity provider (authorization code with PKCE), and from then on a sealed
//! cookie holds their identity. The gateway keeps no sessions: each gateway that has the key accepts every session,
//! and so does a restarted one. It keeps only the list of ended sessions, in memory and in a file. No token
//! reaches a browser in the clear, and none is logged.
//!
//! Read in this order: [`flags`] and [`settings`], [`mode`] (the whole), [`session`] (what the cookie holds), [`sealed`] (how
//! a browser keeps it), [`state`] (what a gateway has) with `sign_in` and [`used`] (how a session is made, once) and `renew`
//! with [`renewals`] (how the provider is asked again), [`claims`] (who a person is), [`sign_out`], [`told`], [`revoked`],
//! [`ended`] and [`ended_file`] (how sessions end), [`peers`] (how other gateways hear of it); then [`client`] and
//! `clients` of [`state`] (how a program reads Kubernetes as a person who is signed in) with [`ask`] (its questions).
//! [`provider`], [`seal`], [`cookie`] and [`form`] are what these use.

pub mod ask;
mod claims;
mod client;
mod cookie;
mod ended;
mod ended_file;
mod failure;
pub(crate) mod flags;
mod form;
pub(crate) mod mode;
mod peers;
mod places;
mod provider;
mod renewals;
mod revoked;
mod seal;
mod sealed;
pub(in crate::access) mod session;
mod settings;
mod sign_out;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod told;
mod used;

pub use claims::Mapping;
pub use client::{Brought, CLIENT, ClientRequest, challenge_of, fresh_verifier};
pub use failure::Failure;
pub use peers::REVOKED;
pub use places::LoginClient;
pub use session::SessionKey;
pub use settings::{OidcSettings, Peers, PeersScheme};
pub use sign_out::SignedOut;
pub use state::clients::{ClientQuestion, Clients, Given};
pub use state::renew::{NotRenewed, Renewed};
pub use state::sign_in::{CALLBACK, Finished};
pub use state::{Oidc, Redirect};
