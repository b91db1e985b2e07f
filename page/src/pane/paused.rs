//! The rows of a paused pane, as they were when the reader paused, and what the live view did since.

use std::collections::BTreeMap;

use replica::freshness::ClusterState;
use replica::table::{Changed, Delta, Slot, Table};
use shared::duration::UnixSeconds;
use shared::name::ClusterName;
use shared::state::UnixMillis;

use super::words::Waiting;
use crate::table_view::View;

/// The displayed rows of a pause. [`super::displayed::Displayed`] makes it, tells it of each frame of the live view, and
/// asks it in the end which rows changed meanwhile.
pub(super) struct PausedCopy {
    /// It shares its rows with the live view, which copies a row before it changes it.
    pub(super) view: Box<View>,
    pub(super) since_ms: UnixMillis,
    /// The clock of each cluster of a view of several, at that time.
    clocks: Vec<(ClusterName, UnixSeconds)>,
    pub(super) waiting: Waiting,
    /// `None`: the row came meanwhile. Else the cells that changed.
    rows: BTreeMap<Slot, Option<Vec<u16>>>,
}

/// A pause that ended a moment ago.
pub(super) struct Resumed {
    pub(super) from_ms: UnixMillis,
    pub(super) to_ms: UnixMillis,
    pub(super) changes: Waiting,
}

impl PausedCopy {
    pub(super) fn of(view: &View, clusters: &[ClusterState], now_ms: UnixMillis) -> Self {
        Self {
            view: Box::new(view.clone()),
            since_ms: now_ms,
            clocks: clusters.iter().map(|cluster| (cluster.name.clone(), cluster.now_s)).collect(),
            waiting: Waiting::default(),
            rows: BTreeMap::new(),
        }
    }

    pub(super) fn rows_came(&mut self, delta: &Delta) {
        self.waiting.added += delta.added.len();
        self.waiting.modified += delta.changed.len();
        self.waiting.deleted += delta.removed.len();
        self.rows.extend(delta.added.iter().map(|slot| (*slot, None)));
        for Changed { slot, cells } in &delta.changed {
            if let Some(held) = self.rows.entry(*slot).or_insert_with(|| Some(Vec::new())) {
                held.extend(cells.iter().filter(|cell| !held.contains(cell)).copied().collect::<Vec<_>>());
            }
        }
        for slot in &delta.removed {
            self.rows.remove(slot);
        }
    }

    /// `None`: nothing happened meanwhile.
    pub(super) fn resumed(&self, now_ms: UnixMillis) -> Option<Resumed> {
        let changes = self.waiting;
        (changes.all() > 0).then_some(Resumed { from_ms: self.since_ms, to_ms: now_ms, changes })
    }

    /// The clock of a cluster when the pause began.
    pub(super) fn clock_of(&self, cluster: &str) -> Option<UnixSeconds> {
        self.clocks.iter().find(|(name, _)| name.as_str() == cluster).map(|(_, now_s)| *now_s)
    }

    /// What came and changed since, and is still in the table.
    pub(super) fn meanwhile(&self, table: &Table) -> Delta {
        let mut delta = Delta::default();
        for (slot, cells) in &self.rows {
            match (table.entry(*slot).filter(|entry| !entry.is_tombstone()), cells) {
                (None, _) => {}
                (Some(_), None) => delta.added.push(*slot),
                (Some(_), Some(cells)) => {
                    delta.changed.push(Changed { slot: *slot, cells: cells.clone() });
                }
            }
        }
        delta
    }
}
