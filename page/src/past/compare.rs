//! What differs between two times of a view: the rows that came, that went, and that changed, with their cells. An object
//! that was deleted and made again under its name is one row. Never a subscription: both tables are given.

use std::collections::{BTreeMap, BTreeSet};

use replica::freshness::{self, AsOf, Freshness, Record};
use replica::table::Table;
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::model::{ComparedCell, ComparedRow, Group, GroupKind, ViewComparison};
use super::words;
use crate::cells;
use crate::location::PanelPlace;
use crate::messages::{self, Zone};
use crate::query::Filter;
use crate::status::{Class, RowHealth, StatusColumns};
use crate::table_view::{Client, View};

/// Two views that are compared, in the order of their times, and what the words about them need.
pub(super) struct Sides<'a> {
    pub(super) client: &'a Client,
    pub(super) from: &'a View,
    pub(super) to: &'a View,
    /// The pane's filter.
    pub(super) filter: &'a str,
    /// The address of an object's panel.
    pub(super) href: &'a dyn Fn(PanelPlace) -> Option<String>,
    pub(super) now_ms: UnixMillis,
    pub(super) zone: Zone,
}

/// Rows that are shown of a group: the filter leaves fewer.
const ROWS_MAX: usize = 200;
/// Cells that are shown of a row that came or went.
const CELLS_MAX: usize = 4;

pub(super) fn compare(sides: &Sides<'_>) -> ViewComparison {
    let titles = |view: &View| match view.subscription().at_ms {
        Some(at_ms) => messages::instant(sides.client.local_ms(at_ms), sides.now_ms, sides.zone),
        None => words::now_at(&messages::instant(sides.now_ms, sides.now_ms, sides.zone)),
    };
    let empty = ViewComparison {
        from: titles(sides.from),
        to: titles(sides.to),
        resource: sides.from.subscription().scope.resource.to_string(),
        ..ViewComparison::default()
    };
    match [sides.from, sides.to].into_iter().find_map(|view| why_not(view, sides)) {
        Some((note, is_waiting)) => ViewComparison { note, is_waiting, ..empty },
        None => differences(sides, empty),
    }
}

/// Why a side can't be compared yet, or at all; with whether its rows are on their way.
fn why_not(view: &View, sides: &Sides<'_>) -> Option<(String, bool)> {
    let at = |ms| messages::instant(ms, sides.now_ms, sides.zone);
    match freshness::of(sides.client, view, sides.now_ms) {
        Freshness::Past(as_of) => {
            let AsOf { at_ms, record, .. } = *as_of;
            match record {
                Record::Of { .. } => None,
                Record::Reading { .. } => Some((words::reading_of(&at(at_ms)), true)),
                Record::Missing(gap) => {
                    Some((words::nothing_from_to(&at(gap.from_ms), &at(gap.to_ms), &gap.why), false))
                }
                Record::Refused(problem) => {
                    Some((words::cannot_compare(&at(at_ms), &messages::sentence(&problem.message)), false))
                }
            }
        }
        state if state.shows_rows() && view.table().is_whole() => None,
        state if state.shows_rows() => Some((words::LOADING_NOW.to_owned(), true)),
        _ => Some((words::NOW_IS_NOT_SHOWN.to_owned(), false)),
    }
}

/// A row with the table that has it.
#[derive(Clone, Copy)]
struct Found<'a> {
    side: &'a Side<'a>,
    row: &'a Row,
}

/// The table of one of the two times.
struct Side<'a> {
    table: &'a Table,
    status: StatusColumns,
    /// The cluster's clock, for ages.
    now_s: UnixSeconds,
}

/// A name, which an object that was made again has too.
type Named<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

impl<'a> Side<'a> {
    fn of(view: &'a View, now_ms: UnixMillis) -> Self {
        let table = view.table();
        Self { table, status: StatusColumns::of(table.columns()), now_s: view.cluster_now_s(now_ms, None) }
    }

    /// Those that the filter leaves, and the names of all.
    fn rows(&'a self, filter: &str) -> (BTreeMap<Named<'a>, Found<'a>>, BTreeSet<Named<'a>>) {
        let mut filter = Filter::parse(filter);
        filter.bind(self.table.columns(), None);
        let (mut all, mut matching) = (BTreeMap::new(), BTreeSet::new());
        let there = self.table.iter().map(|(_, entry)| entry).filter(|entry| !entry.is_tombstone());
        for entry in there {
            let row = entry.row();
            let named = (self.table.cluster_of(row), row.namespace.as_deref(), &*row.name);
            if filter.is_empty() || filter.matches(entry, self.now_s) {
                matching.insert(named);
            }
            all.insert(named, Found { side: self, row });
        }
        (all, matching)
    }
}

impl Found<'_> {
    fn class(&self) -> Class {
        let read = self.side.status.read(self.row, self.side.now_s).map(|(_, class)| class);
        read.unwrap_or_else(|| RowHealth::of(self.row, self.side.now_s).class())
    }

    fn text(&self, at: usize) -> String {
        self.row.cells.get(at).map(|cell| cells::text(cell, self.side.now_s)).unwrap_or_default()
    }

    fn id(&self) -> RowId {
        self.row.id
    }
}

