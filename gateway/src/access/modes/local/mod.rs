//! Mode `local`: one user on one machine. The printed URL carries a [`code`] that works once; the
//! page exchanges it for one of the [`sessions`], which a key of its own proves from then on: no secret crosses the wire;
//! `tail` and `url` come over a Unix socket instead ([`listener`], found by [`sockets`], asked by
//! [`fresh_code`]). Clients of the Kubernetes API have a listener of their own ([`api`]). [`mode`] is what the configuration and the start know of it, [`login`] what sessions ask.
//!
//! Never a cookie: cookies reach every port of a host.

pub mod api;
pub mod code;
mod file_work;
pub(crate) mod flags;
pub mod folders;
pub mod fresh_code;
pub mod hidden;
pub mod listener;
pub mod login;
pub mod mode;
mod names;
mod preferences;
mod question;
pub mod sessions;
pub mod sockets;
mod user;

pub use sockets::sockets;
