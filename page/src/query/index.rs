//! The shown rows in their order, kept while rows change: a change costs two searches and a short move, never a
//! sort of all rows. While a reader looks at the rows, those that would move stay and are counted.
//!
//! A row is ordered by the value that it was placed with, not by its newest one. So the order is always
//! consistent, and a binary search finds a row that hasn't been moved yet.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use shared::duration::UnixSeconds;
use shared::sorted;

use super::filter::{Filter, Verdict};
use super::kept::Kept;
use super::sort::{Bound, Sort};
use super::value::Value;
use crate::status::{RowHealth, Tally};
use replica::table::{Delta, Entry, Slot, Table};

/// The order of one table's rows under one filter and one sort. A pane owns it, tells it of each changed row, and asks
/// it which rows stand in the window.
#[derive(Clone, Debug, Default)]
pub struct Index {
    filter: Filter,
    /// The cells that its reader sees.
    searched: Option<Vec<usize>>,
    /// By the cluster's clock, if it is known.
    now: UnixSeconds,
    sort: Option<Sort>,
    bound: Option<Bound>,
    /// All rows and tombstones.
    all: Vec<Slot>,
    /// Only these can match, whatever the filter says, in their order. `None`: any row can.
    among: Option<Vec<Slot>>,
    /// The rows that match; `None` while nothing is asked of them, because then all do.
    matching: Option<Vec<Slot>>,
    /// By slot.
    places: Vec<Option<Place>>,
    /// Rows that wait to be moved while a reader looks at them, with their new values.
    waiting: BTreeMap<Slot, Value>,
    held: bool,
    kept: Kept,
    /// Before the first cut rows stand in order of arrival, so this is false.
    ordered: bool,
}

#[derive(Clone, Debug)]
struct Place {
    value: Value,
    /// A kept row matches, whatever the filter says.
    matches: bool,
    /// It matches the terms of the filter that don't ask for its health.
    matches_rest: bool,
}

/// If more than this part of the rows changes, a sort of all rows is cheaper than single moves.
const BULK_DIVISOR: usize = 16;
const BULK_MIN: usize = 64;
/// A table with fewer rows is sorted anew with each change.
const SHORT: usize = 256;

impl Index {
    /// The index of a table that may already have rows.
    pub(crate) fn of(table: &Table) -> Self {
        let mut index = Self { ordered: table.is_whole(), ..Self::default() };
        index.rebuild(table);
        index
    }

    /// Follows what a frame changed. Tombstones stay in place until [`Index::remove`].
    pub fn apply(&mut self, table: &Table, delta: &Delta) {
        if delta.columns || delta.first_cut || (!self.ordered && table.is_whole()) {
            self.ordered = table.is_whole();
            if delta.first_cut {
                (self.kept, self.among) = (Kept::default(), None);
            }
            return self.rebuild(table);
        }
        let moved = delta.added.len() + delta.changed.len();
        // The type of a column is read from its cells, and the few rows of a short table may not show it yet.
        let short = self.sort.is_some() && self.all.len() < SHORT;
        let bulk = short || moved > BULK_MIN.max(self.all.len() / BULK_DIVISOR);
        if self.ordered && moved > 0 && bulk && !self.held {
            return self.rebuild(table);
        }
        for slot in delta.added.iter().copied().chain(delta.changed.iter().map(|changed| changed.slot)) {
            self.upsert(table, slot);
        }
    }

