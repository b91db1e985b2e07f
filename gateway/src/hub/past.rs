//! What the last changes took the place of: with it a view's digest at any position of a while ago is
//! known, and so is where a viewer stands that another hub served. Never what a row looked like.

use std::collections::{HashMap, VecDeque};

use shared::row::RowId;

use super::custom::{Custom, SetId};
use super::labels::Labels;
use super::store::{Store, Stored};
use super::view::Filter;

pub(super) struct Past {
    /// In order, without a hole up to the present.
    changes: VecDeque<Former>,
    changes_max: usize,
}

/// How an object was until `sequence`.
struct Former {
    sequence: u64,
    id: RowId,
    /// `None`: it wasn't there.
    object: Option<Outline>,
}

/// What filters ask for, and what it added to a digest.
struct Outline {
    namespace: Option<Box<str>>,
    labels: Labels,
    hash: u64,
    custom: Custom,
}

impl Past {
    pub(super) fn new(changes_max: usize) -> Self {
        Self { changes: VecDeque::new(), changes_max }
    }

    pub(super) fn forget(&mut self) {
        self.changes.clear();
    }

    pub(super) fn changed(&mut self, sequence: u64, id: RowId, before: Option<&Stored>) {
        let object = before.map(|stored| Outline {
            namespace: stored.row.namespace.clone(),
            labels: stored.labels.clone(),
            hash: stored.hash,
            custom: stored.custom.clone(),
        });
        if self.changes.len() >= self.changes_max {
            self.changes.pop_front();
        }
        self.changes.push_back(Former { sequence, id, object });
    }

    /// The last position at which the view had the rows of this digest. `now`: its digest at the head.
    pub(super) fn position_of(
        &self,
        wanted: u64,
        (filter, set): (&Filter, Option<SetId>),
        (now, head): (u64, u64),
        store: &Store,
    ) -> Option<u64> {
        if now == wanted {
            return Some(head);
        }
        let mut digest = now;
        let mut later: HashMap<RowId, u64> = HashMap::new();
        for Former { sequence, id, object } in self.changes.iter().rev() {
            let before =
                object.as_ref().filter(|it| filter.accepts(*id, it.namespace.as_deref(), &it.labels));
            // Before somebody asked for these columns nobody can have had their cells.
            let before = before.map_or(Some(0), |it| it.custom.hash_in(set, it.hash))?;
            let after = later.insert(*id, before).unwrap_or_else(|| {
                let now = store.get(*id).filter(|stored| filter.matches(stored));
                now.and_then(|stored| stored.hash_in(set)).unwrap_or_default()
            });
            digest = digest.wrapping_sub(after).wrapping_add(before);
            if digest == wanted {
                return Some(sequence - 1);
            }
        }
        None
    }
}
