//! The story that the cluster tells: what happens next, from a seed, for ever. Pure: it is handed the
//! time and gives back changes; it never sees the store.

mod actors;
mod build;
pub(crate) mod driver;
mod plan;

use std::collections::VecDeque;

use serde_json::Value;

use crate::random::Random;
use actors::Actors;
use plan::World;

/// One change, by the component of Kubernetes that would make it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mutation {
    Create {
        resource: &'static str,
        value: Value,
        manager: &'static str,
    },
    /// A strategic merge.
    Patch {
        resource: &'static str,
        namespace: String,
        name: String,
        patch: Value,
        subresource: Option<&'static str>,
        manager: &'static str,
    },
    Delete {
        resource: &'static str,
        namespace: String,
        name: String,
        /// More than 0: it is marked, and stays until it is deleted again.
        grace_s: i64,
    },
}

impl Mutation {
    pub(crate) fn resource(&self) -> &'static str {
        match self {
            Self::Create { resource, .. } | Self::Patch { resource, .. } | Self::Delete { resource, .. } => {
                resource
            }
        }
    }
}

/// The fleet: what it knows of its own objects, and who acts next.
#[derive(Debug)]
pub(crate) struct Fleet {
    world: World,
    actors: Actors,
    /// Changes that follow from an act and are still to be made, one per step.
    due: VecDeque<Mutation>,
}

impl Fleet {
    /// A fleet of at least `objects` (0: an empty cluster), its pods of about `pod_bytes`.
    pub(crate) fn new(seed: u64, objects: usize, pod_bytes: usize) -> Self {
        Self {
            world: World::new(Random::new(seed), objects, pod_bytes),
            actors: Actors::default(),
            due: VecDeque::new(),
        }
    }

    /// The objects that are there from the start, one by one.
    pub(crate) fn populate(&mut self, now_s: i64, into: &mut dyn FnMut(Mutation)) {
        self.world.populate(now_s, into);
    }

    /// The next change; none where there is nobody to act.
    pub(crate) fn step(&mut self, now_s: i64) -> Option<Mutation> {
        // Some acts change nothing; a few tries find one that does.
        const TRIES: usize = 64;
        for _ in 0..TRIES {
            if let Some(next) = self.due.pop_front() {
                return Some(next);
            }
            if self.world.is_empty() {
                return None;
            }
            self.due.extend(self.actors.act(&mut self.world, now_s));
        }
        None
    }
}
