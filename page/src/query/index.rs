//! The shown rows in their order, kept while rows change: a change costs two searches and a short
//! move, never a sort of everything. While a reader is there, rows that would move stay and are counted.
//!
//! A row is ordered by the value that it was placed with, not by its newest one: so the order is
//! always consistent, and a search finds a row that hasn't been moved yet.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use shared::duration::UnixSeconds;

use super::filter::Filter;
use super::sort::{Bound, Sort};
use super::value::Value;
use replica::table::{Delta, Slot, Table};

#[derive(Clone, Debug, Default)]
pub struct Index {
    filter: Filter,
    /// By the cluster's clock, as far as it is known.
    now: UnixSeconds,
    sort: Option<Sort>,
    bound: Option<Bound>,
    /// Every row and tombstone.
    all: Vec<Slot>,
    /// Those that match; `None` while the filter is empty: then they're all.
    matching: Option<Vec<Slot>>,
    /// By slot.
    places: Vec<Option<Place>>,
    /// Rows that stand where they were while a reader looks, with the value that moves them.
    waiting: BTreeMap<Slot, Value>,
    held: bool,
    /// Before the first cut rows stand in order of arrival.
    ordered: bool,
}

#[derive(Clone, Debug)]
struct Place {
    value: Value,
    matches: bool,
}

/// Above this part of the rows a sort of everything is cheaper than single moves.
const BULK_DIVISOR: usize = 16;
const BULK_MIN: usize = 64;
const SHORT: usize = 256;

impl Index {
    /// Of rows that are there already.
    pub(crate) fn of(table: &Table) -> Self {
        let mut index = Self { ordered: table.is_whole(), ..Self::default() };
        index.rebuild(table);
        index
    }

    /// Follows what a frame changed. Tombstones stay in place until [`Index::remove`].
    pub fn apply(&mut self, table: &Table, delta: &Delta) {
        if delta.columns || delta.first_cut || (!self.ordered && table.is_whole()) {
            self.ordered = table.is_whole();
            return self.rebuild(table);
        }
        let moved = delta.added.len() + delta.changed.len();
        // A short table is sorted anew each time: a column's type is read from its cells, and a few
        // rows may not have said yet what they all are.
        let short = self.sort.is_some() && self.all.len() < SHORT;
        let bulk = short || moved > BULK_MIN.max(self.all.len() / BULK_DIVISOR);
        if self.ordered && moved > 0 && bulk && !self.held {
            return self.rebuild(table);
        }
        for slot in delta.added.iter().copied().chain(delta.changed.iter().map(|changed| changed.slot)) {
            self.upsert(table, slot);
        }
    }

    /// All anew: another sort, other columns, the first cut.
    fn rebuild(&mut self, table: &Table) {
        self.waiting.clear();
        self.filter.bind(table.columns());
        let bound = Bound::new(self.sort.as_ref(), table);
        self.places.clear();
        for (slot, entry) in table.iter() {
            let place = Place { value: bound.value(entry), matches: self.filter.matches(entry, self.now) };
            self.set_place(slot, place);
        }
        // By slot is in order of arrival, as long as nothing was deleted.
        self.all = table.iter().map(|(slot, _)| slot).collect();
        self.bound = Some(bound);
        if self.ordered {
            let mut all = std::mem::take(&mut self.all);
            all.sort_by(|a, b| self.compare(table, *a, *b));
            self.all = all;
        }
        self.refilter();
    }

    fn set_place(&mut self, slot: Slot, place: Place) {
        if self.places.len() <= slot.index() {
            self.places.resize_with(slot.index() + 1, || None);
        }
        if let Some(old) = self.places.get_mut(slot.index()) {
            *old = Some(place);
        }
    }

    fn place(&self, slot: Slot) -> Option<&Place> {
        self.places.get(slot.index())?.as_ref()
    }

    fn compare(&self, table: &Table, a: Slot, b: Slot) -> Ordering {
        let values = match (self.place(a), self.place(b), &self.bound) {
            (Some(a), Some(b), Some(bound)) => bound.compare(&a.value, &b.value),
            _ => Ordering::Equal,
        };
        values.then_with(|| key(table, a).cmp(key(table, b))).then_with(|| a.cmp(&b))
    }

    fn upsert(&mut self, table: &Table, slot: Slot) {
        let Some(entry) = table.entry(slot) else { return };
        let bound = self.bound.get_or_insert_with(|| Bound::new(self.sort.as_ref(), table));
        let value = bound.value(entry);
        let matches = self.filter.matches(entry, self.now);
        let Some(place) = self.places.get(slot.index()).and_then(Option::as_ref) else {
            self.set_place(slot, Place { value, matches });
            return self.insert(table, slot);
        };
        if place.value != value {
            if self.held && !self.stays(table, slot, &value) {
                self.waiting.insert(slot, value);
            } else {
                self.move_to(table, slot, value);
            }
        } else {
            self.waiting.remove(&slot);
        }
        self.set_matching(table, slot, matches);
    }

    fn insert(&mut self, table: &Table, slot: Slot) {
        let at = if self.ordered { self.rank(table, &self.all, slot) } else { self.all.len() };
        self.all.insert(at.min(self.all.len()), slot);
        if self.place(slot).is_some_and(|place| place.matches)
            && let Some(mut matching) = self.matching.take()
        {
            let at = if self.ordered { self.rank(table, &matching, slot) } else { matching.len() };
            matching.insert(at.min(matching.len()), slot);
            self.matching = Some(matching);
        }
    }

    /// Where a slot stands, or would stand, in an ordered list.
    fn rank(&self, table: &Table, list: &[Slot], slot: Slot) -> usize {
        if !self.ordered {
            return list.iter().position(|other| *other == slot).unwrap_or(list.len());
        }
        list.partition_point(|other| self.compare(table, *other, slot) == Ordering::Less)
    }

