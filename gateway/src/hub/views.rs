//! The views of a hub: which of its objects belong to each, what it shows of them, how that is written, and the frame of
//! the last tick for all subscribers that stand at its beginning. No subscriber is known here.

mod events;
mod frame;
mod object;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use shared::frame::client::Projection;
use shared::frame::server::{Gap, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::columns::{Custom, SetId};
use super::entries::Seen;
use super::objects::Objects;
use super::store::{Store, Stored};
use crate::feed::labels::Labels;
use crate::feed::masks::Masks;
use crate::limits::{GAPS_MAX, TIMELINE_BYTES_MAX};
use crate::subscription_request::SubscriptionRequest;
use events::{EventFrames, Sealed};
pub use frame::Encoded;
use frame::patch;
pub(super) use frame::{FrameBuilder, FrameRange};
pub(super) use object::{ObjectChange, ObjectView};

/// All views of a hub, and the head: every change up to it is in a frame.
///
/// It owns what changed since the last tick and the gaps that frames tell of. The hub tells it each change and has it
/// seal them; a subscriber asks it for the frame of the last tick, and where a walk ends.
pub(super) struct Views {
    // Ordered, so that the same history gives the same frames.
    views: BTreeMap<ViewId, View>,
    /// Every change up to here is in a frame.
    head: u64,
    /// The resourceVersion at the head.
    head_version: ResourceVersion,
    /// The first list was complete at the last tick.
    was_loaded: bool,
    /// The objects that changed since the last tick, as they were then.
    touched: BTreeMap<RowId, Option<Previous>>,
    gaps: VecDeque<(u64, Gap)>,
    frame_bytes_max: usize,
}

/// The views for which a tick had nothing.
pub(super) struct Quiet {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) views: BTreeSet<ViewId>,
}

/// One selection of a hub's objects, shared by all subscriptions that ask for the same.
///
/// It owns what its subscribers have in common: its members, or its object, and the frame of the last tick. [`Views`]
/// has it take part in each tick.
pub(super) struct View {
    id: ViewId,
    /// The request of its first subscriber; the others' are of the same view.
    request: Arc<SubscriptionRequest>,
    /// Its columns beyond the server's.
    set: Option<SetId>,
    /// Cells of these columns aren't read yet; until then its subscribers get no rows.
    is_waiting: bool,
    subscribers: usize,
    kind: ViewKind,
    /// Where its last frame ends, and where every subscriber stands that has had it.
    frame_end: u64,
    last: Option<Live>,
}

enum ViewKind {
    Rows {
        members: Members,
        /// Where its subscribers want each event.
        events: Option<Box<EventFrames>>,
    },
    Object(ObjectView),
    /// Its log has positions of its own, and no part in ticks.
    Timeline,
}

/// How many members it had at the last tick, and the sum of their rows' hashes. It keeps nothing of a single one, so
/// that a view costs as much of a hundred objects as of a hundred thousand.
#[derive(Default)]
struct Members {
    count: u64,
    digest: u64,
}

/// A frame of the last tick, or an event of a recent one.
pub(super) struct Live {
    /// Where a subscriber stands that gets it: the tick's beginning, or the end of the event before.
    cursor: u64,
    /// The beginning of the frame, which is earlier if the ticks before had nothing for this view.
    from: u64,
    /// The end of the frame, which is the position that the client knows.
    pub(super) to: u64,
    /// Where a subscriber stands that has had it.
    pub(super) at_end: u64,
    pub(super) frame: Arc<Encoded>,
}

/// What is still asked of an object as it was.
struct Previous {
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

/// What changed since the tick before, for the views that seal it.
struct Tick<'a> {
    from: u64,
    to: u64,
    resource_version: &'a ResourceVersion,
    /// Every object that changed, as it was at `from`. `None`: it didn't exist.
    touched: &'a BTreeMap<RowId, Option<Previous>>,
    more: bool,
    /// It completes the first list: the cut must be told even if the frame is empty.
    is_cut: bool,
    gap: Option<Gap>,
    now_ms: UnixMillis,
}

impl Views {
    pub(super) fn new(frame_bytes_max: usize) -> Self {
        Self {
            views: BTreeMap::new(),
            head: 0,
            head_version: ResourceVersion::default(),
            was_loaded: false,
            touched: BTreeMap::new(),
            gaps: VecDeque::new(),
            frame_bytes_max,
        }
    }

