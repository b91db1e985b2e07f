//! What the last changes replaced. It gives a view's digest at each recent position, and so the position of
//! a viewer that another hub served. It keeps no cells.

use std::collections::{HashMap, VecDeque};

use shared::row::RowId;

use super::custom::{Custom, SetId};
use super::host::Host;
use super::labels::Labels;
use super::request::SubscriptionRequest;
use super::store::{Store, Stored};

pub(super) struct RowHistory {
    /// In order, up to the last change.
    changes: VecDeque<PreviousObject>,
    changes_max: usize,
}

/// How an object was until `sequence`.
struct PreviousObject {
    sequence: u64,
    id: RowId,
    /// `None`: the object didn't exist.
    object: Option<Remembered>,
}

/// What a view selects by, and what the object added to a digest.
struct Remembered {
    namespace: Option<Box<str>>,
    name: Box<str>,
    labels: Labels,
    hash: u64,
    custom: Custom,
}

impl RowHistory {
    pub(super) fn new(changes_max: usize) -> Self {
        Self { changes: VecDeque::new(), changes_max }
    }

    pub(super) fn forget(&mut self) {
        self.changes.clear();
    }

    pub(super) fn changed(&mut self, sequence: u64, id: RowId, before: Option<&Stored>) {
        let object = before.map(|stored| Remembered {
            namespace: stored.row.namespace.clone(),
            name: stored.row.name.clone(),
            labels: stored.labels.clone(),
            hash: stored.hash,
            custom: stored.custom.clone(),
        });
        if self.changes.len() >= self.changes_max {
            self.changes.pop_front();
        }
        self.changes.push_back(PreviousObject { sequence, id, object });
    }

    /// The last position at which the view had the rows of this digest. `now`: its digest at the head.
    pub(super) fn position_of<H: Host>(
        &self,
        wanted: u64,
        (request, set): (&SubscriptionRequest, Option<SetId>),
        (now, head): (u64, u64),
        store: &Store,
    ) -> Option<u64> {
        if H::holds_same_rows(wanted, now) {
            return Some(head);
        }
        let mut digest = now;
        let mut later: HashMap<RowId, u64> = HashMap::new();
        for PreviousObject { sequence, id, object } in self.changes.iter().rev() {
            let before = object
                .as_ref()
                .filter(|it| request.accepts(*id, (it.namespace.as_deref(), &it.name), &it.labels));
            // Before these columns were asked for, no viewer can have had their cells.
            let before = before.map_or(Some(0), |it| it.custom.hash_in(set, it.hash))?;
            let after = later.insert(*id, before).unwrap_or_else(|| {
                let now = store.get(*id).filter(|stored| request.matches(stored));
                now.and_then(|stored| stored.hash_in(set)).unwrap_or_default()
            });
            digest = digest.wrapping_sub(after).wrapping_add(before);
            if H::holds_same_rows(wanted, digest) {
                return Some(sequence - 1);
            }
        }
        None
    }
}
