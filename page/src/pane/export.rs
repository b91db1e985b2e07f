//! The popover from which a reader exports: the kubectl command that shows the same, and the rows as a file.

use crate::address::Look;
use crate::clipboard::Clip;
use crate::effect::{Effect, File};
use crate::export::{self, Format};
use crate::kubectl::Command;
use crate::location::Location;
use crate::messages;
use crate::model::ExportModel;
use crate::query::Source;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::column::Column;
use super::displayed::Rows;
use super::grid::Grid;
use super::selection::Selection;

/// `event_count`: of the log, if that is shown.
pub(super) fn popover(
    place: &Location,
    rows: &Rows<'_>,
    selection: &Selection,
    event_count: Option<usize>,
) -> ExportModel {
    let look = if event_count.is_some() { Look::Log } else { Look::Table };
    let command = Command::of(place, look, rows.kind);
    let (selected, _) = selection.count(rows);
    let row_count = if selected > 0 { selected } else { rows.index.len() };
    ExportModel {
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
    (now_ms, is_stale): (UnixMillis, bool),
) -> Effect {
    let columns: Vec<(String, Source)> =
        columns.iter().map(|column| (column.title.clone(), column.source)).collect();
    let exported = exported(rows, selection);
    let text = format.write(&columns, exported, rows.view.cluster_now_s(now_ms, is_stale));
    let name = format!("{}.{}", rows.kind.resource, format.extension());
    Effect::Download(File { name, media_type: format.media_type(), text })
}

/// The name of this row. `None`: the selected rows, or the focused row's name.
pub(super) fn copy(
    rows: &Rows<'_>,
    grid: &Grid,
    row: Option<RowId>,
    (now_ms, is_stale): (UnixMillis, bool),
) -> Option<Clip> {
    if row.is_none() && !grid.selection.is_empty() {
        let columns: Vec<Source> = grid.columns.shown.iter().map(|column| column.source).collect();
        let cluster_now = rows.view.cluster_now_s(now_ms, is_stale);
        return Some(Clip::Text(export::tsv(&columns, exported(rows, &grid.selection), cluster_now)));
    }
    let table = rows.view.table();
    let row = table.entry(table.slot_of(row.or(grid.focus.row)?)?)?.row();
    Some(Clip::Text(row.name.to_string()))
}

/// The selected rows, or all shown rows if none is selected. A deleted row is still shown for a while.
fn exported<'a>(rows: &Rows<'a>, selection: &'a Selection) -> impl Iterator<Item = &'a Row> {
    let (table, slots) = (rows.view.table(), rows.index.slots());
    let entries = slots.iter().filter_map(|slot| table.entry(*slot)).filter(|entry| !entry.is_tombstone());
    entries.map(|entry| entry.row()).filter(|row| selection.is_empty() || selection.has(row.id))
}
