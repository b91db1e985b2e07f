//! The gateway: it authenticates to a cluster, watches it once for everybody, and relays what
//! changed over one WebSocket per page. It only ever reads.
//!
//! The rooms stand in the order of the flow, and each may use only those before it:
//! [`cluster`] → [`feed`] → [`hub`] → [`session`] → [`http`]; [`auth`] stands beside the last two.

pub mod cluster;
pub mod feed;
pub mod hub;

pub mod auth;
pub mod http;
pub mod session;

pub mod config;
pub mod demo;
pub mod limits;
pub mod metrics;
pub mod run;
#[cfg(test)]
mod told;
pub mod url;

/// A viewer in a terminal: the only part that knows the replica, and none of the rooms above.
pub mod tail;
