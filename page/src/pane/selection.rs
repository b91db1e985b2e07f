//! The rows that a reader selected, by their ids, so that neither a sort nor a filter changes the selection.

use std::collections::BTreeSet;

use shared::row::RowId;

use super::displayed::Rows;

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

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn toggle(&mut self, row: RowId) {
        if !self.rows.remove(&row) {
            self.rows.insert(row);
        }
        self.last = Some(row);
    }

    /// Selects all shown rows between the one that was selected last and this one.
    pub(super) fn select_range(&mut self, rows: &Rows<'_>, to: RowId) {
        let begin = self.last.map_or_else(|| rows.place(to), |last| rows.place(last));
        let (Some(end), Some(begin)) = (rows.place(to), begin) else { return self.toggle(to) };
        self.rows.extend((begin.min(end)..=begin.max(end)).filter_map(|place| rows.at(place)));
        self.last = Some(to);
    }

    /// Once a second: deleted rows leave the selection.
    pub(super) fn drop_deleted(&mut self, rows: &Rows<'_>) {
        self.rows.retain(|row| rows.view.table().slot_of(*row).is_some());
    }

    /// The number of selected rows, and how many of them the filter hides.
    pub(super) fn count(&self, rows: &Rows<'_>) -> (usize, usize) {
        let hidden = self.rows.iter().filter(|row| rows.place(**row).is_none()).count();
        (self.rows.len(), hidden)
    }
}
