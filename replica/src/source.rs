//! One subscription and the rows that it brought. The order, marks and counts of rows are the view's.

use shared::duration::UnixSeconds;
use shared::state::{UnixMillis, ViewState};

use crate::subscription::{Proof, Subscription};
use crate::table::Table;

#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) subscription: Subscription,
    pub(crate) table: Table,
    /// When rows changed last, by the viewer's clock.
    pub(crate) changed_ms: Option<UnixMillis>,
}

impl Source {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self { subscription, table: Table::default(), changed_ms: None }
    }

    /// Whether there can be rows to show at all.
    pub(crate) fn shows_rows(&self) -> bool {
        let is_refused = matches!(
            self.subscription.state(),
            Some(ViewState::Forbidden { .. } | ViewState::Gone { .. } | ViewState::Failed { .. })
        );
        self.subscription.ended().is_none() && !is_refused
    }

    /// Whether the first rows are still on their way.
    pub(crate) fn is_loading(&self) -> bool {
        let is_syncing =
            matches!(self.subscription.state(), None | Some(ViewState::Syncing { .. } | ViewState::Live));
        self.shows_rows() && !self.table.is_whole() && is_syncing
    }

    /// How many objects the first list has brought, of how many.
    pub(crate) fn progress(&self) -> Option<(u64, Option<u64>)> {
        match self.subscription.state()? {
            ViewState::Syncing { n, of } => {
                let here = self.table.incoming_count().unwrap_or(self.table.len());
                Some(((*n).max(u64::try_from(here).unwrap_or(u64::MAX)), *of))
            }
            _ => None,
        }
    }
}

/// The cluster's clock for printing ages. In a stale view it stands still at the last proof, or at the last rows where
/// some came after that proof: no row can be younger than its clock.
pub(crate) fn cluster_now_s(
    proof: Option<&Proof>,
    changed_ms: Option<UnixMillis>,
    now_ms: UnixMillis,
    is_stale: bool,
) -> UnixSeconds {
    let Some(proof) = proof else { return now_ms.div_euclid(SECOND_MS) };
    let last_ms = changed_ms.map_or(proof.proven_ms, |changed_ms| changed_ms.max(proof.proven_ms));
    let at_ms = if is_stale { last_ms } else { now_ms };
    at_ms.saturating_add(proof.cluster_ahead_ms).div_euclid(SECOND_MS)
}

const SECOND_MS: i64 = 1_000;
