//! Authentication and admission: who the viewer is, and what the viewer may see. A cookie in mode `oidc` alone.
//!
//! Read in this order: [`identity`] (who the viewer is), [`authenticator`] (how the gateway knows), [`local`] (one user on
//! one machine: a code that opens the page once, a key of the page's own, and a Unix socket where the kernel
//! says who connects), [`bearer`] (whoever has a token of the cluster), [`oidc`] (whoever signs in at an identity
//! provider, whose tokens [`jwt`] verifies), [`proxy`] (whom a reverse proxy names), [`admission`] (what fits a feed),
//! [`rights`] (what the API server lets a viewer see), [`rights_mode`] (as whom it is asked for that).
//!
//! The viewer's identity is used up to admission and rights. The feeds are shared by all viewers, and send requests
//! with the gateway's own credentials; unless the operator chose feeds of each viewer's own.

mod admission;
mod authenticator;
mod bearer;
pub mod https;
mod identity;
pub mod jwt;
pub mod local;
pub mod oidc;
pub mod proxy;
mod rights;
mod rights_mode;
mod socket;

pub use admission::admit;
pub use authenticator::Authenticator;
pub use identity::{Caller, Identity, Login, LoginSession, Peer, Rights};
pub use local::sessions::SessionId;
pub use rights::{Grant, Question, Reviews};
pub use rights_mode::RightsMode;
