//! One namespace of a table that may not be read as a whole, or one cluster of several: its own rows, and which of them
//! the view shows.

use std::sync::Arc;

use shared::cell::Cell;
use shared::column::Column;
use shared::frame::server::Rows;
use shared::name::{ClusterName, Namespace};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use crate::events::ViewKey;
use crate::subscription::Subscription;
use crate::table::{Broken, Delta, Table, clusters};
use crate::view::Source;

/// One namespace or one cluster of a view.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) view: ViewKey,
    pub(crate) source: Source,
    /// In a view of several clusters.
    pub(crate) cluster: Option<ClusterName>,
    /// How its rows stand in the view's table. They don't stand there while it is refused, nor while the view has
    /// columns that aren't its own.
    shown: Option<Shown>,
}

/// How the rows of a part stand in the view's table.
#[derive(Debug)]
struct Shown {
    /// Names the rows in a view of several clusters.
    cluster: Option<ClusterName>,
    /// The part's own columns.
    own: Arc<[Column]>,
    /// The place of each of its columns in a view of several clusters.
    places: Vec<usize>,
    /// How many columns such a view has.
    width: usize,
}

impl Part {
    pub(super) fn new(view: ViewKey, cluster: Option<ClusterName>, subscription: Subscription) -> Self {
        Self { view, source: Source::new(subscription), cluster, shown: None }
    }

    /// Its view has dropped its rows already, or will.
    pub(super) fn purge(&mut self) {
        self.source.table = Table::default();
        self.shown = None;
    }

    /// The view's columns are others from now on.
    pub(super) fn hide(&mut self) {
        self.shown = None;
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Its own parts have the rows.
    pub(super) fn is_split(&self) -> bool {
        !self.source.subscription.phase.parts().is_empty()
    }

    pub(crate) fn namespace(&self) -> Option<&Namespace> {
        self.source.subscription.scope.namespaces.only()
    }

    /// Applies a frame, and returns how the view's table has to change; `None` where the part's rows don't
    /// stand there under these columns.
    pub(super) fn apply(&mut self, frame: Rows, now_ms: UnixMillis) -> Result<Option<Rows>, Broken> {
        let delta = self.source.table.apply(frame)?;
        self.source.changed_ms = Some(now_ms);
        if delta.cut {
            let subscription = &mut self.source.subscription;
            subscription.held.set(subscription.at_ms);
        }
        let shown = self.shown.as_ref().filter(|shown| shown.is_of(&self.source.table));
        let changes = shown.map(|shown| shown.changes(&self.source.table, &delta));
        if changes.is_none() && delta.gap.is_some() {
            // The view hears of it with the part's rows.
            self.source.subscription.gap = delta.gap;
        }
        for slot in delta.removed {
            self.source.table.remove_tombstone(slot);
        }
        Ok(changes)
    }

    /// Whether its rows can stand in a view that has its columns.
    pub(super) fn can_show(&self) -> bool {
        self.source.shows_rows() && (self.cluster.is_none() || self.source.table.is_whole())
    }

    /// Whether its rows stand in the view's table as they should.
    pub(super) fn is_settled(&self) -> bool {
        self.is_shown() == self.can_show() && !self.has_other_columns()
    }

    /// Its rows stand in the view's table under columns that it has no longer.
    pub(super) fn has_other_columns(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| !shown.is_of(&self.source.table))
    }

    /// Adds its rows to a view with these columns, or takes them out.
    pub(super) fn show_or_hide(&mut self, columns: &Arc<[Column]>, changes: &mut Rows) {
        let own = self.source.table.own_columns();
        let shows = self.can_show() && (self.cluster.is_some() || own == columns);
        match (&self.shown, shows) {
            (None, true) => {
                let places = if self.cluster.is_some() { places(own, columns) } else { Vec::new() };
                let cluster = self.cluster.clone();
                let shown = Shown { cluster, own: own.clone(), places, width: columns.len() };
                changes.put.extend(self.source.table.rows().map(|row| shown.in_view(row)));
                self.shown = Some(shown);
                changes.gap = self.source.subscription.gap.take().or(changes.gap.take());
            }
            (Some(_), false) => {
                self.take_out(changes);
            }
            _ => return,
        }
        changes.resource_version = resource_version(&self.source.table);
    }

