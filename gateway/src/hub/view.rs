//! A view: who of the hub's objects belongs to it, what it shows of them, and the one frame of the last
//! tick that everybody who stands at its beginning gets. Never a subscriber.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use shared::custom_column::CustomColumns;
use shared::frame::client::Projection;
use shared::frame::server::{Gap, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::selector::LabelSelector;

use super::custom::{Custom, SetId};
use super::frames::{Encoded, FrameBuilder, Stretch, patch};
use super::labels::Labels;
use super::log::Log;
use super::one::{One, Step};
use super::store::{Store, Stored};

pub(super) type ViewKey = ViewId;

/// What is evaluated here and not upstream, so that all such views share one feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    pub namespaces: Namespaces,
    pub labels: Option<LabelSelector>,
    /// One object and no other.
    pub row: Option<RowId>,
    /// What is shown of its members.
    pub projection: Projection,
    /// And beyond the server's columns.
    pub columns: CustomColumns,
}

impl Filter {
    #[must_use]
    pub fn of(scope: &Scope) -> Self {
        Self { namespaces: scope.namespaces.clone(), labels: scope.labels.clone(), ..Self::default() }
    }

    pub(super) fn matches(&self, stored: &Stored) -> bool {
        self.accepts(stored.row.id, stored.row.namespace.as_deref(), &stored.labels)
    }

    pub(super) fn accepts(&self, id: RowId, namespace: Option<&str>, labels: &Labels) -> bool {
        self.row.is_none_or(|row| row == id)
            && self.namespaces.contains(namespace)
            && self.labels.as_ref().is_none_or(|wanted| wanted.matches(|key| labels.get(key)))
    }
}

pub(super) struct View {
    pub(super) id: ViewId,
    pub(super) filter: Filter,
    /// Of its own columns.
    pub(super) set: Option<SetId>,
    /// Cells of its own columns weren't read yet: until then nobody gets rows.
    pub(super) is_waiting: bool,
    pub(super) subscribers: usize,
    pub(super) shows: Shows,
    /// Where its last frame ends: who has nothing to be told since then still stands there.
    told: u64,
    last: Option<Live>,
}

pub(super) enum Shows {
    Rows(Members),
    Object(One),
    /// It has a way of its own: no tick, and no position of the hub.
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
    /// The frame's: earlier, if the ticks before it had nothing for this view.
    from: u64,
    to: u64,
    frame: Arc<Encoded>,
}

/// A row as it was.
pub(super) struct Former {
    pub(super) row: Arc<Row>,
    pub(super) custom: Custom,
}

/// One tick: what changed since the one before.
pub(super) struct Tick<'a> {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) resource_version: &'a ResourceVersion,
    /// Every row that changed, as it was at `from`; `None`: it wasn't there.
    pub(super) touched: &'a BTreeMap<RowId, Option<Former>>,
    pub(super) more: bool,
    /// It completes the first list: there is a cut to tell, whatever is in it.
    pub(super) is_cut: bool,
    pub(super) gap: Option<Gap>,
}

impl View {
    pub(super) fn new(
        id: ViewId,
        filter: Filter,
        set: Option<SetId>,
        store: &Store,
        head: u64,
        new_log: impl Fn() -> Log,
    ) -> Self {
        let shows = match filter.projection {
            Projection::Rows => Shows::Rows(Members::default()),
            Projection::Object => Shows::Object(One::default()),
            Projection::Timeline => Shows::Timeline(new_log()),
        };
        let mut view =
            Self { id, filter, set, is_waiting: false, subscribers: 0, shows, told: head, last: None };
        view.recount(store, head);
        view
    }

    /// Begins anew, as a new epoch does.
    pub(super) fn recount(&mut self, store: &Store, head: u64) {
        self.last = None;
        self.told = head;
        match &mut self.shows {
            Shows::Rows(members) => *members = Members::of(store, &self.filter, self.set),
            Shows::Object(one) => *one = One::of(store, &self.filter),
            Shows::Timeline(_) => {}
        }
    }

    /// Of rows alone.
    pub(super) fn digest(&self) -> Option<u64> {
        match &self.shows {
            Shows::Rows(members) => Some(members.digest),
            Shows::Object(_) | Shows::Timeline(_) => None,
        }
    }

