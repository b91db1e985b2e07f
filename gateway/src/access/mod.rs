//! Authentication and admission: who the viewer is, and what the viewer may see. A cookie in mode `oidc` alone.
//!
//! Read in this order: [`identity`] (who the viewer is), [`auth_mode`] (what a mode is), [`modes`] (the four there are),
//! [`authenticator`] (the one that runs), [`admission`] (what fits a feed), [`rights`] (what the API server lets a viewer
//! see), [`rights_mode`] (the identity that it is asked as). Modes share [`jwt`], [`https`], [`socket`] and
//! [`dependency`] (a server that one needs besides the cluster).
//!
//! The viewer's identity is used for admission and rights only. All viewers share the feeds, which send requests with
//! the gateway's own credentials, unless the operator chose feeds of each viewer's own.

mod admission;
pub(crate) mod auth_mode;
mod authenticator;
mod dependency;
pub mod https;
mod identity;
pub mod jwt;
pub mod modes;
mod names;
mod rights;
mod rights_mode;
mod socket;

pub use admission::admit;
pub use auth_mode::{AuthMode, Authenticate, Entrance, Prepared, Start, StartContext};
pub use authenticator::Authenticator;
pub use dependency::Dependency;
pub use identity::{Caller, Identity, Login, LoginSession, Peer, RenewedLogin, Rights};
pub use modes::local::sessions::SessionId;
pub use modes::{local, oidc, proxy};
pub use rights::{Grant, Question, RequestVerb, Reviews};
pub use rights_mode::RightsMode;
