//! The rows of one subscription, changed only by frames through [`Table::apply`], which checks the wire's
//! guarantees (chained, ordered, exact at cuts). Each row has a slot and a hash; slots are in no order that means
//! something. Order and filter are the query's.

pub mod clusters;

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use litemap::LiteMap;
use shared::cell::Cell;
use shared::column::Column;
use shared::digest::{self, row_hash};
use shared::frame::server::{Gap, Patch, Rows, Subscribed};
use shared::name::{ClusterName, Namespace};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::token::Token;

pub use crate::chain::Broken;
use crate::chain::{Chain, Continuation};

/// What a subscription holds. Rows are addressed by slot while they live: a slot's row may change,
/// but never becomes another object's before [`Table::remove_tombstone`].
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The gateway's.
    own_columns: Arc<[Column]>,
    /// The columns of the joined cells.
    joined: Arc<[Column]>,
    /// Both.
    columns: Arc<[Column]>,
    slots: Slots,
    chain: Chain,
    /// Rows that will replace what is shown, put aside until they are whole.
    incoming: Option<Incoming>,
    /// A cut was reached: what is shown was once exactly the gateway's.
    whole: bool,
}

/// What one frame changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    pub added: Vec<Slot>,
    pub changed: Vec<Changed>,
    /// Those of them that changed in what a mask hides.
    pub masked: Vec<Slot>,
    /// Deleted rows keep their slot and content, as tombstones, until they are removed.
    pub removed: Vec<Slot>,
    /// Other columns: everything that was derived from cells is void.
    pub columns: bool,
    /// The rows of a reset took the place of the former ones with this frame, or those of a cluster or a namespace came
    /// or left as a whole.
    pub replaced: bool,
    /// What is shown now is a state that the hub was in.
    pub cut: bool,
    /// The frame's. Where each event is told by itself, it is the deletion's own of a row that was removed.
    pub resource_version: ResourceVersion,
    /// The first cut: from now on rows have their order.
    pub first_cut: bool,
    pub gap: Option<Gap>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub slot: Slot,
    pub cells: Vec<u16>,
}

impl Table {
    /// The gateway's answer to a subscription, or its word that epoch or columns changed. Rows that
    /// can't be continued stay until the new ones are whole.
    pub fn subscribed(&mut self, answer: &Subscribed) {
        let is_empty = self.is_empty() && self.incoming.is_none();
        match self.chain.subscribed(answer, is_empty) {
            Continuation::Unknown => self.incoming = None,
            Continuation::Same if !is_empty => {}
            Continuation::Same => self.set_columns(answer.columns.clone().into()),
            Continuation::Resumed => {
                self.incoming = None;
                self.set_columns(answer.columns.clone().into());
            }
            Continuation::Anew => self.put_aside(answer.columns.clone().into()),
        }
    }

    /// The connection or the subscription ended: nothing applies before the next `subscribed`.
    pub fn detach(&mut self) {
        self.chain.detach();
        self.incoming = None;
    }

    /// The rows that come next are the first.
    pub(crate) fn forget_cut(&mut self) {
        self.whole = false;
    }

    /// What is shown stays until other rows, under these columns, are whole.
    pub(crate) fn begin_anew(&mut self, columns: Arc<[Column]>) {
        self.chain.begin_anew();
        self.put_aside(columns);
    }

    fn put_aside(&mut self, columns: Arc<[Column]>) {
        if self.is_empty() {
            self.set_columns(columns);
            self.incoming = None;
        } else {
            self.incoming = Some(Incoming::new(columns));
        }
    }

    /// The only way in which rows move.
    ///
    /// # Errors
    /// [`Broken`] when the frame isn't a continuation of what is here. Nothing may be applied
    /// after that before the next `subscribed`.
    pub fn apply(&mut self, frame: Rows) -> Result<Delta, Broken> {
        self.chain.step(frame.from, frame.to, frame.reset)?;
        if frame.reset {
            let incoming = self.incoming.as_ref().map(|incoming| incoming.columns.clone());
            self.put_aside(incoming.unwrap_or_else(|| self.own_columns.clone()));
        }
        let (more, version) = (frame.more, frame.resource_version.clone());
        let mut delta =
            Delta { gap: frame.gap.clone(), resource_version: version.clone(), ..Delta::default() };
        if let Some(incoming) = &mut self.incoming {
            incoming.apply(frame)?;
        } else {
            self.apply_shown(frame, &mut delta)?;
        }
        if !more {
            if let Some(incoming) = self.incoming.take() {
                self.replace(incoming, &mut delta);
            }
            delta.cut = true;
            delta.first_cut = !std::mem::replace(&mut self.whole, true);
            self.chain.cut(version, Some(self.digest().into()));
        }
        Ok(delta)
    }

