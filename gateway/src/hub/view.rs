//! A view: which of the hub's objects belong to it, what it shows of them, and the frame of the last tick
//! for all subscribers that stand at its beginning. It knows no subscriber.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use shared::frame::client::Projection;
use shared::frame::server::{Gap, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::custom::{Custom, SetId};
use super::frames::{Encoded, FrameBuilder, FrameRange, patch};
use super::log::Log;
use super::object_view::{ObjectChange, ObjectView};
use super::request::SubscriptionRequest;
use super::store::Store;
use crate::feed::masks::Masks;

pub(super) type ViewKey = ViewId;

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
    pub(super) sent_to: u64,
    last: Option<Live>,
}

pub(super) enum ViewKind {
    Rows(Members),
    Object(ObjectView),
    /// It has positions of its own, and no part in ticks.
    Timeline(Log),
}

/// The hash of each member's row, as of the last tick, and their sum.
#[derive(Default)]
pub(super) struct Members {
    hashes: HashMap<RowId, u64>,
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

/// A row as it was.
pub(super) struct PreviousRow {
    pub(super) row: Arc<Row>,
    pub(super) custom: Custom,
    pub(super) masks: Masks,
}

/// What changed since the tick before.
pub(super) struct Tick<'a> {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) resource_version: &'a ResourceVersion,
    /// Every row that changed, as it was at `from`. `None`: it didn't exist.
    pub(super) touched: &'a BTreeMap<RowId, Option<PreviousRow>>,
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
            sent_to: head,
            last: None,
        };
        view.recount(store, head);
        view
    }

    /// Counts its members again, as at the beginning of an epoch.
    pub(super) fn recount(&mut self, store: &Store, head: u64) {
        self.last = None;
        self.sent_to = head;
        match &mut self.kind {
            ViewKind::Rows(members) => *members = Members::of(store, &self.request, self.set),
            ViewKind::Object(object) => *object = ObjectView::of(store, &self.request),
            ViewKind::Timeline(_) => {}
        }
    }

    /// How many rows the view has, of the objects that came so far.
    pub(super) fn row_count(&self) -> u64 {
        match &self.kind {
            ViewKind::Rows(members) => u64::try_from(members.hashes.len()).unwrap_or(u64::MAX),
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
    pub(super) fn live_frame(&self, cursor: u64, sent_to: u64) -> Option<(u64, Arc<Encoded>)> {
        let live = self.last.as_ref().filter(|live| live.cursor == cursor && live.from == sent_to)?;
        Some((live.to, live.frame.clone()))
    }

    /// Where the frame of a walk to the head ends: where the last live frame ended, if the walk began
    /// before that, so that the next live frame fits all subscribers.
    pub(super) fn align_to_head(&mut self, sent_to: u64, head: u64) -> u64 {
        if sent_to >= self.sent_to {
            self.sent_to = head;
        }
        self.sent_to
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
            from: self.sent_to,
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
        let (cursor, from, to) = (tick.from, self.sent_to, tick.to);
        self.last = frame.map(|frame| Live { cursor, from, to, frame: Arc::new(frame) });
        self.sent_to = tick.to;
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
        let hashes: HashMap<RowId, u64> = store
            .iter()
            .filter(|(_, stored)| request.matches(stored))
            .filter_map(|(id, stored)| Some((id, stored.hash_in(set)?)))
            .collect();
        let digest = hashes.values().fold(0, |sum: u64, hash| sum.wrapping_add(*hash));
        Self { hashes, digest }
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
            let was_masked = before.as_ref().map(|previous| &previous.masks);
            if stored.zip(was_masked).is_some_and(|(now, before)| !now.masks.hide_the_same_as(before)) {
                builder.masked(*id);
            }
            let now = stored.and_then(|stored| Some((request.row_of(stored, set)?, stored.hash_in(set)?)));
            let is_whole = request.has_whole_rows();
            let place = before.as_ref().filter(|_| is_whole).map(|PreviousRow { row, .. }| row.place());
            let before = before.as_ref().filter(|_| !is_whole);
            let before = before.and_then(|previous| previous.custom.row_in(set, &previous.row));
            self.tick_row(&mut builder, tick.resource_version, *id, (before.as_deref(), place), now);
        }
        builder
    }

    fn tick_row(
        &mut self,
        builder: &mut FrameBuilder,
        version: &ResourceVersion,
        id: RowId,
        (before, place): (Option<&Row>, Option<(Option<&str>, &str)>),
        now: Option<(Arc<Row>, u64)>,
    ) {
        let (now, hash) = now.unzip();
        let was_member = match hash {
            Some(hash) => self.hashes.insert(id, hash),
            None => self.hashes.remove(&id),
        };
        self.digest =
            self.digest.wrapping_sub(was_member.unwrap_or_default()).wrapping_add(hash.unwrap_or_default());
        match (was_member, now) {
            (Some(_), Some(now)) => match before.and_then(|before| patch(before, &now, version)) {
                Some(patch) => builder.set(patch),
                None => builder.put(&now),
            },
            (None, Some(now)) => builder.put(&now),
            (Some(_), None) => builder.delete(id, place),
            (None, None) => {}
        }
    }
}
