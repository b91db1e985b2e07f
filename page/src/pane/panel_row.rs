//! The object whose panel a row opens, and the way from the panel's row to the next one.

use shared::row::{Row, RowId};

use super::Pane;
use crate::action::Key;
use crate::detail::event;
use crate::location::PanelPlace;
use crate::table_view::Client;

impl Pane {
    /// The panel of this row, or of the focused one, as the address names it.
    pub(crate) fn panel_place(&self, client: &Client, row: Option<RowId>) -> Option<PanelPlace> {
        if let (None, Some(log)) = (row, self.shown_log()) {
            return log.panel_place(client);
        }
        let table = self.displayed.rows(client)?.view.table();
        let row = table.entry(table.slot_of(row.or(self.grid.focus.row)?)?)?.row();
        let own = PanelPlace::of_row(row, table)?;
        let kinds = client.kinds_of(own.cluster.as_ref().or(self.clusters.first()));
        let about = kinds.filter(|_| self.kind().is_some_and(|kind| &*kind.kind == "Event"));
        let about = about.and_then(|kinds| event::subject(table.columns(), row, &kinds.kinds));
        Some(match about {
            Some(about) => PanelPlace { cluster: own.cluster, ..about },
            None => own,
        })
    }

    /// Moves from the panel's row to another one; the focus of the browser stays where it is.
    pub(crate) fn walk(&mut self, client: &Client, key: Key) {
        let Some(rows) = self.displayed.rows(client) else { return };
        let table = rows.view.table();
        let is_open = |row: &&Row| {
            let open = self.place.panel.as_ref().filter(|open| open.resource.is_none());
            open.is_some_and(|open| open.is_of_row(row, table))
        };
        if let Some(row) = table.rows().find(is_open) {
            self.grid.focus.row = Some(row.id);
        }
        self.grid.walk(key, rows, &self.model.rows);
    }
}
