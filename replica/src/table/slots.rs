//! Rows in memory: a slot and a hash for each. Slots are in no order that means something.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use shared::cell::Cell;
use shared::column::Column;
use shared::digest::row_hash;
use shared::frame::server::Patch;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

use super::clusters;
use super::joined::Joined;
use super::{Broken, Changed, Delta};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);

impl Slot {
    /// Slots are dense, so that a vector can hold something for each.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A row with what is derived from it once, so that sorting and filtering 100,000 of them is cheap.
#[derive(Clone, Debug)]
pub struct Entry {
    row: Row,
    /// `namespace/name`, with the cluster before it in a table of several: the order without a sort, and what the
    /// filter searches.
    key: Box<str>,
    /// What the filter searches instead of the key.
    folded: Option<Box<str>>,
    hash: u64,
    tombstone: bool,
}

impl Entry {
    fn new(row: Row, columns: &[Column]) -> Self {
        let key: Box<str> = row.order_key().into();
        let folded = folded(&key, &row, columns);
        let (key, folded) = match clusters::named_in(&row, columns) {
            // A word of the filter is looked for in the name of the cluster where its column is shown.
            Some(cluster) => (format!("{cluster}/{key}").into(), folded.or(Some(key))),
            None => (key, folded),
        };
        Self { hash: row_hash(&row), key, folded, row, tombstone: false }
    }

    #[must_use]
    pub fn row(&self) -> &Row {
        &self.row
    }

    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What the filter searches, in lower case.
    #[must_use]
    pub fn haystack(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.key)
    }

    /// The row was deleted and is kept so that the reader sees it go.
    #[must_use]
    pub fn is_tombstone(&self) -> bool {
        self.tombstone
    }
}

/// `None` where the key can be searched as it is: names are nearly always lower case. A table without a
/// name column (events) is searched in the texts that it shows, else nothing would be found.
fn folded(key: &str, row: &Row, columns: &[Column]) -> Option<Box<str>> {
    let shows_name = columns.iter().any(|column| column.name.eq_ignore_ascii_case("name"));
    if shows_name || columns.is_empty() {
        return key
            .bytes()
            .any(|b| !b.is_ascii() || b.is_ascii_uppercase())
            .then(|| key.to_lowercase().into());
    }
    let mut text = key.to_lowercase();
    for cell in &row.cells {
        if let Cell::Text(shown) = cell {
            text.push('\n');
            text.push_str(&shown.to_lowercase());
        }
    }
    Some(text.into())
}

/// The rows of a table by slot and by id, with their count and their digest, which every change keeps in step. The table
/// owns it and passes on what a frame says; the freed slots are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// Shared with a paused copy of the table; a change after the pause copies the entry.
    entries: Vec<Option<Arc<Entry>>>,
    free: Vec<Slot>,
    by_id: HashMap<RowId, Slot, BuildHasherDefault<IdHasher>>,
    /// The rows that aren't tombstones.
    pub(super) live: usize,
    pub(super) digest: u64,
    /// Shared with a paused copy of the table.
    joined: Arc<Joined>,
}

impl Slots {
    pub(super) fn put(&mut self, row: Row, columns: &[Column], delta: &mut Delta) {
        let id = row.id;
        let mut entry = Entry::new(row, columns);
        entry.row.cells.extend(self.joined.of(&entry.key));
        let Some(slot) = self.by_id.get(&id).copied() else {
            return self.insert(id, entry, delta);
        };
        let Some(old) = self.entry_mut(slot) else { return self.insert(id, entry, delta) };
        if old.key != entry.key {
            // Two objects with one id: the earlier one is deleted.
            delta.removed.extend(self.remove(id));
            return self.insert(id, entry, delta);
        }
        let hash = entry.hash;
        let old = std::mem::replace(old, entry);
        if old.tombstone {
            self.live += 1;
            self.digest = self.digest.wrapping_add(hash);
            delta.removed.retain(|removed| *removed != slot);
            delta.added.push(slot);
            return;
        }
        self.digest = self.digest.wrapping_sub(old.hash).wrapping_add(hash);
        if let Some(new) = self.entry(slot)
            && new.row != old.row
        {
            delta.changed.push(Changed { slot, cells: differing(&old.row.cells, &new.row.cells) });
        }
    }

