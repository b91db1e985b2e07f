//! The views of a hub: which of its objects belong to each, what it shows of them, how that is written, and the frame of
//! the last tick for all subscribers that stand at its beginning. No subscriber is known here.

mod object;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use shared::cell::Cell;
use shared::codec::{self, Message};
use shared::frame::client::Projection;
use shared::frame::server::{Gap, Patch, Rows, RowsFrame, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

use super::columns::{Custom, SetId};
use super::objects::Objects;
use super::store::{Labels, Store, Stored};
use crate::feed::masks::Masks;
use crate::limits::GAPS_MAX;
use crate::subscription_request::SubscriptionRequest;
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
    Rows(Members),
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

    /// Seals what changed since the last tick into one frame for each view. `None`: nothing changed.
    pub(super) fn seal(&mut self, objects: &Objects) -> Option<Quiet> {
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
        };
        let frame_bytes_max = self.frame_bytes_max;
        let quiet = |view: &mut View| !view.tick(objects.store(), &tick, frame_bytes_max);
        let views = self.views.iter_mut().filter_map(|(key, view)| quiet(view).then_some(*key)).collect();
        self.head = to;
        Some(Quiet { from, to, views })
    }

    /// A quiet view moves to the head, so that its subscribers' tokens stay young.
    pub(super) fn move_to_head(&mut self) {
        for view in self.views.values_mut() {
            view.frame_end = self.head;
        }
    }

    /// Where the frame of a walk to the head ends: where the last live frame ended, if the walk began
    /// before that, so that the next live frame fits all subscribers.
    pub(super) fn align_to_head(&mut self, view: ViewId, frame_end: u64) -> Option<u64> {
        let view = self.views.get_mut(&view)?;
        if frame_end >= view.frame_end {
            view.frame_end = self.head;
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
            Projection::Rows => ViewKind::Rows(Members::default()),
            Projection::Object => ViewKind::Object(ObjectView::default()),
            Projection::Timeline => ViewKind::Timeline,
        };
        let mut view =
            Self { id, request, set, is_waiting: false, subscribers: 0, kind, frame_end: head, last: None };
        view.recount(store, head);
        view
    }

    /// Counts its members again, as at the beginning of an epoch.
    fn recount(&mut self, store: &Store, head: u64) {
        self.last = None;
        self.frame_end = head;
        match &mut self.kind {
            ViewKind::Rows(members) => *members = Members::of(store, &self.request, self.set),
            ViewKind::Object(object) => *object = ObjectView::of(store, &self.request),
            ViewKind::Timeline => {}
        }
    }

    /// How many rows the view has, of the objects that came so far.
    pub(super) fn row_count(&self) -> u64 {
        match &self.kind {
            ViewKind::Rows(members) => members.count,
            ViewKind::Object(_) | ViewKind::Timeline => 0,
        }
    }

    /// Only rows have a digest.
    pub(super) fn digest(&self) -> Option<u64> {
        match &self.kind {
            ViewKind::Rows(members) => Some(members.digest),
            ViewKind::Object(_) | ViewKind::Timeline => None,
        }
    }

    /// The frame for a subscriber that has all changes before the last tick, and whose client knows that.
    pub(super) fn live_frame(&self, cursor: u64, frame_end: u64) -> Option<(u64, Arc<Encoded>)> {
        let live = self.last.as_ref().filter(|live| live.cursor == cursor && live.from == frame_end)?;
        Some((live.to, live.frame.clone()))
    }

    /// Moves to the tick's head and writes its frame. A frame over the bound is left out: all subscribers
    /// then catch up by a walk, which cuts. `false`: the tick had nothing for this view.
    fn tick(&mut self, store: &Store, tick: &Tick<'_>, frame_bytes_max: usize) -> bool {
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
        self.last = frame.map(|frame| Live { cursor, from, to, frame: Arc::new(frame) });
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
        matches!(self.kind, ViewKind::Rows(_))
    }

    pub(super) fn is_timeline(&self) -> bool {
        matches!(self.kind, ViewKind::Timeline)
    }

    /// The object of an object view.
    pub(super) fn object(&self) -> Option<&ObjectView> {
        match &self.kind {
            ViewKind::Object(object) => Some(object),
            ViewKind::Rows(_) | ViewKind::Timeline => None,
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
        request.accepts(self.row.id, (self.row.namespace.as_deref(), &self.row.name), &self.labels)
    }
}

/// A WebSocket message. It is encoded once, for every client that gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    pub bytes: Bytes,
    /// Text, or deflated in a binary message.
    pub is_text: bool,
}

impl Encoded {
    /// `None` for a value that can't be JSON; every frame can.
    pub(crate) fn new(frame: &impl Serialize) -> Option<Self> {
        codec::encode(frame).ok().map(Self::from)
    }
}

impl From<Message> for Encoded {
    fn from(message: Message) -> Self {
        match message {
            Message::Text(text) => Self { bytes: text.into(), is_text: true },
            Message::Binary(bytes) => Self { bytes: bytes.into(), is_text: false },
        }
    }
}

