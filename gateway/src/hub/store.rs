//! The objects of a hub in the order of their last change: slots in a slab, a list through them,
//! tombstones with a budget, and the horizon behind which nothing is known of deletes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use shared::row::{Row, RowId};

use super::bodies::Body;
use super::custom::{Custom, SetId};
use super::host::Host;
use super::labels::Labels;

/// An object as it is kept.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) row: Arc<Row>,
    /// What the row adds to a digest.
    pub(super) hash: u64,
    pub(super) labels: Labels,
    pub(super) body: Body,
    /// The cells of other columns than the server's.
    pub(super) custom: Custom,
}

impl Stored {
    /// As [`Custom::hash_in`].
    pub(super) fn hash_in(&self, set: Option<SetId>) -> Option<u64> {
        self.custom.hash_in(set, self.hash)
    }

    /// As [`Custom::row_in`].
    pub(super) fn row_in(&self, set: Option<SetId>) -> Option<Arc<Row>> {
        self.custom.row_in(set, &self.row)
    }
}

/// `None` is a tombstone.
struct Slot {
    id: RowId,
    changed: u64,
    content: Option<Stored>,
    previous: Option<usize>,
    next: Option<usize>,
}

#[derive(Default)]
pub(super) struct Store {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    by_id: HashMap<RowId, usize>,
    oldest: Option<usize>,
    newest: Option<usize>,
    tombstones: usize,
    /// The tombstones in the order of deletion. An entry whose slot has changed since is void.
    deleted: VecDeque<(u64, usize)>,
    budget: usize,
    horizon: u64,
}

/// One step of a walk.
pub(super) struct Step<'a> {
    pub(super) id: RowId,
    pub(super) changed: u64,
    /// `None`: deleted.
    pub(super) content: Option<&'a Stored>,
}

impl Store {
    /// Keeps `budget` tombstones.
    pub(super) fn with_budget(budget: usize) -> Self {
        Self { budget, ..Self::default() }
    }

    /// The number of the youngest tombstone that was dropped. A subscriber that had not passed it can't be
    /// told what was deleted.
    pub(super) fn horizon(&self) -> u64 {
        self.horizon
    }

    /// Whether the object may have been deleted: it has a tombstone, or tombstones were dropped.
    pub(super) fn may_have_deleted(&self, id: RowId) -> bool {
        self.get(id).is_none() && (self.horizon > 0 || self.by_id.contains_key(&id))
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len() - self.tombstones
    }

    pub(super) fn tombstone_count(&self) -> usize {
        self.tombstones
    }

    pub(super) fn get_mut(&mut self, id: RowId) -> Option<&mut Stored> {
        let index = *self.by_id.get(&id)?;
        self.slot_mut(Some(index))?.content.as_mut()
    }

    pub(super) fn get(&self, id: RowId) -> Option<&Stored> {
        self.slot(*self.by_id.get(&id)?)?.content.as_ref()
    }

