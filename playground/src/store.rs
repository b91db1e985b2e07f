//! Objects by resource in key order, one revision counter for all, and each resource's history. Pure.
//! It never knows HTTP, time zones or who asks; time comes in with a write.

mod history;
mod list;
mod managed;
mod object;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use history::{Change, Expired};
pub use list::{Page, PageToken};
pub use managed::conflicts;
pub use object::{Object, key_of};
pub use write::{Deletion, Operation, Refused, Writer};

use crate::resource::GroupResource;
use history::History;

/// All objects. Its revision is the resourceVersion of the newest write, as etcd's is.
#[derive(Debug, Default)]
pub struct Store {
    revision: u64,
    shelves: BTreeMap<GroupResource, Shelf>,
}

/// One resource.
#[derive(Debug, Default)]
struct Shelf {
    objects: BTreeMap<String, Arc<Object>>,
    history: History,
}

impl Store {
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn get(&self, at: &GroupResource, key: &str) -> Option<&Arc<Object>> {
        self.shelves.get(at)?.objects.get(key)
    }

    /// How many objects of all resources there are.
    pub fn count_all(&self) -> usize {
        self.shelves.values().map(|shelf| shelf.objects.len()).sum()
    }

    /// The objects of a namespace, or of all where it is empty, in key order.
    pub fn objects(&self, at: &GroupResource, namespace: &str) -> Vec<Arc<Object>> {
        let Some(shelf) = self.shelves.get(at) else {
            return Vec::new();
        };
        shelf.range(namespace, "").map(|(_, found)| Arc::clone(found)).collect()
    }

    /// The objects of a namespace whose names begin so, in key order.
    pub fn named(&self, at: &GroupResource, namespace: &str, prefix: &str) -> Vec<Arc<Object>> {
        let Some(shelf) = self.shelves.get(at) else {
            return Vec::new();
        };
        let from = key_of(namespace, prefix);
        let all = shelf.objects.range(from.clone()..).take_while(|(key, _)| key.starts_with(&from));
        all.map(|(_, found)| Arc::clone(found)).collect()
    }

    /// What happened after a revision, at most `max` changes.
    ///
    /// # Errors
    /// The history doesn't reach back that far.
    pub fn changes_after(
        &self,
        at: &GroupResource,
        revision: u64,
        max: usize,
    ) -> Result<Vec<Change>, Expired> {
        match self.shelves.get(at) {
            Some(shelf) => shelf.history.after(revision, max),
            None => Ok(Vec::new()),
        }
    }

    /// How many changes lie after a revision.
    pub fn backlog(&self, at: &GroupResource, revision: u64) -> usize {
        self.shelves.get(at).map_or(0, |shelf| shelf.history.count_after(revision))
    }

    /// Forgets the history of one resource, or of all: older resourceVersions get 410 from here on.
    pub fn compact(&mut self, at: Option<&GroupResource>) {
        let revision = self.revision;
        for (found, shelf) in &mut self.shelves {
            if at.is_none_or(|wanted| wanted == found) {
                shelf.history.compact(revision);
            }
        }
    }

    /// Goes back to an older state, as a restored backup of etcd does: revisions go back too.
    /// A revision before the history is taken as the oldest one that is known.
    pub fn restore(&mut self, revision: u64) {
        let floor = self.shelves.values().map(|shelf| shelf.history.horizon()).max().unwrap_or_default();
        let revision = revision.clamp(floor, self.revision);
        for shelf in self.shelves.values_mut() {
            for change in shelf.history.undo(revision) {
                match change.before {
                    Some(before) => shelf.objects.insert(change.key, before),
                    None => shelf.objects.remove(&change.key),
                };
            }
            shelf.history.compact(revision);
        }
        self.revision = revision;
    }

    /// Writes one object's next state (none: it is gone) under the next revision.
    fn commit(&mut self, at: &GroupResource, key: &str, after: Option<Arc<Object>>) {
        let horizon = self.revision;
        self.revision += 1;
        let shelf = self.shelves.entry(at.clone()).or_insert_with(|| Shelf::beginning_at(horizon));
        let before = match &after {
            Some(object) => shelf.objects.insert(key.to_owned(), Arc::clone(object)),
            None => shelf.objects.remove(key),
        };
        shelf.history.push(Change { revision: self.revision, key: key.to_owned(), before, after });
    }

    fn next_revision(&self) -> u64 {
        self.revision + 1
    }
}

impl Shelf {
    fn beginning_at(horizon: u64) -> Self {
        Self { objects: BTreeMap::new(), history: History::beginning_at(horizon) }
    }

    /// The objects of a namespace (all where it is empty) from a key on (from the start where it is empty).
    fn range<'a>(
        &'a self,
        namespace: &'a str,
        from: &str,
    ) -> impl Iterator<Item = (&'a String, &'a Arc<Object>)> {
        let prefix = list::prefix_of(namespace);
        let from = if from.is_empty() { prefix.clone() } else { from.to_owned() };
        self.objects.range(from..).take_while(move |(key, _)| key.starts_with(&prefix))
    }
}

#[cfg(test)]
mod tests;
