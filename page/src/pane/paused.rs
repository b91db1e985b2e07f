//! The rows of a paused pane, as they were when the reader paused, and what the live view did since.

use std::collections::BTreeMap;

use replica::freshness::ClusterState;
use replica::table::{Changed, Delta, Slot, Table};
use shared::duration::UnixSeconds;
use shared::name::ClusterName;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::words::Waiting;
use crate::limits::RESUMED_MS;
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
    rows: BTreeMap<RowId, Became>,
}

/// What became of a row during a pause.
enum Became {
    New,
    /// In these cells.
    Other(Vec<u16>),
    Gone,
}

/// A pause that ended a moment ago, and the rows that came, changed or went during it.
pub(super) struct Resumed {
    pub(super) from_ms: UnixMillis,
    pub(super) to_ms: UnixMillis,
    /// Rows, not changes.
    pub(super) counts: Waiting,
    /// It is told until then, or for as long as only its rows are shown.
    pub(super) until_ms: UnixMillis,
    rows: Vec<(RowId, Became)>,
}

impl Resumed {
    /// The rows that are still in the table, those that were deleted as tombstones.
    pub(super) fn delta(&self, table: &Table) -> Delta {
        let mut delta = Delta::default();
        for (row, became) in &self.rows {
            let Some((slot, entry)) = table.slot_of(*row).and_then(|slot| Some((slot, table.entry(slot)?)))
            else {
                continue;
            };
            match became {
                _ if entry.is_tombstone() => delta.removed.push(slot),
                Became::New => delta.added.push(slot),
                Became::Other(cells) => delta.changed.push(Changed { slot, cells: cells.clone() }),
                Became::Gone => {}
            }
        }
        delta
    }

    /// Whether any of its rows is still in the table.
    pub(super) fn has_rows(&self, table: &Table) -> bool {
        self.rows.iter().any(|(row, _)| table.slot_of(*row).is_some())
    }

    pub(super) fn slots(&self, table: &Table) -> Vec<Slot> {
        self.rows.iter().filter_map(|(row, _)| table.slot_of(*row)).collect()
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
        }
    }

    /// `table`: of the live view.
    pub(super) fn rows_came(&mut self, delta: &Delta, table: &Table) {
        let id = |slot: &Slot| Some(table.entry(*slot)?.row().id);
        self.waiting.added += delta.added.len();
        self.waiting.modified += delta.changed.len();
        self.waiting.deleted += delta.removed.len();
        self.rows.extend(delta.added.iter().filter_map(|slot| Some((id(slot)?, Became::New))));
        for Changed { slot, cells } in &delta.changed {
            let Some(row) = id(slot) else { continue };
            if let Became::Other(held) = self.rows.entry(row).or_insert(Became::Other(Vec::new())) {
                held.extend(cells.iter().filter(|cell| !held.contains(cell)).copied().collect::<Vec<_>>());
            }
        }
        self.rows.extend(delta.removed.iter().filter_map(|slot| Some((id(slot)?, Became::Gone))));
    }

    /// The tombstones of the rows that went meanwhile. `table`: of the live view.
    pub(super) fn gone(&self, table: &Table) -> impl Iterator<Item = Slot> {
        let gone = self.rows.iter().filter(|(_, became)| matches!(became, Became::Gone));
        gone.filter_map(|(row, _)| table.slot_of(*row))
    }

    /// `None`: nothing happened meanwhile.
    pub(super) fn resumed(self, now_ms: UnixMillis) -> Option<Resumed> {
        let mut counts = Waiting::default();
        for became in self.rows.values() {
            *match became {
                Became::New => &mut counts.added,
                Became::Other(_) => &mut counts.modified,
                Became::Gone => &mut counts.deleted,
            } += 1;
        }
        let rows = self.rows.into_iter().collect();
        let until_ms = now_ms.saturating_add(RESUMED_MS);
        let resumed = Resumed { from_ms: self.since_ms, to_ms: now_ms, counts, until_ms, rows };
        (counts.all() > 0).then_some(resumed)
    }

    /// The clock of a cluster when the pause began.
    pub(super) fn clock_of(&self, cluster: &str) -> Option<UnixSeconds> {
        self.clocks.iter().find(|(name, _)| name.as_str() == cluster).map(|(_, now_s)| *now_s)
    }
}