    /// The frame for a subscriber that has seen exactly all before the last tick, and was told so.
    pub(super) fn live_frame(&self, cursor: u64, told: u64) -> Option<(u64, Arc<Encoded>)> {
        let live = self.last.as_ref().filter(|live| live.cursor == cursor && live.from == told)?;
        Some((live.to, live.frame.clone()))
    }

    pub(super) fn told(&self) -> u64 {
        self.told
    }

    /// Readers of a quiet view are told where the hub is by now, so that their tokens stay young.
    pub(super) fn move_to(&mut self, head: u64) {
        self.told = head;
    }

    /// What one is told that has walked to the head: what the others were told, where that is news to
    /// it, so that the next frame is the same for all.
    pub(super) fn meet(&mut self, told: u64, head: u64) -> u64 {
        if told >= self.told {
            self.told = head;
        }
        self.told
    }

    /// Moves to the tick's head and writes its frame. A frame over the bound is left out: everybody
    /// then catches up by a walk, which cuts. `false`: there was nothing in it for this view.
    pub(super) fn tick(&mut self, store: &Store, tick: &Tick<'_>, frame_bytes_max: usize) -> bool {
        if self.is_waiting {
            self.last = None;
            return true;
        }
        let stretch = Stretch {
            view: self.id,
            from: self.told,
            to: tick.to,
            resource_version: tick.resource_version.clone(),
            more: tick.more,
            gap: tick.gap.clone(),
            reset: false,
        };
        let is_news = tick.gap.is_some() || tick.is_cut;
        let frame = match &mut self.shows {
            Shows::Rows(members) => {
                let builder = members.tick(&self.filter, self.set, store, tick);
                if builder.byte_count() == 0 && !is_news {
                    self.last = None;
                    return false;
                }
                let fits = builder.byte_count() <= frame_bytes_max;
                fits.then(|| builder.finish(stretch)).flatten()
            }
            Shows::Object(one) => {
                let step = one.tick(&self.filter, store, tick);
                // Before the first list is whole, an object that isn't there may yet come.
                if tick.more || (matches!(step, Step::Same) && !is_news) {
                    self.last = None;
                    return false;
                }
                one.write(stretch, step, None)
            }
            Shows::Timeline(_) => return false,
        };
        let (cursor, from, to) = (tick.from, self.told, tick.to);
        self.last = frame.map(|frame| Live { cursor, from, to, frame: Arc::new(frame) });
        self.told = tick.to;
        true
    }

    /// Whether readers get walks of the store: of rows they do.
    pub(super) fn is_of_rows(&self) -> bool {
        matches!(self.shows, Shows::Rows(_))
    }
}

impl One {
    fn tick(&mut self, filter: &Filter, store: &Store, tick: &Tick<'_>) -> Step {
        let is_touched = match filter.row.or(self.row()) {
            Some(row) => tick.touched.contains_key(&row) || filter.row.is_none() && !tick.touched.is_empty(),
            None => !tick.touched.is_empty(),
        };
        if is_touched { self.renew(store, filter) } else { Step::Same }
    }
}

impl Members {
    fn of(store: &Store, filter: &Filter, set: Option<SetId>) -> Self {
        let hashes: HashMap<RowId, u64> = store
            .iter()
            .filter(|(_, stored)| filter.matches(stored))
            .filter_map(|(id, stored)| Some((id, stored.hash_in(set)?)))
            .collect();
        let digest = hashes.values().fold(0, |sum: u64, hash| sum.wrapping_add(*hash));
        Self { hashes, digest }
    }

    fn tick(&mut self, filter: &Filter, set: Option<SetId>, store: &Store, tick: &Tick<'_>) -> FrameBuilder {
        let mut builder = FrameBuilder::default();
        for (id, before) in tick.touched {
            let now = store.get(*id).filter(|stored| filter.matches(stored));
            let now = now.and_then(|stored| Some((stored.row_in(set)?, stored.hash_in(set)?)));
            let before = before.as_ref().and_then(|former| former.custom.row_in(set, &former.row));
            self.tick_row(&mut builder, tick.resource_version, *id, before.as_deref(), now);
        }
        builder
    }

    fn tick_row(
        &mut self,
        builder: &mut FrameBuilder,
        version: &ResourceVersion,
        id: RowId,
        before: Option<&Row>,
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
            (Some(_), None) => builder.delete(id),
            (None, None) => {}
        }
    }
}