    fn apply_shown(&mut self, frame: Rows, delta: &mut Delta) -> Result<(), Broken> {
        self.chain.clear_digest();
        for row in frame.put {
            self.slots.put(row, &self.own_columns, delta);
        }
        for patch in frame.set {
            self.slots.set(patch, &frame.resource_version, &self.own_columns, delta)?;
        }
        delta.masked.extend(frame.masked.iter().filter_map(|id| self.slots.slot_of(*id)));
        for id in frame.delete {
            delta.removed.extend(self.slots.remove(id));
        }
        Ok(())
    }

    fn replace(&mut self, incoming: Incoming, delta: &mut Delta) {
        delta.replaced = true;
        delta.columns = self.own_columns != incoming.columns;
        self.set_columns(incoming.columns);
        let gone: Vec<RowId> = self.slots.ids().filter(|id| !incoming.rows.contains_key(id)).collect();
        for id in gone {
            delta.removed.extend(self.slots.remove(id));
        }
        for row in incoming.rows.into_values() {
            self.slots.put(row, &self.own_columns, delta);
        }
    }

    /// Adds these cells behind the gateway's, in the place of those that were joined before.
    pub(crate) fn join(&mut self, joined: Joined) -> Delta {
        let mut delta = Delta { columns: *self.joined != *joined.columns, ..Delta::default() };
        self.joined = joined.columns.clone().into();
        self.set_columns(self.own_columns.clone());
        self.slots.join(joined, &mut delta);
        delta
    }

    fn set_columns(&mut self, columns: Arc<[Column]>) {
        self.columns = match self.joined.is_empty() || columns.is_empty() {
            true => columns.clone(),
            false => columns.iter().chain(&*self.joined).cloned().collect(),
        };
        self.own_columns = columns;
    }

    /// The gateway's columns, then those that were joined.
    #[must_use]
    pub fn columns(&self) -> &Arc<[Column]> {
        &self.columns
    }

    /// Whether its rows are of several clusters, which the first column names.
    #[must_use]
    pub fn has_clusters(&self) -> bool {
        self.columns.first().is_some_and(clusters::names_clusters)
    }

    /// The cluster of a row, where they are several.
    #[must_use]
    pub fn cluster_of<'a>(&self, row: &'a Row) -> Option<&'a str> {
        clusters::named_in(row, &self.columns)
    }

    /// The id under which a row of this cluster stands here, or the object's own id of one that does.
    #[must_use]
    pub fn id_among_clusters(&self, id: RowId, cluster: Option<&ClusterName>) -> RowId {
        cluster.filter(|_| self.has_clusters()).map_or(id, |cluster| clusters::row_id(id, cluster))
    }

    /// Those of the subscription.
    pub(crate) fn own_columns(&self) -> &Arc<[Column]> {
        &self.own_columns
    }

    /// Rows that the cluster has; tombstones aren't counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.live
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows that arrived so far, of those that will replace what is shown.
    #[must_use]
    pub fn incoming_count(&self) -> Option<usize> {
        self.incoming.as_ref().map(|incoming| incoming.rows.len())
    }

    /// Whether what is shown was ever complete.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn chain_mut(&mut self) -> &mut Chain {
        &mut self.chain
    }

    #[must_use]
    pub fn position(&self) -> Option<u64> {
        self.chain.position()
    }

    #[must_use]
    pub fn token(&self) -> Option<&Token> {
        self.chain.token()
    }

    /// The row in a slot, tombstones included.
    #[must_use]
    pub fn entry(&self, slot: Slot) -> Option<&Entry> {
        self.slots.entry(slot)
    }

    #[must_use]
    pub fn slot_of(&self, id: RowId) -> Option<Slot> {
        self.slots.slot_of(id)
    }

    /// All rows and tombstones, by slot.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.slots.iter()
    }

    /// The rows that the cluster has, in no order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.slots.iter().filter(|(_, entry)| !entry.is_tombstone()).map(|(_, entry)| entry.row())
    }

    /// How many rows each namespace has.
    pub fn namespace_counts(&self) -> LiteMap<Namespace, usize> {
        let mut counts = LiteMap::<String, usize>::new_vec();
        for name in self.rows().filter_map(|row| row.namespace.as_deref()) {
            match counts.get_mut(name) {
                Some(count) => *count += 1,
                None => drop(counts.insert(name.to_owned(), 1)),
            }
        }
        let mut named = LiteMap::new_vec();
        for (name, count) in counts {
            if let Ok(name) = Namespace::parse(&name) {
                named.insert(name, count);
            }
        }
        named
    }

    /// Frees a tombstone's slot for other rows.
    pub fn remove_tombstone(&mut self, slot: Slot) {
        self.slots.remove_tombstone(slot);
    }

    /// The digest of the rows shown, as `sync` carries it.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::to_text(self.slots.digest)
    }

    /// Whether the gateway's digest at a position is ours; `None` at another position than ours, where
    /// digests can't be compared.
    #[must_use]
    pub fn agrees(&self, at: u64, digest: &str) -> Option<bool> {
        (self.position() == Some(at) && self.incoming.is_none() && self.whole)
            .then(|| self.digest() == digest)
    }
}

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
struct Slots {
    /// Shared with a paused copy of the table; a change after the pause copies the entry.
    entries: Vec<Option<Arc<Entry>>>,
    free: Vec<Slot>,
    by_id: HashMap<RowId, Slot, BuildHasherDefault<IdHasher>>,
    /// The rows that aren't tombstones.
    live: usize,
    digest: u64,
    /// Shared with a paused copy of the table.
    joined: Arc<Joined>,
}

