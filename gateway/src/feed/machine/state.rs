//! Where the list+watch stands. What belongs to a state stands in it.

use std::sync::Arc;

use shared::column::Column;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::positions::Positions;

#[derive(Debug)]
pub(super) enum State {
    /// Nothing is under way until then.
    Waiting {
        until_ms: UnixMillis,
        then: Step,
    },
    /// The credentials are being read anew.
    Refreshing {
        then: Step,
    },
    /// A WatchList before its end mark.
    WatchListing(WatchListing),
    /// A list, page by page.
    Listing(Listing),
    Watching(Watching),
}

impl State {
    /// How many objects its list has had so far.
    pub(super) fn listed(&self) -> u64 {
        match self {
            Self::WatchListing(listing) => listing.count,
            Self::Listing(listing) => listing.count,
            Self::Waiting { .. } | Self::Refreshing { .. } | Self::Watching(_) => 0,
        }
    }
}

/// What to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// All objects, compared with what is held.
    Sync,
    /// From the resourceVersion that is held.
    Watch,
    /// All objects as they were where viewers stand.
    From(Positions),
}

#[derive(Debug)]
pub(super) struct WatchListing {
    pub(super) asked_ms: UnixMillis,
    /// Of the head, or of the last object of the initial set.
    pub(super) last_ms: UnixMillis,
    pub(super) is_open: bool,
    pub(super) has_started: bool,
    pub(super) count: u64,
}

#[derive(Debug)]
pub(super) struct Listing {
    pub(super) asked_ms: UnixMillis,
    pub(super) has_started: bool,
    /// Whether a watch follows, or the next list.
    pub(super) is_watched: bool,
    /// Whether pages are asked for; a list whose token expired too often is taken whole.
    pub(super) is_paged: bool,
    /// The next page's token, once there was a page.
    pub(super) is_continued: bool,
    pub(super) restarts: u32,
    /// It is of a former time: where viewers stand, this one the lowest.
    pub(super) exact: Option<Positions>,
    pub(super) count: u64,
    pub(super) remaining: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Watching {
    pub(super) asked_ms: UnixMillis,
    /// When the head of its answer came.
    pub(super) opened_ms: Option<UnixMillis>,
    /// Of the last event or bookmark.
    pub(super) last_word_ms: Option<UnixMillis>,
}

/// What the hub holds of ours, and what is needed to go on from there.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) columns: Option<Arc<[Column]>>,
    /// Those of the last whole list.
    pub(super) listed_columns: Option<Arc<[Column]>>,
    /// Empty until the first list has ended.
    pub(super) resource_version: ResourceVersion,
    /// Whether the hub holds a whole list.
    pub(super) is_complete: bool,
    /// How many objects the last whole list had.
    pub(super) count: u64,
    /// The first list is over, with a proof young enough to call it live where the list said that it was
    /// of the present.
    pub(super) is_loaded: bool,
    /// When the state was last known to be the cluster's: where a gap begins.
    pub(super) good_ms: UnixMillis,
    /// A watch has followed what is held.
    pub(super) is_watched: bool,
    /// Why the next list is one that skips events.
    pub(super) gap: Option<Reason>,
    /// Why a list takes the watch's place: what happens until then comes as no event.
    pub(super) unfollowed: Option<Reason>,
    /// A watch expired, and none has said anything since: the next time isn't at once.
    pub(super) is_expired_again: bool,
    /// A proof was older than what was seen: the list will tell whether versions went back.
    pub(super) is_doubted: bool,
}

/// Kinds that are asked for again and again.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Polled {
    /// It is watched.
    No,
    /// No such verb.
    NoVerb,
    /// The right is missing; the watch is tried again at times.
    NoRight { retry_ms: UnixMillis },
}

/// Something that a view says instead of how fresh it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Forbidden,
    Gone { since_ms: UnixMillis },
    Failed { since_ms: UnixMillis },
}

/// What went wrong since things last went well.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    pub(super) verdict: Option<Verdict>,
    pub(super) problem: Option<Problem>,
    pub(super) tries: u32,
    /// Those of the tries that were given up as what time alone seldom heals.
    pub(super) refusals: u32,
    pub(super) since_ms: Option<UnixMillis>,
    /// When the API server was last seen before the watch was lost, and what it was lost to.
    pub(super) unseen: Option<(UnixMillis, Reason)>,
    /// When a try last broke rather than being refused.
    pub(super) broken_ms: Option<UnixMillis>,
}