fn differences(sides: &Sides<'_>, empty: ViewComparison) -> ViewComparison {
    let (from, to) = (Side::of(sides.from, sides.now_ms), Side::of(sides.to, sides.now_ms));
    let (before, matching_before) = from.rows(sides.filter);
    let (after, matching_after) = to.rows(sides.filter);
    let matches = |named: &Named<'_>| matching_before.contains(named) || matching_after.contains(named);
    let (mut came, mut went, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut unseen, mut same) = (0, 0);
    for (named, now) in after.iter().filter(|(named, _)| matches(named)) {
        match before.get(named) {
            None => came.push((*now, compared_row(sides, *now, alone(now, false)))),
            Some(then) => {
                let is_recreated = then.id() != now.id();
                let cells = changed_cells(then, now);
                if !cells.is_empty() || is_recreated {
                    let row = ComparedRow { is_recreated, ..compared_row(sides, *now, cells) };
                    changed.push((*now, row));
                } else if then.row.resource_version == now.row.resource_version {
                    same += 1;
                } else {
                    unseen += 1;
                }
            }
        }
    }
    for (_, then) in before.iter().filter(|(named, _)| matches(named) && !after.contains_key(*named)) {
        went.push((*then, compared_row(sides, *then, alone(then, true))));
    }
    let groups = [(GroupKind::Went, went), (GroupKind::Came, came), (GroupKind::Changed, changed)];
    let groups: Vec<Group> = groups
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(kind, rows)| group(kind, rows))
        .collect();
    let note = match (groups.is_empty(), unseen) {
        (true, 0) => words::nothing_differs(same, &empty.resource),
        _ => String::new(),
    };
    ViewComparison { foot: words::compared_foot(unseen, same), groups, note, ..empty }
}

/// What is wrong stands first.
fn group(kind: GroupKind, mut rows: Vec<(Found<'_>, ComparedRow)>) -> Group {
    let health = |found: &Found<'_>| RowHealth::of(found.row, found.side.now_s);
    shared::sorted::sort_by_key(&mut rows, |(found, _)| {
        (health(found), found.row.namespace.clone(), found.row.name.clone())
    });
    let count = rows.len();
    let more = count.saturating_sub(ROWS_MAX);
    let rows = rows.into_iter().take(ROWS_MAX).map(|(_, row)| row).collect();
    Group { kind, count, rows, more: if more > 0 { words::and_more_rows(more) } else { String::new() } }
}

fn compared_row(sides: &Sides<'_>, found: Found<'_>, cells: Vec<ComparedCell>) -> ComparedRow {
    let Found { side, row } = found;
    let shown = |text: &str| cells::shown(text).into_owned();
    let panel = PanelPlace::of_row(row, side.table);
    let href = panel.and_then(|panel| (sides.href)(panel));
    ComparedRow {
        id: row.id.to_string(),
        class: found.class(),
        cluster: side.table.cluster_of(row).map(shown).unwrap_or_default(),
        namespace: row.namespace.as_deref().map(shown).unwrap_or_default(),
        name: shown(&row.name),
        href,
        is_recreated: false,
        cells,
    }
}

/// The columns that tell rows apart, by their places.
pub(super) fn told(columns: &[Column]) -> impl Iterator<Item = (usize, &Column)> {
    let is_name =
        |column: &Column| &*column.format == "name" || replica::table::clusters::names_clusters(column);
    columns.iter().enumerate().filter(move |(_, column)| !is_name(column))
}

/// What stood in a row that is on one side alone.
fn alone(found: &Found<'_>, is_old: bool) -> Vec<ComparedCell> {
    let columns = told(found.side.table.columns()).filter(|(_, column)| !column.is_wide());
    let cell = |(at, column): (usize, &Column)| {
        let text = found.text(at);
        let (old, new) = if is_old { (text, String::new()) } else { (String::new(), text) };
        ComparedCell { title: column.title(), old, new, is_alone: true }
    };
    let is_said = |cell: &ComparedCell| !matches!(&*cell.old, "<none>") && !matches!(&*cell.new, "<none>");
    columns.map(cell).filter(is_said).take(CELLS_MAX).collect()
}

fn changed_cells(then: &Found<'_>, now: &Found<'_>) -> Vec<ComparedCell> {
    let columns = told(now.side.table.columns());
    let places = then.side.table.columns();
    let changed = columns.filter_map(|(at, column)| {
        // A column of one side alone says nothing of a change.
        let before = places.iter().position(|other| other.name == column.name)?;
        // An age is the same while its instant is.
        let is_same = then.row.cells.get(before)? == now.row.cells.get(at)?;
        (!is_same).then(|| ComparedCell {
            title: column.title(),
            old: then.text(before),
            new: now.text(at),
            is_alone: false,
        })
    });
    changed.filter(|cell| cell.old != cell.new).collect()
}
