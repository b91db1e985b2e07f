//! What belongs together: a root, and what hangs on it. Rows go in, stories come out.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use shared::duration::UnixSeconds;
use shared::row::{Row, RowId};

use super::model::Order;
use crate::names;
use crate::status::RowHealth;

/// One object that isn't fine.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) row: &'a Row,
    /// As Kubernetes calls it: `Pod`.
    pub(super) kind: &'a str,
    /// Empty in a list of one cluster.
    pub(super) cluster: &'a str,
    pub(super) health: RowHealth,
    pub(super) since: Option<UnixSeconds>,
    /// The node that a pod is on.
    pub(super) node: Option<&'a str>,
}

/// Items by their place among all.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Story<'a> {
    pub(super) root: Root<'a>,
    /// The worst first, without the root.
    pub(super) leaves: Vec<usize>,
    pub(super) worst: RowHealth,
    /// When the first of them began; `None`: one of them wasn't seen to begin, or has no time.
    pub(super) since: Option<UnixSeconds>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root<'a> {
    Item(usize),
    /// The owner of several, which is fine itself.
    Owner {
        cluster: &'a str,
        namespace: &'a str,
        kind: &'a str,
        name: &'a str,
    },
}

/// An owner above an owner: none is higher in any workload that is known.
const STEPS_MAX: usize = 8;

/// `id_of`: the id under which an owner's row of that cluster stands in the list.
pub(super) fn stories<'a>(
    items: &[Item<'a>],
    id_of: impl Fn(RowId, &str) -> RowId,
    order: Order,
) -> Vec<Story<'a>> {
    let places = Places::of(items);
    let mut by_root: BTreeMap<Root<'a>, Vec<usize>> = BTreeMap::new();
    for at in 0..items.len() {
        by_root.entry(places.root_of(at, &id_of)).or_default().push(at);
    }
    let mut told: Vec<Story<'a>> = Vec::new();
    for (root, mut members) in by_root {
        let root = match (root, members.as_slice()) {
            // One alone is told by itself.
            (Root::Owner { .. }, [only]) => Root::Item(*only),
            (root, _) => root,
        };
        let health = |at: &usize| items.get(*at).map_or(RowHealth::Fine, |item| item.health);
        let since = |at: &usize| items.get(*at).and_then(|item| item.since);
        let worst = members.iter().map(health).min().unwrap_or(RowHealth::Fine);
        let began: Option<Vec<UnixSeconds>> = members.iter().map(since).collect();
        let since_of_all = began.and_then(|began| began.into_iter().min());
        members.retain(|at| root != Root::Item(*at));
        members.sort_by_key(|at| (health(at), Reverse(since(at)), *at));
        told.push(Story { root, leaves: members, worst, since: since_of_all });
    }
    // What wasn't seen to begin is the oldest.
    let age = |story: &Story<'_>| story.since.map_or(UnixSeconds::MAX, |since| since.saturating_neg());
    told.sort_by_key(|story| match order {
        Order::Largest => (story.worst, Reverse(story.leaves.len()), age(story)),
        Order::Newest => (story.worst, Reverse(0), age(story)),
        Order::Oldest => (story.worst, Reverse(0), age(story).saturating_neg()),
    });
    told
}

/// Where each item stands, by its id and by its name.
struct Places<'a, 'i> {
    items: &'i [Item<'a>],
    by_id: BTreeMap<RowId, usize>,
    by_name: BTreeMap<(&'a str, &'a str, &'a str, &'a str), usize>,
}

impl<'a, 'i> Places<'a, 'i> {
    fn of(items: &'i [Item<'a>]) -> Self {
        let numbered = || items.iter().enumerate();
        let by_id = numbered().map(|(at, item)| (item.row.id, at)).collect();
        let name = |item: &Item<'a>| (item.cluster, item.kind, namespace(item.row), &*item.row.name);
        let by_name = numbered().map(|(at, item)| (name(item), at)).collect();
        Self { items, by_id, by_name }
    }

    fn root_of(&self, of: usize, id_of: &impl Fn(RowId, &str) -> RowId) -> Root<'a> {
        let mut at = of;
        for _ in 0..STEPS_MAX {
            match self.above(at, id_of) {
                Some(Root::Item(above)) if above != at && above != of => at = above,
                Some(owner @ Root::Owner { .. }) => return owner,
                _ => break,
            }
        }
        Root::Item(at)
    }

    /// What an item hangs on: the node that fails, else its owner.
    fn above(&self, at: usize, id_of: &impl Fn(RowId, &str) -> RowId) -> Option<Root<'a>> {
        let item = self.items.get(at)?;
        let node = item.node.and_then(|node| self.by_name.get(&(item.cluster, "Node", "", node)));
        if let Some(node) =
            node.filter(|node| self.items.get(**node).is_some_and(|it| it.health == RowHealth::Failing))
        {
            return Some(Root::Item(*node));
        }
        let extra = item.row.extra.as_deref()?;
        let owner = extra.owner.as_ref()?;
        let cluster = item.cluster;
        if let Some(place) = owner.row.and_then(|row| self.by_id.get(&id_of(row, cluster))) {
            return Some(Root::Item(*place));
        }
        let namespace = namespace(item.row);
        // A ReplicaSet that is fine itself belongs to a Deployment, by whose name and hash it is called.
        let (kind, name) = match (&*owner.kind, extra.hash.is_some()) {
            ("ReplicaSet", true) if item.kind == "Pod" => ("Deployment", names::parts(item.row).owner),
            (kind, _) => (kind, &*owner.name),
        };
        match self.by_name.get(&(cluster, kind, namespace, name)) {
            Some(place) => Some(Root::Item(*place)),
            None => Some(Root::Owner { cluster, namespace, kind, name }),
        }
    }
}

pub(super) fn namespace(row: &Row) -> &str {
    row.namespace.as_deref().unwrap_or_default()
}
