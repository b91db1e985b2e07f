//! What happens in the cluster, endlessly and reproducibly from a seed. Pure: a call is passed the objects
//! and the time, and returns one change.
//!
//! It works as a real cluster does. `scenario` holds the causes from outside: a person sets an image, the
//! traffic grows, a node goes silent. `control` holds the components: each reconciles one object from the
//! store's content alone, so that a change through the API is followed like any other. `follow` finds the
//! objects that have to be reconciled again.

pub(crate) mod beginning;
mod build;
mod context;
mod control;
pub(crate) mod driver;
mod filling;
mod follow;
mod history;
mod inventory;
mod kinds;
mod queue;
mod recorder;
mod scenario;
#[cfg(test)]
mod tests;
mod text_template;

use serde_json::Value;

use crate::clock;
use crate::json::text;
use crate::store::Store;
use context::{Context, Memory};
use follow::Follower;
use scenario::Scenario;

/// One change, by the component of Kubernetes that would make it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mutation {
    resource: &'static str,
    namespace: String,
    name: String,
    manager: &'static str,
    change: Change,
}

#[derive(Clone, Debug, PartialEq)]
enum Change {
    Create(Value),
    /// A strategic merge.
    Patch(Value),
    /// A new status, through its subresource where the kind has one.
    Status(Value),
    /// With a grace period the object is marked, and stays until it is deleted again.
    Delete {
        grace_s: i64,
    },
}

impl Mutation {
    fn create(resource: &'static str, manager: &'static str, value: Value) -> Self {
        let of = |field: &str| text(&value, field).to_owned();
        let (namespace, name) = (of("/metadata/namespace"), of("/metadata/name"));
        Self { resource, namespace, name, manager, change: Change::Create(value) }
    }
}

/// How large a fleet is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// At least so many objects; 0: an empty cluster, in which nothing happens.
    pub(crate) objects: usize,
    /// Bytes of a pod of the filling; 0: as they come.
    pub(crate) pod_bytes: usize,
}

/// The fleet: what the API doesn't show, which objects are to be reconciled, and how far the scenario is.
#[derive(Clone, Debug)]
pub(crate) struct Fleet {
    size: Size,
    memory: Memory,
    follower: Follower,
    scenario: Scenario,
}

/// How many objects are reconciled in search of one change: most need none. There is no bound while the
/// history is made or the components come to rest.
const LOOKS_MAX: usize = 256;

impl Fleet {
    pub(crate) fn new(seed: u64, size: Size) -> Self {
        Self {
            size,
            memory: Memory::new(seed),
            follower: Follower::default(),
            scenario: Scenario::new(size.objects > inventory::OBJECTS),
        }
    }

    /// The next change; none in an empty cluster.
    pub(crate) fn step(&mut self, store: &Store, now_s: i64) -> Option<Mutation> {
        if self.size.objects == 0 {
            return None;
        }
        self.next(store, now_s, true)
    }

    fn next(&mut self, store: &Store, now_s: i64, with_scenario: bool) -> Option<Mutation> {
        let now = clock::text_of(now_s);
        self.follower.follow(store, &mut self.memory);
        for _ in 0..if with_scenario { LOOKS_MAX } else { usize::MAX } {
            if let Some(next) = self.memory.due.pop_front() {
                self.memory.tick += 1;
                return Some(next);
            }
            let tick = self.memory.tick;
            let mut context = Context::new(store, now_s, &now, &mut self.memory);
            if with_scenario && self.scenario.is_pressing(&mut context) {
                continue;
            }
            match context.memory.queue.pop(tick) {
                Some(work) => control::reconcile(&mut context, &work),
                None if with_scenario => self.scenario.act(&mut context),
                None => return None,
            }
        }
        None
    }
}