    fn move_to(&mut self, table: &Table, slot: Slot, value: Value) {
        let matches = self.place(slot).is_some_and(|place| place.matches);
        if !self.ordered {
            return self.set_place(slot, Place { value, matches });
        }
        self.take_out(table, slot);
        self.waiting.remove(&slot);
        self.set_place(slot, Place { value, matches });
        self.insert(table, slot);
    }

    /// Whether a row with its new value would stand where it stands.
    fn stays(&self, table: &Table, slot: Slot, value: &Value) -> bool {
        let (Some(bound), at) = (&self.bound, self.rank(table, &self.all, slot)) else { return true };
        let against = |other: Option<&Slot>| -> Option<Ordering> {
            let other = *other?;
            let place = self.place(other)?;
            Some(bound.compare(&place.value, value).then_with(|| key(table, other).cmp(key(table, slot))))
        };
        let before = at.checked_sub(1).and_then(|at| against(self.all.get(at)));
        let after = against(self.all.get(at + 1));
        before.is_none_or(|order| order == Ordering::Less)
            && after.is_none_or(|order| order == Ordering::Greater)
    }

    fn take_out(&mut self, table: &Table, slot: Slot) {
        let at = self.rank(table, &self.all, slot);
        if self.all.get(at) == Some(&slot) {
            self.all.remove(at);
        }
        if let Some(mut matching) = self.matching.take() {
            let at = self.rank(table, &matching, slot);
            if matching.get(at) == Some(&slot) {
                matching.remove(at);
            }
            self.matching = Some(matching);
        }
    }

    fn set_matching(&mut self, table: &Table, slot: Slot, matches: bool) {
        let Some(place) = self.places.get_mut(slot.index()).and_then(Option::as_mut) else { return };
        if place.matches == matches {
            return;
        }
        place.matches = matches;
        let Some(mut matching) = self.matching.take() else { return };
        let at = self.rank(table, &matching, slot);
        if matches {
            matching.insert(at.min(matching.len()), slot);
        } else if matching.get(at) == Some(&slot) {
            matching.remove(at);
        }
        self.matching = Some(matching);
    }

    /// Takes a tombstone out before the table removes it.
    pub fn remove(&mut self, table: &Table, slot: Slot) {
        self.take_out(table, slot);
        self.waiting.remove(&slot);
        if let Some(place) = self.places.get_mut(slot.index()) {
            *place = None;
        }
    }

    pub fn set_filter(&mut self, table: &Table, filter: Filter) {
        let former = std::mem::replace(&mut self.filter, filter);
        self.filter.bind(table.columns());
        match self.matching.take() {
            Some(matching) if self.filter.narrows(&former) => self.narrow(table, matching),
            _ => self.rematch(table),
        }
    }

    /// Of what matched, what still does.
    fn narrow(&mut self, table: &Table, mut matching: Vec<Slot>) {
        matching.retain(|slot| {
            let matches = table.entry(*slot).is_some_and(|entry| self.filter.matches(entry, self.now));
            if let Some(Some(place)) = self.places.get_mut(slot.index()) {
                place.matches = matches;
            }
            matches
        });
        self.matching = Some(matching);
    }

    fn rematch(&mut self, table: &Table) {
        for (slot, entry) in table.iter() {
            if let Some(Some(place)) = self.places.get_mut(slot.index()) {
                place.matches = self.filter.matches(entry, self.now);
            }
        }
        self.refilter();
    }

    /// Before rows are compared with it.
    pub fn set_now(&mut self, now: UnixSeconds) {
        self.now = now;
    }

    /// Time has passed: where the filter asks for it rows come and go, but not while a reader is there.
    /// Whether any did.
    pub fn grow_old(&mut self, table: &Table, now: UnixSeconds) -> bool {
        self.now = now;
        if self.held || !self.filter.is_timed() {
            return false;
        }
        let before = self.len();
        self.rematch(table);
        self.len() != before
    }

    fn refilter(&mut self) {
        self.matching = (!self.filter.is_empty()).then(|| {
            self.all
                .iter()
                .copied()
                .filter(|slot| self.place(*slot).is_some_and(|place| place.matches))
                .collect()
        });
    }

    /// A chosen sort takes effect at once, whoever reads.
    pub fn set_sort(&mut self, table: &Table, sort: Option<Sort>) {
        self.sort = sort;
        self.rebuild(table);
    }

    /// While held, rows whose place would change stay; new ones come in and deleted ones go.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Puts the rows that waited in order.
    pub fn settle(&mut self, table: &Table) {
        for (slot, value) in std::mem::take(&mut self.waiting) {
            self.move_to(table, slot, value);
        }
    }

    /// How many rows stand where they no longer belong: "3 moved".
    #[must_use]
    pub fn waiting_count(&self) -> usize {
        self.waiting.len()
    }

    #[must_use]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    #[must_use]
    pub fn sort(&self) -> Option<&Sort> {
        self.sort.as_ref()
    }

    /// The rows to show, in order.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        self.matching.as_deref().unwrap_or(&self.all)
    }

    /// Those of a window; empty where the range isn't inside.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> &[Slot] {
        let slots = self.slots();
        slots.get(range.start.min(slots.len())..range.end.min(slots.len())).unwrap_or_default()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.slots().len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots().is_empty()
    }

    /// Where a row stands among the shown ones.
    #[must_use]
    pub fn position(&self, table: &Table, slot: Slot) -> Option<usize> {
        let at = self.rank(table, self.slots(), slot);
        (self.slots().get(at) == Some(&slot)).then_some(at)
    }
}

fn key(table: &Table, slot: Slot) -> &str {
    table.entry(slot).map_or("", |entry| entry.key())
}
