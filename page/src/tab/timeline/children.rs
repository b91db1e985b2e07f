//! What belongs into the timeline of an object beside its own changes: the changes of what it owns, from when its panel
//! was opened, and the Events of both, which are asked for when the timeline is looked at. Never an entry of the object.

use std::collections::BTreeSet;

use replica::client::ViewKey;
use replica::now::Now;
use shared::frame::client::RowDetail;
use shared::frame::timeline::{Entry, EntryType};
use shared::name::ClusterName;
use shared::row::Row;
use shared::scope::Scope;
use shared::selector::LabelSelector;
use shared::state::UnixMillis;

use crate::detail;
use crate::detail::event::{self, Event};
use crate::detail::history::{self, Subject};
use crate::detail::tree::{self, Branch, Tie};
use crate::limits::{PANEL_CHILD_ENTRIES_MAX, PANEL_CHILD_NAMES_MAX};
use crate::messages;
use crate::panel::object::{PanelObject, open_rows, uid};
use crate::panel::recorded::OfRecord;
use crate::tab::overview::link::Links;
use crate::table_view::Client;

#[derive(Default)]
pub(super) struct Children {
    /// What they were opened for.
    of: Option<Of>,
    kinds: Vec<ChildKind>,
    /// Those of the object, and then of each kind of children.
    events: Vec<ViewKey>,
    /// Kind and name of each, also of those that are gone.
    names: BTreeSet<(&'static str, Box<str>)>,
    /// The timeline was looked at.
    is_looked_at: bool,
}

#[derive(PartialEq)]
struct Of {
    uid: Option<Box<str>>,
    selector: Option<LabelSelector>,
    cluster: Option<ClusterName>,
    at_ms: Option<UnixMillis>,
}

/// The objects of a kind that the panel's object owns: their rows, and the log of those with its labels.
struct ChildKind {
    branch: Branch,
    rows: ViewKey,
    log: ViewKey,
}

/// An entry of a child's log.
pub(super) struct ChildEntry<'a> {
    /// Unique in the panel.
    pub(super) number: u64,
    pub(super) kind: &'static str,
    pub(super) entry: &'a Entry,
}

/// The numbers of the entries of children are above those of the object's own logs.
const CHILD_NUMBERS: u64 = 1 << 56;

impl Children {
    pub(super) fn keys(&self) -> Vec<ViewKey> {
        self.kinds.iter().flat_map(|kind| [kind.rows, kind.log]).chain(self.events.iter().copied()).collect()
    }

    pub(super) fn look(&mut self) {
        self.is_looked_at = true;
    }

    /// Returns the views that the panel no longer uses.
    pub(super) fn follow(&mut self, object: &PanelObject, client: &mut Client, now: Now) -> Vec<ViewKey> {
        let Some(value) = object.value.as_deref() else { return Vec::new() };
        let cluster = object.cluster.clone();
        let Some(served) = client.kinds_of(cluster.as_ref()).map(|kinds| kinds.kinds.clone()) else {
            return Vec::new();
        };
        let in_scope = cluster.as_ref().and_then(|name| client.in_scope(name));
        let in_cluster = |scope: Scope| Scope { cluster: in_scope.clone(), ..scope };
        let at_ms = object.at_ms;
        let of = Of { uid: uid(value).map(Into::into), selector: tree::selector(value), cluster, at_ms };
        let mut left = Vec::new();
        if self.of.as_ref() != Some(&of) {
            left = self.keys();
            *self = Self { is_looked_at: self.is_looked_at, ..Self::default() };
            let row = object.view(client).and_then(|view| view.row);
            for branch in tree::branches(value, row, &served) {
                let Some(selector) = of.selector.clone().filter(|_| branch.title == messages::CHILDREN)
                else {
                    continue;
                };
                let branch = Branch { scope: in_cluster(branch.scope), ..branch };
                // The same rows as the overview has, so that they come once.
                let columns = (branch.columns.clone(), RowDetail::Changes);
                let rows = client.open_at(branch.scope.clone(), &[], columns, at_ms, now);
                let scope = Scope { labels: Some(selector), ..branch.scope.clone() };
                self.kinds.push(ChildKind { rows, log: client.open_timeline(scope, None, now), branch });
            }
            self.of = Some(of);
        }
        // The record is asked for those of a time by itself.
        if self.is_looked_at && self.events.is_empty() && at_ms.is_none() {
            let own = event::scope(value, &served);
            let of_kind = |kind: &ChildKind| event::scope_of_kind(value, kind.branch.kind, &served);
            let scopes: Vec<Scope> = own.into_iter().chain(self.kinds.iter().filter_map(of_kind)).collect();
            let open = |scope| open_rows(client, in_cluster(scope), None, now);
            self.events = scopes.into_iter().map(open).collect();
        }
        self.note_names(client);
        let held = self.keys();
        left.into_iter().filter(|key| !held.contains(key)).collect()
    }

