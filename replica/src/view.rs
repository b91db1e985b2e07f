//! One subscription of a table: its rows, and what its observer derives from them. Frames change both at
//! once, and come through the client alone.

use shared::duration::UnixSeconds;
use shared::frame::server::Rows;
use shared::state::{StateReport, UnixMillis, ViewState};

use crate::observer::{ChangeTime, RowObserver};
use crate::subscription::{Proof, Subscription};
use crate::table::{Broken, Delta, Joined, Slot, Table};

#[derive(Clone, Debug)]
pub struct View<O = ()> {
    /// A subscription with its rows, or the merged rows of the view's parts.
    source: Source,
    observer: O,
}

impl<O: RowObserver> View<O> {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self { source: Source::new(subscription), observer: O::default() }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn source_mut(&mut self) -> &mut Source {
        &mut self.source
    }

    pub(crate) fn table_mut(&mut self) -> &mut Table {
        &mut self.source.table
    }

    /// Only a step to the next change marks what differs in the rows of another time.
    pub(crate) fn apply(&mut self, frame: Rows, now_ms: UnixMillis) -> Result<Delta, Broken> {
        let subscription = &self.source.subscription;
        let is_jump = subscription.held.at_ms != subscription.at_ms && !subscription.held.is_step;
        if is_jump && self.source.table.is_whole() {
            return self.replace(frame, now_ms);
        }
        self.apply_as(self.source.table.is_whole(), frame, now_ms)
    }

    /// Rows that come and leave without having been created or deleted: no marks, no tombstones.
    pub(crate) fn replace(&mut self, frame: Rows, now_ms: UnixMillis) -> Result<Delta, Broken> {
        let mut delta = self.apply_as(false, frame, now_ms)?;
        self.remove_tombstones(&std::mem::take(&mut delta.removed));
        delta.replaced = true;
        Ok(delta)
    }

    fn apply_as(&mut self, are_changes: bool, frame: Rows, now_ms: UnixMillis) -> Result<Delta, Broken> {
        let subscription = &self.source.subscription;
        let is_jump = subscription.held.at_ms != subscription.at_ms && !subscription.held.is_step;
        let delta = self.source.table.apply(frame)?;
        self.source.changed_ms = Some(now_ms);
        if delta.cut {
            let subscription = &mut self.source.subscription;
            subscription.held.set(subscription.at_ms);
        }
        if delta.gap.is_some() {
            self.source.subscription.gap.clone_from(&delta.gap);
        }
        let when = ChangeTime { now_ms, cluster_now_s: self.cluster_now_s(now_ms, None), are_changes };
        // What time alone makes of a row of another time may be another, also of one that is the same.
        let is_voided = is_jump && delta.cut && !delta.columns;
        let mut delta = Delta { columns: delta.columns || is_voided, ..delta };
        let leaving = self.observer.rows_changed(&self.source.table, &delta, when);
        delta.columns &= !is_voided;
        self.remove_tombstones(&leaving);
        let forbidden = self.tombstones_of_others(&delta);
        self.remove_tombstones(&forbidden);
        Ok(delta)
    }

    /// The tombstones of objects that the viewer may not see any more: not even a deleted row of theirs is shown.
    fn tombstones_of_others(&self, delta: &Delta) -> Vec<Slot> {
        let Some(granted) = &self.source.subscription.granted else { return Vec::new() };
        let is_forbidden = |slot: &&Slot| {
            let entry = self.source.table.entry(**slot);
            entry.is_some_and(|entry| !granted.contains(entry.row().namespace.as_deref()))
        };
        delta.removed.iter().filter(is_forbidden).copied().collect()
    }

    #[must_use]
    pub fn subscription(&self) -> &Subscription {
        &self.source.subscription
    }

    #[must_use]
    pub fn report(&self) -> Option<&StateReport> {
        self.source.subscription.report.as_ref()
    }

    #[must_use]
    pub fn table(&self) -> &Table {
        &self.source.table
    }

    /// What is derived from the rows.
    #[must_use]
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The observer beside the rows that it follows.
    pub fn observer_mut(&mut self) -> (&mut O, &Table) {
        (&mut self.observer, &self.source.table)
    }

    /// Adds cells of another table to the rows. The observer isn't told, because no object changed.
    pub fn join(&mut self, joined: Joined) -> Delta {
        self.source.table.join(joined)
    }

    /// Frees the slots of deleted rows for other rows.
    pub fn remove_tombstones(&mut self, slots: &[Slot]) {
        for slot in slots {
            self.observer.tombstone_leaves(&self.source.table, *slot);
            self.source.table.remove_tombstone(*slot);
        }
    }

    pub fn dismiss_gap(&mut self) {
        self.source.subscription.gap = None;
    }

    pub fn dismiss_withdrawn(&mut self) {
        self.source.subscription.withdrawn = None;
    }

    /// The cluster's clock for printing ages, which stands still in a view that is stale since `stale_ms` and in one that
    /// is as of a time. In a view of several clusters it is
    /// the clock of the oldest proof: [`crate::freshness::of_clusters`] has each one's own.
    #[must_use]
    pub fn cluster_now_s(&self, now_ms: UnixMillis, stale_ms: Option<UnixMillis>) -> UnixSeconds {
        let Source { subscription, changed_ms, .. } = &self.source;
        cluster_now_s(subscription, *changed_ms, now_ms, stale_ms)
    }

    /// Whether the rows are exact and confirmed on this connection, as `tail --once` prints them.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let current = self.report().is_some_and(|report| report.state.is_current());
        let proven = self.source.subscription.proof.as_ref().is_some_and(|proof| proof.current);
        current && proven && self.source.table.is_whole() && self.source.table.incoming_count().is_none()
    }
}

/// A subscription and the rows that came with it. The order, marks and counts of rows are the observer's.
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
        let is_syncing = matches!(
            self.subscription.state(),
            None | Some(ViewState::Syncing { .. } | ViewState::Live | ViewState::Past(_))
        );
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

/// The cluster's clock for printing ages, of a subscription or of several together. The rows of a time are as old as they
/// were then; which clock the gateway recorded that time by is its own.
pub(crate) fn cluster_now_s(
    subscription: &Subscription,
    changed_ms: Option<UnixMillis>,
    now_ms: UnixMillis,
    stale_ms: Option<UnixMillis>,
) -> UnixSeconds {
    match subscription.held.at_ms {
        Some(at_ms) => at_ms.div_euclid(SECOND_MS),
        None => cluster_now_of(subscription.proof.as_ref(), changed_ms, now_ms, stale_ms),
    }
}

/// The cluster's clock of a view of the present. In a stale view it stands still at the last proof, or at the last rows where
/// some came after that proof: no row can be younger than its clock. Without a proof, it stands where the view became
/// stale, because the rows came later than they are of.
pub(crate) fn cluster_now_of(
    proof: Option<&Proof>,
    changed_ms: Option<UnixMillis>,
    now_ms: UnixMillis,
    stale_ms: Option<UnixMillis>,
) -> UnixSeconds {
    let Some(proof) = proof else { return stale_ms.unwrap_or(now_ms).div_euclid(SECOND_MS) };
    let last_ms = changed_ms.map_or(proof.proven_ms, |changed_ms| changed_ms.max(proof.proven_ms));
    let at_ms = if stale_ms.is_some() { last_ms } else { now_ms };
    at_ms.saturating_add(proof.cluster_ahead_ms).div_euclid(SECOND_MS)
}

const SECOND_MS: i64 = 1_000;
