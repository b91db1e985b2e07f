//! A screen reader says when the STATUS of the focused row changes. Never an age, never another row.

use shared::row::RowId;

use super::displayed::Rows;
use crate::cells;
use crate::messages;
use crate::table_view::TableView;

/// The focused row and its status a second ago.
#[derive(Default)]
pub(super) struct Announcer(Option<(RowId, String)>);

impl Announcer {
    /// Once a second. A row that has just got the focus isn't announced: the screen reader reads it anyway.
    pub(super) fn announce(&mut self, rows: &Rows<'_>, focused: RowId) -> Option<String> {
        let table = rows.view.table();
        let status = rows.view.tally().columns().status()?;
        let column = table.columns().get(status)?;
        let now = cells::text(table.entry(table.slot_of(focused)?)?.row().cells.get(status)?, 0);
        let (_, was) =
            self.0.replace((focused, now.clone())).filter(|(row, was)| *row == focused && *was != now)?;
        Some(messages::became(&column.title(), &now, &was))
    }
}
