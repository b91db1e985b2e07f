//! Deliberate mistakes, to show that the simulation finds them. Most change what passes between two stages;
//! three replace a rule of the hub by [`Simulated`], its host here.

use std::cell::Cell as Slot;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gateway::feed::{Change, FeedOutput, Object};
use gateway::hub::{Delivery, Encoded, Host, Open, SubscriberKey};
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::server::{Rows, ServerFrame};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::scope::Namespaces;
use shared::state::ViewState;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defect {
    /// Who catches up isn't told of deletes.
    SkippedTombstone,
    /// A tombstone that is dropped doesn't move the horizon.
    HorizonForgotten,
    /// Who began from nothing is reset whenever a tombstone is dropped.
    NaiveReset,
    /// A resume begins one change too late.
    ResumeOffByOne,
    /// A token of another epoch is continued.
    WrongEpoch,
    /// Who comes from another gateway is continued without a look at what it has.
    DigestIgnored,
    /// Who comes with a token begins anew all the same.
    TokenRefused,
    /// What isn't in a later list any more stays.
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
    /// Of a delete and a create under one name the delete is lost.
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
    /// A proof is said to be of now whenever it is told.
    ProofAlwaysNow,
    /// Changes wait for something else to happen.
    LateTick,
    /// The filter by namespace is left out.
    NamespaceLeak,
    /// A right that was taken away isn't noticed.
    RevocationMissed,
    /// The replica keeps what is deleted.
    ReplicaKeeps,
}

pub const DEFECTS: [Defect; 26] = [
    Defect::SkippedTombstone,
    Defect::HorizonForgotten,
    Defect::NaiveReset,
    Defect::ResumeOffByOne,
    Defect::WrongEpoch,
    Defect::DigestIgnored,
    Defect::TokenRefused,
    Defect::DeleteLostOnRelist,
    Defect::EventLost,
    Defect::BookmarkAhead,
    Defect::EndMarkAsRow,
    Defect::CutPatch,
    Defect::MembersWrong,
    Defect::ConflatedDelete,
    Defect::GapUnmarked,
    Defect::SyncBeforeRows,
    Defect::DigestNotKept,
    Defect::FrameDropped,
    Defect::FrameTwice,
    Defect::CreditNotSpent,
    Defect::AckIgnored,
    Defect::ProofAlwaysNow,
    Defect::LateTick,
    Defect::NamespaceLeak,
    Defect::RevocationMissed,
    Defect::ReplicaKeeps,
];

thread_local! {
    static RULE: Slot<Option<Defect>> = const { Slot::new(None) };
}

impl Defect {
    /// From now on the hubs of this thread break the rule.
    pub(crate) fn switch(defect: Option<Self>) {
        RULE.set(defect);
    }
}

/// The host of a simulated hub. A session is reached by its number, and a rule may be broken.
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

/// Around one hub.
#[derive(Default)]
pub(crate) struct Seam {
    defect: Option<Defect>,
    objects: BTreeMap<RowId, Object>,
    listed: Vec<RowId>,
    is_listing: bool,
    has_listed: bool,
    dirty_since_ms: Option<i64>,
    passed: u64,
    epoch: Box<str>,
    subscriptions: HashMap<SubscriberKey, Sub>,
}

#[derive(Default)]
struct Sub {
    resumes: bool,
    by_labels: bool,
    /// The position to write instead of the one after it.
    shifted: Option<u64>,
    names: HashMap<RowId, String>,
    digest: Option<Box<str>>,
}

impl Seam {
    pub(crate) fn new(defect: Option<Defect>) -> Self {
        Self { defect, ..Self::default() }
    }

    fn is(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    /// Whether the hub lets its changes lie.
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
        let mut sub = Sub {
            resumes: request.token.is_some(),
            by_labels: request.scope.labels.is_some(),
            ..Sub::default()
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

    pub(crate) fn output(&mut self, output: FeedOutput) -> Vec<FeedOutput> {
        let mut before = Vec::new();
        match &output {
            FeedOutput::Change(Change::ListStart) => {
                self.is_listing = true;
                self.listed.clear();
            }
            FeedOutput::Change(Change::Listed(object) | Change::Put(object)) => {
                self.listed.push(object.row.id);
                self.objects.insert(object.row.id, object.clone());
            }
            FeedOutput::Change(Change::Delete { id, .. }) => {
                self.passed += 1;
                if self.is(Defect::EventLost) && self.passed.is_multiple_of(5) {
                    return before;
                }
                self.objects.remove(id);
            }
            FeedOutput::Change(Change::ListEnd { resource_version, .. }) => {
                self.list_end(resource_version, &mut before);
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
                return before;
            }
            _ => {}
        }
        before.push(output);
        before
    }

    fn list_end(&mut self, version: &ResourceVersion, before: &mut Vec<FeedOutput>) {
        let has_listed = std::mem::replace(&mut self.has_listed, true);
        self.is_listing = false;
        let gone: Vec<RowId> = self.objects.keys().filter(|id| !self.listed.contains(id)).copied().collect();
        if self.is(Defect::DeleteLostOnRelist) && has_listed {
            let kept = gone.iter().filter_map(|id| self.objects.get(id)).cloned();
            before.extend(kept.map(|object| FeedOutput::Change(Change::Listed(object))));
        } else {
            self.objects.retain(|id, _| !gone.contains(id));
        }
        if self.is(Defect::EndMarkAsRow) {
            let row = Row {
                id: RowId::from_hash(1 << 60),
                resource_version: version.clone(),
                namespace: None,
                name: "".into(),
                created: None,
                cells: vec![Cell::Null; 4],
                extra: None,
            };
            let object =
                Object { row, labels: Arc::new([]), body: Vec::new().into(), managed: Default::default() };
            before.push(FeedOutput::Change(Change::Listed(object)));
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

impl Sub {
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
