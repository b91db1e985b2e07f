//! What is true of the object now: the facts on top, the tab Overview, the tree and the Events.

use crate::cells;
use crate::detail::event;
use crate::detail::reference::Reference;
use crate::detail::tree::Tie;
use crate::detail::{Now, condition, created, summary};
use crate::location::{Location, PanelPlace, Place};
use crate::messages;
use crate::status::{Class, StatusColumns, is_short};
use crate::table_view::Client;
use crate::table_view::View;
use replica::client::ViewKey;
use replica::freshness;
use serde_json::Value;
use shared::name::Namespace;
use shared::resource::Kind;
use shared::row::Row;

use super::Opened;
use super::related::{Answer, Owner};
use crate::model::{EventsModel, LinkedFact, OverviewModel, TopFact, TreeNote, TreeRow};

/// The facts that stay on top: the first columns of its row, and its age.
const TOP_MAX: usize = 4;
/// Rows of one branch of the tree that are shown.
const BRANCH_MAX: usize = 50;

/// The word of a row and its shape; where a table has no status, whether all of it is ready.
pub(super) fn state_of(view: &View, row: &Row) -> Option<(String, Class)> {
    let columns = StatusColumns::of(view.table().columns());
    if let Some((word, class)) = columns.read(row) {
        return Some((cells::shown(word).into_owned(), class));
    }
    let ready = row.cells.get(columns.ready()?)?;
    let class = if is_short(ready) { Class::Warn } else { Class::Ok };
    Some((cells::text(ready, 0), class)).filter(|(word, _)| !word.is_empty())
}

/// As the server's columns say it: STATUS first, AGE last.
pub(super) fn top_facts(view: &View, row: &Row, now: Now) -> Vec<TopFact> {
    let columns = view.table().columns();
    let status = StatusColumns::of(columns);
    let mut facts = Vec::new();
    let mut age = None;
    for (index, column) in columns.iter().enumerate() {
        let Some(cell) = row.cells.get(index).filter(|_| !column.is_wide()) else { continue };
        let title = column.title();
        let text = cells::text(cell, now.cluster_s);
        if title == "NAME" || text.is_empty() {
            continue;
        }
        let class = status.read(row).filter(|_| status.status() == Some(index)).map(|(_, class)| class);
        if class.is_some() {
            facts.insert(0, TopFact { title: String::new(), text, note: String::new(), class });
            continue;
        }
        let (text, note) = match text.split_once(" (") {
            Some((text, ago)) => (text.to_owned(), format!("({ago}")),
            None => (text, String::new()),
        };
        let fact = TopFact { title, text, note, class: None };
        if fact.title == "AGE" { age = Some(fact) } else { facts.push(fact) }
    }
    facts.truncate(TOP_MAX - 1);
    facts.extend(age);
    facts
}

pub(super) fn model(object: &Value, now: Now, client: &Client) -> OverviewModel {
    let overview = summary::overview(object, now);
    let fact = |fact: summary::Fact| {
        let href = fact.link.as_ref().and_then(|to| href(to, client));
        LinkedFact { fact, href }
    };
    let with_time = |condition: condition::Condition| {
        let since = condition.since.map(|at| now.clock(at)).unwrap_or_default();
        (condition, since)
    };
    OverviewModel {
        facts: overview.facts.into_iter().map(fact).collect(),
        containers: overview.containers,
        conditions: condition::conditions(object).into_iter().map(with_time).collect(),
        annotations: overview.annotations,
        finalizers: overview.finalizers,
        data: overview.data,
    }
}

/// The table of its kind, with its panel open.
pub(super) fn href(to: &Reference, client: &Client) -> Option<String> {
    let kind = to.kind_among(&client.kinds()?.kinds)?;
    let namespace = to.namespace.as_deref().filter(|_| kind.namespaced);
    href_of(kind, namespace, &to.name, client)
}

fn href_of(kind: &Kind, namespace: Option<&str>, name: &str, client: &Client) -> Option<String> {
    let place = match namespace {
        Some(namespace) => Place::These(vec![Namespace::parse(namespace).ok()?]),
        None => Place::Cluster,
    };
    Some(
        Location {
            resource: kind.resource.to_string().into(),
            cluster: Some(client.welcome()?.cluster.name.clone()),
            place,
            panel: Some(PanelPlace::named(namespace, name)?),
            ..Location::default()
        }
        .href(),
    )
}