/// A frame of rows under construction: rows are collected until it is large enough, and encoded once for all subscribers.
/// A tick writes one for its view, and a walk one for its subscriber.
#[derive(Default)]
pub(super) struct FrameBuilder {
    rows: Rows<Arc<Row>>,
    byte_count: usize,
}

/// From where to where a frame goes, and what holds for it as a whole.
pub(super) struct FrameRange {
    pub(super) view: ViewId,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) resource_version: ResourceVersion,
    pub(super) more: bool,
    pub(super) gap: Option<Gap>,
    pub(super) reset: bool,
}

impl FrameBuilder {
    pub(super) fn put(&mut self, row: &Arc<Row>) {
        self.byte_count += row_bytes(row);
        self.rows.put.push(row.clone());
    }

    fn set(&mut self, patch: Patch) {
        self.byte_count += ROW_BYTES + patch.cells.values().map(cell_bytes).sum::<usize>();
        self.rows.set.push(patch);
    }

    /// This row changed in what a mask hides.
    fn masked(&mut self, id: RowId) {
        self.byte_count += ID_BYTES;
        self.rows.masked.push(id);
    }

    /// `place`: where it was, for a client that asked for whole rows.
    pub(super) fn delete(&mut self, id: RowId, place: Option<(Option<&str>, &str)>) {
        self.byte_count += ROW_BYTES;
        self.rows.delete.push(id);
        if let Some((namespace, name)) = place {
            self.byte_count += namespace.map_or(0, str::len) + name.len();
            self.rows.left.push((namespace.map(Into::into), name.into()));
        }
    }

    /// The approximate size of its JSON, precise enough to cut frames.
    pub(super) fn byte_count(&self) -> usize {
        self.byte_count
    }

    pub(super) fn finish(self, range: FrameRange) -> Option<Encoded> {
        let FrameRange { view, from, to, resource_version, more, gap, reset } = range;
        let rows = Rows { view, from, to, resource_version, more, gap, reset, ..self.rows };
        Encoded::new(&RowsFrame { rows })
    }
}

/// An id, a resourceVersion and a time, with their quotes and commas.
const ROW_BYTES: usize = 48;
/// With its quotes and comma.
const ID_BYTES: usize = 13;

fn row_bytes(row: &Row) -> usize {
    let namespace = row.namespace.as_ref().map_or(0, |namespace| namespace.len());
    // Owner, hash and the like.
    let extra = row
        .extra
        .as_ref()
        .map_or(0, |extra| ROW_BYTES + extra.object.as_ref().map_or(0, |object| object.json().len()));
    ROW_BYTES + namespace + row.name.len() + extra + row.cells.iter().map(cell_bytes).sum::<usize>()
}

fn cell_bytes(cell: &Cell) -> usize {
    match cell {
        Cell::Null | Cell::Bool(_) | Cell::Int(_) => 6,
        Cell::Text(text) => text.len() + 3,
        Cell::Float(_) | Cell::Age(_) | Cell::Ago(_) | Cell::Span(_) => 24,
    }
}

/// The cells that differ, if nothing else does. `None`: the row must be sent whole.
fn patch(before: &Row, after: &Row, frame_version: &ResourceVersion) -> Option<Patch> {
    let differs_in_cells_alone = before.namespace == after.namespace
        && before.name == after.name
        && before.created == after.created
        && before.extra == after.extra
        && before.cells.len() == after.cells.len();
    if !differs_in_cells_alone {
        return None;
    }
    let differing =
        before.cells.iter().zip(&after.cells).enumerate().filter(|(_, (before, after))| before != after);
    let cells: BTreeMap<u16, Cell> = differing
        .map(|(index, (_, after))| Some((u16::try_from(index).ok()?, after.clone())))
        .collect::<Option<_>>()?;
    let resource_version = (after.resource_version != *frame_version).then(|| after.resource_version.clone());
    Some(Patch { id: after.id, cells, resource_version })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ready: &str) -> Row {
        Row {
            id: RowId::from_hash(7 << 40),
            resource_version: "12".into(),
            namespace: Some("shop".into()),
            name: name.into(),
            created: Some(1),
            cells: vec![Cell::text(name), Cell::text(ready)],
            extra: None,
        }
    }

    #[test]
    fn the_size_of_a_frame_is_known_about_while_it_grows() {
        let mut builder = FrameBuilder::default();
        for number in 0..100 {
            builder.put(&Arc::new(row(&format!("pod-{number}"), "1/1")));
        }
        let (about, rows) = (builder.byte_count(), builder.rows);
        let exact = serde_json::to_string(&RowsFrame { rows }).expect("json").len();
        assert!((exact / 2..exact * 2).contains(&about), "{about} of {exact}");
    }

    #[test]
    fn a_patch_holds_the_cells_that_differ() {
        let patch_of = |before: &Row, after: &Row| patch(before, after, &"12".into());
        let changed = patch_of(&row("a", "0/1"), &row("a", "1/1")).expect("a patch");
        assert_eq!(changed.cells, [(1, Cell::text("1/1"))].into());
        assert_eq!(changed.resource_version, None);
        let mut deleted = row("a", "0/1");
        deleted.extra = Some(Box::default());
        assert_eq!(patch_of(&row("a", "0/1"), &deleted), None);
    }
}
