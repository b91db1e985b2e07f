//! Mode `proxy`: a reverse proxy has asked who it is, and says so with each request. It is believed for one thing that
//! nobody else has: a certificate, a Unix socket, a signature, or an address. Never for a header alone.
//!
//! Read in this order: [`headers`] and [`jwt`] (what it says), [`names`] (which names are taken), [`listener`] and
//! [`cidr`] (where it comes from), [`flags`] and [`settings`] (what is configured), [`mode`] (the whole).

pub mod cidr;
pub(crate) mod flags;
pub mod headers;
pub mod jwt;
pub mod listener;
pub(crate) mod mode;
mod names;
mod settings;

pub use mode::Proxy;
pub use settings::{ProxySettings, Trust};