    pub(super) fn get(&self, view: ViewId) -> Option<&View> {
        self.views.get(&view)
    }

    pub(super) fn head(&self) -> u64 {
        self.head
    }

    /// The resourceVersion at the head.
    pub(super) fn head_version(&self) -> &ResourceVersion {
        &self.head_version
    }

    /// The last tick ended at this version: what comes now is in no frame yet.
    pub(super) fn note_version(&mut self, version: &ResourceVersion) {
        self.head_version.clone_from(version);
    }

    /// Whether the first list was complete at the last tick.
    pub(super) fn is_at_cut(&self) -> bool {
        self.was_loaded
    }

    pub(super) fn frame_bytes_max(&self) -> usize {
        self.frame_bytes_max
    }

    pub(super) fn note_gap(&mut self, sequence: u64, gap: Gap) {
        if self.gaps.len() >= GAPS_MAX {
            self.gaps.pop_front();
        }
        self.gaps.push_back((sequence, gap));
    }

    pub(super) fn gap_between(&self, from: u64, to: u64) -> Option<Gap> {
        let mut within =
            self.gaps.iter().filter(|(at, _)| (from + 1..=to).contains(at)).map(|(_, gap)| gap.clone());
        let first = within.next()?;
        Some(within.fold(first, |all, gap| Gap { from_ms: all.from_ms.min(gap.from_ms), ..gap }))
    }

    /// An object changed. `before`: as it was.
    pub(super) fn touch(&mut self, id: RowId, before: Option<Stored>) {
        self.touched.entry(id).or_insert_with(|| before.map(Previous::from));
    }

    /// Whether a view's subscribers want each event.
    pub(super) fn want_events(&self) -> bool {
        self.views.values().any(|view| view.events().is_some())
    }

    /// One event, for the views that tell each by itself. `sequence`: its number in the store.
    pub(super) fn note(&mut self, seen: &Seen<'_>, sequence: u64) {
        for View { request, set, kind, .. } in self.views.values_mut() {
            if let ViewKind::Rows { events: Some(events), .. } = kind {
                events.note(request, *set, seen, sequence);
            }
        }
    }

