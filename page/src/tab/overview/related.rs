//! What surrounds an object: its owners, the rows that belong to it or that it selects, and its Events. Opened when
//! the object is known, and again for another object.

use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::now;
use serde_json::Value;
use shared::column::Column;
use shared::frame::client::RowDetail;
use shared::name::ClusterName;
use shared::resource::{Kind, Resource};
use shared::row::{Row, RowId};
use shared::scope::Scope;
use shared::sorted;
use shared::state::UnixMillis;

use super::children::FoundKinds;
use super::link::Links;
use super::owners::Owners;
use super::tree::{TreeGroup, TreeNote, TreeRow, of_row, unscheduled};
use super::words;
use crate::cells;
use crate::detail::Now;
use crate::detail::event::{self, Event};
use crate::detail::summary::Used;
use crate::detail::tree::{self, Branch, Tie};
use crate::detail::why::FailingLeaf;
use crate::messages;
use crate::names;
use crate::panel::object::{ShownObject, open_rows};
use crate::panel::recorded::OfRecord;
use crate::past;
use crate::status::RowHealth;
use crate::table_view::{Client, View};
use crate::usage;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventsModel {
    pub events: Vec<Event>,
    /// Older ones, which the gateway's record has.
    pub of_record: Vec<EventLine>,
    /// Why there are none, or how many more there are.
    pub note: String,
    pub is_locked: bool,
    /// Where it has none: what owns it, and may have some. The words of each, and the link to its panel.
    pub owners: Vec<(String, String)>,
}

/// A line below the Events that the API server has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventLine {
    Event(Box<Event>),
    /// Where those of the record begin.
    Begin(String),
    /// None was recorded in this time.
    Gap(String),
}

/// The views around one object: its owners, what it owns or is used by, and its Events. It asks which kinds of children a
/// custom kind has, opens a view for each, and gives back those that another version of the object doesn't need.
#[derive(Default)]
pub(super) struct Related {
    /// The version of the object that they were opened for. What another version needs too stays open.
    of: Option<Arc<Value>>,
    owners: Owners,
    children: FoundKinds,
    branches: Vec<(Branch, ViewKey)>,
    events: Option<ViewKey>,
    /// All of them are of one.
    cluster: Option<ClusterName>,
    /// As of when they are.
    at_ms: Option<UnixMillis>,
}

/// What is found below an object.
#[derive(Default)]
struct Found {
    rows: Vec<TreeRow>,
    former: Vec<TreeRow>,
}

/// Rows of one branch of the tree that are shown.
const BRANCH_MAX: usize = 50;

impl Related {
    pub(super) fn keys(&self) -> Vec<ViewKey> {
        let branches = self.branches.iter().map(|(_, key)| *key);
        branches.chain(self.owners.keys()).chain(self.events).collect()
    }

    /// Returns the views that the panel no longer uses.
    pub(super) fn follow(
        &mut self,
        client: &mut Client,
        (object, row, cluster): (&Arc<Value>, Option<RowId>, Option<&ClusterName>),
        at_ms: Option<UnixMillis>,
        now: now::Now,
    ) -> Vec<ViewKey> {
        let left = self.keys();
        let has_other_kinds = self.children.follow(client, now);
        if has_other_kinds || self.of.as_ref().is_none_or(|held| !Arc::ptr_eq(held, object)) {
            let Some(kinds) = client.kinds_of(cluster).map(|kinds| kinds.kinds.clone()) else {
                return Vec::new();
            };
            if std::mem::replace(&mut self.at_ms, at_ms) != at_ms {
                self.owners = Owners::default();
            }
            self.of = Some(Arc::clone(object));
            self.cluster = cluster.cloned();
            let in_scope = cluster.and_then(|name| client.in_scope(name));
            let in_cluster = |scope: Scope| Scope { cluster: in_scope.clone(), ..scope };
            let events = event::scope(object, &kinds);
            // The record is asked for those of a time by itself.
            let events = events.filter(|_| at_ms.is_none());
            self.events = events.map(|scope| open_rows(client, in_cluster(scope), None, now));
            let mut open = |branch: Branch| {
                let branch = Branch { scope: in_cluster(branch.scope), ..branch };
                let columns = (branch.columns.clone(), RowDetail::Changes);
                let key = client.open_at(branch.scope.clone(), &[], columns, at_ms, now);
                (branch, key)
            };
            self.children.of(object, in_scope.clone(), &kinds);
            let found = tree::branches_of_children(object, self.children.kinds(), &kinds);
            let known = tree::branches(object, row, &kinds);
            self.branches = known.into_iter().chain(found).map(&mut open).collect();
        }
        self.owners.follow(client, (object, cluster), self.at_ms, now);
        let held = self.keys();
        left.into_iter().filter(|key| !held.contains(key)).collect()
    }

