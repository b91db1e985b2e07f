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
pub use list::Page;
pub use managed::Writer;
pub use object::{Object, key_of};
pub use write::{Deletion, ORPHAN_FINALIZER, Refused};

use crate::resource::GroupResource;
use body::Dictionary;
use history::History;

/// All objects. Its revision is the resourceVersion of the newest write, as etcd's is.
#[derive(Clone, Debug)]
pub struct Store {
    revision: u64,
    /// Makes the uids of one cluster others than those of another.
    uid_seed: u64,
    /// The bound of the histories of all resources together.
    history_bytes_max: usize,
    /// Where the history of a resource begins that has had no object yet.
    horizon: u64,
    collections: BTreeMap<GroupResource, Collection>,
}

/// From so many objects of a resource on they are packed; fewer need little memory.
const PACKED_FROM: usize = 500;

/// One resource.
#[derive(Clone, Debug, Default)]
struct Collection {
    objects: BTreeMap<String, Arc<Object>>,
    history: History,
    /// What the objects are packed by, once there are many.
    dictionary: Option<Arc<Dictionary>>,
}

impl Store {
    pub fn new(history_bytes_max: usize) -> Self {
        Self { revision: 0, uid_seed: 0, history_bytes_max, horizon: 0, collections: BTreeMap::new() }
    }

    /// With uids as a cluster of this seed has them.
    pub fn with_uids_of(self, seed: u64) -> Self {
        Self { uid_seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), ..self }
    }

    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn get(&self, at: &GroupResource, key: &str) -> Option<&Arc<Object>> {
        self.collections.get(at)?.objects.get(key)
    }

    /// How many objects of all resources there are.
    pub fn count_all(&self) -> usize {
        self.collections.values().map(|collection| collection.objects.len()).sum()
    }

    /// The objects of a namespace, or of all where it is empty, in key order.
    pub fn objects(&self, at: &GroupResource, namespace: &str) -> Vec<Arc<Object>> {
        self.named(at, namespace, "")
    }

    /// The objects of a namespace whose names begin so, in key order.
    pub fn named(&self, at: &GroupResource, namespace: &str, prefix: &str) -> Vec<Arc<Object>> {
        let prefix = format!("{}{prefix}", kubernetes_api::prefix_of(namespace));
        let collection = self.collections.get(at).into_iter();
        collection
            .flat_map(|collection| collection.beginning_with(&prefix, &prefix))
            .map(|(_, found)| Arc::clone(found))
            .collect()
    }

    /// What happened after a revision, at most `max` changes.
    pub fn changes_after(
        &self,
        at: &GroupResource,
        revision: u64,
        max: usize,
    ) -> Result<Vec<Change>, Expired> {
        match self.collections.get(at) {
            Some(collection) => collection.history.after(revision, max),
            None => Ok(Vec::new()),
        }
    }

    /// How many changes lie after a revision.
    pub fn backlog(&self, at: &GroupResource, revision: u64) -> usize {
        self.collections.get(at).map_or(0, |collection| collection.history.count_after(revision))
    }

    /// Forgets the history of one resource, or of all: older resourceVersions get 410 from here on.
    pub fn compact(&mut self, at: Option<&GroupResource>) {
        let revision = self.revision;
        if at.is_none() {
            self.horizon = revision;
        }
        for (found, collection) in &mut self.collections {
            if at.is_none_or(|wanted| wanted == found) {
                collection.history.compact(revision);
            }
        }
    }

    /// Bytes of the histories of all resources together.
    pub fn history_bytes(&self) -> usize {
        self.collections.values().map(|collection| collection.history.bytes()).sum()
    }

    /// Drops the changes up to a revision, as a watch cache drops its oldest.
    pub fn forget_until(&mut self, revision: u64) {
        for collection in self.collections.values_mut() {
            collection.history.drop_until(revision);
        }
    }

    /// Drops the oldest changes of all resources until the rest fits.
    fn fit_history(&mut self) {
        while self.history_bytes() > self.history_bytes_max {
            let Some(oldest) = self.collections.values().filter_map(|found| found.history.oldest()).min()
            else {
                return;
            };
            self.forget_until(oldest);
        }
    }

    /// Goes back to an older state, as a restored backup of etcd does: revisions go back too.
    /// A revision before the history is taken as the oldest one that is known.
    pub fn restore(&mut self, revision: u64) {
        let floor = self
            .collections
            .values()
            .map(|collection| collection.history.horizon())
            .max()
            .unwrap_or_default();
        let revision = revision.clamp(floor, self.revision);
        for collection in self.collections.values_mut() {
            for change in collection.history.undo(revision) {
                match change.before {
                    Some(before) => collection.objects.insert(change.key, before),
                    None => collection.objects.remove(&change.key),
                };
            }
            collection.history.compact(revision);
        }
        self.revision = revision;
        self.horizon = revision;
    }

    /// Keeps one object's next state under the next revision.
    pub fn commit(&mut self, at: &GroupResource, object: Object) -> Arc<Object> {
        let key = object.key.clone();
        let collection = self.collection(at);
        let object = Arc::new(collection.kept(object));
        let before = collection.objects.insert(key.clone(), Arc::clone(&object));
        self.note(at, key, before, Some(Arc::clone(&object)));
        object
    }

    /// Keeps an object that another server wrote, under its own revision.
    pub fn put_as_it_is(&mut self, at: &GroupResource, object: Object) {
        self.advance_to(object.revision);
        let collection = self.collection(at);
        let object = collection.kept(object);
        collection.objects.insert(object.key.clone(), Arc::new(object));
    }

    /// Its revision is at least this one.
    pub fn advance_to(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
    }

    /// Takes an object away, under the next revision.
    fn remove(&mut self, at: &GroupResource, key: &str) {
        let before = self.collection(at).objects.remove(key);
        self.note(at, key.to_owned(), before, None);
    }

    fn collection(&mut self, at: &GroupResource) -> &mut Collection {
        let horizon = self.horizon;
        self.collections.entry(at.clone()).or_insert_with(|| Collection::beginning_at(horizon))
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
        if let Some(collection) = self.collections.get_mut(at) {
            collection.history.push(Change { revision, key, before, after });
        }
        self.fit_history();
    }

    /// What the next write gets.
    pub fn next_revision(&self) -> u64 {
        self.revision + 1
    }
}

impl Collection {
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
        let dictionary = self.dictionary.get_or_insert_with(|| Arc::new(Dictionary::new(&object.body())));
        object.packed(dictionary)
    }

    /// The objects whose keys have a prefix, from a key on.
    fn beginning_with<'a>(
        &'a self,
        prefix: &'a str,
        from: &str,
    ) -> impl Iterator<Item = (&'a String, &'a Arc<Object>)> {
        self.objects.range(from.to_owned()..).take_while(move |(key, _)| key.starts_with(prefix))
    }
}
