//! What of a pane its reader takes along: the view that the export menu is about, and the rows that are selected or shown.
//! Never what a file or a command looks like.

use shared::duration::UnixSeconds;
use shared::name::ClusterName;
use shared::row::{Row, RowId};

use super::displayed::Rows;
use super::grid::Grid;
use super::selection::Selection;
use crate::address;
use crate::clipboard::Clip;
use crate::effect::File;
use crate::export::part::{Count, Exported, Part};
use crate::export::{self, Format, ViewColumns};
use crate::model::ExportModel;
use crate::query::Source;
use crate::table_view::Client;

/// The view that the menu is about.
pub(super) struct ShownView<'a> {
    pub(super) address: address::Pane,
    pub(super) clusters: &'a [ClusterName],
    /// The reader or the link chose the columns.
    pub(super) are_columns_chosen: bool,
    /// How many changes there are, if they are shown.
    pub(super) event_count: Option<usize>,
}

/// Without the piece of the program that the menu comes with, nothing stands in it.
pub(super) fn menu(
    part: Option<Part>,
    shown: ShownView<'_>,
    (rows, grid): (&Rows<'_>, &Grid),
    client: &Client,
) -> ExportModel {
    let Some(part) = part else { return ExportModel::default() };
    let ShownView { address, clusters, are_columns_chosen, event_count } = shown;
    let sources: Vec<Source> = columns(grid).into_iter().map(|(_, source)| source).collect();
    let columns = ViewColumns {
        table: rows.view.table().columns(),
        shown: &sources,
        is_chosen: are_columns_chosen,
        has_namespace: rows.has_namespaces(),
    };
    let count = match event_count {
        Some(events) => Count::Events(events),
        None => Count::Rows {
            rows: exported(rows, grid.selection()).count(),
            are_selected: !grid.selection().is_empty(),
        },
    };
    let (kind, sort) = (rows.kind, rows.index.sort());
    (part.menu)(Exported { address, kind, clusters, sort, columns, count }, client)
}

/// A file of the selected rows, or of all shown rows if none is selected.
pub(super) fn file(
    format: Format,
    rows: &Rows<'_>,
    grid: &Grid,
    clock: impl Fn(&Row) -> UnixSeconds,
) -> File {
    File {
        name: format!("{}.{}", rows.kind.resource, format.extension()),
        media_type: format.media_type(),
        text: format.write(&columns(grid), exported(rows, grid.selection()), clock),
    }
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
    Clip::Rows(export::tsv(&columns(grid), exported(rows, grid.selection()), clock))
}

/// The shown columns with their titles.
fn columns(grid: &Grid) -> Vec<(String, Source)> {
    grid.columns().shown().iter().map(|column| (column.title.clone(), column.source)).collect()
}

/// The selected rows, also those that the filter hides, or all shown rows if none is selected. A deleted row is still
/// shown for a while.
fn exported<'a>(rows: &Rows<'a>, selection: &'a Selection) -> impl Iterator<Item = &'a Row> {
    let table = rows.view.table();
    let slots = if selection.is_empty() { rows.index.slots() } else { rows.index.all() };
    let entries = slots.iter().filter_map(|slot| table.entry(*slot)).filter(|entry| !entry.is_tombstone());
    entries.map(|entry| entry.row()).filter(|row| selection.is_empty() || selection.has(row.id))
}