    /// A branch with its rows. `None`: there is no such branch, or its rows aren't all here.
    pub(super) fn whole_branch<'a>(
        &'a self,
        client: &'a Client,
        at: usize,
        now: Now,
    ) -> Option<(&'a Branch, &'a View)> {
        let (branch, key) = self.branches.get(at)?;
        let view = client.view(*key).filter(|view| view.table().is_whole())?;
        refused(client, *key, now).is_none().then_some((branch, view))
    }

    /// The link to a row of a branch.
    pub(super) fn href(&self, client: &Client, branch: &Branch, row: &Row) -> Option<String> {
        let links = Links { client, cluster: self.cluster.as_ref() };
        let kind = kind_of(links, &branch.scope.resource)?;
        links.to_object(kind, row.namespace.as_deref(), &row.name)
    }

    /// The owners, the object, and below it what belongs to it; then the rows that it selects or that use it.
    pub(super) fn tree(&self, shown: ShownObject<'_>) -> Vec<TreeGroup> {
        let Some(value) = shown.object.value.as_deref() else { return Vec::new() };
        let ShownObject { client, now, .. } = shown;
        let mut groups = Vec::new();
        let note = self.children.note();
        let mut roots = self.roots().peekable();
        if !self.owners.is_empty() || note.is_some() || roots.peek().is_some() {
            let mut rows = self.owners.rows(client, now);
            let depth = self.owners.depth();
            let (kind, name) = tree::kind_and_name(value);
            // Below nothing it would only repeat the panel's head.
            if !self.owners.is_empty() {
                let here = match shown.row() {
                    Some((view, row)) => of_row(view, row, &kind, depth, now),
                    None => {
                        let name = names::with_end(names::whole(&name));
                        TreeRow { depth, kind, name, ..TreeRow::default() }
                    }
                };
                rows.push(TreeRow { is_here: true, ..here });
            }
            let mut found = Found { rows, ..Found::default() };
            let above = found.rows.len();
            let below = if self.owners.is_empty() { 0 } else { depth + 1 };
            roots.for_each(|at| self.branch((client, now), at, None, below, &mut found));
            let Found { rows, former } = found;
            let title = match (self.owners.is_empty(), rows.len() > above) {
                (false, true) => words::OWNERS_AND_CHILDREN,
                (false, false) => words::OWNERS,
                (true, _) => messages::CHILDREN,
            };
            let note = note.unwrap_or_default();
            if !rows.is_empty() || !note.is_empty() {
                groups.push(TreeGroup { title, note, rows, former });
            }
        }
        for (at, (branch, _)) in self.branches.iter().enumerate().filter(|(_, (branch, _))| !is_owned(branch))
        {
            let mut found = Found::default();
            self.branch((client, now), at, None, 0, &mut found);
            match groups.last_mut().filter(|group| group.title == branch.title) {
                // Branches of several kinds stand under one heading.
                Some(group) => group.rows.append(&mut found.rows),
                None => {
                    let Found { rows, former } = found;
                    groups.push(TreeGroup { title: branch.title, rows, former, ..TreeGroup::default() });
                }
            }
        }
        for group in groups.iter_mut().filter(|group| group.rows.is_empty() && group.note.is_empty()) {
            let mut under = self.branches.iter().filter(|(branch, _)| branch.title == group.title);
            let Some((branch, _)) = under.clone().next() else { continue };
            let is_whole = |key| client.view(key).is_some_and(|view| view.table().is_whole());
            if under.all(|(_, key)| is_whole(*key)) {
                branch.none().clone_into(&mut group.note);
            }
        }
        groups.retain(|group| !group.rows.is_empty() || !group.note.is_empty());
        groups
    }

    /// What the row of the object and the pods on it say of its use.
    pub(super) fn used(&self, shown: ShownObject<'_>) -> Used {
        let (cpu, memory) = shown.row().map(|(view, row)| usage::of_row(view, row)).unwrap_or_default();
        let on_it = self.branches.iter().position(|(branch, _)| branch.is_of_node());
        let pods = on_it.and_then(|at| self.whole_branch(shown.client, at, shown.now));
        Used { cpu, memory, pods: pods.map(|(_, view)| view.table().rows().count()) }
    }

    /// The branches of what the object itself owns.
    fn roots(&self) -> impl Iterator<Item = usize> {
        let owned = self.branches.iter().enumerate().filter(|(_, (branch, _))| is_owned(branch));
        owned.filter(|(_, (branch, _))| !matches!(branch.tie, Tie::Above { .. })).map(|(at, _)| at)
    }

    /// The rows of a branch, each followed by those of the next one that belong to it.
    fn branch(
        &self,
        (client, now): (&Client, Now),
        at: usize,
        above: Option<&Row>,
        depth: usize,
        into: &mut Found,
    ) {
        let Some((branch, key)) = self.branches.get(at) else { return };
        let Some(view) = client.view(*key) else { return };
        let links = Links { client, cluster: self.cluster.as_ref() };
        let kind = kind_of(links, &branch.scope.resource);
        let kind_name = kind.map_or(branch.kind, |kind| &kind.kind);
        let noted =
            |note| TreeRow { note: Some(note), depth, kind: kind_name.to_owned(), ..TreeRow::default() };
        if let Some(note) = refused(client, *key, now) {
            return into.rows.push(noted(note));
        }
        let mut found: Vec<&Row> = view.table().rows().filter(|row| branch.tie.is_of(row, above)).collect();
        // The newest first. A Deployment that went back to an older ReplicaSet gave it the highest revision.
        let revision = |row: &Row| tree::revision(view.table().columns(), row);
        let order = |row: &Row| std::cmp::Reverse((revision(row), row.created));
        sorted::sort_by(&mut found, |a, b| order(a).cmp(&order(b)).then_with(|| a.name.cmp(&b.name)));
        let newest = found.first().map(|row| row.id);
        for row in found.iter().take(BRANCH_MAX) {
            let href = kind.and_then(|kind| links.to_object(kind, row.namespace.as_deref(), &row.name));
            let shown = TreeRow { href, ..of_row(view, row, kind_name, depth, now) };
            if revision(row).is_some()
                && Some(row.id) != newest
                && is_empty_set(view.table().columns(), row)
                && !self.has_below(client, at + 1, row)
            {
                into.former.push(shown);
                continue;
            }
            into.rows.push(shown);
            let next = self.branches.get(at + 1);
            if next.is_some_and(|(next, _)| matches!(next.tie, Tie::Above { .. })) {
                self.branch((client, now), at + 1, Some(row), depth + 1, into);
            }
        }
        let more = found.len().saturating_sub(BRANCH_MAX);
        if more > 0 {
            into.rows.push(noted(TreeNote { is_locked: false, text: words::and_more_objects(more) }));
        }
    }

    /// Whether a branch has objects of this row: pods that end are no longer counted by their ReplicaSet.
    fn has_below(&self, client: &Client, at: usize, row: &Row) -> bool {
        self.branches.get(at).is_some_and(|(branch, key)| {
            let view = client.view(*key);
            view.is_some_and(|view| view.table().rows().any(|below| branch.tie.is_below(below, row)))
        })
    }

    /// What fails among the objects that the object owns, furthest down: why, how many of them, and what the first says.
    /// `with_short`: also those that are short.
    pub(super) fn failing(&self, client: &Client, now: Now, with_short: bool) -> Vec<FailingLeaf> {
        let mut leaves = Vec::new();
        self.roots().for_each(|at| self.leaves(client, at, None, &mut leaves));
        let mut found: Vec<FailingLeaf> = Vec::new();
        for (kind, view, row) in leaves {
            let health = RowHealth::of(row, now.cluster_s);
            let is_meant = health == RowHealth::Failing || with_short && health == RowHealth::Short;
            let Some(held) = row.health().filter(|_| is_meant) else { continue };
            let reason = cells::shown(&held.reason).into_owned();
            match found.iter_mut().find(|leaf| leaf.kind == kind && leaf.reason == reason) {
                Some(leaf) => leaf.count += 1,
                None => {
                    let kind = kind.to_owned();
                    found.push(FailingLeaf { kind, reason, count: 1, message: unscheduled(view, row) });
                }
            }
        }
        sorted::sort_by_key(&mut found, |leaf| std::cmp::Reverse(leaf.count));
        found
    }

    /// The rows of a branch that belong to the object and have none below them.
    fn leaves<'a>(
        &'a self,
        client: &'a Client,
        at: usize,
        above: Option<&Row>,
        found: &mut Vec<(&'a str, &'a View, &'a Row)>,
    ) {
        let Some((branch, key)) = self.branches.get(at) else { return };
        let Some(view) = client.view(*key) else { return };
        let next = self.branches.get(at + 1).filter(|(next, _)| matches!(next.tie, Tie::Above { .. }));
        for row in view.table().rows().filter(|row| branch.tie.is_of(row, above)) {
            let before = found.len();
            if next.is_some() {
                self.leaves(client, at + 1, Some(row), found);
            }
            if found.len() == before {
                let links = Links { client, cluster: self.cluster.as_ref() };
                let kind = kind_of(links, &branch.scope.resource);
                found.push((kind.map_or(branch.kind, |kind| &kind.kind), view, row));
            }
        }
    }

    /// Those that the API server has, and those of the record before them.
    pub(super) fn events(&self, shown: ShownObject<'_>) -> EventsModel {
        let ShownObject { client, now, object, .. } = shown;
        let mut model = self.events_of_server(client, now);
        if model.is_locked {
            return model;
        }
        let table = self.events.and_then(|key| client.view(key)).map(View::table);
        let is_held = |row| table.is_some_and(|table| table.slot_of(row).is_some());
        let at = |ms| messages::instant(client.local_ms(ms), now.ms, now.zone);
        let of_record = &object.recorded.events;
        let lines = of_record.before(object.at_ms, is_held).into_iter().map(|line| match line {
            OfRecord::Event(event) => EventLine::Event(Box::new(event::of_record(event, now.cluster_s))),
            OfRecord::Gap(gap) => {
                EventLine::Gap(past::words::nothing_from_to(&at(gap.from_ms), &at(gap.to_ms), &gap.why))
            }
        });
        model.of_record = lines.collect();
        if !model.of_record.is_empty() {
            let since = of_record.since_ms().map(at).unwrap_or_default();
            let begin = match object.at_ms {
                Some(_) => words::events_until_then(&since),
                None => words::events_of_record(&since),
            };
            model.of_record.insert(0, EventLine::Begin(begin));
            // That the API server has none is said above those of the record.
            if model.events.is_empty() {
                model.note.clear();
            }
        } else if let Some(at_ms) = object.at_ms.filter(|_| of_record.is_answered()) {
            let since = of_record.since_ms().map(at);
            model.note = words::no_events_until(&at(at_ms), since.as_deref());
        }
        model
    }

    fn events_of_server(&self, client: &Client, now: Now) -> EventsModel {
        let Some(key) = self.events else { return EventsModel::default() };
        let Some(view) = client.view(key) else { return EventsModel::default() };
        if let Some(note) = refused(client, key, now) {
            return EventsModel { note: note.text, is_locked: note.is_locked, ..EventsModel::default() };
        }
        let mut model =
            EventsModel::of(view, view.table().rows(), Links { client, cluster: self.cluster.as_ref() }, now);
        if model.events.is_empty() {
            if view.table().is_whole() {
                model.note = words::NO_EVENTS.to_owned();
            }
            let words = |row: TreeRow| {
                let (start, end) = &row.name;
                Some((words::events_of_owner(&row.kind, &format!("{start}{end}")), row.href?))
            };
            model.owners = self.owners.rows(client, now).into_iter().filter_map(words).collect();
        }
        model
    }
}

