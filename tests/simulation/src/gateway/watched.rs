//! One feed with its hub, and what the oracle remembers of it.

use std::collections::BTreeMap;
use std::rc::Rc;

use gateway::feed::{Change, FeedOutput};
use gateway::hub::{Hub, HubAction, SubscriberKey, ToSession};
use shared::state::{StateReport, ViewState};

use super::elapsed;
use crate::apiserver::{ApiServer, Tells};
use crate::defect::{Seam, Simulated};
use crate::truth::{Event, Sort, Things};
use crate::upstream::Feed;

/// How far viewers are told to spread their reconnects.
pub(super) const SPREAD_MS: u32 = 500;

/// One feed with its hub, and what the oracle remembers of it.
pub(crate) struct Watched {
    pub(crate) sort: Sort,
    pub(crate) feed: Feed,
    pub(crate) hub: Hub<Simulated>,
    pub(crate) memory: HubMemory,
    pub(super) seam: Seam,
}

/// Beside the hub, never inside it: of which part of the truth its objects are.
#[derive(Default)]
pub(crate) struct HubMemory {
    /// The only one that its feed lists.
    namespace: Option<Box<str>>,
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
    pub(crate) deletes: u64,
    /// Deletes and gaps at each cut that was sent, by epoch and position.
    pub(crate) deletes_at: BTreeMap<(String, u64), (u64, u64)>,
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
    pub(crate) deletes: u64,
    pub(crate) gaps: u64,
}

impl Watched {
    /// The outputs of the feed go to the hub, and the oracle takes note of them.
    pub(super) fn listen(&mut self, api: &ApiServer, now_ms: i64) {
        while let Some(told) = self.feed.next_told() {
            self.memory.note(self.sort, &told.output, told.tells, api);
            for output in self.seam.output(told.output) {
                self.act(HubAction::Feed(output), now_ms);
            }
        }
    }

    /// What the hub answers at once.
    pub(super) fn act(&mut self, action: HubAction<u64>, now_ms: i64) -> Option<(SubscriberKey, ToSession)> {
        self.hub.set_clock(now_ms, SPREAD_MS);
        let effects = self.hub.handle(action, elapsed(now_ms));
        if let Some(command) = effects.to_feed {
            self.feed.command(command, now_ms);
        }
        self.seal();
        effects.to_session
    }

    pub(super) fn settle(&mut self, now_ms: i64) -> Vec<(SubscriberKey, ToSession)> {
        if self.seam.is_late(self.hub.is_dirty(), now_ms) {
            return Vec::new();
        }
        self.hub.set_clock(now_ms, SPREAD_MS);
        self.hub.settle(elapsed(now_ms));
        self.hub.tell_feed(|command| {
            self.feed.command(command, now_ms);
            true
        });
        self.seal();
        let messages = std::iter::from_fn(|| self.hub.next_message()).collect();
        self.seal();
        messages
    }

    /// The hub may have ticked.
    fn seal(&mut self) {
        if !self.hub.is_dirty() {
            let HubMemory { branch, deletes, gaps, .. } = self.memory;
            self.memory.sealed = Sealed { branch, deletes, gaps };
        }
    }
}

impl HubMemory {
    pub(super) fn unproven(namespace: Option<Box<str>>) -> Self {
        Self { namespace, proven_ms: i64::MIN / 2, ..Self::default() }
    }

    fn has(&self, namespace: &str) -> bool {
        self.namespace.as_deref().is_none_or(|only| only == namespace)
    }

    fn things(&self, api: &ApiServer, sort: Sort, branch: usize, version: u64) -> Things {
        let things = api.truth.at(sort, branch, version);
        let own = things.iter().filter(|(_, thing)| self.has(thing.namespace));
        own.map(|(key, thing)| (key.clone(), Rc::clone(thing))).collect()
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
                self.deletes += 1;
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
        let before = self.things(api, sort, self.branch, self.held);
        let after = self.things(api, sort, tells.branch, tells.version);
        // Of a first list that was begun more than once nobody knows what came and went.
        self.deletes += if self.is_complete { gone(&before, &after) } else { 1_000_000 };
        if self.is_complete && self.branch == tells.branch && !self.is_polled {
            let missed = api.truth.events(sort, tells.branch).iter().any(|event: &Event| {
                self.has(event.thing.namespace)
                    && event.version > self.held
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