    /// For another sort, other columns, and the first cut.
    fn rebuild(&mut self, table: &Table) {
        self.waiting.clear();
        self.filter.bind(table.columns(), self.searched.as_deref());
        let bound = Bound::new(self.sort.as_ref(), table);
        let former = std::mem::take(&mut self.places);
        for (slot, entry) in table.iter() {
            let matched = matches!(former.get(slot.index()), Some(Some(place)) if place.matches);
            let Verdict { matches, matches_rest } = self.judge(slot, entry);
            let matches = self.kept.matches(slot, matched, matches);
            let place = Place { value: bound.value(entry, self.now), matches, matches_rest };
            self.set_place(slot, place);
        }
        // The order of the slots is the order of arrival, as long as no row was deleted.
        let mut all: Vec<Slot> = table.iter().map(|(slot, _)| slot).collect();
        self.bound = Some(bound);
        if self.ordered {
            all.sort_by(|a, b| self.compare(table, *a, *b));
        }
        self.all = all;
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
        let value = bound.value(entry, self.now);
        let matched =
            self.places.get(slot.index()).and_then(Option::as_ref).is_some_and(|place| place.matches);
        let Verdict { matches, matches_rest } = self.judge(slot, entry);
        let matches = self.kept.matches(slot, matched, matches);
        let Some(place) = self.places.get_mut(slot.index()).and_then(Option::as_mut) else {
            self.set_place(slot, Place { value, matches, matches_rest });
            return self.insert(table, slot);
        };
        place.matches_rest = matches_rest;
        if place.value != value {
            if self.held && !self.stays(table, &self.all, slot, &value) {
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
        let matches = self.place(slot).is_some_and(|place| place.matches);
        self.change_lists(|index, list, is_all| {
            if is_all || matches {
                index.insert_into(list, table, slot);
            }
        });
    }

    fn take_out(&mut self, table: &Table, slot: Slot) {
        self.change_lists(|index, list, _| index.take_from(list, table, slot));
    }

    /// Changes the list of all rows, and the list of those that match.
    fn change_lists(&mut self, change: impl Fn(&Self, &mut Vec<Slot>, bool)) {
        let (mut all, mut matching) = (std::mem::take(&mut self.all), self.matching.take());
        change(self, &mut all, true);
        if let Some(matching) = &mut matching {
            change(self, matching, false);
        }
        (self.all, self.matching) = (all, matching);
    }

    fn insert_into(&self, list: &mut Vec<Slot>, table: &Table, slot: Slot) {
        let at = if self.ordered { self.rank(table, list, slot) } else { list.len() };
        list.insert(at.min(list.len()), slot);
    }

    fn take_from(&self, list: &mut Vec<Slot>, table: &Table, slot: Slot) {
        let at = self.rank(table, list, slot);
        if list.get(at) == Some(&slot) {
            list.remove(at);
        }
    }

    /// The place of a slot in a list, or where it would stand.
    fn rank(&self, table: &Table, list: &[Slot], slot: Slot) -> usize {
        if !self.ordered {
            return list.iter().position(|other| *other == slot).unwrap_or(list.len());
        }
        list.partition_point(|other| self.compare(table, *other, slot) == Ordering::Less)
    }

    fn move_to(&mut self, table: &Table, slot: Slot, value: Value) {
        if !self.ordered {
            return self.set_value(slot, value);
        }
        self.take_out(table, slot);
        self.waiting.remove(&slot);
        self.set_value(slot, value);
        self.insert(table, slot);
    }

    fn set_value(&mut self, slot: Slot, value: Value) {
        if let Some(Some(place)) = self.places.get_mut(slot.index()) {
            place.value = value;
        }
    }

    /// Whether a row of a list stays at its place with its new value.
    fn stays(&self, table: &Table, list: &[Slot], slot: Slot, value: &Value) -> bool {
        let (Some(bound), at) = (&self.bound, self.rank(table, list, slot)) else { return true };
        let against = |other: Option<&Slot>| -> Option<Ordering> {
            let other = *other?;
            let place = self.place(other)?;
            Some(bound.compare(&place.value, value).then_with(|| key(table, other).cmp(key(table, slot))))
        };
        let before = at.checked_sub(1).and_then(|at| against(list.get(at)));
        let after = against(list.get(at + 1));
        before.is_none_or(|order| order == Ordering::Less)
            && after.is_none_or(|order| order == Ordering::Greater)
    }

    fn set_matching(&mut self, table: &Table, slot: Slot, matches: bool) {
        let Some(place) = self.places.get_mut(slot.index()).and_then(Option::as_mut) else { return };
        if place.matches == matches {
            return;
        }
        place.matches = matches;
        let Some(mut matching) = self.matching.take() else { return };
        if matches {
            self.insert_into(&mut matching, table, slot);
        } else {
            self.take_from(&mut matching, table, slot);
        }
        self.matching = Some(matching);
    }

    /// The table is about to remove this tombstone.
    pub fn remove(&mut self, table: &Table, slot: Slot) {
        self.take_out(table, slot);
        self.waiting.remove(&slot);
        self.kept.forget(slot);
        if let Some(among) = &mut self.among {
            among.binary_search(&slot).map(|at| among.remove(at)).ok();
        }
        if let Some(place) = self.places.get_mut(slot.index()) {
            *place = None;
        }
    }

    pub fn set_filter(&mut self, table: &Table, filter: Filter) {
        // A new filter decides anew about every row.
        let kept = std::mem::take(&mut self.kept);
        let former = std::mem::replace(&mut self.filter, filter);
        self.filter.bind(table.columns(), self.searched.as_deref());
        match self.matching.take() {
            Some(matching) if self.filter.narrows(&former) => self.narrow(table, matching),
            // A kept row is among those that match, whatever the former filter said of it.
            Some(_) if kept.count() == 0 && former.narrows(&self.filter) => {
                self.rematch(table, |place| !place.matches)
            }
            _ => self.rematch(table, |_| true),
        }
    }

    /// Words are looked for in these cells from now on.
    pub fn set_searched(&mut self, table: &Table, cells: Vec<usize>) {
        self.searched = Some(cells);
        self.filter.bind(table.columns(), self.searched.as_deref());
        if !self.filter.is_empty() {
            self.rematch(table, |_| true);
        }
    }

    pub fn searches(&self, cells: &[usize]) -> bool {
        self.searched.as_deref() == Some(cells)
    }

    /// Keeps the rows that still match.
    fn narrow(&mut self, table: &Table, mut matching: Vec<Slot>) {
        matching.retain(|slot| {
            let matches = table.entry(*slot).is_some_and(|entry| self.filter.matches(entry, self.now));
            if let Some(Some(place)) = self.places.get_mut(slot.index()) {
                // A filter with a term of health is never narrowed, so that both are the same.
                (place.matches, place.matches_rest) = (matches, matches);
            }
            matches
        });
        self.matching = Some(matching);
    }

    /// Decides anew about those rows alone that may match otherwise than before.
    fn rematch(&mut self, table: &Table, may_differ: impl Fn(&Place) -> bool) {
        for (slot, entry) in table.iter() {
            if !self.place(slot).is_some_and(&may_differ) {
                continue;
            }
            let Verdict { matches, matches_rest } = self.judge(slot, entry);
            if let Some(Some(place)) = self.places.get_mut(slot.index()) {
                place.matches = self.kept.matches(slot, place.matches, matches);
                place.matches_rest = matches_rest;
            }
        }
        self.refilter();
    }

    /// The time by which rows are filtered from now on.
    pub fn set_now(&mut self, now: UnixSeconds) {
        self.now = now;
    }

    /// Applies a filter by time again, unless a reader looks at the rows. Answers whether the number of rows
    /// changed.
    pub fn grow_old(&mut self, table: &Table, now: UnixSeconds) -> bool {
        self.now = now;
        if self.held || !self.filter.is_timed() {
            return false;
        }
        let before = self.len();
        self.rematch(table, |_| true);
        self.len() != before
    }

    fn refilter(&mut self) {
        self.matching = self.narrows_rows().then(|| {
            self.all
                .iter()
                .copied()
                .filter(|slot| self.place(*slot).is_some_and(|place| place.matches))
                .collect()
        });
    }

    /// A sort takes effect at once, even while a reader looks at the rows.
    pub fn set_sort(&mut self, table: &Table, sort: Option<Sort>) {
        self.sort = sort;
        self.rebuild(table);
    }

    /// While held, rows whose place would change stay; new rows still come and deleted ones go.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Moves the rows that waited to their places. Answers whether there were any.
    pub fn settle(&mut self, table: &Table) -> bool {
        let waiting = std::mem::take(&mut self.waiting);
        let any = !waiting.is_empty();
        waiting.into_iter().for_each(|(slot, value)| self.move_to(table, slot, value));
        any
    }

    /// How many of the shown rows stand out of order.
    pub fn out_of_order(&self, table: &Table) -> usize {
        let is_shown = |slot: Slot| self.place(slot).is_some_and(|place| place.matches);
        let waiting = self.waiting.iter().filter(|(slot, _)| is_shown(**slot));
        waiting.filter(|(slot, value)| !self.stays(table, self.slots(), **slot, value)).count()
    }

    /// Shows none but these rows, of those that the filter leaves. `None`: all of them again.
    pub fn set_among(&mut self, table: &Table, mut among: Option<Vec<Slot>>) {
        among.iter_mut().for_each(|rows| sorted::sort(rows));
        if self.among != among {
            (self.kept, self.among) = (Kept::default(), among);
            self.rematch(table, |_| true);
        }
    }

    /// Whether it shows chosen rows alone.
    pub fn is_among(&self) -> bool {
        self.among.is_some()
    }

    /// Whether a row may be hidden.
    pub fn narrows_rows(&self) -> bool {
        self.among.is_some() || !self.filter.is_empty()
    }

    fn judge(&self, slot: Slot, entry: &Entry) -> Verdict {
        match &self.among {
            Some(among) if among.binary_search(&slot).is_err() => {
                Verdict { matches: false, matches_rest: false }
            }
            _ => self.filter.judge(entry, self.now),
        }
    }

    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    pub fn sort(&self) -> Option<&Sort> {
        self.sort.as_ref()
    }

    /// These rows stay when the filter stops matching them.
    pub fn keep(&mut self, table: &Table, rows: Vec<Slot>) {
        for slot in self.kept.replace(rows) {
            if let Some(entry) = table.entry(slot) {
                let matches = self.judge(slot, entry).matches;
                self.set_matching(table, slot, matches);
            }
        }
    }

    /// The filter would hide this row, were it not kept.
    pub fn is_kept(&self, slot: Slot) -> bool {
        self.kept.is_kept(slot)
    }

    pub fn kept_count(&self) -> usize {
        self.kept.count()
    }

    /// How many rows stand in each health of those that match whatever else the filter asks for. `None`: it asks for
    /// nothing, so these are the counts of the tally.
    pub fn healths(&self, tally: &Tally) -> Option<Vec<(RowHealth, usize)>> {
        if !self.narrows_rows() {
            return None;
        }
        let mut counts = RowHealth::ALL.map(|health| (health, 0));
        // Without such a term only shown rows can match. They may be few of many, and this is asked once a frame.
        let counted = if self.filter.asks_for_health() { &self.all } else { self.slots() };
        for slot in counted {
            let matched = self.place(*slot).filter(|place| place.matches_rest);
            let health = matched.and_then(|_| tally.health(*slot));
            if let Some((_, count)) = health.and_then(|health| counts.get_mut(health as usize)) {
                *count += 1;
            }
        }
        Some(counts.to_vec())
    }

    /// Whether the filter shows this row.
    pub fn shows(&self, slot: Slot) -> bool {
        self.place(slot).is_some_and(|place| place.matches)
    }

    /// The rows to show, in order.
    pub fn slots(&self) -> &[Slot] {
        self.matching.as_deref().unwrap_or(&self.all)
    }

    /// Also the rows that the filter hides, in the same order.
    pub(crate) fn all(&self) -> &[Slot] {
        &self.all
    }

    /// The rows of a window, as far as there are so many.
    pub fn range(&self, range: Range<usize>) -> &[Slot] {
        let slots = self.slots();
        slots.get(range.start.min(slots.len())..range.end.min(slots.len())).unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.slots().len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots().is_empty()
    }

    /// Where a row stands among the shown ones.
    pub fn position(&self, table: &Table, slot: Slot) -> Option<usize> {
        let at = self.rank(table, self.slots(), slot);
        (self.slots().get(at) == Some(&slot)).then_some(at)
    }
}

fn key(table: &Table, slot: Slot) -> &str {
    table.entry(slot).map_or("", |entry| entry.key())
}