    fn note_names(&mut self, client: &Client) {
        let mut above: Vec<&Row> = Vec::new();
        for ChildKind { branch, rows, .. } in &self.kinds {
            let Some(view) = client.view(*rows) else { return };
            let is_own = |row: &&Row| match branch.tie {
                Tie::Above { .. } => above.iter().any(|above| branch.tie.is_below(row, above)),
                _ => branch.tie.holds(row),
            };
            let own: Vec<&Row> = view.table().rows().filter(is_own).collect();
            for row in &own {
                if self.names.len() < PANEL_CHILD_NAMES_MAX {
                    self.names.insert((branch.kind, row.name.clone()));
                }
            }
            above = own;
        }
    }

    fn has(&self, kind: &'static str, name: &str) -> bool {
        self.names.contains(&(kind, Box::from(name)))
    }

    /// The newest ones of each kind, and the gaps in their logs.
    pub(super) fn entries<'a>(&'a self, client: &'a Client) -> Vec<ChildEntry<'a>> {
        let mut found = Vec::new();
        for (at, ChildKind { branch, log, .. }) in (1_u64..).zip(&self.kinds) {
            let Some(log) = client.timeline(*log) else { continue };
            let is_own = |entry: &Entry| match entry.kind {
                EntryType::Gap => true,
                _ => {
                    !entry.earlier
                        && history::is_change(entry)
                        && entry.name.as_deref().is_some_and(|name| self.has(branch.kind, name))
                }
            };
            let entries =
                log.entries().rev().filter(|(_, entry)| is_own(entry)).take(PANEL_CHILD_ENTRIES_MAX);
            found.extend(entries.map(|(number, entry)| ChildEntry {
                number: at * CHILD_NUMBERS + number,
                kind: branch.kind,
                entry,
            }));
        }
        found
    }

    /// Each with the child that it is about; without one it is about the object.
    pub(super) fn events(
        &self,
        client: &Client,
        now: detail::Now,
    ) -> Vec<(Option<(&'static str, String)>, Event)> {
        let mut found = Vec::new();
        for (at, key) in self.events.iter().enumerate() {
            let Some(view) = client.view(*key) else { continue };
            let columns = view.table().columns();
            let object = columns.iter().position(|column| column.name.eq_ignore_ascii_case("object"));
            // The first view is of the object itself.
            let kind = at.checked_sub(1).and_then(|at| self.kinds.get(at)).map(|kind| kind.branch.kind);
            let is_of_child = |row: &Row| {
                let text = object
                    .and_then(|at| row.cells.get(at))
                    .map(|cell| crate::cells::text(cell, now.cluster_s));
                let name = text.as_deref().and_then(|text| text.split_once('/')).map(|(_, name)| name);
                kind.zip(name).is_some_and(|(kind, name)| self.has(kind, name))
            };
            let rows = view.table().rows().filter(|row| at == 0 || is_of_child(row));
            let (events, _) = event::events(columns, rows, now.cluster_s);
            for event in events {
                let name = event.object.split_once('/').map(|(_, name)| name.to_owned());
                found.push((kind.zip(name), event));
            }
        }
        found
    }

    /// The Events about the object itself that the gateway's record has and its table hasn't.
    pub(super) fn events_of_record(
        &self,
        object: &PanelObject,
        client: &Client,
        now: detail::Now,
    ) -> Vec<Event> {
        // The first view is of the object itself.
        let table = self.events.first().and_then(|key| client.view(*key)).map(|view| view.table());
        if table.is_none() && object.at_ms.is_none() {
            return Vec::new();
        }
        let is_held = |row| table.is_some_and(|table| table.slot_of(row).is_some());
        let lines = object.recorded.events.before(object.at_ms, is_held);
        let events = lines.into_iter().filter_map(|line| match line {
            OfRecord::Event(event) => Some(event::of_record(event, now.cluster_s)),
            // The record of the object's kind names its own.
            OfRecord::Gap(_) => None,
        });
        events.collect()
    }

    /// How the timeline calls a child. `owner`: the name of the object.
    pub(super) fn subject(&self, kind: &'static str, name: &str, owner: &str, links: Links<'_>) -> Subject {
        let of_kind = self.kinds.iter().find(|held| held.branch.kind == kind);
        let href = of_kind.and_then(|held| {
            let scope = &held.branch.scope;
            let kind = links.kinds()?.iter().find(|kind| kind.serves(&scope.resource))?;
            links.to_object(kind, scope.namespaces.only().map(|name| name.as_str()), name)
        });
        let own = name.strip_prefix(owner).filter(|own| own.starts_with('-'));
        Subject {
            kind: kind.to_owned(),
            name: crate::cells::shown(&own.map_or_else(|| name.to_owned(), |own| format!("…{own}")))
                .into_owned(),
            whole: crate::cells::shown(name).into_owned(),
            href,
        }
    }
}