    /// Takes its rows out of the view's table.
    pub(super) fn take_out(&mut self, changes: &mut Rows) {
        if let Some(shown) = self.shown.take() {
            changes.delete.extend(self.source.table.rows().map(|row| shown.id_of(row)));
        }
    }
}

impl Shown {
    /// Whether the part still has the columns under which its rows stand there.
    fn is_of(&self, table: &Table) -> bool {
        self.own == *table.own_columns()
    }

    /// How the view's table changes with the part's.
    fn changes(&self, table: &Table, delta: &Delta) -> Rows {
        let row = |slot| Some(table.entry(slot)?.row());
        let put = delta.added.iter().copied().chain(delta.changed.iter().map(|changed| changed.slot));
        Rows {
            put: put.filter_map(row).map(|row| self.in_view(row)).collect(),
            delete: delta.removed.iter().copied().filter_map(row).map(|row| self.id_of(row)).collect(),
            masked: delta.masked.iter().copied().filter_map(row).map(|row| self.id_of(row)).collect(),
            resource_version: delta.resource_version.clone(),
            gap: delta.gap.clone(),
            ..Rows::default()
        }
    }

    /// The id of a row in the view's table.
    fn id_of(&self, row: &Row) -> RowId {
        self.cluster.as_ref().map_or(row.id, |cluster| clusters::row_id(row.id, cluster))
    }

    /// A row as it stands in the view's table. A cell that only other clusters have is empty.
    fn in_view(&self, row: &Row) -> Row {
        let Some(cluster) = &self.cluster else { return row.clone() };
        let mut cells = vec![Cell::Null; self.width];
        let named = (Some(&0), Cell::text(cluster.as_str()));
        let own = row.cells.iter().enumerate().map(|(at, cell)| (self.places.get(at), cell.clone()));
        for (place, cell) in std::iter::once(named).chain(own) {
            if let Some(empty) = place.and_then(|place| cells.get_mut(*place)) {
                *empty = cell;
            }
        }
        let Row { resource_version, namespace, name, created, extra, .. } = row.clone();
        Row { id: self.id_of(row), resource_version, namespace, name, created, cells, extra }
    }
}

fn resource_version(table: &Table) -> ResourceVersion {
    table.token().map(|token| token.resource_version.clone()).unwrap_or_default()
}

/// The columns of a table of several clusters: CLUSTER, then those of the first one, then what the others have besides.
/// Columns of one name are one column; a kind may have two of one name.
pub(super) fn union<'a>(tables: impl Iterator<Item = &'a Table>) -> Arc<[Column]> {
    let mut all = vec![clusters::column()];
    for table in tables {
        let own = table.own_columns();
        let missing = own.iter().zip(places(own, &all)).filter(|(_, place)| *place == NOWHERE);
        let missing: Vec<Column> = missing.map(|(column, _)| column.clone()).collect();
        all.extend(missing);
    }
    all.into()
}

const NOWHERE: usize = usize::MAX;

/// Where each of these columns stands in a table of several clusters.
fn places(own: &[Column], columns: &[Column]) -> Vec<usize> {
    let mut taken = vec![false; columns.len()];
    let mut place = |column: &Column| {
        // The first one names the cluster, whatever a kind calls its own columns.
        let mut free = columns.iter().zip(&mut taken).enumerate().skip(1);
        let found = free.find(|(_, (other, is_taken))| !**is_taken && is_same(other, column));
        found.map_or(NOWHERE, |(place, (_, is_taken))| {
            *is_taken = true;
            place
        })
    };
    own.iter().map(&mut place).collect()
}

fn is_same(one: &Column, other: &Column) -> bool {
    one.name == other.name && one.path == other.path
}
