//! What surrounds an object: its owners, which are got one after the other, the rows that belong to it, and its
//! Events. Opened when the object is known, and again for another object.

use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::now;
use serde_json::Value;
use shared::frame::client::SubscriptionId;
use shared::problem::{Problem, Reason};
use shared::resource::Kind;
use shared::row::Row;

use super::link;
use super::object::ShownObject;
use crate::cells;
use crate::detail::event::{self, Event};
use crate::detail::reference::{self, Reference};
use crate::detail::tree::{self, Branch, Tie};
use crate::detail::{Now, created};
use crate::messages;
use crate::names;
use crate::status::{Class, StatusColumns};
use crate::table_view::{Client, View};

/// A row of the owner tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TreeRow {
    pub depth: usize,
    pub kind: String,
    /// The owner's part of the name, and the rest, which is shown fainter.
    pub name: (String, String),
    pub href: Option<String>,
    pub ready: String,
    pub status: Option<(Class, String)>,
    pub age: String,
    pub is_here: bool,
    /// In place of an object: why it isn't shown.
    pub note: Option<TreeNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeNote {
    pub is_locked: bool,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventsModel {
    pub events: Vec<Event>,
    /// Why there are none, or how many more there are.
    pub note: String,
    pub is_locked: bool,
}

#[derive(Default)]
pub(super) struct Related {
    /// The uid of the object that they belong to.
    of: Option<String>,
    owners: Vec<Owner>,
    asked: Option<SubscriptionId>,
    branches: Vec<(Branch, ViewKey)>,
    events: Option<ViewKey>,
}

/// One step up from the object, along `controller: true`.
struct Owner {
    reference: Reference,
    answer: Answer,
}

enum Answer {
    Asked,
    Here(Box<Value>),
    /// Not served, not permitted, or gone.
    Refused(Option<Problem>),
}

/// Deployment, ReplicaSet, Pod are three; operators of operators nest a little deeper.
const OWNERS_MAX: usize = 6;
/// Rows of one branch of the tree that are shown.
const BRANCH_MAX: usize = 50;

impl Related {
    pub(super) fn keys(&self) -> Vec<ViewKey> {
        self.branches.iter().map(|(_, key)| *key).chain(self.events).collect()
    }

    /// Returns the views that the panel no longer uses.
    pub(super) fn follow(&mut self, client: &mut Client, object: &Value, now: now::Now) -> Vec<ViewKey> {
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
        let is_same = self.of.as_deref() == Some(uid);
        // A request that was lost with its connection is sent again.
        let is_lost = self.asked.is_none()
            && matches!(self.owners.last(), Some(Owner { answer: Answer::Asked, .. }))
            && client.connection().is_open();
        if is_same && !is_lost {
            return Vec::new();
        }
        let Some(kinds) = client.kinds().map(|kinds| kinds.kinds.clone()) else { return Vec::new() };
        if is_same {
            self.ask_owner(client, object, &kinds);
            return Vec::new();
        }
        let left = self.keys();
        *self = Self { of: Some(uid.to_owned()), ..Self::default() };
        self.events = event::scope(object, &kinds).map(|scope| client.open(scope, now));
        for branch in tree::branches(object, &kinds) {
            let key = client.open(branch.scope.clone(), now);
            self.branches.push((branch, key));
        }
        self.ask_owner(client, object, &kinds);
        let held = self.keys();
        left.into_iter().filter(|key| !held.contains(key)).collect()
    }

    /// Gets the controller of the last known owner.
    fn ask_owner(&mut self, client: &mut Client, object: &Value, kinds: &[Kind]) {
        if matches!(self.owners.last(), Some(Owner { answer: Answer::Asked, .. })) {
            self.owners.pop();
        }
        let lowest = match self.owners.last() {
            None => object,
            Some(Owner { answer: Answer::Here(value), .. }) => value,
            Some(_) => return,
        };
        if self.owners.len() >= OWNERS_MAX {
            return;
        }
        let first = reference::owners(lowest).into_iter().next();
        let Some(owner) = first else { return };
        match owner.scope(kinds) {
            None => self.owners.push(Owner { reference: owner, answer: Answer::Refused(None) }),
            Some(scope) => {
                self.asked = client.get(scope, None);
                self.owners.push(Owner { reference: owner, answer: Answer::Asked });
            }
        }
    }

    /// Returns whether the answer was for this request.
    pub(super) fn got(
        &mut self,
        client: &mut Client,
        id: SubscriptionId,
        answer: Result<Option<Value>, Problem>,
    ) -> bool {
        if self.asked != Some(id) {
            return false;
        }
        self.asked = None;
        let Some(owner) = self.owners.last_mut() else { return false };
        owner.answer = match answer {
            Ok(Some(value)) => Answer::Here(Box::new(value)),
            Ok(None) => Answer::Refused(None),
            // Lost with its connection: sent again when there is one.
            Err(problem) if problem.reason == Reason::ConnectionClosed => Answer::Asked,
            Err(problem) => Answer::Refused(Some(problem)),
        };
        if let Answer::Here(value) = &owner.answer {
            let value = value.clone();
            let kinds = client.kinds().map(|kinds| kinds.kinds.clone()).unwrap_or_default();
            self.ask_owner(client, &value, &kinds);
        }
        true
    }

    /// The owners, the object, and below it what belongs to it.
    pub(super) fn tree(&self, shown: ShownObject<'_>) -> Vec<TreeRow> {
        let Some(value) = shown.object.value.as_deref() else { return Vec::new() };
        if self.owners.is_empty() && self.branches.is_empty() {
            return Vec::new();
        }
        let ShownObject { client, now, .. } = shown;
        let owners = self.owners.iter().rev().enumerate();
        let mut rows: Vec<TreeRow> =
            owners.map(|(depth, owner)| owner_row(owner, depth, client, now)).collect();
        let depth = rows.len();
        let (kind, name) = tree::kind_and_name(value);
        let here = match shown.row() {
            Some((view, row)) => of_row(view, row, &kind, depth, now),
            None => TreeRow { depth, kind, name: (name, String::new()), ..TreeRow::default() },
        };
        rows.push(TreeRow { is_here: true, ..here });
        self.branch(client, 0, None, depth + 1, now, &mut rows);
        rows
    }

    /// The rows of a branch, each followed by those of the next one that belong to it.
    fn branch(
        &self,
        client: &Client,
        at: usize,
        above: Option<&Row>,
        depth: usize,
        now: Now,
        rows: &mut Vec<TreeRow>,
    ) {
        let Some((branch, key)) = self.branches.get(at) else { return };
        let Some(view) = client.view(*key) else { return };
        let noted =
            |note| TreeRow { note: Some(note), depth, kind: branch.kind.to_owned(), ..TreeRow::default() };
        if let Some(note) = refused(client, *key, branch.kind, now) {
            return rows.push(noted(note));
        }
        let is_ours = |row: &&Row| match (above, &branch.tie) {
            (Some(above), tie) => tie.is_below(row, above),
            (None, tie) => tie.holds(row),
        };
        let mut found: Vec<&Row> = view.table().rows().filter(is_ours).collect();
        // The newest first: of a Deployment's ReplicaSets that is the current one.
        found.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.name.cmp(&b.name)));
        let kind = client
            .kinds()
            .and_then(|kinds| kinds.kinds.iter().find(|kind| kind.resource == branch.scope.resource));
        for row in found.iter().take(BRANCH_MAX) {
            let href =
                kind.and_then(|kind| link::to_object(kind, row.namespace.as_deref(), &row.name, client));
            rows.push(TreeRow { href, ..of_row(view, row, branch.kind, depth, now) });
            let next = self.branches.get(at + 1);
            if next.is_some_and(|(next, _)| matches!(next.tie, Tie::Above { .. })) {
                self.branch(client, at + 1, Some(row), depth + 1, now, rows);
            }
        }
        let more = found.len().saturating_sub(BRANCH_MAX);
        if more > 0 {
            rows.push(noted(TreeNote { is_locked: false, text: messages::and_more_objects(more) }));
        }
    }

    pub(super) fn events(&self, client: &Client, now: Now) -> EventsModel {
        let Some(key) = self.events else { return EventsModel::default() };
        let Some(view) = client.view(key) else { return EventsModel::default() };
        if let Some(note) = refused(client, key, "events", now) {
            return EventsModel { events: Vec::new(), note: note.text, is_locked: note.is_locked };
        }
        let (events, more) = event::events(view.table().columns(), view.table().rows(), now.cluster_s);
        let note = match (events.is_empty(), more) {
            (true, _) if view.table().is_whole() => messages::NO_EVENTS.to_owned(),
            (_, 0) => String::new(),
            (_, more) => messages::and_more_events(more),
        };
        EventsModel { events, note, is_locked: false }
    }
}

