//! The open list of columns: its entries, and what a reader changes in it. The closed table needs none of that.

use replica::table::clusters::names_clusters;
use shared::column::Column;
use shared::custom_column::{CUSTOM_COLUMNS_MAX, CustomColumn};

use super::super::chosen::{ChosenColumn, ChosenColumns};
use super::super::model::ColumnEntry;
use super::super::part::Part;
use super::super::words;
use super::{AvailableColumns, ColumnSettings};
use crate::action::ColumnsAction;
use crate::query::Source;
use crate::query::sort::column_key;
use crate::usage::is_usage;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { entries: ColumnSettings::entries, change: ColumnSettings::change };

impl ColumnSettings {
    /// What the open list has.
    pub(super) fn entries(&self, available: AvailableColumns<'_>) -> Vec<ColumnEntry> {
        let listed = self.listed(available);
        listed.iter().filter_map(|(col, is_shown)| entry(col, available.columns, *is_shown)).collect()
    }

    /// # Errors
    /// Why a written text can't be a column, for the reader.
    fn change(&mut self, action: ColumnsAction, available: AvailableColumns<'_>) -> Result<(), String> {
        match action {
            // The table does these by itself.
            ColumnsAction::Open(_) | ColumnsAction::Width { .. } => {}
            ColumnsAction::Toggle(key) => self.toggle(&key, available),
            ColumnsAction::Move { key, by } => self.move_by(&key, by, available),
            ColumnsAction::Place { key, at } => {
                let entries = self.entries(available);
                if let Some(to) = entries.iter().position(|entry| entry.is_shown && entry.key == at) {
                    self.place(&key, to, available);
                }
            }
            ColumnsAction::Add(written) => self.add(&written, available)?,
            ColumnsAction::Forget(key) => self.forget(&key, available),
            ColumnsAction::Reset => self.reset(),
        }
        Ok(())
    }

    /// Shows a column at the end, or hides it. NAME stays.
    pub(super) fn toggle(&mut self, key: &str, available: AvailableColumns<'_>) {
        let entries = self.entries(available);
        let Some(entry) = entries.iter().find(|entry| entry.key == key && !entry.is_always) else { return };
        let mut list = self.list(available);
        if entry.is_shown {
            let gone = list.iter().position(|col| col.key() == key).map(|at| list.remove(at));
            if let Some(ChosenColumn::Own(own)) = gone {
                self.hidden.push(own);
            }
        } else if let Some(at) = self.hidden.iter().position(|own| column_key(own.name()) == key) {
            list.push(ChosenColumn::Own(self.hidden.remove(at)));
        } else {
            list.push(ChosenColumn::Served(key.into()));
        }
        self.cols = ChosenColumns::of(list);
    }

    /// Moves a column to this place among those that are shown.
    fn place(&mut self, key: &str, to: usize, available: AvailableColumns<'_>) {
        let mut list = self.list(available);
        let Some(from) = list.iter().position(|col| col.key() == key) else { return };
        let col = list.remove(from);
        list.insert(to.min(list.len()), col);
        self.cols = ChosenColumns::of(list);
    }

    fn move_by(&mut self, key: &str, by: isize, available: AvailableColumns<'_>) {
        let at = self.list(available).iter().position(|col| col.key() == key);
        if let Some(at) = at {
            self.place(key, at.saturating_add_signed(by), available);
        }
    }

    /// `NAME:PATH`, as after `kubectl -o custom-columns=`.
    ///
    /// # Errors
    /// Why it can't be a column, for the reader.
    pub(super) fn add(&mut self, written: &str, available: AvailableColumns<'_>) -> Result<(), String> {
        let (name, path) = written.split_once(':').ok_or_else(words::expected)?;
        let column = CustomColumn::parse(name.trim(), path).map_err(|problem| problem.message)?;
        let key = column_key(column.name());
        if self.entries(available).iter().any(|entry| entry.key == key) {
            return Err(words::twice(column.name()));
        }
        let mut list = self.list(available);
        if list.iter().filter(|col| matches!(col, ChosenColumn::Own(_))).count() >= CUSTOM_COLUMNS_MAX {
            return Err(words::too_many(CUSTOM_COLUMNS_MAX));
        }
        list.push(ChosenColumn::Own(column));
        self.cols = ChosenColumns::of(list);
        Ok(())
    }

    /// Removes a custom column for good.
    pub(super) fn forget(&mut self, key: &str, available: AvailableColumns<'_>) {
        self.hidden.retain(|own| column_key(own.name()) != key);
        let is_it = |col: &ChosenColumn| matches!(col, ChosenColumn::Own(_)) && col.key() == key;
        let mut list = self.list(available);
        if list.iter().any(is_it) {
            list.retain(|col| !is_it(col));
            self.cols = ChosenColumns::of(list);
        }
        self.widths.remove(key);
    }

    /// Back to the server's columns in its order, as wide as their cells. The list still offers custom ones.
    fn reset(&mut self) {
        let own = self.cols.take();
        self.hidden.extend(own.iter().flat_map(ChosenColumns::own).cloned());
        self.widths.clear();
    }
}

/// `None`: the server doesn't have the column, or not any more.
fn entry(col: &ChosenColumn, columns: &[Column], is_shown: bool) -> Option<ColumnEntry> {
    let (title, note, is_always) = match (col, col.source(columns)) {
        (ChosenColumn::Own(own), _) => (own.name().to_owned(), own.path(), false),
        (_, None) => return None,
        (_, Some(Source::Namespace)) => ("NAMESPACE".to_owned(), "", false),
        (_, Some(Source::Cell(at))) => {
            let column = columns.get(at)?;
            let is_name = &*column.format == "name" || names_clusters(column);
            let note = match column {
                _ if is_name => words::ALWAYS,
                column if is_usage(column) => words::POLLED,
                column if column.is_wide() => words::WIDE,
                _ => "",
            };
            (column.title(), note, is_name)
        }
    };
    let is_own = matches!(col, ChosenColumn::Own(_));
    Some(ColumnEntry { key: col.key(), title, note: note.to_owned(), is_own, is_shown, is_always })
}