    fn insert(&mut self, id: RowId, entry: Entry, delta: &mut Delta) {
        self.live += 1;
        self.digest = self.digest.wrapping_add(entry.hash);
        let slot = match self.free.pop() {
            Some(slot) => {
                if let Some(free) = self.entries.get_mut(slot.index()) {
                    *free = Some(Arc::new(entry));
                }
                slot
            }
            None => {
                // 2^32 rows don't fit into any browser's memory.
                let slot = Slot(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
                self.entries.push(Some(Arc::new(entry)));
                slot
            }
        };
        self.by_id.insert(id, slot);
        delta.added.push(slot);
    }

    pub(super) fn set(
        &mut self,
        patch: Patch,
        version: &ResourceVersion,
        columns: &[Column],
        delta: &mut Delta,
    ) -> Result<(), Broken> {
        let id = patch.id;
        let slot = self.by_id.get(&id).copied().ok_or(Broken::UnknownRow(id))?;
        let joined = self.joined.columns.len();
        let entry = self.entry_mut(slot).filter(|entry| !entry.tombstone).ok_or(Broken::UnknownRow(id))?;
        let before = entry.hash;
        let own = entry.row.cells.len().saturating_sub(joined);
        let mut cells = Vec::with_capacity(patch.cells.len());
        for (index, cell) in patch.cells {
            let known = entry.row.cells.get_mut(..own).and_then(|cells| cells.get_mut(usize::from(index)));
            let old = known.ok_or(Broken::UnknownCell(id, index))?;
            if *old != cell {
                cells.push(index);
                *old = cell;
            }
        }
        entry.row.resource_version = patch.resource_version.unwrap_or_else(|| version.clone());
        let joined = entry.row.cells.split_off(own);
        entry.hash = row_hash(&entry.row);
        entry.folded = folded(&entry.key, &entry.row, columns);
        entry.row.cells.extend(joined);
        let after = entry.hash;
        self.digest = self.digest.wrapping_sub(before).wrapping_add(after);
        delta.changed.push(Changed { slot, cells });
        Ok(())
    }

    /// Puts these cells in the place of those that were joined before.
    pub(super) fn join(&mut self, joined: Joined, delta: &mut Delta) {
        let former = std::mem::replace(&mut self.joined, Arc::new(joined)).columns.len();
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let (Some(entry), Ok(slot)) = (entry, u32::try_from(index)) else { continue };
            let own = entry.row.cells.len().saturating_sub(former);
            let mut cells = entry.row.cells.get(..own).unwrap_or_default().to_vec();
            cells.extend(self.joined.of(&entry.key));
            let changed = differing(&entry.row.cells, &cells);
            if !changed.is_empty() {
                Arc::make_mut(entry).row.cells = cells;
                delta.changed.push(Changed { slot: Slot(slot), cells: changed });
            }
        }
    }

    /// Turns the row into a tombstone; an unknown one is no error.
    pub(super) fn remove(&mut self, id: RowId) -> Option<Slot> {
        let slot = self.by_id.get(&id).copied()?;
        let entry = self.entry_mut(slot).filter(|entry| !entry.tombstone)?;
        entry.tombstone = true;
        let hash = entry.hash;
        self.digest = self.digest.wrapping_sub(hash);
        self.live -= 1;
        Some(slot)
    }

    pub(super) fn remove_tombstone(&mut self, slot: Slot) {
        let Some(held) = self.entries.get_mut(slot.index()) else { return };
        if let Some(tombstone) = held.take_if(|entry| entry.tombstone) {
            if self.by_id.get(&tombstone.row.id) == Some(&slot) {
                self.by_id.remove(&tombstone.row.id);
            }
            self.free.push(slot);
        }
    }

    pub(super) fn entry(&self, slot: Slot) -> Option<&Entry> {
        self.entries.get(slot.index())?.as_deref()
    }

    fn entry_mut(&mut self, slot: Slot) -> Option<&mut Entry> {
        self.entries.get_mut(slot.index())?.as_mut().map(Arc::make_mut)
    }

    pub(super) fn slot_of(&self, id: RowId) -> Option<Slot> {
        self.by_id.get(&id).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((Slot(u32::try_from(index).ok()?), entry.as_deref()?)))
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = RowId> + '_ {
        self.iter().filter(|(_, entry)| !entry.tombstone).map(|(_, entry)| entry.row.id)
    }
}

fn differing(old: &[Cell], new: &[Cell]) -> Vec<u16> {
    let longest = old.len().max(new.len());
    (0..longest).filter(|i| old.get(*i) != new.get(*i)).filter_map(|i| u16::try_from(i).ok()).collect()
}

/// A row's id is a hash already; one multiplication spreads it over the bits that the map reads.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, id: u64) {
        self.0 = (self.0 ^ id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