/// Why a list isn't available.
fn refused(client: &Client, key: ViewKey, kind: &str, now: Now) -> Option<TreeNote> {
    let view = client.view(key)?;
    let state = freshness::of(client, view, now.ms);
    if state.shows_rows() {
        return None;
    }
    let is_locked = matches!(state.worst(), Freshness::Forbidden { .. });
    let resource = view.subscription().scope.resource.to_string();
    let text = if is_locked {
        messages::may_not_list(&resource, "")
    } else {
        format!("{kind}: {}", messages::NOT_SERVED)
    };
    Some(TreeNote { is_locked, text })
}

/// An owner is got once and not watched, so only its name and age are shown.
fn owner_row(owner: &Owner, depth: usize, client: &Client, now: Now) -> TreeRow {
    let reference = &owner.reference;
    let shown = |text: &str| cells::shown(text).into_owned();
    let name = (shown(&reference.name), String::new());
    let row = TreeRow { depth, kind: shown(&reference.kind), name, ..TreeRow::default() };
    let href = link::to_reference(reference, client);
    match &owner.answer {
        Answer::Asked => TreeRow { href, ..row },
        Answer::Here(value) => {
            let age = created(value).map(|at| now.age(at)).unwrap_or_default();
            TreeRow { href, age, ..row }
        }
        Answer::Refused(problem) => {
            let text = problem
                .as_ref()
                .map_or_else(|| messages::NOT_SERVED.to_owned(), |problem| problem.reason.words());
            TreeRow { note: Some(TreeNote { is_locked: problem.is_some(), text }), ..row }
        }
    }
}

fn of_row(view: &View, row: &Row, kind: &str, depth: usize, now: Now) -> TreeRow {
    let parts = names::parts(row);
    let columns = StatusColumns::of(view.table().columns());
    let ready = columns.ready().and_then(|index| row.cells.get(index));
    let status = columns.read(row).map(|(word, class)| (class, cells::shown(word).into_owned()));
    TreeRow {
        ready: ready.map(|cell| cells::text(cell, now.cluster_s)).unwrap_or_default(),
        status,
        age: row.created.map(|at| now.age(at)).unwrap_or_default(),
        depth,
        kind: kind.to_owned(),
        name: (parts.owner.to_owned(), format!("{}{}", parts.hash, parts.suffix)),
        ..TreeRow::default()
    }
}
