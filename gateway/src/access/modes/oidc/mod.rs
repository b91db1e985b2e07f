//! Mode `oidc`: people sign in at an identity provider (authorization code with PKCE), and from then on a sealed
//! cookie says who they are. The gateway keeps no session: each gateway that has the key honours every session, and
//! so does its successor. What it keeps is which sessions were ended. No token reaches a browser in the clear, and
//! none stands in a log.
//!
//! Read in this order: [`flags`] and [`settings`], [`mode`] (the whole), [`session`] (what the cookie holds), [`state`] (what a gateway has), [`sign_in`] with [`used`] (how it is made, once),
//! [`claims`] (who somebody is), [`renew`] with [`renewals`] (how the provider is asked again), [`sign_out`], [`told`] and [`revoked`]
//! (how sessions end), [`peers`] (how other gateways hear of it). [`provider`], [`seal`], [`cookie`] and [`form`] are what
//! these use.

mod claims;
mod cookie;
mod failure;
pub(crate) mod flags;
mod form;
pub(crate) mod mode;
mod peers;
mod provider;
mod renew;
mod renewals;
mod revoked;
mod seal;
pub(in crate::access) mod session;
mod settings;
mod sign_in;
mod sign_out;
mod state;
#[cfg(test)]
mod tests;
mod told;
mod used;

pub use claims::Mapping;
pub use failure::Failure;
pub use peers::REVOKED;
pub use renew::{NotRenewed, Renewed};
pub use session::SessionKey;
pub use settings::{OidcSettings, Peers, PeersScheme};
pub use sign_in::CALLBACK;
pub use sign_out::SignedOut;
pub use state::{Oidc, Redirect};
