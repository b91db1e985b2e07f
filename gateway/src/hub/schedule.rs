//! When a hub did what, and who is to be told. The rules stand in `state/settle.rs`.

use std::time::Duration;

use super::permit::SubscriberKey;
use crate::limits::SYNC_EVERY_MS;

/// The time since some beginning, by a clock that never goes back.
pub type Elapsed = Duration;

#[derive(Default)]
pub(super) struct Schedule {
    /// The subscribers from this one on may have a message. `None`: all were looked at.
    pub(super) next_to_notify: Option<SubscriberKey>,
    pub(super) sealed_at: Option<Elapsed>,
    pub(super) sync_at: Option<Elapsed>,
    /// Until then viewers wait that stand ahead of the first list.
    pub(super) wait_until: Option<Elapsed>,
    /// Since when there is no subscriber.
    pub(super) idle_since: Option<Elapsed>,
    /// What the feed was told: it starts for a viewer.
    pub(super) feed_is_unwatched: bool,
    pub(super) is_over: bool,
}

pub(super) const SYNC_EVERY: Duration = Duration::from_millis(SYNC_EVERY_MS);

impl Schedule {
    pub(super) fn begin(&mut self, now: Elapsed) {
        if self.sealed_at.is_none() {
            self.sealed_at = Some(now);
            self.sync_at = Some(now + SYNC_EVERY);
            self.idle_since = Some(now);
        }
    }
}
