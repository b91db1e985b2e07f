//! The clock of each row's cluster, and whether that cluster is stale. A view of one cluster has one clock.

use replica::freshness::ClusterState;
use replica::table::Table;
use shared::duration::UnixSeconds;
use shared::row::Row;
use shared::state::UnixMillis;

use super::displayed::Rows;

#[derive(Clone, Copy)]
pub(super) struct Clocks<'a> {
    clusters: &'a [ClusterState],
    /// The view's.
    pub(super) now_s: UnixSeconds,
    /// How long ago the reader paused.
    paused_s: i64,
}

impl<'a> Clocks<'a> {
    /// For the time for which the rows are drawn. `stale_ms`: since when the view is stale.
    pub(super) fn new(
        rows: &Rows<'_>,
        clusters: &'a [ClusterState],
        stale_ms: Option<UnixMillis>,
        now_ms: UnixMillis,
    ) -> Self {
        let drawn_ms = rows.drawn_ms(now_ms);
        let paused_s = now_ms.saturating_sub(drawn_ms).div_euclid(1_000);
        Self { clusters, now_s: rows.view.cluster_now_s(drawn_ms, stale_ms), paused_s }
    }

    fn cluster(&self, row: &Row, table: &Table) -> Option<&'a ClusterState> {
        if self.clusters.is_empty() {
            return None;
        }
        let name = table.cluster_of(row)?;
        self.clusters.iter().find(|cluster| cluster.name.as_str() == name)
    }

    pub(super) fn of(&self, row: &Row, table: &Table) -> UnixSeconds {
        match self.cluster(row, table) {
            Some(cluster) if cluster.freshness.of_rows().is_stale() => cluster.now_s,
            Some(cluster) => cluster.now_s.saturating_sub(self.paused_s),
            None => self.now_s,
        }
    }

    /// Whether a row isn't the present of its cluster, where that of others is.
    pub(super) fn is_stale(&self, row: &Row, table: &Table) -> bool {
        self.cluster(row, table).is_some_and(|cluster| cluster.freshness.of_rows().is_stale())
    }
}