impl Slots {
    fn put(&mut self, row: Row, columns: &[Column], delta: &mut Delta) {
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

    fn set(
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
    fn join(&mut self, joined: Joined, delta: &mut Delta) {
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
    fn remove(&mut self, id: RowId) -> Option<Slot> {
        let slot = self.by_id.get(&id).copied()?;
        let entry = self.entry_mut(slot).filter(|entry| !entry.tombstone)?;
        entry.tombstone = true;
        let hash = entry.hash;
        self.digest = self.digest.wrapping_sub(hash);
        self.live -= 1;
        Some(slot)
    }

    fn remove_tombstone(&mut self, slot: Slot) {
        let Some(held) = self.entries.get_mut(slot.index()) else { return };
        if let Some(tombstone) = held.take_if(|entry| entry.tombstone) {
            if self.by_id.get(&tombstone.row.id) == Some(&slot) {
                self.by_id.remove(&tombstone.row.id);
            }
            self.free.push(slot);
        }
    }

    fn entry(&self, slot: Slot) -> Option<&Entry> {
        self.entries.get(slot.index())?.as_deref()
    }

    fn entry_mut(&mut self, slot: Slot) -> Option<&mut Entry> {
        self.entries.get_mut(slot.index())?.as_mut().map(Arc::make_mut)
    }

    fn slot_of(&self, id: RowId) -> Option<Slot> {
        self.by_id.get(&id).copied()
    }

    fn iter(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| Some((Slot(u32::try_from(index).ok()?), entry.as_deref()?)))
    }

    fn ids(&self) -> impl Iterator<Item = RowId> + '_ {
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

/// Rows that replace the shown ones once they are whole. They aren't shown before.
#[derive(Clone, Debug)]
struct Incoming {
    columns: Arc<[Column]>,
    rows: BTreeMap<RowId, Row>,
}

impl Incoming {
    fn new(columns: Arc<[Column]>) -> Self {
        Self { columns, rows: BTreeMap::new() }
    }

    fn apply(&mut self, frame: Rows) -> Result<(), Broken> {
        self.rows.extend(frame.put.into_iter().map(|row| (row.id, row)));
        for patch in frame.set {
            let row = self.rows.get_mut(&patch.id).ok_or(Broken::UnknownRow(patch.id))?;
            for (index, cell) in patch.cells {
                let old =
                    row.cells.get_mut(usize::from(index)).ok_or(Broken::UnknownCell(patch.id, index))?;
                *old = cell;
            }
            row.resource_version = patch.resource_version.unwrap_or_else(|| frame.resource_version.clone());
        }
        for id in frame.delete {
            self.rows.remove(&id);
        }
        Ok(())
    }
}

/// Cells that the viewer adds to rows from another table, such as what a pod uses. They stand behind the gateway's
/// cells, frames and digests know nothing of them, and no change of them is a change of the row's object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    pub columns: Vec<Column>,
    /// A cell for each of the columns, by `namespace/name`.
    pub cells: HashMap<Box<str>, Vec<Cell>>,
}

impl Joined {
    /// The cells of one row, one for each column.
    fn of(&self, key: &str) -> impl Iterator<Item = Cell> {
        let cells = self.cells.get(key);
        (0..self.columns.len())
            .map(move |at| cells.and_then(|cells| cells.get(at)).cloned().unwrap_or(Cell::Null))
    }
}

#[cfg(test)]
mod tests;
