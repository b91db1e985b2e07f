//! Which columns a reader sees, in which order and how wide: the server's, and custom ones. Equal settings are
//! written equally. They are read, merged and changed here; never drawn.

mod kept;

use std::collections::BTreeMap;

use replica::table::clusters::names_clusters;
use shared::column::Column;
use shared::custom_column::{CUSTOM_COLUMNS_MAX, CustomColumn, CustomColumns};

use super::chosen::{ChosenColumn, ChosenColumns};
use super::model::ColumnEntry;
use super::words;
use crate::limits::{COLUMN_PX_MAX, COLUMN_PX_MIN};
use crate::query::Source;
use crate::query::sort::{NAMESPACE_KEY, column_key};
use crate::usage::is_usage;

/// The columns that a reader chose for one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSettings {
    /// `None`: the server's columns; a switch adds the wide ones.
    cols: Option<ChosenColumns>,
    /// Hidden custom columns, which the list of columns still offers.
    hidden: Vec<CustomColumn>,
    /// In pixels, by key.
    widths: BTreeMap<Box<str>, u16>,
}

/// The columns that a reader may choose from.
#[derive(Clone, Copy, Debug)]
pub struct AvailableColumns<'a> {
    pub columns: &'a [Column],
    /// Those that stand where the reader chose none.
    pub served: &'a [Source],
    pub with_namespace: bool,
}

/// A column that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub key: String,
    pub source: Source,
    pub width_px: Option<u16>,
}

impl ColumnSettings {
    /// The link's columns; without any, those that the browser kept.
    pub fn of(link: Option<&ChosenColumns>, kept: &str) -> Self {
        let mut settings = Self::read(kept);
        if let Some(cols) = link {
            let own = settings.cols.replace(cols.clone());
            settings.hidden.extend(own.iter().flat_map(ChosenColumns::own).cloned());
            settings.hidden.retain(|column| !cols.own().any(|shown| shown == column));
        }
        settings
    }

    /// For the link.
    pub fn cols(&self) -> Option<&ChosenColumns> {
        self.cols.as_ref()
    }

    /// What to ask the gateway for.
    pub fn own(&self) -> CustomColumns {
        let own = self.cols.iter().flat_map(ChosenColumns::own).cloned().collect();
        CustomColumns::these(own).unwrap_or_default()
    }

    /// The columns that may be shown: the chosen ones, else all that the server has. A custom one is among them once
    /// the gateway has sent it.
    pub fn candidates(&self, columns: &[Column], with_namespace: bool) -> Vec<Placed> {
        let sources: Vec<Source> = match &self.cols {
            Some(cols) => {
                let chosen: Vec<Source> = cols.iter().filter_map(|col| col.source(columns)).collect();
                // Without NAME one row is like another.
                let name = columns.iter().position(|column| &*column.format == "name").map(Source::Cell);
                let name = name.filter(|name| !chosen.contains(name));
                name.into_iter().chain(chosen).collect()
            }
            None => {
                let served = columns.iter().enumerate().filter(|(_, column)| !column.is_custom());
                let served: Vec<usize> = served.map(|(at, _)| at).collect();
                let is = |at: &usize, is: fn(&Column) -> bool| columns.get(*at).is_some_and(is);
                // What pods and nodes use stands before the wide columns.
                let (usage, mut served): (Vec<_>, Vec<_>) =
                    served.into_iter().partition(|at| is(at, is_usage));
                let wide = served.iter().position(|at| is(at, Column::is_wide)).unwrap_or(served.len());
                served.splice(wide..wide, usage);
                std::iter::once(Source::Namespace).chain(served.into_iter().map(Source::Cell)).collect()
            }
        };
        // Without CLUSTER a row of one cluster is like that of another.
        let clusters = columns.first().filter(|column| names_clusters(column)).map(|_| Source::Cell(0));
        let others = sources.into_iter().filter(|source| Some(*source) != clusters);
        let sources = clusters.into_iter().chain(others);
        let placed = |source: Source| {
            let key = match source {
                Source::Namespace => NAMESPACE_KEY.to_owned(),
                Source::Cell(at) => column_key(&columns.get(at)?.name),
            };
            Some(Placed { width_px: self.widths.get(&*key).copied(), key, source })
        };
        let sources = sources.filter(|source| with_namespace || *source != Source::Namespace);
        sources.filter_map(placed).collect()
    }

