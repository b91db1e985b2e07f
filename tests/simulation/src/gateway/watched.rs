//! One feed with its hub, and what the oracle remembers of it.

use std::collections::BTreeMap;
use std::rc::Rc;

use gateway::feed::{Change, FeedOutput};
use gateway::hub::{Hub, HubAction, SubscriberKey, ToSession};
use shared::problem::Reason;
use shared::state::{StateReport, ViewState};

use super::elapsed;
use crate::apiserver::{ApiServer, Origin};
use crate::defect::{Injector, Simulated};
use crate::truth::{Event, Kind, Things};
use crate::upstream::Feed;
use crate::viewer::UNPROVEN_MS;

/// How far viewers are told to spread their reconnects.
pub(super) const SPREAD_MS: u32 = 500;

pub(crate) struct Watched {
    pub(crate) kind: Kind,
    pub(crate) feed: Feed,
    pub(crate) hub: Hub<Simulated>,
    /// Its record has to hear everything anew.
    pub(super) is_behind: bool,
    pub(crate) memory: HubMemory,
    pub(super) injector: Injector,
}

/// What the oracle remembers of a hub: which state of the truth its objects are. The hub never sees it.
#[derive(Default)]
pub(crate) struct HubMemory {
    /// The only one that its feed lists.
    namespace: Option<Box<str>>,
    branch: usize,
    /// The version of the last change that its feed told.
    held: u64,
    is_complete: bool,
    is_listing: bool,
    /// The hub shows something, so a list that begins now is put aside until it is whole.
    has_shown: bool,
    is_aside: bool,
    is_polled: bool,
    is_watched: bool,
    /// When the API server gave the answer of the last proof.
    pub(crate) proven_ms: i64,
    /// When the feed says that this proof was: when it asked for it.
    pub(crate) asked_ms: i64,
    /// What the feed said last of its state, and when.
    pub(crate) told_state: Option<(i64, ViewState)>,
    /// Why, where it isn't current.
    pub(crate) told_reason: Option<Reason>,
    /// When its feed began.
    pub(crate) began_ms: i64,
    /// Deleted objects so far, at most.
    deletes: u64,
    /// Deletes and gaps at each cut that was sent, by epoch and position.
    pub(crate) deletes_at: BTreeMap<(String, u64), (u64, u64)>,
    /// The versions that were told as events since the last list.
    told: Vec<u64>,
    /// How often events were missed.
    gaps: u64,
    /// How often a polled list showed what was between two polls.
    polls: u64,
    /// As of the last tick: what came after it is in no frame yet.
    pub(crate) state: TickState,
    /// After each output of the feed: the hub's sequence, and the branch of its objects.
    branches: Vec<(u64, usize)>,
}

/// The state of a hub at a tick, with which its frames are compared.
#[derive(Clone, Copy, Default)]
pub(crate) struct TickState {
    pub(crate) branch: usize,
    pub(crate) deletes: u64,
    pub(crate) gaps: u64,
    pub(crate) polls: u64,
    pub(crate) version: u64,
}

impl Watched {
    /// The outputs of the feed go to the hub, and the oracle takes note of them.
    pub(super) fn listen(&mut self, api: &ApiServer, now_ms: i64) {
        while let Some((output, origin)) = self.feed.next_output() {
            if let FeedOutput::State(report) = &output {
                self.memory.told_state = Some((now_ms, report.state.clone()));
                self.memory.told_reason = report.problem.as_ref().map(|problem| problem.reason);
            }
            self.memory.note(self.kind, &output, origin, api);
            for output in self.injector.output(output) {
                self.act(HubAction::Feed(output), now_ms);
            }
            self.memory.note_branch(self.hub.sequence());
        }
    }

    /// What the hub answers at once.
    pub(super) fn act(&mut self, action: HubAction<u64>, now_ms: i64) -> Option<(SubscriberKey, ToSession)> {
        self.hub.set_clock(now_ms, SPREAD_MS);
        let effects = self.hub.handle(action, elapsed(now_ms));
        if let Some(command) = effects.to_feed {
            self.feed.command(command, now_ms);
        }
        self.note_tick();
        effects.to_session
    }

    pub(super) fn settle(&mut self, now_ms: i64) -> Vec<(SubscriberKey, ToSession)> {
        if self.injector.is_late(self.hub.is_dirty(), now_ms) {
            return Vec::new();
        }
        self.hub.set_clock(now_ms, SPREAD_MS);
        self.hub.settle(elapsed(now_ms));
        self.hub.tell_feed(|command| {
            self.feed.command(command, now_ms);
            true
        });
        self.note_tick();
        let messages = std::iter::from_fn(|| self.hub.next_message()).collect();
        self.note_tick();
        messages
    }

