//! The state of the list+watch. Each state carries its own data.

use std::sync::Arc;

use shared::column::Column;
use shared::problem::{Problem, Reason};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::positions::Positions;

#[derive(Debug)]
pub(super) enum State {
    /// No request is made until `until_ms`.
    Waiting {
        until_ms: UnixMillis,
        then: Step,
    },
    /// The credentials are being read again.
    Refreshing {
        then: Step,
    },
    /// A WatchList before the bookmark that ends its initial set.
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

/// How to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A list of all objects, compared with what is held.
    Sync,
    /// A watch from the resourceVersion that is held.
    Watch,
    /// A list of all objects at the resourceVersion of a viewer that comes back.
    From(Positions),
}

/// A WatchList before its end mark. It holds what tells a slow initial set from a server that ignores the request.
#[derive(Debug)]
pub(super) struct WatchListing {
    pub(super) asked_ms: UnixMillis,
    /// When the head or the last event came that may belong to the initial set.
    pub(super) last_ms: UnixMillis,
    pub(super) is_open: bool,
    /// A change came. The server sends changes after the whole initial set, so the end mark is due.
    pub(super) has_changed: bool,
    pub(super) has_started: bool,
    pub(super) count: u64,
}

/// A list that is being read page by page. It holds what the next page's request needs, and what the list means when
/// it ends.
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
    /// The list is at the resourceVersion of a viewer that comes back: the positions of all of them.
    pub(super) exact: Option<Positions>,
    pub(super) count: u64,
    pub(super) remaining: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Watching {
    pub(super) asked_ms: UnixMillis,
    /// When the head of its answer came.
    pub(super) opened_ms: Option<UnixMillis>,
    /// When the last event or bookmark came.
    pub(super) last_event_ms: Option<UnixMillis>,
}

/// What the hub holds of this feed, and what is needed to go on from there.
#[derive(Debug)]
pub(super) struct Held {
    /// When the feed began.
    pub(super) began_ms: UnixMillis,
    /// `None` until the first list has ended.
    pub(super) list: Option<WholeList>,
}

/// The last list that ended, brought up to date by the watch.
#[derive(Debug)]
pub(super) struct WholeList {
    /// Where a watch goes on; empty after resourceVersions went back.
    pub(super) version: ResourceVersion,
    pub(super) columns: Option<Arc<[Column]>>,
    pub(super) count: u64,
    /// When the state was last known to be the cluster's: a gap begins there.
    pub(super) good_ms: UnixMillis,
    /// The first list is over, and it was at an exact resourceVersion or its proof was young enough.
    pub(super) is_loaded: bool,
    pub(super) followed: Followed,
    /// A watch expired, and no event came since: the next try isn't at once.
    pub(super) expired_silently: bool,
    pub(super) continuity: Continuity,
}

/// How a list was followed so far, as far as its viewers know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Followed {
    NotYet,
    ByWatch,
    /// Viewers were told that only lists follow, so they don't expect to see every event.
    ByLists,
}

/// Whether events were missed since the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuity {
    Unbroken,
    /// A list takes the watch's place: a gap, unless that list is of the same version.
    Doubtful(Reason),
    Gap(Reason),
}

impl Held {
    pub(super) fn version(&self) -> Option<&ResourceVersion> {
        self.list.as_ref().map(|list| &list.version).filter(|version| !version.is_empty())
    }

    /// The next list may skip events, for this reason.
    pub(super) fn doubt(&mut self, reason: Reason) {
        if let Some(list) = &mut self.list
            && list.continuity == Continuity::Unbroken
        {
            list.continuity = Continuity::Doubtful(reason);
        }
    }

    /// The next list skips events, for this reason.
    pub(super) fn break_off(&mut self, reason: Reason) {
        if let Some(list) = &mut self.list
            && !matches!(list.continuity, Continuity::Gap(_))
        {
            list.continuity = Continuity::Gap(reason);
        }
    }
}

