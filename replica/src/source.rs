//! One subscription and the rows that it brought, in no order. What is seen of them is the view's: never
//! a sort, a mark or a count here.

use shared::frame::server::Sync;
use shared::state::{StateReport, UnixMillis, ViewState};

use crate::subscription::Subscription;
use crate::table::Table;

#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) subscription: Subscription,
    pub(crate) table: Table,
}

impl Source {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self { subscription, table: Table::default() }
    }

    /// Whether the digest agrees, where it can be compared. `said_ms`: when it was said, by the
    /// viewer's clock.
    pub(crate) fn heard(&mut self, sync: &Sync, said_ms: UnixMillis, now_ms: UnixMillis) -> Option<bool> {
        self.subscription.heard(sync, said_ms);
        let agrees = self.table.agrees(sync.at, sync.digest.as_deref()?);
        if agrees == Some(true) {
            if let Some(proof) = &mut self.subscription.proof {
                proof.equal_ms = Some(now_ms);
            }
            let mends = &mut self.subscription.mends;
            if mends.differed_ms.is_some() && mends.equal_again_ms.is_none() {
                mends.equal_again_ms = Some(now_ms);
            }
        }
        agrees
    }

    pub(crate) fn report(&self) -> Option<&StateReport> {
        self.subscription.report()
    }

    /// Whether there can be rows to show at all.
    pub(crate) fn shows_rows(&self) -> bool {
        let state = self.report().map(|report| &report.state);
        let is_refused = matches!(
            state,
            Some(ViewState::Forbidden { .. } | ViewState::Gone { .. } | ViewState::Failed { .. })
        );
        self.subscription.ended().is_none() && !is_refused
    }

    /// Whether the first rows are still on their way.
    pub(crate) fn is_loading(&self) -> bool {
        let state = self.report().map(|report| &report.state);
        let is_syncing = matches!(state, None | Some(ViewState::Syncing { .. } | ViewState::Live));
        self.shows_rows() && !self.table.is_whole() && is_syncing
    }

    /// How many objects the first list has brought, of how many.
    pub(crate) fn progress(&self) -> Option<(u64, Option<u64>)> {
        match self.report()?.state {
            ViewState::Syncing { n, of } => {
                let here = self.table.incoming_count().unwrap_or(self.table.len());
                Some((n.max(u64::try_from(here).unwrap_or(u64::MAX)), of))
            }
            _ => None,
        }
    }
}