    /// A later list ended at this version: what differed is told.
    pub(super) fn listed(&mut self, version: &ResourceVersion) {
        for View { kind, .. } in self.views.values_mut() {
            if let ViewKind::Rows { events: Some(events), .. } = kind {
                events.listed(version);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn event_bytes(&self) -> usize {
        self.views.values().filter_map(View::events).map(EventFrames::byte_count).sum()
    }

    /// How many bytes of events each of these views may keep, by the share of the session that allows the most.
    pub(super) fn bound_events(&mut self, shares: &BTreeMap<ViewId, usize>) {
        for (view, bytes_max) in shares {
            if let Some(View { kind: ViewKind::Rows { events: Some(events), .. }, .. }) =
                self.views.get_mut(view)
            {
                events.bound(*bytes_max);
            }
        }
    }

    /// Seals what changed since the last tick into one frame for each view. `None`: nothing changed.
    pub(super) fn seal(&mut self, objects: &Objects, now_ms: UnixMillis) -> Option<Quiet> {
        let (from, to) = (self.head, objects.store().sequence());
        if from == to {
            return None;
        }
        let touched = std::mem::take(&mut self.touched);
        let was_loaded = std::mem::replace(&mut self.was_loaded, objects.is_loaded());
        let tick = Tick {
            from,
            to,
            resource_version: objects.resource_version(),
            touched: &touched,
            more: !objects.is_loaded(),
            is_cut: !was_loaded && objects.is_loaded(),
            gap: self.gap_between(from, to),
            now_ms,
        };
        let frame_bytes_max = self.frame_bytes_max;
        let quiet = |view: &mut View| !view.tick(objects.store(), &tick, frame_bytes_max);
        let views = self.views.iter_mut().filter_map(|(key, view)| quiet(view).then_some(*key)).collect();
        self.head = to;
        Some(Quiet { from, to, views })
    }

    /// A quiet view moves to the head, so that its subscribers' tokens stay young.
    pub(super) fn move_to_head(&mut self, version: &ResourceVersion) {
        for view in self.views.values_mut() {
            view.move_to(self.head, version, true);
        }
    }

    /// Where the frame of a walk to the head ends: where the last live frame ended, if the walk began
    /// before that, so that the next live frame fits all subscribers.
    pub(super) fn align_to_head(&mut self, view: ViewId, frame_end: u64, objects: &Objects) -> Option<u64> {
        let view = self.views.get_mut(&view)?;
        if frame_end >= view.frame_end {
            view.move_to(self.head, objects.resource_version(), objects.is_loaded());
        }
        Some(view.frame_end)
    }

    /// The view that answers the request already.
    pub(super) fn find(&self, request: &SubscriptionRequest) -> Option<ViewId> {
        self.views.values().find(|view| view.request.is_of_same_view(request)).map(|view| view.id)
    }

    pub(super) fn open(
        &mut self,
        id: ViewId,
        request: Arc<SubscriptionRequest>,
        set: Option<SetId>,
        objects: &Objects,
    ) {
        let view = View::new(id, request, set, objects.store(), self.head);
        self.views.insert(id, view);
    }

    /// Counts a subscriber.
    pub(super) fn enter(&mut self, view: ViewId) {
        if let Some(view) = self.views.get_mut(&view) {
            view.subscribers += 1;
        }
    }

    /// A subscriber has gone. The view, if it was the last.
    pub(super) fn leave(&mut self, view: ViewId) -> Option<&View> {
        let view = self.views.get_mut(&view)?;
        view.subscribers -= 1;
        (view.subscribers == 0).then_some(view)
    }

    pub(super) fn remove(&mut self, view: ViewId) {
        self.views.remove(&view);
    }

    /// Ends the views with these columns.
    pub(super) fn end_set(&mut self, set: SetId) -> Vec<ViewId> {
        let ended = self.views.extract_if(.., |_, view| view.set == Some(set));
        ended.map(|(view, _)| view).collect()
    }

    /// The views wait whose columns have cells that aren't read yet.
    pub(super) fn wait_where(&mut self, is_lacking: impl Fn(SetId) -> bool) {
        for view in self.views.values_mut() {
            view.is_waiting = view.is_waiting || view.set.is_some_and(&is_lacking);
        }
    }

    /// Whether a view waits for its cells.
    pub(super) fn any_waits(&self) -> bool {
        self.views.values().any(|view| view.is_waiting)
    }

    /// All cells are read. The members of a view are counted at a head.
    pub(super) fn end_waiting(&mut self, objects: &Objects) {
        for view in self.views.values_mut().filter(|view| view.is_waiting) {
            view.is_waiting = false;
            view.recount(objects.store(), self.head);
        }
    }

    /// Another epoch has begun: what was counted, sealed and missed before is void.
    pub(super) fn begin_anew(&mut self, objects: &Objects) {
        self.gaps.clear();
        self.touched.clear();
        self.head = objects.store().sequence();
        for view in self.views.values_mut() {
            view.is_waiting = false;
            view.recount(objects.store(), self.head);
        }
    }
}

impl View {
    fn new(
        id: ViewId,
        request: Arc<SubscriptionRequest>,
        set: Option<SetId>,
        store: &Store,
        head: u64,
    ) -> Self {
        let kind = match request.projection {
            Projection::Rows => {
                let events = request.wants_events().then(|| Box::new(EventFrames::new(TIMELINE_BYTES_MAX)));
                ViewKind::Rows { members: Members::default(), events }
            }
            Projection::Object => ViewKind::Object(ObjectView::default()),
            Projection::Timeline => ViewKind::Timeline,
        };
        let mut view =
            Self { id, request, set, is_waiting: false, subscribers: 0, kind, frame_end: head, last: None };
        view.recount(store, head);
        view
    }

    /// Its frames end here from now on. An empty frame brings those on that want each event: a walk would tell them states.
    /// `is_loaded`: what is held is a state that the cluster had.
    fn move_to(&mut self, head: u64, version: &ResourceVersion, is_loaded: bool) {
        let ViewKind::Rows { events: Some(events), .. } = &mut self.kind else {
            self.frame_end = head;
            return;
        };
        if self.frame_end < head {
            let range = FrameRange {
                view: self.id,
                from: self.frame_end,
                to: head,
                resource_version: version.clone(),
                more: !is_loaded,
                gap: None,
                reset: false,
            };
            events.step(range);
            self.frame_end = head;
        }
    }

    /// Counts its members again, as at the beginning of an epoch.
    fn recount(&mut self, store: &Store, head: u64) {
        self.last = None;
        self.frame_end = head;
        match &mut self.kind {
            ViewKind::Rows { members, events } => {
                *members = Members::of(store, &self.request, self.set);
                if let Some(events) = events {
                    events.forget();
                }
            }
            ViewKind::Object(object) => *object = ObjectView::of(store, &self.request),
            ViewKind::Timeline => {}
        }
    }

    /// How many rows the view has, of the objects that came so far.
    pub(super) fn row_count(&self) -> u64 {
        match &self.kind {
            ViewKind::Rows { members, .. } => members.count,
            ViewKind::Object(_) | ViewKind::Timeline => 0,
        }
    }

    /// Only rows have a digest.
    pub(super) fn digest(&self) -> Option<u64> {
        match &self.kind {
            ViewKind::Rows { members, .. } => Some(members.digest),
            ViewKind::Object(_) | ViewKind::Timeline => None,
        }
    }

    /// The frame for a subscriber that has all changes before the last tick, or before an event, and whose client knows
    /// that.
    pub(super) fn live_frame(&self, cursor: u64, frame_end: u64) -> Option<&Live> {
        let last = self.last.as_ref().filter(|live| live.cursor == cursor && live.from == frame_end);
        last.or_else(|| self.events()?.frame(cursor, frame_end))
    }

    /// The events that a subscriber at this position can't be told by themselves any more.
    pub(super) fn events_gap(&self, cursor: u64) -> Option<Gap> {
        self.events()?.gap(cursor)
    }

    fn events(&self) -> Option<&EventFrames> {
        match &self.kind {
            ViewKind::Rows { events, .. } => events.as_deref(),
            ViewKind::Object(_) | ViewKind::Timeline => None,
        }
    }

    /// Moves to the tick's head and writes its frame. A frame over the bound is left out: all subscribers
    /// then catch up by a walk, which cuts. `false`: the tick had nothing for this view.
    fn tick(&mut self, store: &Store, tick: &Tick<'_>, frame_bytes_max: usize) -> bool {
        if self.is_waiting {
            self.last = None;
            if let ViewKind::Rows { events: Some(events), .. } = &mut self.kind {
                events.forget();
            }
            return true;
        }
        let mut range = FrameRange {
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
            ViewKind::Rows { members, events } => {
                let builder = members.tick(&self.request, self.set, store, tick);
                match events.as_mut().map(|events| events.tick(self.id, self.frame_end, tick)) {
                    Some(Sealed::To(frame_end)) => {
                        (self.last, self.frame_end) = (None, frame_end);
                        return true;
                    }
                    Some(Sealed::Torn(gap)) => range.gap = range.gap.or(gap),
                    Some(Sealed::Nothing) | None => {}
                }
                if builder.byte_count() == 0 && !is_news {
                    self.last = None;
                    return false;
                }
                let fits = builder.byte_count() <= frame_bytes_max;
                fits.then(|| builder.finish(range)).flatten()
            }
            ViewKind::Object(object) => {
                let change = object.tick(&self.request, store, tick.touched);
                // Before the first list is complete, a missing object may still come.
                if tick.more || (matches!(change, ObjectChange::Same) && !is_news) {
                    self.last = None;
                    return false;
                }
                object.write(range, change, None)
            }
            ViewKind::Timeline => return false,
        };
        let (cursor, from, to) = (tick.from, self.frame_end, tick.to);
        self.last = frame.map(|frame| Live { cursor, from, to, at_end: to, frame: Arc::new(frame) });
        self.frame_end = tick.to;
        true
    }

    pub(super) fn request(&self) -> &SubscriptionRequest {
        &self.request
    }

    /// Its columns beyond the server's.
    pub(super) fn set(&self) -> Option<SetId> {
        self.set
    }

    /// Cells of its columns aren't read yet; until then its subscribers get no rows.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Where its last frame ends.
    pub(super) fn frame_end(&self) -> u64 {
        self.frame_end
    }

    /// Whether its subscribers catch up by a walk of the store.
    pub(super) fn is_of_rows(&self) -> bool {
        matches!(self.kind, ViewKind::Rows { .. })
    }

    pub(super) fn is_timeline(&self) -> bool {
        matches!(self.kind, ViewKind::Timeline)
    }

    /// The object of an object view.
    pub(super) fn object(&self) -> Option<&ObjectView> {
        match &self.kind {
            ViewKind::Object(object) => Some(object),
            ViewKind::Rows { .. } | ViewKind::Timeline => None,
        }
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
        request.accepts_row(&self.row, &self.labels)
    }
}
