//! How many rows stand in each health, kept as rows change: the tally of a view, and the class of each row for
//! the minimap. Never counted anew for a frame.

use super::{Class, RowHealth, StatusColumns};
use replica::table::{Delta, Slot, Table};

#[derive(Clone, Debug, Default)]
pub struct Tally {
    columns: StatusColumns,
    /// In the order of [`RowHealth::ALL`].
    counts: [usize; RowHealth::ALL.len()],
    /// Rows that say more of themselves than the ring does.
    telling: usize,
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
        for (class, is_here) in
            before.map(|class| (class, false)).into_iter().chain(now.map(|now| (now, true)))
        {
            let add = |count: &mut usize| *count = if is_here { *count + 1 } else { count.saturating_sub(1) };
            self.counts.get_mut(class.health() as usize).map(add);
            if class != Class::Idle || self.columns.is_of_events() {
                add(&mut self.telling);
            }
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
        let mut counts = self.counts.iter().copied();
        (self.telling > 0).then(|| RowHealth::ALL.map(|health| (health, counts.next().unwrap_or_default())))
    }

    pub fn columns(&self) -> &StatusColumns {
        &self.columns
    }
}
