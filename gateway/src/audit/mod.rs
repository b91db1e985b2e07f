//! The audit log: who logged in, what they asked to see, what was granted, and when a right ended. One JSON object in
//! one line for each. Never an object's body, a token, a cookie or a code.
//!
//! Read in this order: [`decision`] (what a session decided), [`record`] (how it is written), [`trail`] (what is
//! known of one connection, and added to each record of it), [`purge`] (what a user of the machine removes from the
//! past), [`writer`] (the file).
//!
//! If the log can't be written, viewers still read: kube-apiserver goes on as well, unless it is started with
//! `--audit-log-mode=blocking-strict`. Every record that is lost is counted, and said in the gateway's own log.

mod decision;
mod purge;
mod record;
mod trail;
mod writer;

#[cfg(test)]
mod tests;

pub use decision::{AuditEvent, Decision, decision_of_log};
pub use purge::purged;
pub use record::Viewer;
pub use trail::{Audit, Trail};
pub use writer::{AuditFile, AuditTarget};
