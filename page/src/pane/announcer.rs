//! What a screen reader is told of the row that has the focus: its STATUS, when that became another.
//! Never an age, never another row.

use crate::cells;
use crate::messages;
use crate::table_view::Client;
use crate::table_view::TableView;
use shared::row::RowId;

use super::Pane;

/// The row and what its status was when it was looked at last.
#[derive(Default)]
pub(super) struct Announcer {
    held: Option<(RowId, String)>,
}

impl Pane {
    /// Once a second. A row that got the focus is read by the screen reader itself.
    pub(crate) fn announce(&mut self, client: &Client) -> Option<String> {
        let row = self.screen.focused?;
        let (view, _) = self.displayed.shown(client)?;
        let place = view.tally().columns().status()?;
        let column = view.table().columns().get(place)?;
        let cell = view.table().entry(view.table().slot_of(row)?)?.row().cells.get(place)?;
        let now = cells::text(cell, 0);
        let before = self.announcer.held.replace((row, now.clone()));
        let (_, was) = before.filter(|(held, was)| *held == row && *was != now)?;
        Some(messages::became(&column.title(), &now, &was))
    }
}