/// How the kind is followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WatchSupport {
    /// By a watch.
    Supported,
    /// By lists, because discovery names no such verb or the server refused it.
    NoVerb,
    /// By lists, because its viewers may not watch it.
    NotForViewers,
    /// By lists, because the right is missing. The watch is tried again from then on.
    NoRight { retry_ms: UnixMillis },
}

/// What a view says instead of how fresh it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Forbidden,
    Gone { since_ms: UnixMillis },
    Failed { since_ms: UnixMillis },
}

/// What went wrong since the last proof.
#[derive(Debug)]
pub(super) enum Trouble {
    None,
    /// Nothing failed, but the list is at an older resourceVersion, until the first proof.
    Behind {
        since_ms: UnixMillis,
    },
    Failing(Failing),
}

/// How long and how often the feed has failed in a row. The back-off and the verdict that viewers are told follow
/// from it. The first good answer ends it.
#[derive(Debug)]
pub(super) struct Failing {
    pub(super) since_ms: UnixMillis,
    pub(super) problem: Problem,
    pub(super) tries: u32,
    /// The tries that ended in a refusal which waiting seldom heals.
    pub(super) refusals: u32,
    pub(super) verdict: Option<Verdict>,
    /// When a try last broke off rather than being refused.
    pub(super) broken_ms: Option<UnixMillis>,
}

/// No watch is open, so another API server may take the place of this one.
#[derive(Debug)]
pub(super) struct Absence {
    /// When the API server last answered before the watch was lost.
    pub(super) seen_ms: UnixMillis,
    /// Whether it couldn't be reached since then. What answers now may be another one.
    pub(super) is_unreached: bool,
    /// Why the watch was lost.
    pub(super) reason: Reason,
}

impl Trouble {
    pub(super) fn failing(&self) -> Option<&Failing> {
        match self {
            Self::Failing(failing) => Some(failing),
            Self::None | Self::Behind { .. } => None,
        }
    }

    pub(super) fn since_ms(&self) -> Option<UnixMillis> {
        match self {
            Self::None => None,
            Self::Behind { since_ms } | Self::Failing(Failing { since_ms, .. }) => Some(*since_ms),
        }
    }

    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.failing()?.verdict.as_ref()
    }

    /// Keeps why it isn't going well, without counting a try.
    pub(super) fn explain(&mut self, problem: Problem, now_ms: UnixMillis) {
        let since_ms = self.since_ms().unwrap_or(now_ms);
        match self {
            Self::Failing(failing) => failing.problem = problem,
            Self::None | Self::Behind { .. } => {
                *self = Self::Failing(Failing {
                    since_ms,
                    problem,
                    tries: 0,
                    refusals: 0,
                    verdict: None,
                    broken_ms: None,
                });
            }
        }
    }

    /// Keeps why a try failed, and counts it.
    pub(super) fn note(&mut self, problem: Problem, now_ms: UnixMillis) {
        self.explain(problem, now_ms);
        if let Self::Failing(failing) = self {
            failing.tries = failing.tries.saturating_add(1);
        }
    }

    /// The same as [`Trouble::note`], for a try that broke off instead of being refused.
    pub(super) fn note_broken(&mut self, problem: Problem, now_ms: UnixMillis) {
        self.note(problem, now_ms);
        if let Self::Failing(failing) = self {
            failing.broken_ms = Some(now_ms);
        }
    }

    /// As [`Trouble::note`], for a refusal which waiting seldom heals. How many there were before.
    pub(super) fn note_refused(
        &mut self,
        problem: Problem,
        verdict: Option<Verdict>,
        now_ms: UnixMillis,
    ) -> u32 {
        self.note(problem, now_ms);
        let Self::Failing(failing) = self else { return 0 };
        failing.verdict = match (failing.verdict.take(), verdict) {
            (before @ Some(Verdict::Gone { .. }), Some(Verdict::Gone { .. })) => before,
            (_, verdict) => verdict,
        };
        let before = failing.refusals;
        failing.refusals = before.saturating_add(1);
        before
    }
}
