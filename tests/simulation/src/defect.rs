//! Deliberate mistakes, to show that the simulation finds them. Most change what passes between two stages;
//! three replace a rule of the hub, in [`Simulated`], its host here.

use std::cell::Cell as Slot;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use clap::ValueEnum;
use gateway::feed::{Change, FeedOutput, Object};
use gateway::hub::{Delivery, Encoded, Host, Open, SubscriberKey};
use shared::codec::{self, Message};
use shared::frame::server::{Rows, ServerFrame};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::scope::Namespaces;
use shared::state::ViewState;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Defect {
    /// A subscriber that catches up isn't told of deletes.
    SkippedTombstone,
    /// A tombstone that is dropped doesn't move the horizon.
    HorizonForgotten,
    /// A subscriber that began from nothing is reset whenever a tombstone is dropped.
    NaiveReset,
    /// A resume begins one change too late.
    ResumeOffByOne,
    /// A token of another epoch is continued.
    WrongEpoch,
    /// A viewer of another gateway is continued although its rows differ.
    DigestIgnored,
    /// A viewer with a token begins anew all the same.
    TokenRefused,
    /// An object that is missing from a later list stays.
    DeleteLostOnRelist,
    /// One delete event in a while is lost.
    EventLost,
    /// The version of a bookmark that hasn't been reached.
    BookmarkAhead,
    /// The end mark of a WatchList is shown as a row.
    EndMarkAsRow,
    /// A change of cells comes without one of them.
    CutPatch,
    /// An object that leaves a view by its labels isn't taken out.
    MembersWrong,
    /// If an object is deleted and another is created under its name, the delete is lost.
    ConflatedDelete,
    GapUnmarked,
    SyncBeforeRows,
    DigestNotKept,
    /// A full queue drops a frame.
    FrameDropped,
    FrameTwice,
    /// Sent bytes aren't counted.
    CreditNotSpent,
    AckIgnored,
    /// Every sync says that the last proof is of now.
    ProofAlwaysNow,
    /// The hub waits too long before it sends changes.
    LateTick,
    /// The filter by namespace is left out.
    NamespaceLeak,
    /// A right that was taken away isn't noticed.
    RevocationMissed,
    /// A subscription that its client closed before the first grant is opened with that grant.
    ForgottenGrantOpened,
    /// The replica keeps what is deleted.
    ReplicaKeeps,
    /// One event in a while isn't recorded.
    RecordedEventLost,
    /// A feed lost events, and the record doesn't say so.
    RecordedGapLost,
    /// What a slow writer can't take is forgotten.
    QueueOverflowForgotten,
    /// A full disk takes nothing, and says that it did.
    FullDiskUnnoticed,
    /// A commit keeps its beginning alone.
    CommitTorn,
}

thread_local! {
    static RULE: Slot<Option<Defect>> = const { Slot::new(None) };
}

impl Defect {
    /// It is found by what a record says, not by what viewers are told.
    pub(crate) fn is_of_record(self) -> bool {
        matches!(
            self,
            Self::RecordedEventLost
                | Self::RecordedGapLost
                | Self::QueueOverflowForgotten
                | Self::FullDiskUnnoticed
                | Self::CommitTorn
        )
    }

    /// From now on the hubs of this thread have this defect, if it is one of theirs.
    pub(crate) fn switch(defect: Option<Self>) {
        RULE.set(defect);
    }
}

/// The host of a simulated hub: a session is reached by its number, and a rule may be broken.
pub(crate) struct Simulated;

impl Host for Simulated {
    type Session = u64;

    fn horizon(before: u64, dropped: u64) -> u64 {
        let is_forgotten = RULE.get() == Some(Defect::HorizonForgotten);
        if is_forgotten { before } else { <() as Host>::horizon(before, dropped) }
    }

    fn needs_reset(horizon: u64, cursor: u64, start: u64) -> bool {
        let is_naive = RULE.get() == Some(Defect::NaiveReset);
        <() as Host>::needs_reset(horizon, cursor, if is_naive { 0 } else { start })
    }

    fn holds_same_rows(held: u64, known: u64) -> bool {
        RULE.get() == Some(Defect::DigestIgnored) || <() as Host>::holds_same_rows(held, known)
    }
}

