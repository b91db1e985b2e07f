//! The work queue of the components: each object once, in order, some of them at a later tick.
//! It never knows why an object is queued.

use std::collections::{BTreeSet, VecDeque};

use crate::resource::GroupResource;
use crate::store::Store;

/// One object to reconcile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Work {
    pub(super) resource: &'static str,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl Work {
    pub(super) fn new(resource: &'static str, namespace: &str, name: &str) -> Self {
        Self { resource, namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    ready: VecDeque<Work>,
    waiting: BTreeSet<Work>,
    later: BTreeSet<(u64, Work)>,
}

impl Queue {
    pub(super) fn push(&mut self, work: Work) {
        if self.waiting.insert(work.clone()) {
            self.ready.push_back(work);
        }
    }

    /// All objects of a resource in a namespace, or in all where it is empty.
    pub(super) fn push_all(&mut self, resource: &'static str, store: &Store, namespace: &str) {
        for found in store.objects(&GroupResource::of(resource), namespace) {
            self.push(Work::new(resource, &found.namespace, &found.name));
        }
    }

    pub(super) fn push_at(&mut self, tick: u64, work: Work) {
        self.later.insert((tick, work));
    }

    pub(super) fn pop(&mut self, tick: u64) -> Option<Work> {
        while self.later.first().is_some_and(|(due, _)| *due <= tick) {
            if let Some((_, work)) = self.later.pop_first() {
                self.push(work);
            }
        }
        let next = self.ready.pop_front()?;
        self.waiting.remove(&next);
        Some(next)
    }
}
