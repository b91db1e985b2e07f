//! The owners of an object, each subscribed to, so that a deleted one is shown as deleted: those that the object
//! names, then the owners of the first of these, and so on upwards.

use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::now;
use replica::object::Existence;
use serde_json::Value;
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::link::Links;
use super::tree::{TreeNote, TreeRow};
use super::words;
use crate::cells;
use crate::detail::reference::{self, OwnerReference};
use crate::detail::{Now, created};
use crate::limits::PANEL_OWNERS_MAX;
use crate::messages;
use crate::names;
use crate::table_view::Client;

#[derive(Default)]
pub(super) struct Owners {
    /// The owners of one object each; the controller is the first of its level.
    levels: Vec<Vec<Owner>>,
    /// All of them are of one.
    cluster: Option<ClusterName>,
}

struct Owner {
    named: OwnerReference,
    /// `None`: the cluster doesn't serve its kind.
    object: Option<ViewKey>,
}

impl Owners {
    pub(super) fn keys(&self) -> impl Iterator<Item = ViewKey> {
        self.levels.iter().flatten().filter_map(|owner| owner.object)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Subscribes to the owners that the object and its owners name now.
    pub(super) fn follow(
        &mut self,
        client: &mut Client,
        (object, cluster): (&Value, Option<&ClusterName>),
        at_ms: Option<UnixMillis>,
        now: now::Now,
    ) {
        self.cluster = cluster.cloned();
        let mut lowest: Option<Arc<Value>> = None;
        let mut room = PANEL_OWNERS_MAX;
        for at in 0.. {
            let named = reference::owners(lowest.as_deref().unwrap_or(object));
            let named: Vec<OwnerReference> = named.into_iter().take(room).collect();
            room -= named.len();
            let is_same =
                self.levels.get(at).is_some_and(|level| level.iter().map(|owner| &owner.named).eq(&named));
            if !is_same {
                self.levels.truncate(at);
                if !named.is_empty() {
                    let level = named
                        .into_iter()
                        .map(|named| Owner::open(named, (cluster, at_ms), client, now))
                        .collect();
                    self.levels.push(level);
                }
            }
            lowest = self.levels.get(at).and_then(|level| level.first()?.value(client)).cloned();
            if lowest.is_none() {
                // What was known above an owner that can't be read stays, unless it is another owner now.
                return;
            }
        }
    }

    /// The topmost first.
    pub(super) fn rows(&self, client: &Client, now: Now) -> Vec<TreeRow> {
        let levels = self.levels.iter().rev().enumerate();
        let links = Links { client, cluster: self.cluster.as_ref() };
        levels
            .flat_map(|(depth, level)| level.iter().map(move |owner| owner.row(depth, links, now)))
            .collect()
    }

    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }
}

impl Owner {
    fn open(
        named: OwnerReference,
        (cluster, at_ms): (Option<&ClusterName>, Option<UnixMillis>),
        client: &mut Client,
        now: now::Now,
    ) -> Self {
        let scope = client.kinds_of(cluster).and_then(|kinds| named.to.scope(&kinds.kinds));
        let scope =
            scope.map(|scope| Scope { cluster: cluster.and_then(|name| client.in_scope(name)), ..scope });
        Self { object: scope.map(|scope| client.open_object_at(scope, None, at_ms, now)), named }
    }

    /// The object that was named, as it is or as it was last: not another one of its name.
    fn value<'a>(&self, client: &'a Client) -> Option<&'a Arc<Value>> {
        client.object(self.object?)?.value.as_ref().filter(|value| !self.is_other(value))
    }

    fn is_other(&self, value: &Value) -> bool {
        let uid = value.pointer("/metadata/uid").and_then(Value::as_str);
        self.named.to.uid.as_deref().is_some_and(|named| uid != Some(named))
    }

    fn row(&self, depth: usize, links: Links<'_>, now: Now) -> TreeRow {
        let Links { client, .. } = links;
        let OwnerReference { to, is_controller } = &self.named;
        let shown = |text: &str| cells::shown(text).into_owned();
        let name = names::with_end(names::whole(&shown(&to.name)));
        let mark = if *is_controller { "" } else { words::NOT_A_CONTROLLER }.to_owned();
        let row = TreeRow { depth, kind: shown(&to.kind), name, mark, ..TreeRow::default() };
        let note =
            |is_locked, text: String| TreeRow { note: Some(TreeNote { is_locked, text }), ..row.clone() };
        let Some(object) = self.object.and_then(|key| client.object(key)) else {
            return note(false, words::NOT_SERVED.to_owned());
        };
        let refused = |problem: &Option<Problem>, otherwise: &str| {
            let why = problem.as_ref().map(|problem| problem.reason.words());
            why.unwrap_or_else(|| otherwise.to_owned())
        };
        match freshness::of_object(client, object, now.ms) {
            Freshness::Forbidden { problem, .. } => {
                return note(true, refused(&problem, messages::FORBIDDEN));
            }
            Freshness::Gone { problem, .. } => return note(false, refused(&problem, words::DELETED)),
            Freshness::Failed { problem, .. } => return note(false, refused(&problem, messages::FAILED)),
            _ => {}
        }
        let href = links.to_reference(to);
        match (object.existence, &object.value) {
            (Existence::Unknown, _) => TreeRow { href, ..row },
            (Existence::Exists, Some(value)) if self.is_other(value) => {
                note(false, words::DELETED_BEFORE.to_owned())
            }
            (Existence::Exists, value) => {
                let age = value.as_deref().and_then(created).map(|at| now.age(at)).unwrap_or_default();
                TreeRow { href, age, ..row }
            }
            (Existence::Deleted, Some(value)) if !self.is_other(value) => {
                let at = object.changed_ms.map(|ms| messages::instant(ms, now.ms, now.zone));
                note(false, at.map_or_else(|| words::DELETED.to_owned(), |at| words::deleted_since(&at)))
            }
            (Existence::Deleted, _) => note(false, words::DELETED.to_owned()),
        }
    }
}