/// Puts a defect into what passes into one hub and out of it.
#[derive(Default)]
pub(crate) struct Injector {
    defect: Option<Defect>,
    objects: BTreeMap<RowId, Object>,
    listed: Vec<RowId>,
    has_listed: bool,
    dirty_since_ms: Option<i64>,
    passed: u64,
    epoch: Box<str>,
    subscriptions: HashMap<SubscriberKey, Subscription>,
}

#[derive(Default)]
struct Subscription {
    resumes: bool,
    by_labels: bool,
    /// The position to write instead of the one after it.
    shifted: Option<u64>,
    names: HashMap<RowId, String>,
    digest: Option<Box<str>>,
}

impl Injector {
    pub(crate) fn new(defect: Option<Defect>) -> Self {
        Self { defect, ..Self::default() }
    }

    fn is(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    /// Whether the hub doesn't send its changes yet.
    pub(crate) fn is_late(&mut self, is_dirty: bool, now_ms: i64) -> bool {
        const LATE_MS: i64 = 1_500;
        if !self.is(Defect::LateTick) || !is_dirty {
            self.dirty_since_ms = None;
            return false;
        }
        now_ms - *self.dirty_since_ms.get_or_insert(now_ms) < LATE_MS
    }

    pub(crate) fn opening<S>(&mut self, open: &mut Open<S>) {
        let request = Arc::make_mut(&mut open.request);
        let mut sub = Subscription {
            resumes: request.token.is_some(),
            by_labels: request.scope.labels.is_some(),
            ..Subscription::default()
        };
        if self.is(Defect::NamespaceLeak) {
            request.scope.namespaces = Namespaces::All;
        }
        if let Some(token) = &mut request.token {
            if self.is(Defect::WrongEpoch) && !self.epoch.is_empty() {
                token.epoch = self.epoch.clone();
            }
            if self.is(Defect::TokenRefused) {
                token.columns = "another".into();
            }
            if self.is(Defect::ResumeOffByOne)
                && let Some(sequence) = token.sequence()
            {
                token.sequence = (sequence + 1).to_string().into();
                sub.shifted = Some(sequence);
            }
        }
        self.subscriptions.insert(open.key, sub);
    }

    /// What the hub is told instead of an output of its feed.
    pub(crate) fn output(&mut self, output: FeedOutput) -> Vec<FeedOutput> {
        let mut told = Vec::new();
        match &output {
            FeedOutput::Change(Change::ListStart) => self.listed.clear(),
            FeedOutput::Change(Change::Listed(object) | Change::Put(object)) => {
                self.listed.push(object.row.id);
                self.objects.insert(object.row.id, object.clone());
            }
            FeedOutput::Change(Change::Delete { id, .. }) => {
                self.passed += 1;
                if self.is(Defect::EventLost) && self.passed.is_multiple_of(5) {
                    return told;
                }
                self.objects.remove(id);
            }
            FeedOutput::Change(Change::ListEnd { resource_version, .. }) => {
                self.list_end(resource_version, &mut told);
            }
            FeedOutput::Change(Change::Bookmark(version)) if self.is(Defect::BookmarkAhead) => {
                let ahead = version.as_str().parse::<u64>().unwrap_or(0) + 3;
                let ahead = ResourceVersion::new(&ahead.to_string());
                return vec![FeedOutput::Change(Change::Bookmark(ahead))];
            }
            FeedOutput::State(report)
                if self.is(Defect::ProofAlwaysNow)
                    && matches!(report.state, ViewState::Stale { .. } | ViewState::Resuming { .. }) =>
            {
                return told;
            }
            _ => {}
        }
        told.push(output);
        told
    }

    fn list_end(&mut self, version: &ResourceVersion, told: &mut Vec<FeedOutput>) {
        let has_listed = std::mem::replace(&mut self.has_listed, true);
        let gone: Vec<RowId> = self.objects.keys().filter(|id| !self.listed.contains(id)).copied().collect();
        if self.is(Defect::DeleteLostOnRelist) && has_listed {
            let kept = gone.iter().filter_map(|id| self.objects.get(id)).cloned();
            told.extend(kept.map(|object| FeedOutput::Change(Change::Listed(object))));
        } else {
            self.objects.retain(|id, _| !gone.contains(id));
        }
        if self.is(Defect::EndMarkAsRow)
            && let Some(mut object) = self.objects.values().next().cloned()
        {
            let Row { id, resource_version, name, .. } = &mut object.row;
            (*id, *resource_version, *name) = (RowId::from_hash(1 << 60), version.clone(), "".into());
            told.push(FeedOutput::Change(Change::Listed(object)));
        }
    }

    pub(crate) fn delivery(&mut self, key: SubscriberKey, delivery: &mut Delivery) {
        if self.defect.is_none() {
            return;
        }
        let frames: Vec<ServerFrame> =
            delivery.messages.iter().filter_map(|message| decode(message)).collect();
        let mut changed = Vec::new();
        for frame in frames {
            self.frame(key, frame, &mut changed);
        }
        if self.is(Defect::SyncBeforeRows) {
            changed.sort_by_key(|frame| u8::from(matches!(frame, ServerFrame::Rows(_))));
        }
        delivery.messages = changed.iter().filter_map(encode).map(Arc::new).collect();
    }

    fn frame(&mut self, key: SubscriberKey, frame: ServerFrame, into: &mut Vec<ServerFrame>) {
        let defect = self.defect;
        let Some(sub) = self.subscriptions.get_mut(&key) else { return into.push(frame) };
        match frame {
            ServerFrame::Subscribed(subscribed) => {
                self.epoch.clone_from(&subscribed.epoch);
                into.push(ServerFrame::Subscribed(subscribed));
            }
            ServerFrame::Rows(mut rows) => {
                self.passed += 1;
                sub.rows(defect, &mut rows);
                let is_chosen = self.passed.is_multiple_of(7);
                match defect {
                    Some(Defect::FrameDropped) if is_chosen => {}
                    Some(Defect::FrameTwice) if is_chosen => {
                        into.extend([ServerFrame::Rows(rows.clone()), ServerFrame::Rows(rows)]);
                    }
                    _ => into.push(ServerFrame::Rows(rows)),
                }
            }
            ServerFrame::Sync(mut sync) => {
                if defect == Some(Defect::ProofAlwaysNow) {
                    sync.proof_ms = sync.now_ms;
                }
                if defect == Some(Defect::DigestNotKept)
                    && let Some(digest) = &mut sync.digest
                {
                    let first = sub.digest.get_or_insert_with(|| digest.clone());
                    digest.clone_from(first);
                }
                into.push(ServerFrame::Sync(sync));
            }
            other => into.push(other),
        }
    }
}

impl Subscription {
    fn rows(&mut self, defect: Option<Defect>, rows: &mut Rows) {
        let resumes = std::mem::take(&mut self.resumes);
        match defect {
            Some(Defect::SkippedTombstone) if resumes => rows.delete.clear(),
            Some(Defect::MembersWrong) if self.by_labels => rows.delete.clear(),
            Some(Defect::GapUnmarked) => rows.gap = None,
            Some(Defect::CutPatch) => {
                for patch in &mut rows.set {
                    patch.cells.pop_last();
                }
            }
            Some(Defect::ConflatedDelete) => {
                let created: Vec<String> = rows.put.iter().map(Row::order_key).collect();
                rows.delete.retain(|id| self.names.get(id).is_none_or(|name| !created.contains(name)));
            }
            _ => {}
        }
        self.names.extend(rows.put.iter().map(|row| (row.id, row.order_key())));
        if let Some(sequence) = self.shifted.take()
            && rows.from == sequence + 1
        {
            rows.from = sequence;
        }
    }
}

pub(crate) fn decode(message: &Encoded) -> Option<ServerFrame> {
    let message = if message.is_text {
        Message::Text(String::from_utf8(message.bytes.to_vec()).ok()?)
    } else {
        Message::Binary(message.bytes.to_vec())
    };
    codec::decode_server(&message).ok()
}

fn encode(frame: &ServerFrame) -> Option<Encoded> {
    codec::encode(frame).ok().map(Encoded::from)
}