impl Opened {
    /// Owners above, the object, and what belongs to it below.
    pub(super) fn tree(&self, client: &Client, object: &Value, now: Now) -> Vec<TreeRow> {
        let owners = &self.related.owners;
        let mut rows: Vec<TreeRow> = Vec::new();
        for (depth, owner) in owners.iter().rev().enumerate() {
            rows.push(owner_row(owner, depth, client, now));
        }
        let has_branches = !self.related.branches.is_empty();
        if owners.is_empty() && !has_branches {
            return Vec::new();
        }
        let depth = owners.len();
        let (kind, name) = crate::detail::tree::kind_and_name(object);
        let mut here = TreeRow { is_here: true, ..plain(depth, kind, (name, String::new())) };
        if let Some((view, row)) = self.row(client) {
            here = TreeRow { is_here: true, href: None, ..of_row(view, row, &here.kind, depth, now) };
        }
        rows.push(here);
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
        let Some((branch, key)) = self.related.branches.get(at) else { return };
        let Some(view) = client.view(*key) else { return };
        if let Some(note) = refused(client, *key, branch.kind, now) {
            rows.push(TreeRow {
                note: Some(note),
                ..plain(depth, branch.kind.to_owned(), Default::default())
            });
            return;
        }
        let is_ours = |row: &&Row| match (above, &branch.tie) {
            (Some(above), tie) => tie.is_below(row, above),
            (None, tie) => tie.holds(row),
        };
        let mut found: Vec<&Row> = view.table().rows().filter(is_ours).collect();
        // The newest first: of a Deployment's ReplicaSets that is the one that counts.
        found.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.name.cmp(&b.name)));
        let kind = client
            .kinds()
            .and_then(|kinds| kinds.kinds.iter().find(|kind| kind.resource == branch.scope.resource));
        for row in found.iter().take(BRANCH_MAX) {
            let href = kind.and_then(|kind| href_of(kind, row.namespace.as_deref(), &row.name, client));
            rows.push(TreeRow { href, ..of_row(view, row, branch.kind, depth, now) });
            let next = self.related.branches.get(at + 1);
            if next.is_some_and(|(next, _)| matches!(next.tie, Tie::Above { .. })) {
                self.branch(client, at + 1, Some(row), depth + 1, now, rows);
            }
        }
        let more = found.len().saturating_sub(BRANCH_MAX);
        if more > 0 {
            let note = TreeNote { is_locked: false, text: messages::and_more_objects(more) };
            rows.push(TreeRow {
                note: Some(note),
                ..plain(depth, branch.kind.to_owned(), Default::default())
            });
        }
    }

    pub(super) fn events(&self, client: &Client, now: Now) -> EventsModel {
        let Some(key) = self.related.events else { return EventsModel::default() };
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

/// Why a list can't be had.
fn refused(client: &Client, key: ViewKey, kind: &str, now: Now) -> Option<TreeNote> {
    let view = client.view(key)?;
    let state = freshness::of(client, view, now.ms);
    if state.shows_rows() {
        return None;
    }
    let is_locked = matches!(state.worst(), freshness::Freshness::Forbidden { .. });
    let resource = view.subscription().scope().resource.to_string();
    let text = if is_locked {
        messages::may_not_list(&resource, "")
    } else {
        format!("{kind}: {}", messages::NOT_SERVED)
    };
    Some(TreeNote { is_locked, text })
}

/// What an owner is was asked once: its name and age hold, its counts wouldn't.
fn owner_row(owner: &Owner, depth: usize, client: &Client, now: Now) -> TreeRow {
    let reference = &owner.reference;
    let shown = |text: &str| cells::shown(text).into_owned();
    let row = plain(depth, shown(&reference.kind), (shown(&reference.name), String::new()));
    let href = href(reference, client);
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
    let parts = crate::names::parts(row);
    let columns = StatusColumns::of(view.table().columns());
    let ready = columns.ready().and_then(|index| row.cells.get(index));
    let status = columns.read(row).map(|(word, class)| (class, cells::shown(word).into_owned()));
    TreeRow {
        ready: ready.map(|cell| cells::text(cell, now.cluster_s)).unwrap_or_default(),
        status,
        age: row.created.map(|at| now.age(at)).unwrap_or_default(),
        ..plain(depth, kind.to_owned(), (parts.owner.to_owned(), format!("{}{}", parts.hash, parts.suffix)))
    }
}

fn plain(depth: usize, kind: String, name: (String, String)) -> TreeRow {
    TreeRow {
        depth,
        kind,
        name,
        href: None,
        ready: String::new(),
        status: None,
        age: String::new(),
        is_here: false,
        note: None,
    }
}
