//! What a feed is started with: how it redacts, and its timers. Only tests shorten those.

use super::Redaction;
use crate::limits::{
    BACKOFF_FIRST_MS, BACKOFF_MAX_MS, LIST_PAGE_OBJECTS, POLL_INTERVAL_MS, PROOF_INTERVAL_MS,
    PROOF_TIMEOUT_MS, RESUME_MARGIN_REVISIONS, SLOW_RETRY_FIRST_MS, SLOW_RETRY_MS, STALE_AFTER_MS,
    WATCH_LIST_QUIET_MS,
};

/// What a feed is started with. The product makes it from the configuration and `limits.rs`.
#[derive(Clone, Debug)]
pub struct FeedOptions {
    pub redaction: Redaction,
    /// What is asked for was granted to its viewers, so a refusal of the gateway isn't theirs.
    pub is_reviewed: bool,
    /// How often the API server is asked for a proof.
    pub proof_interval_ms: i64,
    /// A proof without an answer is asked for again after this.
    pub proof_timeout_ms: i64,
    /// Without a proof for this long the view is stale.
    pub stale_after_ms: i64,
    /// A WatchList that is silent for this long before its initial set ends was ignored by its server.
    pub watch_list_quiet_ms: i64,
    /// Between two lists of a kind that can't be watched.
    pub poll_interval_ms: i64,
    /// After 401, 403, 404 and answers that can't be read.
    pub slow_retry_ms: i64,
    /// The first pause of this kind; then it doubles.
    pub slow_retry_first_ms: i64,
    /// The first pause is random up to this, then it doubles.
    pub backoff_first_ms: i64,
    pub backoff_max_ms: i64,
    pub page_objects: u32,
    /// How many revisions before the oldest viewer that comes back the first list is.
    pub resume_margin: u64,
}

impl Default for FeedOptions {
    fn default() -> Self {
        Self {
            redaction: Redaction::default(),
            is_reviewed: false,
            proof_interval_ms: PROOF_INTERVAL_MS,
            proof_timeout_ms: PROOF_TIMEOUT_MS,
            stale_after_ms: STALE_AFTER_MS,
            watch_list_quiet_ms: WATCH_LIST_QUIET_MS,
            poll_interval_ms: POLL_INTERVAL_MS,
            slow_retry_ms: SLOW_RETRY_MS,
            slow_retry_first_ms: SLOW_RETRY_FIRST_MS,
            backoff_first_ms: BACKOFF_FIRST_MS,
            backoff_max_ms: BACKOFF_MAX_MS,
            page_objects: LIST_PAGE_OBJECTS,
            resume_margin: RESUME_MARGIN_REVISIONS,
        }
    }
}
