//! Objects by resource in key order, one revision counter for all, and each resource's history. Pure.
//! It never knows HTTP, time zones or users; time comes in with a write.

mod body;
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
use body::Likeness;
use history::History;

/// All objects. Its revision is the resourceVersion of the newest write, as etcd's is.
#[derive(Debug, Default)]
pub struct Store {
    revision: u64,
    shelves: BTreeMap<GroupResource, Shelf>,
}

/// From so many objects of a resource on they are packed; fewer need little memory.
const PACKED_FROM: usize = 500;

/// One resource.
#[derive(Debug, Default)]
struct Shelf {
    objects: BTreeMap<String, Arc<Object>>,
    history: History,
    /// What the objects are packed by, once there are many.
    like: Option<Arc<Likeness>>,
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

    /// Writes one object's next state under the next revision.
    fn commit(&mut self, at: &GroupResource, object: Object) -> Arc<Object> {
        let key = object.key.clone();
        let shelf = self.shelf(at);
        let object = Arc::new(shelf.kept(object));
        let before = shelf.objects.insert(key.clone(), Arc::clone(&object));
        self.note(at, key, before, Some(Arc::clone(&object)));
        object
    }

    /// Takes an object away, under the next revision.
    fn remove(&mut self, at: &GroupResource, key: &str) {
        let before = self.shelf(at).objects.remove(key);
        self.note(at, key.to_owned(), before, None);
    }

    fn shelf(&mut self, at: &GroupResource) -> &mut Shelf {
        let horizon = self.revision;
        self.shelves.entry(at.clone()).or_insert_with(|| Shelf::beginning_at(horizon))
    }

    fn note(
        &mut self,
        at: &GroupResource,
        key: String,
        before: Option<Arc<Object>>,
        after: Option<Arc<Object>>,
    ) {
        self.revision += 1;
        let revision = self.revision;
        if let Some(shelf) = self.shelves.get_mut(at) {
            shelf.history.push(Change { revision, key, before, after });
        }
    }

    /// What the next write gets.
    pub fn next_revision(&self) -> u64 {
        self.revision + 1
    }
}

impl Shelf {
    fn beginning_at(horizon: u64) -> Self {
        Self { history: History::beginning_at(horizon), ..Self::default() }
    }

    /// An object as it is kept where there are many: packed, its labels shared with its last state.
    fn kept(&mut self, mut object: Object) -> Object {
        if self.objects.len() < PACKED_FROM {
            return object;
        }
        if let Some(before) = self.objects.get(&object.key)
            && before.labels == object.labels
        {
            object.labels = Arc::clone(&before.labels);
        }
        let like = self.like.get_or_insert_with(|| Arc::new(Likeness::new(&object.body())));
        object.packed(like)
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