    /// The columns that are shown.
    fn shown(&self, available: AvailableColumns<'_>) -> Vec<Placed> {
        let AvailableColumns { columns, served, with_namespace } = available;
        let mut shown = self.candidates(columns, with_namespace);
        shown.retain(|placed| self.cols.is_some() || served.contains(&placed.source));
        shown
    }

    /// What the link names and the server has not.
    pub fn unknown(&self, columns: &[Column]) -> Vec<String> {
        let served = self.cols.iter().flat_map(ChosenColumns::iter);
        let unknown = served.filter(|col| is_unknown(col, columns));
        unknown.map(ChosenColumn::key).collect()
    }

    pub fn forget_unknown(&mut self, columns: &[Column]) {
        if let Some(cols) = self.cols.take() {
            let known = cols.iter().filter(|col| !is_unknown(col, columns));
            self.cols = ChosenColumns::of(known.cloned().collect());
        }
    }

    /// The columns that are shown in their order, then the others.
    pub fn entries(&self, available: AvailableColumns<'_>) -> Vec<ColumnEntry> {
        let shown = self.list(available);
        let served = available.columns.iter().filter(|column| !column.is_custom());
        let served = served.map(|column| ChosenColumn::Served(column_key(&column.name).into()));
        let namespace = available.with_namespace.then(|| ChosenColumn::Served(NAMESPACE_KEY.into()));
        let hidden =
            namespace.into_iter().chain(served).chain(self.hidden.iter().cloned().map(ChosenColumn::Own));
        let hidden = hidden.filter(|col| !shown.contains(col));
        let all = shown.iter().map(|col| (col.clone(), true)).chain(hidden.map(|col| (col, false)));
        all.filter_map(|(col, is_shown)| entry(&col, available.columns, is_shown)).collect()
    }

    /// How many are shown, of how many: `5/9`.
    pub fn count(&self, available: AvailableColumns<'_>) -> (usize, usize) {
        let entries = self.entries(available);
        (entries.iter().filter(|entry| entry.is_shown).count(), entries.len())
    }

    /// The columns that are shown, as a list that can be changed.
    fn list(&self, available: AvailableColumns<'_>) -> Vec<ChosenColumn> {
        match &self.cols {
            Some(cols) => cols.iter().cloned().collect(),
            None => self
                .shown(available)
                .into_iter()
                .map(|placed| ChosenColumn::Served(placed.key.into()))
                .collect(),
        }
    }

    /// Shows a column at the end, or hides it. NAME stays.
    pub fn toggle(&mut self, key: &str, available: AvailableColumns<'_>) {
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
    pub fn place(&mut self, key: &str, to: usize, available: AvailableColumns<'_>) {
        let mut list = self.list(available);
        let Some(from) = list.iter().position(|col| col.key() == key) else { return };
        let col = list.remove(from);
        list.insert(to.min(list.len()), col);
        self.cols = ChosenColumns::of(list);
    }

    pub fn move_by(&mut self, key: &str, by: isize, available: AvailableColumns<'_>) {
        let at = self.list(available).iter().position(|col| col.key() == key);
        if let Some(at) = at {
            self.place(key, at.saturating_add_signed(by), available);
        }
    }

    /// `NAME:PATH`, as after `kubectl -o custom-columns=`.
    ///
    /// # Errors
    /// Why it can't be a column, for the reader.
    pub fn add(&mut self, written: &str, available: AvailableColumns<'_>) -> Result<(), String> {
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
    pub fn forget(&mut self, key: &str, available: AvailableColumns<'_>) {
        self.hidden.retain(|own| column_key(own.name()) != key);
        let is_it = |col: &ChosenColumn| matches!(col, ChosenColumn::Own(_)) && col.key() == key;
        let mut list = self.list(available);
        if list.iter().any(is_it) {
            list.retain(|col| !is_it(col));
            self.cols = ChosenColumns::of(list);
        }
        self.widths.remove(key);
    }

    /// `None`: the column is as wide as its cells.
    pub fn set_width(&mut self, key: &str, width_px: Option<u16>) {
        match width_px {
            Some(px) => drop(self.widths.insert(key.into(), px.clamp(COLUMN_PX_MIN, COLUMN_PX_MAX))),
            None => drop(self.widths.remove(key)),
        }
    }

    /// Back to the server's columns in its order, as wide as their cells. The list still offers custom ones.
    pub fn reset(&mut self) {
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

/// A custom column isn't unknown: its cells may still be on their way.
fn is_unknown(col: &ChosenColumn, columns: &[Column]) -> bool {
    matches!(col, ChosenColumn::Served(_)) && col.source(columns).is_none()
}

#[cfg(test)]
mod tests;
