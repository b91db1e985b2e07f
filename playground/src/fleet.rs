//! The story that the cluster tells: what happens next, from a seed, for ever. Pure: it is handed the
//! objects and the time, and gives back one change at a time.
//!
//! It works as a real cluster does. `story` is the people, the load and the weather: somebody sets an
//! image, a node goes silent. `control` are the components: each reconciles one object, by what stands
//! in the store and nothing else, so that what a person changes through the API is followed like all
//! the rest. `follow` tells which objects are to be looked at again.

mod build;
mod cast;
mod control;
pub(crate) mod driver;
mod filling;
mod follow;
mod kinds;
mod past;
mod queue;
mod recorder;
mod stage;
mod stencil;
mod story;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::clock;
use crate::store::Store;
use follow::Follower;
use stage::{Memory, Stage};
use story::Story;

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
        manager: &'static str,
    },
    /// A new status, through its subresource where the kind has one.
    Status {
        resource: &'static str,
        namespace: String,
        name: String,
        status: Value,
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
            Self::Create { resource, .. }
            | Self::Patch { resource, .. }
            | Self::Status { resource, .. }
            | Self::Delete { resource, .. } => resource,
        }
    }
}

/// How a fleet is to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// At least so many; 0: an empty cluster, in which nobody acts.
    pub(crate) objects: usize,
    /// Bytes of a pod of the filling; 0: as they come.
    pub(crate) pod_bytes: usize,
}

/// The fleet: who is to be looked at, what the API doesn't show, and how far the story is.
#[derive(Debug)]
pub(crate) struct Fleet {
    size: Size,
    memory: Memory,
    follower: Follower,
    story: Story,
}

/// Reconciling mostly finds that all is well; so many may be looked at for one change. While the past
/// is written, or the components come to rest, all are.
const LOOKS_MAX: usize = 256;

impl Fleet {
    pub(crate) fn new(seed: u64, size: Size) -> Self {
        Self {
            size,
            memory: Memory::new(seed),
            follower: Follower::default(),
            story: Story::new(size.objects > cast::OBJECTS),
        }
    }

    /// The next change; none where there is nobody to act.
    pub(crate) fn step(&mut self, store: &Store, now_s: i64) -> Option<Mutation> {
        if self.size.objects == 0 {
            return None;
        }
        self.next(store, now_s, true)
    }

    fn next(&mut self, store: &Store, now_s: i64, with_story: bool) -> Option<Mutation> {
        let now = clock::text_of(now_s);
        self.follower.follow(store, &mut self.memory);
        for _ in 0..if with_story { LOOKS_MAX } else { usize::MAX } {
            if let Some(next) = self.memory.due.pop_front() {
                self.memory.tick += 1;
                return Some(next);
            }
            let tick = self.memory.tick;
            let mut stage = Stage::new(store, now_s, &now, &mut self.memory);
            if with_story && self.story.is_pressing(&mut stage) {
                continue;
            }
            match stage.memory.queue.pop(tick) {
                Some(work) => control::reconcile(&mut stage, &work),
                None if with_story => self.story.act(&mut stage),
                None => return None,
            }
        }
        None
    }
}
