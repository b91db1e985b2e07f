//! The changes of one resource; before the horizon nothing is known. The store drops the oldest.
//! It never drops a change silently: a question about dropped changes gets `Expired`.

use std::collections::VecDeque;
use std::sync::Arc;

use super::object::Object;

/// One write: the object before and after it.
#[derive(Clone, Debug)]
pub struct Change {
    pub revision: u64,
    pub key: String,
    pub before: Option<Arc<Object>>,
    pub after: Option<Arc<Object>>,
}

/// The history begins after this revision, and an older one was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expired {
    pub horizon: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct History {
    changes: VecDeque<Change>,
    bytes: usize,
    horizon: u64,
}

impl History {
    pub(super) fn beginning_at(horizon: u64) -> Self {
        Self { horizon, ..Self::default() }
    }

    pub(super) fn horizon(&self) -> u64 {
        self.horizon
    }

    pub(super) fn push(&mut self, change: Change) {
        self.bytes += bytes_of(&change);
        self.changes.push_back(change);
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The revision of the oldest change.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.changes.front().map(|change| change.revision)
    }

    /// Drops the changes up to a revision. If there is none, every older revision still has its answer.
    pub(super) fn drop_until(&mut self, revision: u64) {
        while let Some(oldest) = self.changes.pop_front_if(|change| change.revision <= revision) {
            self.bytes = self.bytes.saturating_sub(bytes_of(&oldest));
            self.horizon = oldest.revision;
        }
    }

    pub(super) fn after(&self, revision: u64, max: usize) -> Result<Vec<Change>, Expired> {
        if revision < self.horizon {
            return Err(Expired { horizon: self.horizon });
        }
        let from = self.changes.partition_point(|found| found.revision <= revision);
        Ok(self.changes.iter().skip(from).take(max).cloned().collect())
    }

    pub(super) fn count_after(&self, revision: u64) -> usize {
        let from = self.changes.partition_point(|found| found.revision <= revision);
        self.changes.len() - from
    }

    pub(super) fn compact(&mut self, horizon: u64) {
        self.changes.clear();
        self.bytes = 0;
        self.horizon = horizon;
    }

    /// The changes after a revision, newest first.
    pub(super) fn undo(&mut self, revision: u64) -> Vec<Change> {
        let from = self.changes.partition_point(|found| found.revision <= revision);
        self.changes.drain(from..).rev().collect()
    }
}

/// What a change costs beside the JSON: names, labels, the way to find it.
const CHANGE_BYTES: usize = 400;

/// The state after is what this change keeps alive; the one before belongs to the change before.
fn bytes_of(change: &Change) -> usize {
    change.after.as_ref().map_or(0, |object| object.kept_bytes()) + CHANGE_BYTES
}
