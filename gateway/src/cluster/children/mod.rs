//! Which kinds the children of a kind have, in one cluster: those that a feed has seen with a controller of that kind, and those that a look finds. A
//! kind is known by its name alone, so that kinds of two groups with one name share what is known; who shows a child
//! compares the uid of its owner. It never says which objects there are.

mod look;

pub(super) use look::find;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shared::name::Namespace;
use shared::resource::{Kind, Resource};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use super::upstream::UpstreamIdentity;
use crate::limits::{CHILD_KINDS_OF_ONE_MAX, CHILD_LISTS_AT_ONCE_MAX, OWNER_KINDS_MAX};

/// What is asked: the kinds of the children of these objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildrenQuestion {
    pub resource: Resource,
    /// `None`: the owner isn't namespaced, so that its children may be anywhere.
    pub namespace: Option<Namespace>,
    /// As whom the API server is asked.
    pub whom: UpstreamIdentity,
}

/// Whether a viewer may list a kind where its children would be.
pub type MayList = dyn Fn(Kind) -> BoxFuture<'static, bool> + Send + Sync;

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundChildren {
    /// Those that the viewer may list.
    pub kinds: Vec<Resource>,
    /// How many kinds were looked at.
    pub looked_at: usize,
    /// How many could have children.
    pub of: usize,
}

/// What is known of the owners in one cluster, and how many lists are asked for at once to find out more.
pub(super) struct ChildKinds {
    /// By the name of the owner's kind.
    seen: Mutex<HashMap<Box<str>, BTreeSet<Resource>>>,
    looks: Mutex<HashMap<Look, Looked>>,
    at_once: Semaphore,
}

/// A list of metadata. Viewers for whom the API server is asked as the same identity share its answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Look {
    whom: UpstreamIdentity,
    resource: Resource,
    namespace: Option<Namespace>,
}

#[derive(Clone)]
struct Looked {
    at: Instant,
    /// Set once it was: a list that failed is asked for again.
    answered: Arc<OnceCell<()>>,
}

impl Default for ChildKinds {
    fn default() -> Self {
        Self {
            seen: Mutex::default(),
            looks: Mutex::default(),
            at_once: Semaphore::new(CHILD_LISTS_AT_ONCE_MAX),
        }
    }
}

impl ChildKinds {
    /// An object of this resource has an owner of this kind. What doesn't fit is left to a look.
    pub(super) fn note(&self, owner: &str, child: &Resource) {
        let mut seen = lock(&self.seen);
        let count = seen.len();
        match seen.get_mut(owner) {
            Some(children) if children.len() < CHILD_KINDS_OF_ONE_MAX => {
                children.insert(child.clone());
            }
            None if count < OWNER_KINDS_MAX => {
                seen.insert(owner.into(), BTreeSet::from([child.clone()]));
            }
            Some(_) | None => {}
        }
    }

    fn are_children(&self, owner: &Kind, child: &Kind) -> bool {
        lock(&self.seen).get(&owner.kind).is_some_and(|children| children.iter().any(|of| child.serves(of)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
