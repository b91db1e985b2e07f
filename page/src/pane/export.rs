//! The popover from which a reader exports: the kubectl command that shows the same, and the rows as a file.

use crate::address::Look;
use crate::effect::{Effect, File};
use crate::export::Format;
use crate::kubectl::Command;
use crate::location::Location;
use crate::messages;
use crate::model::ExportModel;
use crate::query::Source;
use shared::state::UnixMillis;

use super::column::Column;
use super::displayed::Rows;
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
    let entries = rows.index.slots().iter().filter_map(|slot| rows.view.table().entry(*slot));
    // A deleted row is still shown for a while.
    let exported = entries
        .filter(|entry| !entry.is_tombstone())
        .map(|entry| entry.row())
        .filter(|row| selection.is_empty() || selection.has(row.id));
    let text = format.write(&columns, exported, rows.view.cluster_now_s(now_ms, is_stale));
    let name = format!("{}.{}", rows.kind.resource, format.extension());
    Effect::Download(File { name, media_type: format.media_type(), text })
}
