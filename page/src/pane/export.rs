//! The popover from which a reader exports: the kubectl command that shows the same, and the rows as a file.

use crate::address::Look;
use crate::column_settings::Source;
use crate::effect::{Effect, File};
use crate::export::Format;
use crate::kubectl::Command;
use crate::location::Location;
use crate::messages;
use crate::model::ExportModel;
use shared::state::UnixMillis;

use super::column::Column;
use super::displayed::Rows;
use super::selection::Selection;

#[derive(Default)]
pub(super) struct ExportPopover {
    pub(super) is_open: bool,
}

impl ExportPopover {
    /// `None` while it is closed. `event_count`: of the log, where that is shown.
    pub(super) fn model(
        &self,
        place: &Location,
        rows: &Rows<'_>,
        selection: &Selection,
        event_count: Option<usize>,
    ) -> Option<ExportModel> {
        let look = if event_count.is_some() { Look::Log } else { Look::Table };
        let command = self.is_open.then(|| Command::of(place, look, rows.kind))?;
        let (selected, _) = selection.count(rows);
        let row_count = if selected > 0 { selected } else { rows.index.len() };
        Some(ExportModel {
            line: command.line(),
            words: command.words.into_iter().map(|word| (word.text, word.is_flag)).collect(),
            notes: command.notes,
            rows: match event_count {
                Some(count) => messages::events_to_export(count),
                None => messages::rows_to_export(row_count, selected > 0),
            },
        })
    }
}

/// The selected rows, else those that are shown.
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
    // A deleted row stands there to be seen, and isn't there any more.
    let exported = entries
        .filter(|entry| !entry.is_tombstone())
        .map(|entry| entry.row())
        .filter(|row| selection.is_empty() || selection.has(row.id));
    let text = format.write(&columns, exported, rows.view.cluster_now_s(now_ms, is_stale));
    let name = format!("{}.{}", rows.kind.resource, format.extension());
    Effect::Download(File { name, media_type: format.media_type(), text })
}
