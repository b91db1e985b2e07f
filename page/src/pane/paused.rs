//! The rows of a paused pane, as they were when the reader paused, and what the live view did since.

use std::collections::{BTreeMap, BTreeSet};

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
    pub(super) view: View,
    pub(super) since_ms: UnixMillis,
    /// The clock of each cluster of a view of several, at that time.
    clocks: Vec<(ClusterName, UnixSeconds)>,
    pub(super) waiting: Waiting,
    /// `None`: the row came meanwhile. Else the cells that changed.
    rows: BTreeMap<Slot, Option<Vec<u16>>>,
    /// The names of the rows that went meanwhile.
    gone: Vec<Box<str>>,
    /// How many rows came and went meanwhile.
    passed: usize,
}

/// A pause that ended a moment ago: what is another in the rows than when it began.
pub(super) struct Resumed {
    pub(super) from_ms: UnixMillis,
    pub(super) to_ms: UnixMillis,
    /// Rows, not changes.
    pub(super) counts: Waiting,
    pub(super) gone: Vec<Box<str>>,
    pub(super) passed: usize,
    /// What came and changed, and is still in the table.
    meanwhile: Delta,
}

impl Resumed {
    pub(super) fn meanwhile(&self) -> &Delta {
        &self.meanwhile
    }

    /// The rows that came or changed.
    pub(super) fn rows(&self) -> BTreeSet<Slot> {
        let Delta { added, changed, .. } = &self.meanwhile;
        added.iter().copied().chain(changed.iter().map(|changed| changed.slot)).collect()
    }

    /// The slots of deleted rows will be those of others.
    pub(super) fn rows_went(&mut self, removed: &[Slot]) {
        self.meanwhile.added.retain(|slot| !removed.contains(slot));
        self.meanwhile.changed.retain(|changed| !removed.contains(&changed.slot));
    }
}

impl PausedCopy {
    pub(super) fn of(view: &View, clusters: &[ClusterState], now_ms: UnixMillis) -> Self {
        Self {
            view: view.clone(),
            since_ms: now_ms,
            clocks: clusters.iter().map(|cluster| (cluster.name.clone(), cluster.now_s)).collect(),
            waiting: Waiting::default(),
            rows: BTreeMap::new(),
            gone: Vec::new(),
            passed: 0,
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
            match (self.rows.remove(slot), self.view.table().entry(*slot)) {
                (Some(None), _) => self.passed += 1,
                (_, Some(entry)) => self.gone.push(entry.row().name.clone()),
                (_, None) => {}
            }
        }
    }

    /// `table`: as it is now. `None`: nothing happened meanwhile.
    pub(super) fn resumed(self, table: &Table, now_ms: UnixMillis) -> Option<Resumed> {
        if self.waiting.all() == 0 {
            return None;
        }
        let meanwhile = self.meanwhile(table);
        let (added, modified) = (meanwhile.added.len(), meanwhile.changed.len());
        let counts = Waiting { added, modified, deleted: self.gone.len() };
        let Self { since_ms, gone, passed, .. } = self;
        Some(Resumed { from_ms: since_ms, to_ms: now_ms, counts, gone, passed, meanwhile })
    }

    /// The clock of a cluster when the pause began.
    pub(super) fn clock_of(&self, cluster: &str) -> Option<UnixSeconds> {
        self.clocks.iter().find(|(name, _)| name.as_str() == cluster).map(|(_, now_s)| *now_s)
    }

    fn meanwhile(&self, table: &Table) -> Delta {
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
