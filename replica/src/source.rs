//! One subscription and the rows that it brought. The order, marks and counts of rows are the view's.

use shared::state::ViewState;

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
