//! The menu from which a reader takes a view along: its link, the kubectl command that shows the same, and the rows.

use crate::address;
use crate::clipboard::Clip;
use crate::column_settings::ColumnSettings;
use crate::effect::{Effect, File};
use crate::export::{self, Format};
use crate::kubectl::{self, Command, Subject, ViewColumns};
use crate::messages;
use crate::model::ExportModel;
use crate::query::Source;
use crate::query::sort::column_key;
use crate::snippet;
use crate::table_view::Client;
use shared::duration::UnixSeconds;
use shared::name::ClusterName;
use shared::row::{Row, RowId};

use super::column::Column;
use super::displayed::Rows;
use super::grid::Grid;
use super::selection::Selection;

/// The menu, open or closed.
#[derive(Default)]
pub(super) struct ExportMenu {
    is_open: bool,
}

impl ExportMenu {
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn show(&mut self, is_open: bool) {
        self.is_open = is_open;
    }
}

/// What the menu is about.
pub(super) struct Exported<'a> {
    pub(super) address: address::Pane,
    pub(super) clusters: &'a [ClusterName],
    pub(super) rows: &'a Rows<'a>,
    pub(super) grid: &'a Grid,
    pub(super) settings: &'a ColumnSettings,
    /// How many changes there are, if they are shown.
    pub(super) event_count: Option<usize>,
}

pub(super) fn menu(exported: Exported<'_>, client: &Client) -> ExportModel {
    let Exported { address, clusters, rows, grid, settings, event_count } = exported;
    let shown: Vec<Source> = grid.columns().shown().iter().map(|column| column.source).collect();
    let order = rows.index.sort().map(|sort| {
        let mut columns = rows.view.table().columns().iter();
        let sorted = columns.rfind(|column| column_key(&column.name) == *sort.column);
        sorted.map_or_else(|| sort.column.to_string(), |column| column.title())
    });
    let command = Command::of(Subject {
        location: &address.location,
        look: address.look,
        kind: rows.kind,
        context: kubectl::context(client, clusters.first()),
        other_contexts: clusters
            .iter()
            .skip(1)
            .map(|name| kubectl::context(client, Some(name)).unwrap_or(name.as_str()))
            .collect(),
        order: order.as_deref(),
        columns: ViewColumns {
            table: rows.view.table().columns(),
            shown: &shown,
            is_chosen: settings.cols().is_some(),
            has_namespace: rows.has_namespaces(),
        },
    });
    let (selected, _) = grid.selection().count(rows);
    let row_count = if selected > 0 { selected } else { rows.index.len() };
    ExportModel {
        link: address.href(),
        element: snippet::element(address),
        line: command.line(),
        words: command.words,
        notes: command.notes,
        rows: match event_count {
            Some(count) => messages::events_to_export(count),
            None => messages::rows_to_export(row_count, selected > 0),
        },
    }
}

/// A file of the selected rows, or of all shown rows if none is selected.
pub(super) fn download(
    format: Format,
    rows: &Rows<'_>,
    columns: &[Column],
    selection: &Selection,
    clock: impl Fn(&Row) -> UnixSeconds,
) -> Effect {
    let columns: Vec<(String, Source)> =
        columns.iter().map(|column| (column.title.clone(), column.source)).collect();
    let exported = exported(rows, selection);
    let text = format.write(&columns, exported, clock);
    let name = format!("{}.{}", rows.kind.resource, format.extension());
    Effect::Download(File { name, media_type: format.media_type(), text })
}

/// The name of this row. `None`: the selected rows, or the focused row's name.
pub(super) fn copy(
    rows: &Rows<'_>,
    grid: &Grid,
    row: Option<RowId>,
    clock: impl Fn(&Row) -> UnixSeconds,
) -> Option<Clip> {
    if row.is_none() && !grid.selection().is_empty() {
        return Some(copy_rows(rows, grid, clock));
    }
    let table = rows.view.table();
    let row = table.entry(table.slot_of(row.or(grid.row())?)?)?.row();
    Some(Clip::Text(row.name.to_string()))
}

/// The selected rows, or all shown rows, as a spreadsheet pastes them.
pub(super) fn copy_rows(rows: &Rows<'_>, grid: &Grid, clock: impl Fn(&Row) -> UnixSeconds) -> Clip {
    let columns: Vec<Source> = grid.columns().shown().iter().map(|column| column.source).collect();
    Clip::Rows(export::tsv(&columns, exported(rows, grid.selection()), clock))
}

/// The selected rows, also those that the filter hides, or all shown rows if none is selected. A deleted row is still
/// shown for a while.
fn exported<'a>(rows: &Rows<'a>, selection: &'a Selection) -> impl Iterator<Item = &'a Row> {
    let table = rows.view.table();
    let slots = if selection.is_empty() { rows.index.slots() } else { rows.index.all() };
    let entries = slots.iter().filter_map(|slot| table.entry(*slot)).filter(|entry| !entry.is_tombstone());
    entries.map(|entry| entry.row()).filter(|row| selection.is_empty() || selection.has(row.id))
}
