//! A view: which of the hub's objects belong to it, what it shows of them, and the frame of the last tick
//! for all subscribers that stand at its beginning. It knows no subscriber.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::frame::client::Projection;
use shared::frame::server::{Gap, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::custom::{Custom, SetId};
use super::frames::{Encoded, FrameBuilder, FrameRange, patch};
use super::labels::Labels;
use super::log::Log;
use super::object_view::{ObjectChange, ObjectView};
use super::request::SubscriptionRequest;
use super::store::{Store, Stored};
use crate::feed::masks::Masks;

pub(super) struct View {
    pub(super) id: ViewId,
    /// The request of its first subscriber; the others' are of the same view.
    pub(super) request: Arc<SubscriptionRequest>,
    /// Its columns beyond the server's.
    pub(super) set: Option<SetId>,
    /// Cells of these columns aren't read yet; until then its subscribers get no rows.
    pub(super) is_waiting: bool,
    pub(super) subscribers: usize,
    /// Since when a timeline has had no subscriber.
    pub(super) idle_since_ms: Option<UnixMillis>,
    pub(super) kind: ViewKind,
    /// Where its last frame ends, and where every subscriber stands that has had it.
    pub(super) frame_end: u64,
    last: Option<Live>,
}

pub(super) enum ViewKind {
    Rows(Members),
    Object(ObjectView),
    /// It has positions of its own, and no part in ticks.
    Timeline(Log),
}

/// How many members it had at the last tick, and the sum of their rows' hashes. It keeps nothing of a single one, so
/// that a view costs as much of a hundred objects as of a hundred thousand.
#[derive(Default)]
pub(super) struct Members {
    count: u64,
    digest: u64,
}

/// The frame of the last tick.
struct Live {
    /// The tick's beginning.
    cursor: u64,
    /// The beginning of the frame, which is earlier if the ticks before had nothing for this view.
    from: u64,
    to: u64,
    frame: Arc<Encoded>,
}

/// What is still asked of an object as it was.
pub(super) struct Previous {
    row: Arc<Row>,
    hash: u64,
    labels: Labels,
    custom: Custom,
    masks: Masks,
}

impl From<Stored> for Previous {
    fn from(Stored { row, hash, labels, custom, masks, .. }: Stored) -> Self {
        Self { row, hash, labels, custom, masks }
    }
}

/// What changed since the tick before.
pub(super) struct Tick<'a> {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) resource_version: &'a ResourceVersion,
    /// Every object that changed, as it was at `from`. `None`: it didn't exist.
    pub(super) touched: &'a BTreeMap<RowId, Option<Previous>>,
    pub(super) more: bool,
    /// It completes the first list: the cut must be told even if the frame is empty.
    pub(super) is_cut: bool,
    pub(super) gap: Option<Gap>,
}

impl View {
    pub(super) fn new(
        id: ViewId,
        request: Arc<SubscriptionRequest>,
        set: Option<SetId>,
        store: &Store,
        head: u64,
        new_log: impl Fn() -> Log,
    ) -> Self {
        let kind = match request.projection {
            Projection::Rows => ViewKind::Rows(Members::default()),
            Projection::Object => ViewKind::Object(ObjectView::default()),
            Projection::Timeline => ViewKind::Timeline(new_log()),
        };
        let mut view = Self {
            id,
            request,
            set,
            is_waiting: false,
            subscribers: 0,
            idle_since_ms: None,
            kind,
            frame_end: head,
            last: None,
        };
        view.recount(store, head);
        view
    }

    /// Counts its members again, as at the beginning of an epoch.
    pub(super) fn recount(&mut self, store: &Store, head: u64) {
        self.last = None;
        self.frame_end = head;
        match &mut self.kind {
            ViewKind::Rows(members) => *members = Members::of(store, &self.request, self.set),
            ViewKind::Object(object) => *object = ObjectView::of(store, &self.request),
            ViewKind::Timeline(_) => {}
        }
    }

    /// How many rows the view has, of the objects that came so far.
    pub(super) fn row_count(&self) -> u64 {
        match &self.kind {
            ViewKind::Rows(members) => members.count,
            ViewKind::Object(_) | ViewKind::Timeline(_) => 0,
        }
    }

    /// Only rows have a digest.
    pub(super) fn digest(&self) -> Option<u64> {
        match &self.kind {
            ViewKind::Rows(members) => Some(members.digest),
            ViewKind::Object(_) | ViewKind::Timeline(_) => None,
        }
    }

    /// The frame for a subscriber that has all changes before the last tick, and whose client knows that.
    pub(super) fn live_frame(&self, cursor: u64, frame_end: u64) -> Option<(u64, Arc<Encoded>)> {
        let live = self.last.as_ref().filter(|live| live.cursor == cursor && live.from == frame_end)?;
        Some((live.to, live.frame.clone()))
    }

