//! How objects are kept: in the order of their last change, with tombstones of the deleted ones up to a budget, and
//! the horizon, before which deletions are forgotten.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;
use shared::frame::timeline::EntryType;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::bodies::Body;
use super::columns::{Custom, SetId};
use super::host::Host;
use crate::feed::labels::Labels;
use crate::feed::masks::Masks;

/// An object as it is kept.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) row: Arc<Row>,
    /// What the row adds to a digest.
    pub(super) hash: u64,
    pub(super) labels: Labels,
    pub(super) body: Body,
    pub(super) masks: Masks,
    /// The cells of custom columns.
    pub(super) custom: Custom,
}

impl Stored {
    /// The whole object, with each mask told apart by what it hides.
    pub(super) fn marked(&self) -> Option<Value> {
        self.masks.marked(&self.body.unpack()?)
    }

    /// As [`Custom::hash_in`].
    pub(super) fn hash_in(&self, set: Option<SetId>) -> Option<u64> {
        self.custom.hash_in(set, self.hash)
    }

    /// As [`Custom::row_in`].
    pub(super) fn row_in(&self, set: Option<SetId>) -> Option<Arc<Row>> {
        self.custom.row_in(set, &self.row)
    }
}

struct Slot {
    /// The sequence of the last change. No two slots have the same.
    changed: u64,
    content: Content,
    /// `None`: a list brought it, and nothing has changed it since.
    watched: Option<Watched>,
}

enum Content {
    Object(Stored),
    /// A deleted object. Only views that may have held it hear of its end, so its place is kept.
    Tombstone {
        namespace: Option<Box<str>>,
        name: Box<str>,
    },
}

impl Content {
    fn object(&self) -> Option<&Stored> {
        match self {
            Self::Object(stored) => Some(stored),
            Self::Tombstone { .. } => None,
        }
    }

    fn object_mut(&mut self) -> Option<&mut Stored> {
        match self {
            Self::Object(stored) => Some(stored),
            Self::Tombstone { .. } => None,
        }
    }

    fn place(&self) -> (Option<&str>, &str) {
        match self {
            Self::Object(stored) => (stored.row.namespace.as_deref(), &stored.row.name),
            Self::Tombstone { namespace, name } => (namespace.as_deref(), name),
        }
    }
}

/// The last change of an object, as the watch showed it.
#[derive(Clone, Copy)]
pub(super) struct Watched {
    pub(super) at_ms: UnixMillis,
    pub(super) kind: EntryType,
}

/// All slots of a hub, by row and by the number of their last change, which it gives them.
///
/// [`super::objects::Objects`] owns the one of a hub and is the only caller that changes it; views and walks read it.
#[derive(Default)]
pub(super) struct Store {
    slots: HashMap<RowId, Slot>,
    /// All slots by the sequence of their last change.
    by_change: BTreeMap<u64, RowId>,
    /// The sequences of the tombstones' deletions.
    tombstones: BTreeSet<u64>,
    tombstones_max: usize,
    horizon: u64,
    /// The number of the last change.
    sequence: u64,
    /// The first change of an epoch has a number above this one. It is random, so that no position tells how many
    /// objects there are outside of a viewer's scope.
    sequence_base: u64,
}

/// One slot of a walk.
pub(super) struct Walked<'a> {
    pub(super) id: RowId,
    pub(super) sequence: u64,
    /// The namespace and the name, also of a deleted object. They never change.
    pub(super) place: (Option<&'a str>, &'a str),
    /// `None`: deleted.
    pub(super) content: Option<&'a Stored>,
}

impl Store {
    pub(super) fn with_budget(tombstones_max: usize) -> Self {
        Self { tombstones_max, ..Self::default() }
    }

    /// Without a slot, for another epoch.
    pub(super) fn emptied(&self) -> Self {
        let Self { tombstones_max, sequence_base, .. } = *self;
        Self { tombstones_max, sequence_base, ..Self::default() }
    }

