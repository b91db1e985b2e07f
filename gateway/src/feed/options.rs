//! The feed's timers. Only tests shorten them.

use shared::state::Whom;

use crate::limits::{
    AWAY_MS, BACKOFF_FIRST_MS, BACKOFF_MAX_MS, BACKOFF_RESET_MS, BACKOFF_UNWATCHED_MAX_MS, BOOKMARK_AGE_MS,
    LIST_PAGE_OBJECTS, POLL_INTERVAL_MS, PROGRESS_MS, PROOF_INTERVAL_MS, PROOF_TIMEOUT_MS, RESUME_GATHER_MS,
    RETRY_AFTER_MAX_MS, SHORT_LIFE_MS, SLOW_RETRY_FIRST_MS, SLOW_RETRY_MS, STALE_AFTER_MS, STARTING_MS,
    WATCH_LIST_QUIET_MS, WATCH_LIST_WHOLE_MS, WATCH_REOPEN_MS,
};

#[derive(Clone, Debug)]
pub struct FeedOptions {
    /// How often the API server is asked for a proof.
    pub proof_interval_ms: i64,
    /// A proof without an answer is asked for again after this.
    pub proof_timeout_ms: i64,
    /// Without a proof for this long the view is stale.
    pub stale_after_ms: i64,
    /// A WatchList that is silent for this long without its end mark is ignored by its server.
    pub watch_list_quiet_ms: i64,
    /// A WatchList without its end mark after this never gets one.
    pub watch_list_whole_ms: i64,
    /// Between two lists of a kind that can't be watched.
    pub poll_interval_ms: i64,
    /// How often a forbidden watch is tried again where the list is allowed. Not slower than other
    /// refusals, for an API server that starts may refuse a watch a moment after it allowed the list.
    pub watch_retry_ms: i64,
    /// After 401, 403, 404 and answers that can't be read.
    pub slow_retry_ms: i64,
    /// The first pause of this kind; then it doubles.
    pub slow_retry_first_ms: i64,
    /// An API server that couldn't be reached for this long may be back with another history.
    pub away_ms: i64,
    /// A refusal sooner after the API server couldn't be reached is no verdict.
    pub starting_ms: i64,
    /// The first pause is random up to this, then it doubles.
    pub backoff_first_ms: i64,
    pub backoff_max_ms: i64,
    /// The longest pause without viewers.
    pub backoff_unwatched_max_ms: i64,
    /// Health for this long begins the back-off anew.
    pub backoff_reset_ms: i64,
    /// The longest `Retry-After` that is obeyed.
    pub retry_after_max_ms: i64,
    /// Where bookmarks come regularly, the last one or an event is at most this old.
    pub bookmark_age_ms: i64,
    /// Without bookmarks, the watch is opened anew this often.
    pub reopen_ms: i64,
    /// A watch that ends sooner without an event isn't opened again at once.
    pub short_life_ms: i64,
    /// Between two reports of how far the first list is.
    pub progress_ms: i64,
    pub page_objects: u32,
    /// How long a feed that begins for a viewer that was served before waits for other viewers.
    pub resume_gather_ms: i64,
    /// Whose right a 403 of the API server denies. In mode `local` the kubeconfig is the viewer's.
    pub forbidden_to: Whom,
}

impl Default for FeedOptions {
    fn default() -> Self {
        Self {
            proof_interval_ms: PROOF_INTERVAL_MS,
            proof_timeout_ms: PROOF_TIMEOUT_MS,
            stale_after_ms: STALE_AFTER_MS,
            watch_list_quiet_ms: WATCH_LIST_QUIET_MS,
            watch_list_whole_ms: WATCH_LIST_WHOLE_MS,
            poll_interval_ms: POLL_INTERVAL_MS,
            watch_retry_ms: SLOW_RETRY_MS,
            slow_retry_ms: SLOW_RETRY_MS,
            slow_retry_first_ms: SLOW_RETRY_FIRST_MS,
            away_ms: AWAY_MS,
            starting_ms: STARTING_MS,
            backoff_first_ms: BACKOFF_FIRST_MS,
            backoff_max_ms: BACKOFF_MAX_MS,
            backoff_unwatched_max_ms: BACKOFF_UNWATCHED_MAX_MS,
            backoff_reset_ms: BACKOFF_RESET_MS,
            retry_after_max_ms: RETRY_AFTER_MAX_MS,
            bookmark_age_ms: BOOKMARK_AGE_MS,
            reopen_ms: WATCH_REOPEN_MS,
            short_life_ms: SHORT_LIFE_MS,
            progress_ms: PROGRESS_MS,
            page_objects: LIST_PAGE_OBJECTS,
            resume_gather_ms: RESUME_GATHER_MS,
            forbidden_to: Whom::You,
        }
    }
}