    /// Every object, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (RowId, &Stored)> {
        self.slots.iter().flatten().filter_map(|slot| Some((slot.id, slot.content.as_ref()?)))
    }

    /// For a rewrite that isn't a change, such as a body with a better dictionary.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stored> {
        self.slots.iter_mut().flatten().filter_map(|slot| slot.content.as_mut())
    }

    /// Puts an object at the end of the order, and returns what was there.
    pub(super) fn put(&mut self, id: RowId, content: Stored, sequence: u64) -> Option<Stored> {
        let place = self.touch(id, sequence);
        let was_known = place.is_known;
        let before =
            self.slots.get_mut(place.index).and_then(Option::as_mut).and_then(|s| s.content.replace(content));
        if was_known && before.is_none() {
            self.tombstones -= 1;
        }
        before
    }

    /// Leaves a tombstone, and returns what was there. An unknown id leaves no tombstone.
    pub(super) fn delete<H: Host>(&mut self, id: RowId, sequence: u64) -> Option<Stored> {
        self.get(id)?;
        let place = self.touch(id, sequence);
        let before =
            self.slots.get_mut(place.index).and_then(Option::as_mut).and_then(|slot| slot.content.take());
        self.tombstones += 1;
        self.deleted.push_back((sequence, place.index));
        self.keep_to_budget::<H>();
        before
    }

    /// The slots that changed after `cursor`, the oldest change first.
    pub(super) fn walk(&self, cursor: u64) -> impl Iterator<Item = Step<'_>> {
        let mut at = self.first_after(cursor);
        std::iter::from_fn(move || {
            let slot = self.slot(at?)?;
            at = slot.next;
            Some(Step { id: slot.id, changed: slot.changed, content: slot.content.as_ref() })
        })
    }

    /// Searches backwards from the newest change, so that a walk which finds little costs little.
    fn first_after(&self, cursor: u64) -> Option<usize> {
        if cursor == 0 {
            return self.oldest;
        }
        let (mut found, mut at) = (None, self.newest);
        while let Some(index) = at {
            let slot = self.slot(index)?;
            if slot.changed <= cursor {
                break;
            }
            found = Some(index);
            at = slot.previous;
        }
        found
    }

    /// Drops the oldest tombstones, without a search through the objects.
    fn keep_to_budget<H: Host>(&mut self) {
        while self.tombstones > self.budget {
            let Some((sequence, index)) = self.deleted.pop_front() else { return };
            if self.is_tombstone(sequence, index) {
                self.horizon = H::horizon(self.horizon, sequence);
                self.remove(index);
                self.tombstones -= 1;
            }
        }
        if self.deleted.len() > 2 * (self.tombstones + self.budget) {
            let mut deleted = std::mem::take(&mut self.deleted);
            deleted.retain(|(sequence, index)| self.is_tombstone(*sequence, *index));
            self.deleted = deleted;
        }
    }

    fn is_tombstone(&self, sequence: u64, index: usize) -> bool {
        self.slot(index).is_some_and(|slot| slot.changed == sequence && slot.content.is_none())
    }

    fn slot(&self, index: usize) -> Option<&Slot> {
        self.slots.get(index)?.as_ref()
    }

    /// Moves the slot of an id to the end, and makes one if there is none.
    fn touch(&mut self, id: RowId, sequence: u64) -> Place {
        let known = self.by_id.get(&id).copied();
        let index = known.unwrap_or_else(|| self.allocate(id));
        if known.is_some() {
            self.unlink(index);
        }
        self.link_at_end(index, sequence);
        Place { index, is_known: known.is_some() }
    }

    fn allocate(&mut self, id: RowId) -> usize {
        let slot = Slot { id, changed: 0, content: None, previous: None, next: None };
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.slots.push(None);
                self.slots.len() - 1
            }
        };
        if let Some(place) = self.slots.get_mut(index) {
            *place = Some(slot);
        }
        self.by_id.insert(id, index);
        index
    }

    fn remove(&mut self, index: usize) {
        self.unlink(index);
        if let Some(slot) = self.slots.get_mut(index).and_then(Option::take) {
            self.by_id.remove(&slot.id);
            self.free.push(index);
        }
    }

    fn link_at_end(&mut self, index: usize, sequence: u64) {
        let newest = self.newest.replace(index);
        if let Some(slot) = self.slot_mut(Some(index)) {
            slot.changed = sequence;
            slot.previous = newest;
            slot.next = None;
        }
        match self.slot_mut(newest) {
            Some(before) => before.next = Some(index),
            None => self.oldest = Some(index),
        }
    }

    fn unlink(&mut self, index: usize) {
        let Some((previous, next)) = self.slot(index).map(|slot| (slot.previous, slot.next)) else { return };
        match self.slot_mut(previous) {
            Some(slot) => slot.next = next,
            None => self.oldest = next,
        }
        match self.slot_mut(next) {
            Some(slot) => slot.previous = previous,
            None => self.newest = previous,
        }
    }

    fn slot_mut(&mut self, index: Option<usize>) -> Option<&mut Slot> {
        self.slots.get_mut(index?)?.as_mut()
    }
}

struct Place {
    index: usize,
    is_known: bool,
}