    /// Before the first change.
    pub(super) fn count_from(&mut self, base: u64) {
        self.sequence_base = base;
    }

    /// The number of the last change.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    pub(super) fn next_sequence(&mut self) -> u64 {
        self.sequence = self.sequence.max(self.sequence_base) + 1;
        self.sequence
    }

    /// The sequence of the youngest tombstone that was dropped. A subscriber that had not passed it can't be
    /// told what was deleted.
    pub(super) fn horizon(&self) -> u64 {
        self.horizon
    }

    /// Whether the object may have been deleted: it has a tombstone, or tombstones were dropped.
    pub(super) fn may_have_deleted(&self, id: RowId) -> bool {
        self.get(id).is_none() && (self.horizon > 0 || self.slots.contains_key(&id))
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.tombstones.len()
    }

    pub(super) fn tombstone_count(&self) -> usize {
        self.tombstones.len()
    }

    pub(super) fn get_mut(&mut self, id: RowId) -> Option<&mut Stored> {
        self.slots.get_mut(&id)?.content.object_mut()
    }

    pub(super) fn get(&self, id: RowId) -> Option<&Stored> {
        self.slots.get(&id)?.content.object()
    }

    /// Every object, the oldest change first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (RowId, &Stored)> {
        self.walk(0).filter_map(|change| Some((change.id, change.content?)))
    }

    /// Every object, in no order, for a rewrite that isn't a change, such as a body with a better dictionary.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stored> {
        self.slots.values_mut().filter_map(|slot| slot.content.object_mut())
    }

    /// Puts an object at the end of the order, and returns what was there.
    pub(super) fn put(
        &mut self,
        id: RowId,
        content: Stored,
        watched_ms: Option<UnixMillis>,
    ) -> Option<Stored> {
        let kind = if self.get(id).is_some() { EntryType::Modified } else { EntryType::Added };
        let watched = watched_ms.map(|at_ms| Watched { at_ms, kind });
        let changed = self.next_sequence();
        self.replace(id, Slot { changed, content: Content::Object(content), watched })
    }

    /// The objects that changed since they were listed, the latest change first.
    pub(super) fn last_changes(&self) -> impl Iterator<Item = (Watched, &Stored)> {
        let slots = self.by_change.values().rev().filter_map(|id| self.slots.get(id));
        slots.filter_map(|slot| Some((slot.watched?, slot.content.object()?)))
    }

    /// Leaves a tombstone, and returns what was there. An unknown id leaves no tombstone.
    pub(super) fn delete<H: Host>(&mut self, id: RowId) -> Option<Stored> {
        let row = &self.get(id)?.row;
        let content = Content::Tombstone { namespace: row.namespace.clone(), name: row.name.clone() };
        let sequence = self.next_sequence();
        let before = self.replace(id, Slot { changed: sequence, content, watched: None });
        self.tombstones.insert(sequence);
        while self.tombstones.len() > self.tombstones_max
            && let Some(oldest) = self.tombstones.pop_first()
        {
            self.horizon = H::horizon(self.horizon, oldest);
            if let Some(id) = self.by_change.remove(&oldest) {
                self.slots.remove(&id);
            }
        }
        before
    }

    /// The slots that changed after `cursor`, the oldest change first.
    pub(super) fn walk(&self, cursor: u64) -> impl Iterator<Item = Walked<'_>> {
        let after = (Bound::Excluded(cursor), Bound::Unbounded);
        self.by_change.range(after).filter_map(|(sequence, id)| {
            let content = &self.slots.get(id)?.content;
            let place = content.place();
            Some(Walked { id: *id, sequence: *sequence, place, content: content.object() })
        })
    }

    fn replace(&mut self, id: RowId, slot: Slot) -> Option<Stored> {
        self.by_change.insert(slot.changed, id);
        let before = self.slots.insert(id, slot)?;
        self.by_change.remove(&before.changed);
        self.tombstones.remove(&before.changed);
        match before.content {
            Content::Object(stored) => Some(stored),
            Content::Tombstone { .. } => None,
        }
    }
}
