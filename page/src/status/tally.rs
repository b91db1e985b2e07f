//! How many rows have each status word, kept as rows change: for the notice line of a healthy view, and as the
//! class of each row for the minimap. The rows are never counted again for a frame.

use super::{Class, StatusColumns};
use crate::limits::STATUS_WORDS_MAX;
use replica::table::{Delta, Slot, Table};

#[derive(Clone, Debug, Default)]
pub struct Tally {
    columns: StatusColumns,
    counts: Vec<Count>,
    /// By slot: the index of its count.
    of_slot: Vec<Option<u16>>,
}

/// A word, its class, and how many rows have both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    pub word: Box<str>,
    pub class: Class,
    pub rows: usize,
}

impl Tally {
    pub fn apply(&mut self, table: &Table, delta: &Delta) {
        let columns = StatusColumns::of(table.columns());
        if delta.columns || columns != self.columns {
            *self = Self { columns, ..Self::default() };
            for (slot, _) in table.iter() {
                self.count(table, slot);
            }
            return;
        }
        let moved = delta.added.iter().copied().chain(delta.changed.iter().map(|changed| changed.slot));
        for slot in moved.chain(delta.removed.iter().copied()) {
            self.count(table, slot);
        }
    }

    fn count(&mut self, table: &Table, slot: Slot) {
        let now = table
            .entry(slot)
            .filter(|entry| !entry.is_tombstone())
            .and_then(|entry| self.columns.read(entry.row()))
            .and_then(|(word, class)| self.number_of(word, class));
        if self.of_slot.len() <= slot.index() {
            self.of_slot.resize(slot.index() + 1, None);
        }
        let Some(place) = self.of_slot.get_mut(slot.index()) else { return };
        let before = std::mem::replace(place, now);
        if before == now {
            return;
        }
        if let Some(count) = before.and_then(|number| self.counts.get_mut(usize::from(number))) {
            count.rows = count.rows.saturating_sub(1);
        }
        if let Some(count) = now.and_then(|number| self.counts.get_mut(usize::from(number))) {
            count.rows += 1;
        }
    }

    fn number_of(&mut self, word: &str, class: Class) -> Option<u16> {
        let found = self.counts.iter().position(|count| *count.word == *word && count.class == class);
        let number = found.or_else(|| {
            (self.counts.len() < STATUS_WORDS_MAX).then(|| {
                self.counts.push(Count { word: word.into(), class, rows: 0 });
                self.counts.len() - 1
            })
        })?;
        u16::try_from(number).ok()
    }

    /// The class of a row; `None` where the table has no status.
    pub fn class(&self, slot: Slot) -> Option<Class> {
        let number = (*self.of_slot.get(slot.index())?)?;
        self.counts.get(usize::from(number)).map(|count| count.class)
    }

    /// The words that rows have, the most frequent first.
    pub fn counts(&self) -> Vec<Count> {
        let mut counts: Vec<Count> = self.counts.iter().filter(|count| count.rows > 0).cloned().collect();
        counts.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.word.cmp(&b.word)));
        counts
    }

    pub fn columns(&self) -> &StatusColumns {
        &self.columns
    }
}
