//! The gateway as an API server that only reads, for Kubernetes' own clients: kubectl, informers, `curl`. They share the
//! feeds of the pages, see the same masks, and have their own rights.
//!
//! A list or a get is asked of the API server and redacted as a feed's answers are, so paging, selectors and
//! resourceVersions mean what they mean there. A watch is a reader of the events that a feed's hub hears, and a session
//! beside it has its rights, its login and its limits, as a page's.
//!
//! Pure: [`target`] (what a path names), [`selection`], [`version`] and [`json`] (an object), [`log`] (the events of a
//! feed, in a [`ring`]), [`watcher`] (one watch), [`printer`] (how it is written), [`discovery`] (what of the cluster's own documents is
//! told), [`review`], [`refusal`] (in an API server's words). The rim: [`mirrors`] (the logs of all feeds), [`control`] (the session
//! of a watch), [`server`] (a request in, an answer out).

mod control;
mod discovery;
mod json;
mod log;
mod mirrors;
mod printer;
mod refusal;
mod review;
mod ring;
mod selection;
mod server;
mod target;
mod version;
mod watcher;

#[cfg(test)]
mod tests;

pub use mirrors::Mirrors;
pub use server::{Answer, Asked, JSON, PIECE_BYTES, ReadingLog, Server};
