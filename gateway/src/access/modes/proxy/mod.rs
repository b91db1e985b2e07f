//! Mode `proxy`: a reverse proxy signs people in, and names the viewer in each request. The gateway believes it
//! because of one thing that no other client has: a certificate, a Unix socket, a signature, or an address. Never
//! because of a header alone.
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