    /// Where the frame of a walk to the head ends: where the last live frame ended, if the walk began
    /// before that, so that the next live frame fits all subscribers.
    pub(super) fn align_to_head(&mut self, frame_end: u64, head: u64) -> u64 {
        if frame_end >= self.frame_end {
            self.frame_end = head;
        }
        self.frame_end
    }

    /// Moves to the tick's head and writes its frame. A frame over the bound is left out: all subscribers
    /// then catch up by a walk, which cuts. `false`: the tick had nothing for this view.
    pub(super) fn tick(&mut self, store: &Store, tick: &Tick<'_>, frame_bytes_max: usize) -> bool {
        if self.is_waiting {
            self.last = None;
            return true;
        }
        let range = FrameRange {
            view: self.id,
            from: self.frame_end,
            to: tick.to,
            resource_version: tick.resource_version.clone(),
            more: tick.more,
            gap: tick.gap.clone(),
            reset: false,
        };
        let is_news = tick.gap.is_some() || tick.is_cut;
        let frame = match &mut self.kind {
            ViewKind::Rows(members) => {
                let builder = members.tick(&self.request, self.set, store, tick);
                if builder.byte_count() == 0 && !is_news {
                    self.last = None;
                    return false;
                }
                let fits = builder.byte_count() <= frame_bytes_max;
                fits.then(|| builder.finish(range)).flatten()
            }
            ViewKind::Object(object) => {
                let change = object.tick(&self.request, store, tick);
                // Before the first list is complete, a missing object may still come.
                if tick.more || (matches!(change, ObjectChange::Same) && !is_news) {
                    self.last = None;
                    return false;
                }
                object.write(range, change, None)
            }
            ViewKind::Timeline(_) => return false,
        };
        let (cursor, from, to) = (tick.from, self.frame_end, tick.to);
        self.last = frame.map(|frame| Live { cursor, from, to, frame: Arc::new(frame) });
        self.frame_end = tick.to;
        true
    }

    /// Whether its subscribers catch up by a walk of the store.
    pub(super) fn is_of_rows(&self) -> bool {
        matches!(self.kind, ViewKind::Rows(_))
    }
}

impl ObjectView {
    fn tick(&mut self, request: &SubscriptionRequest, store: &Store, tick: &Tick<'_>) -> ObjectChange {
        let is_known = |row| tick.touched.contains_key(&row);
        // One of a name may have come, with another row.
        let is_member = |row: &RowId| store.get(*row).is_some_and(|stored| request.matches(stored));
        let is_touched = request.row.or(self.row()).is_some_and(is_known)
            || request.row.is_none() && tick.touched.keys().any(is_member);
        if is_touched { self.renew(store, request) } else { ObjectChange::Same }
    }
}

impl Members {
    fn of(store: &Store, request: &SubscriptionRequest, set: Option<SetId>) -> Self {
        let mut members = Self::default();
        let hashes = store.iter().filter(|(_, stored)| request.matches(stored));
        for hash in hashes.filter_map(|(_, stored)| stored.hash_in(set)) {
            members.add(hash);
        }
        members
    }

    fn tick(
        &mut self,
        request: &SubscriptionRequest,
        set: Option<SetId>,
        store: &Store,
        tick: &Tick<'_>,
    ) -> FrameBuilder {
        let mut builder = FrameBuilder::default();
        for (id, before) in tick.touched {
            let stored = store.get(*id).filter(|stored| request.matches(stored));
            if stored
                .zip(before.as_ref())
                .is_some_and(|(now, before)| !now.masks.hide_the_same_as(&before.masks))
            {
                builder.masked(*id);
            }
            let is_whole = request.has_whole_rows();
            let now = stored.and_then(|stored| Some((request.row_of(stored, set)?, stored.hash_in(set)?)));
            let before = before.as_ref().filter(|before| before.is_in(request));
            let before = before.and_then(|it| Some((it, it.custom.hash_in(set, it.hash)?)));
            if let Some((_, hash)) = before {
                self.remove(hash);
            }
            if let Some((_, hash)) = now {
                self.add(hash);
            }
            match (before, now) {
                (Some((before, _)), Some((now, _))) => {
                    let before = if is_whole { None } else { before.custom.row_in(set, &before.row) };
                    match before.and_then(|before| patch(&before, &now, tick.resource_version)) {
                        Some(patch) => builder.set(patch),
                        None => builder.put(&now),
                    }
                }
                (None, Some((now, _))) => builder.put(&now),
                (Some((before, _)), None) => builder.delete(*id, is_whole.then(|| before.row.place())),
                (None, None) => {}
            }
        }
        builder
    }

    fn add(&mut self, hash: u64) {
        self.count += 1;
        self.digest = self.digest.wrapping_add(hash);
    }

    fn remove(&mut self, hash: u64) {
        self.count -= 1;
        self.digest = self.digest.wrapping_sub(hash);
    }
}

impl Previous {
    fn is_in(&self, request: &SubscriptionRequest) -> bool {
        request.accepts(self.row.id, (self.row.namespace.as_deref(), &self.row.name), &self.labels)
    }
}
