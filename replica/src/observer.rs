//! What is derived from a table's rows and kept in step with them: an order, a filter, marks. The view calls
//! its observer for every frame that it applies.

use std::fmt::Debug;

use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

use crate::table::{Delta, Slot, Table};

/// Follows one table; `()` derives nothing.
pub trait RowObserver: Clone + Debug + Default {
    /// The table has applied a frame. Returns the tombstones that have to leave the table at once.
    fn rows_changed(&mut self, table: &Table, delta: &Delta, when: ChangeTime) -> Vec<Slot>;

    /// The table is about to remove this tombstone.
    fn tombstone_leaves(&mut self, table: &Table, slot: Slot);
}

/// When a change came.
#[derive(Clone, Copy, Debug)]
pub struct ChangeTime {
    /// By the viewer's clock.
    pub now_ms: UnixMillis,
    /// By the cluster's clock, where that is known.
    pub cluster_now_s: UnixSeconds,
    /// Objects changed. Not so with the rows of a first load, nor with those that come and leave with a cluster or a
    /// namespace.
    pub are_changes: bool,
}

impl RowObserver for () {
    fn rows_changed(&mut self, _: &Table, _: &Delta, _: ChangeTime) -> Vec<Slot> {
        Vec::new()
    }

    fn tombstone_leaves(&mut self, _: &Table, _: Slot) {}
}