impl EventsModel {
    /// `rows`: those of this view that are shown.
    pub(super) fn of<'a>(
        view: &View,
        rows: impl Iterator<Item = &'a Row>,
        links: Links<'_>,
        now: Now,
    ) -> Self {
        let (mut events, more) = event::events(view.table().columns(), rows, now.cluster_s);
        let kind = kind_of(links, &view.subscription().scope.resource);
        for event in &mut events {
            let (namespace, name) = (event.namespace.as_deref(), &event.name);
            event.href = kind.and_then(|kind| links.to_object(kind, namespace, name));
        }
        let note = if more > 0 { words::and_more_events(more) } else { String::new() };
        Self { events, note, ..Self::default() }
    }
}

/// Whether the object owns the rows, or something that it owns.
fn is_owned(branch: &Branch) -> bool {
    branch.title == messages::CHILDREN
}

/// A ReplicaSet that wants no pods and has none.
fn is_empty_set(columns: &[Column], row: &Row) -> bool {
    let is_none = |name: &str| {
        let at = columns.iter().position(|column| &*column.name == name);
        at.and_then(|at| row.cells.get(at)).is_some_and(|cell| cells::text(cell, 0) == "0")
    };
    is_none("Desired") && is_none("Current")
}

fn kind_of<'a>(links: Links<'a>, resource: &Resource) -> Option<&'a Kind> {
    links.kinds()?.iter().find(|kind| kind.serves(resource))
}

/// Why a list isn't available.
fn refused(client: &Client, key: ViewKey, now: Now) -> Option<TreeNote> {
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
        format!("{resource}: {}", words::NOT_SERVED)
    };
    Some(TreeNote { is_locked, text })
}
