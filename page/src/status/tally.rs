//! How many rows stand in each health, kept as rows change: the tally of a view, and the class of each row for
//! the minimap. Never counted anew for a frame.

use super::{Class, RowHealth, StatusColumns};
use replica::table::{Delta, Slot, Table};

#[derive(Clone, Debug, Default)]
pub struct Tally {
    columns: StatusColumns,
    /// In the order of [`Class::ALL`].
    counts: [usize; Class::ALL.len()],
    /// By slot.
    classes: Vec<Option<Class>>,
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
            .map(|(_, class)| class);
        if self.classes.len() <= slot.index() {
            self.classes.resize(slot.index() + 1, None);
        }
        let Some(held) = self.classes.get_mut(slot.index()) else { return };
        let before = std::mem::replace(held, now);
        if let Some(count) = before.and_then(|class| self.counts.get_mut(class as usize)) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = now.and_then(|class| self.counts.get_mut(class as usize)) {
            *count += 1;
        }
    }

    /// The class of a row; `None` where the table has no status.
    pub fn class(&self, slot: Slot) -> Option<Class> {
        *self.classes.get(slot.index())?
    }

    /// How many rows stand in each health, in a fixed order; `None` where no row says anything: a column of
    /// free words isn't a status.
    #[must_use]
    pub fn counts(&self) -> Option<[(RowHealth, usize); RowHealth::ALL.len()]> {
        let counts = || Class::ALL.into_iter().zip(self.counts);
        let says_something = |class| class != Class::Idle || self.columns.is_of_events();
        let of = |health| counts().filter(|(class, _)| class.health() == health).map(|(_, rows)| rows).sum();
        counts()
            .any(|(class, rows)| rows > 0 && says_something(class))
            .then(|| RowHealth::ALL.map(|health| (health, of(health))))
    }

    pub fn columns(&self) -> &StatusColumns {
        &self.columns
    }
}
