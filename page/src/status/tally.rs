//! How many rows stand in each health, kept as rows change and time passes: the tally of a view, and the health of each
//! row for the minimap. Never counted anew for a frame.

use std::collections::BTreeMap;

use replica::table::{Delta, Slot, Table};
use shared::duration::UnixSeconds;

use super::{RowHealth, StatusColumns};

#[derive(Clone, Debug, Default)]
pub struct Tally {
    columns: StatusColumns,
    /// In the order of [`RowHealth::ALL`].
    counts: [usize; RowHealth::ALL.len()],
    /// By slot.
    healths: Vec<Option<RowHealth>>,
    /// When rows become another health by time alone.
    due: BTreeMap<UnixSeconds, Vec<Slot>>,
    now: UnixSeconds,
}

impl Tally {
    /// `now`: by the cluster's clock.
    pub fn apply(&mut self, table: &Table, delta: &Delta, now: UnixSeconds) {
        self.now = now;
        let columns = StatusColumns::of(table.columns());
        if delta.columns || columns != self.columns {
            *self = Self { columns, now, ..Self::default() };
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

    /// The rows that are in another health only because time has passed.
    pub fn grow_old(&mut self, table: &Table, now: UnixSeconds) -> Vec<Slot> {
        self.now = now;
        let later = self.due.split_off(&(now + 1));
        let due = std::mem::replace(&mut self.due, later);
        let mut moved = Vec::new();
        for slot in due.into_values().flatten() {
            let before = self.health(slot);
            self.count(table, slot);
            if self.health(slot) != before {
                moved.push(slot);
            }
        }
        moved
    }

    fn count(&mut self, table: &Table, slot: Slot) {
        let row = table.entry(slot).filter(|entry| !entry.is_tombstone()).map(|entry| entry.row());
        let now = row.map(|row| RowHealth::of(row, self.now));
        if let Some(at) = row.and_then(|row| row.health()?.next_s(self.now)) {
            self.due.entry(at).or_default().push(slot);
        }
        if self.healths.len() <= slot.index() {
            self.healths.resize(slot.index() + 1, None);
        }
        let Some(held) = self.healths.get_mut(slot.index()) else { return };
        let before = std::mem::replace(held, now);
        if let Some(count) = before.and_then(|health| self.counts.get_mut(health as usize)) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = now.and_then(|health| self.counts.get_mut(health as usize)) {
            *count += 1;
        }
    }

    /// `None` where there is no row.
    pub fn health(&self, slot: Slot) -> Option<RowHealth> {
        *self.healths.get(slot.index())?
    }

    pub fn count_of(&self, health: RowHealth) -> usize {
        self.counts.get(health as usize).copied().unwrap_or_default()
    }

    /// How many rows stand in each health, in a fixed order; `None` where no row says anything: its kind has no state.
    #[must_use]
    pub fn counts(&self) -> Option<Vec<(RowHealth, usize)>> {
        let counts = || RowHealth::ALL.into_iter().zip(self.counts);
        let is_said = self.columns.status().is_some()
            || counts().any(|(health, rows)| rows > 0 && health != RowHealth::Fine);
        is_said.then(|| counts().collect())
    }

    pub fn columns(&self) -> &StatusColumns {
        &self.columns
    }
}
