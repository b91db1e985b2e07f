//! What a reader takes along: the kubectl command that shows the same, and the rows as a file.

use crate::column_settings::Source;
use crate::export::Format;
use crate::kubectl::Command;
use crate::messages;
use crate::table_view::Client;
use shared::state::UnixMillis;

use super::Pane;
use crate::effect::{Effect, File};
use crate::model::ExportModel;

impl Pane {
    /// What the popover says; `None` while it is closed.
    pub(super) fn export_model(&self, client: &Client) -> Option<ExportModel> {
        let kind = self.kind().filter(|_| self.screen.shows_export)?;
        let (_, index) = self.displayed.shown(client)?;
        let command = Command::of(&self.place, self.look, kind);
        let (selected, _) = self.selected(client);
        let rows = if selected > 0 { selected } else { index.len() };
        let rows = match &self.log {
            Some(log) => messages::events_to_export(log.len()),
            None => messages::rows_to_export(rows, selected > 0),
        };
        Some(ExportModel {
            line: command.line(),
            words: command.words.into_iter().map(|word| (word.text, word.is_flag)).collect(),
            notes: command.notes,
            rows,
        })
    }

    /// The chosen rows, else those that are shown.
    pub(super) fn export(&self, client: &Client, format: Format, now_ms: UnixMillis) -> Option<Effect> {
        let (kind, (view, index)) = (self.kind()?, self.displayed.shown(client)?);
        let columns: Vec<(String, Source)> =
            self.screen.columns.iter().map(|column| (column.title.clone(), column.source)).collect();
        let selection = &self.screen.selection;
        let entries = index.slots().iter().filter_map(|slot| view.table().entry(*slot));
        // What is being deleted stands there to be seen, and isn't there any more.
        let rows = entries
            .filter(|entry| !entry.is_tombstone())
            .map(|entry| entry.row())
            .filter(|row| selection.is_empty() || selection.has(row.id));
        let text = format.write(&columns, rows, view.cluster_now_s(now_ms, self.is_stale));
        let name = format!("{}.{}", kind.resource, format.extension());
        Some(Effect::Download(File { name, media_type: format.media_type(), text }))
    }
}
