//! Which rows a reader chose: by their uids, so that neither a sort nor a filter moves the choice.

use std::collections::BTreeSet;

use crate::table_view::Client;
use shared::row::RowId;

use super::Pane;

#[derive(Default)]
pub(super) struct Selection {
    rows: BTreeSet<RowId>,
    /// Where a range begins.
    last: Option<RowId>,
}

impl Selection {
    pub(super) fn has(&self, row: RowId) -> bool {
        self.rows.contains(&row)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.last = None;
    }

    fn toggle(&mut self, row: RowId) {
        if !self.rows.remove(&row) {
            self.rows.insert(row);
        }
        self.last = Some(row);
    }
}

impl Pane {
    pub(super) fn select(&mut self, row: RowId) {
        self.screen.selection.toggle(row);
    }

    /// From the row that was chosen last to this one, in the order that is shown.
    pub(super) fn select_range(&mut self, client: &Client, to: RowId) {
        let Some((view, index)) = self.displayed.shown(client) else { return };
        let place = |row: RowId| index.position(view.table(), view.table().slot_of(row)?);
        let (Some(end), Some(begin)) = (place(to), self.screen.selection.last.map_or(place(to), place))
        else {
            return self.select(to);
        };
        let range = begin.min(end)..begin.max(end) + 1;
        let rows = index.range(range).iter().filter_map(|slot| Some(view.table().entry(*slot)?.row().id));
        self.screen.selection.rows.extend(rows);
        self.screen.selection.last = Some(to);
    }

    /// Once a second: what was deleted can't be chosen any more.
    pub(super) fn drop_deleted(&mut self, client: &Client) {
        if self.screen.selection.is_empty() {
            return;
        }
        let Some((view, _)) = self.displayed.shown(client) else { return };
        self.screen.selection.rows.retain(|row| view.table().slot_of(*row).is_some());
    }

    /// All that are chosen, and how many of them the filter hides.
    pub(super) fn selected(&self, client: &Client) -> (usize, usize) {
        let selection = &self.screen.selection;
        let Some((view, index)) = self.displayed.shown(client) else { return (0, 0) };
        if selection.is_empty() {
            return (0, 0);
        }
        let is_seen = |row: &&RowId| {
            let slot = view.table().slot_of(**row);
            slot.is_some_and(|slot| index.position(view.table(), slot).is_some())
        };
        let seen = selection.rows.iter().filter(is_seen).count();
        (selection.len(), selection.len() - seen)
    }
}
