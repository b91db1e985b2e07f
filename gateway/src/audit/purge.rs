//! The record of a removal from the past, by a user of the machine. It has no connection and no viewer.

use serde::Serialize;
use shared::state::UnixMillis;

use super::record::written;

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    event: &'static str,
    reason: &'a str,
    /// The user of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    uid: String,
}

/// One line without its end. `what`: one sentence.
#[must_use]
pub fn purged(now_ms: UnixMillis, what: &str) -> String {
    let user = std::env::var("USER").ok().filter(|user| !user.is_empty());
    let uid = rustix::process::getuid().as_raw().to_string();
    let line = Line { time: written(now_ms), event: "purge", reason: what, user, uid };
    serde_json::to_string(&line).unwrap_or_default()
}