    /// Notes the hub's state if it has ticked.
    fn note_tick(&mut self) {
        if !self.hub.is_dirty() {
            let HubMemory { branch, deletes, gaps, polls, held: version, .. } = self.memory;
            self.memory.state = TickState { branch, deletes, gaps, polls, version };
        }
    }
}

impl HubMemory {
    pub(super) fn unproven(namespace: Option<Box<str>>, began_ms: i64) -> Self {
        Self { namespace, began_ms, proven_ms: UNPROVEN_MS, asked_ms: UNPROVEN_MS, ..Self::default() }
    }

    fn note_branch(&mut self, sequence: u64) {
        let known = (sequence, self.branch);
        if self.branches.last() != Some(&known) {
            self.branches.push(known);
        }
    }

    /// The branch of the change with this number in the hub's present epoch.
    pub(crate) fn branch_at(&self, sequence: u64) -> Option<usize> {
        let mut found: Option<(u64, usize)> = None;
        for known in self.branches.iter().rev() {
            // The sequences of an epoch rise. Before them stand those of the epoch before.
            if known.0 < sequence || found.is_some_and(|found| known.0 > found.0) {
                break;
            }
            found = Some(*known);
        }
        found.map(|(_, branch)| branch)
    }

    fn has(&self, namespace: &str) -> bool {
        self.namespace.as_deref().is_none_or(|only| only == namespace)
    }

    fn things(&self, api: &ApiServer, kind: Kind, branch: usize, version: u64) -> Things {
        let things = api.truth.at(kind, branch, version);
        let own = things.iter().filter(|(_, thing)| self.has(thing.namespace));
        own.map(|(key, thing)| (key.clone(), Rc::clone(thing))).collect()
    }

    fn note(&mut self, kind: Kind, output: &FeedOutput, origin: Option<Origin>, api: &ApiServer) {
        match output {
            FeedOutput::Proof(proof) => {
                self.asked_ms = proof.at_ms;
                self.proven_ms = origin.map_or(self.proven_ms, |origin| origin.at_ms.max(self.proven_ms));
            }
            FeedOutput::State(StateReport { state, .. }) => match state {
                ViewState::Polled { .. } => (self.is_polled, self.is_watched) = (true, false),
                // Until its list it misses events as it did between polls.
                ViewState::Live => self.is_watched = true,
                _ => {}
            },
            FeedOutput::Change(Change::ListStart) => {
                (self.is_listing, self.is_aside) = (true, self.has_shown);
            }
            FeedOutput::Change(Change::ListAborted) => self.is_listing = false,
            FeedOutput::Change(Change::ListEnd { .. }) => {
                if let Some(origin) = origin {
                    self.listed(kind, origin, api);
                }
            }
            FeedOutput::Change(Change::Delete { .. }) => {
                self.deletes += 1;
                if !self.is_listing {
                    self.moved(origin);
                }
            }
            // Objects of the first list are shown as they come.
            FeedOutput::Change(Change::Listed(_)) if !self.is_aside => {
                self.has_shown = true;
                self.branch = origin.map_or(self.branch, |origin| origin.branch);
            }
            FeedOutput::Change(Change::Put(_) | Change::Bookmark(_)) if !self.is_listing => {
                self.moved(origin)
            }
            FeedOutput::Change(_) => {}
        }
    }

    fn moved(&mut self, origin: Option<Origin>) {
        self.has_shown = true;
        if let Some(Origin { branch, version, .. }) = origin {
            (self.branch, self.held) = (branch, version);
            self.told.push(version);
        }
    }

    fn listed(&mut self, kind: Kind, origin: Origin, api: &ApiServer) {
        let Origin { branch, version, .. } = origin;
        self.is_listing = false;
        let before = self.things(api, kind, self.branch, self.held);
        let after = self.things(api, kind, branch, version);
        let is_gone = |key: &String, uid| after.get(key).is_none_or(|now| now.uid != uid);
        let gone = before.iter().filter(|(key, thing)| is_gone(key, thing.uid)).count() as u64;
        // A first list that was begun more than once doesn't tell what came and went.
        self.deletes += if self.is_complete { gone } else { 1_000_000 };
        if self.is_complete && self.branch == branch && !self.is_polled {
            let missed = api.truth.events(kind, branch).iter().any(|event: &Event| {
                self.has(event.thing.namespace)
                    && (self.held + 1..=version).contains(&event.version())
                    && !self.told.contains(&event.version())
            });
            self.gaps += u64::from(missed);
        }
        self.polls += u64::from(self.is_polled);
        self.told.clear();
        self.is_polled &= !self.is_watched;
        (self.is_complete, self.has_shown) = (true, true);
        (self.branch, self.held) = (branch, version);
    }
}
