//! The clock of each row's cluster, and whether that cluster is stale. A view of one cluster has one clock.

use replica::freshness::ClusterState;
use replica::table::Table;
use shared::duration::UnixSeconds;
use shared::row::Row;
use shared::state::UnixMillis;

use super::displayed::Rows;
use super::paused::PausedCopy;

#[derive(Clone, Copy)]
pub(super) struct Clocks<'a> {
    clusters: &'a [ClusterState],
    /// The view's.
    pub(super) now_s: UnixSeconds,
    paused: Option<&'a PausedCopy>,
}

impl<'a> Clocks<'a> {
    /// For the time for which the rows are drawn. `stale_ms`: since when the view is stale.
    pub(super) fn new(
        rows: &Rows<'a>,
        clusters: &'a [ClusterState],
        stale_ms: Option<UnixMillis>,
        now_ms: UnixMillis,
    ) -> Self {
        let drawn_ms = rows.drawn_ms(now_ms);
        Self { clusters, now_s: rows.view.cluster_now_s(drawn_ms, stale_ms), paused: rows.paused }
    }

    fn cluster(&self, row: &Row, table: &Table) -> Option<&'a ClusterState> {
        if self.clusters.is_empty() {
            return None;
        }
        let name = table.cluster_of(row)?;
        self.clusters.iter().find(|cluster| cluster.name.as_str() == name)
    }

    pub(super) fn of(&self, row: &Row, table: &Table) -> UnixSeconds {
        let Some(cluster) = self.cluster(row, table) else { return self.now_s };
        let paused_s = self.paused.and_then(|copy| copy.clock_of(cluster.name.as_str()));
        paused_s.unwrap_or(cluster.now_s)
    }

    /// Whether a row isn't the present of its cluster, where that of others is.
    pub(super) fn is_stale(&self, row: &Row, table: &Table) -> bool {
        self.cluster(row, table).is_some_and(|cluster| cluster.freshness.of_rows().is_stale())
    }
}
