//! What the pill of a view says, and the popover "How fresh is this?".

use crate::messages::{ago, counted, span};

pub const LIVE: &str = "Live";
pub const RESUMING: &str = "Resuming";
pub const STALE: &str = "Stale";
pub const POLLED: &str = "Polled";

pub fn confirmed(age_ms: i64) -> String {
    format!("confirmed {}", ago(age_ms))
}

pub fn from(clock: &str) -> String {
    format!("from {clock}")
}

pub fn every(seconds: u32) -> String {
    format!("every {seconds} s")
}

pub fn polled_ago(age_ms: i64) -> String {
    format!("{POLLED} {}", ago(age_ms))
}

pub fn list(resource: &str) -> String {
    format!("list {resource}")
}

pub const FOR_THE_GATEWAY: &str = "for the gateway";

/// Beside the pill's word: `1 of 3 namespaces forbidden`.
pub fn refused_of(refused: usize, all: usize, word: &str) -> String {
    format!("{refused} of {all} namespaces {}", word.to_lowercase())
}

pub const HOW_FRESH: &str = "How fresh is this?";
pub const WHY_STALE: &str = "Why is this stale?";
pub const LAST_PROOF: &str = "The API server confirmed this view";
pub const NO_PROOF: &str = "The API server hasn't confirmed this view yet";
pub const LAST_SYNC: &str = "Last heartbeat";
pub const GATEWAY: &str = "Dogwatch gateway";
pub const THIS_PAGE: &str = "This page";

pub fn digest_over(rows: u64) -> String {
    format!("Checksum of {} matches the gateway's", counted(rows, "row", "rows"))
}

pub fn proof_foot() -> String {
    format!(
        "Quiet is normal: the API server is asked every 5 s. If it is silent for {}, or the gateway for {}, \
         the view turns stale.",
        span(crate::limits::PROOF_MISSING_MS),
        span(crate::limits::SYNC_MISSING_MS)
    )
}
