//! One feed with its real hub and the hub's real owner, and what the oracle remembers of it.

use std::collections::BTreeMap;

use gateway::feed::{Change, FeedOutput};
use gateway::session::{Owner, ToSession};
use shared::state::{StateReport, ViewState};

use super::{SessionId, elapsed};
use crate::apiserver::{ApiServer, Tells};
use crate::defect::Seam;
use crate::truth::{Sort, Things};
use crate::upstream::Feed;

/// How far viewers are told to spread their reconnects.
const SPREAD_MS: u32 = 500;

/// One feed with its hub, and what the oracle remembers of it.
pub(crate) struct Watched {
    pub(crate) sort: Sort,
    pub(crate) feed: Feed,
    pub(crate) owner: Owner<SessionId>,
    pub(crate) memory: HubMemory,
    pub(super) seam: Seam,
}

/// Beside the hub, never inside it: of which part of the truth its objects are.
#[derive(Default)]
pub(crate) struct HubMemory {
    pub(crate) branch: usize,
    /// The version of the last thing that its feed told.
    pub(crate) held: u64,
    pub(crate) is_complete: bool,
    is_listing: bool,
    /// Something is shown, so a list that begins now is put aside until it is whole.
    has_shown: bool,
    is_aside: bool,
    pub(crate) is_polled: bool,
    is_watched: bool,
    pub(crate) is_forbidden: bool,
    /// When the API server gave the answer of the last proof.
    pub(crate) proven_ms: i64,
    /// Deleted objects so far, at most.
    pub(crate) graves: u64,
    /// Graves and gaps at each cut that somebody was given, by epoch and position.
    pub(crate) graves_at: BTreeMap<(String, u64), (u64, u64)>,
    /// Events that were told as such since the last list.
    told: Vec<u64>,
    /// How often events were missed.
    pub(crate) gaps: u64,
    /// As of the last tick: what came after it is in no frame yet.
    pub(crate) sealed: Sealed,
}

/// What frames are compared with.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sealed {
    pub(crate) branch: usize,
    pub(crate) graves: u64,
    pub(crate) gaps: u64,
}

impl Watched {
    /// What the feed told goes to the hub, and the oracle takes note of what it was.
    pub(super) fn listen(&mut self, api: &ApiServer, now_ms: i64) {
        self.owner.set_clock(now_ms, SPREAD_MS);
        while let Some(told) = self.feed.next_told() {
            self.memory.note(self.sort, &told.output, told.tells, api);
            for output in self.seam.output(told.output) {
                self.owner.take(output, elapsed(now_ms));
            }
        }
    }

    pub(super) fn settle(&mut self, now_ms: i64) {
        if !self.seam.is_late(self.owner.hub().is_dirty(), now_ms) {
            self.owner.settle(elapsed(now_ms));
        }
        self.seal();
    }

    /// Whatever may have ticked.
    pub(super) fn seal(&mut self) {
        if !self.owner.hub().is_dirty() {
            let HubMemory { branch, graves, gaps, .. } = self.memory;
            self.memory.sealed = Sealed { branch, graves, gaps };
        }
    }

    pub(super) fn messages(&mut self) -> Vec<(SessionId, ToSession)> {
        let mut messages = Vec::new();
        while let Some((ticket, message)) = self.owner.next_message() {
            messages.extend(self.owner.session(ticket).map(|session| (*session, message)));
        }
        messages
    }
}

impl HubMemory {
    pub(super) fn unproven() -> Self {
        Self { proven_ms: i64::MIN / 2, ..Self::default() }
    }

    fn note(&mut self, sort: Sort, output: &FeedOutput, tells: Option<Tells>, api: &ApiServer) {
        match output {
            FeedOutput::Proof(_) => {
                self.proven_ms = tells.map_or(self.proven_ms, |tells| tells.at_ms.max(self.proven_ms));
            }
            FeedOutput::State(StateReport { state, .. }) => {
                match state {
                    ViewState::Polled { .. } => (self.is_polled, self.is_watched) = (true, false),
                    // Up to its list the polls' own pauses last on.
                    ViewState::Live => self.is_watched = true,
                    _ => {}
                }
                self.is_forbidden = matches!(state, ViewState::Forbidden { .. });
            }
            FeedOutput::Change(Change::ListStart) => {
                (self.is_listing, self.is_aside) = (true, self.has_shown)
            }
            FeedOutput::Change(Change::ListAborted) => self.is_listing = false,
            FeedOutput::Change(Change::ListEnd { .. }) => {
                let Some(tells) = tells else { return };
                self.listed(sort, tells, api);
            }
            FeedOutput::Change(Change::Delete { .. }) => {
                self.graves += 1;
                if !self.is_listing {
                    self.moved(tells);
                }
            }
            // Objects of the first list are shown as they come.
            FeedOutput::Change(Change::Listed(_)) if !self.is_aside => {
                self.has_shown = true;
                self.branch = tells.map_or(self.branch, |tells| tells.branch);
            }
            FeedOutput::Change(Change::Put(_) | Change::Bookmark(_)) if !self.is_listing => self.moved(tells),
            FeedOutput::Change(_) => {}
        }
    }

    fn moved(&mut self, tells: Option<Tells>) {
        self.has_shown = true;
        if let Some(tells) = tells {
            (self.branch, self.held) = (tells.branch, tells.version);
            self.told.push(tells.version);
        }
    }

    fn listed(&mut self, sort: Sort, tells: Tells, api: &ApiServer) {
        self.is_listing = false;
        let before = api.truth.at(sort, self.branch, self.held);
        let after = api.truth.at(sort, tells.branch, tells.version);
        // Of a first list that was begun more than once nobody knows what came and went.
        self.graves += if self.is_complete { gone(&before, &after) } else { 1_000_000 };
        if self.is_complete && self.branch == tells.branch && !self.is_polled {
            let missed = api.truth.events(sort, tells.branch).iter().any(|event| {
                event.version > self.held
                    && event.version <= tells.version
                    && !self.told.contains(&event.version)
            });
            self.gaps += u64::from(missed);
        }
        self.told.clear();
        self.is_polled &= !self.is_watched;
        (self.is_complete, self.has_shown) = (true, true);
        (self.branch, self.held) = (tells.branch, tells.version);
    }
}

fn gone(before: &Things, after: &Things) -> u64 {
    before.values().filter(|thing| after.get(&thing.key()).is_none_or(|now| now.uid != thing.uid)).count()
        as u64
}
