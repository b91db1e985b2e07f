//! Which columns a reader sees, in which order and how wide: the server's, and custom ones. Equal
//! choices are written equally. Here they are read, merged and changed; never drawn.

mod chosen;
mod kept;

use std::collections::BTreeMap;

use shared::column::Column;
use shared::custom_column::{CUSTOM_COLUMNS_MAX, CustomColumn, CustomColumns};

use crate::limits::{COLUMN_PX_MAX, COLUMN_PX_MIN};
use crate::messages;
use crate::query::sort::{NAMESPACE_KEY, column_key};
pub use chosen::{ChosenColumn, ChosenColumns};

/// What a reader chose for one kind of objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSettings {
    /// `None`: the server's, the wide ones on a switch.
    cols: Option<ChosenColumns>,
    /// Custom ones that are hidden, to be shown again.
    hidden: Vec<CustomColumn>,
    /// In pixels, by key.
    widths: BTreeMap<Box<str>, u16>,
}

/// What there is to choose from.
#[derive(Clone, Copy, Debug)]
pub struct AvailableColumns<'a> {
    pub columns: &'a [Column],
    pub wide: bool,
    pub with_namespace: bool,
}

/// A column that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub key: String,
    pub source: Source,
    pub width_px: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Namespace,
    /// The cell of this index.
    Cell(usize),
}

/// A column as the list of columns shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub title: String,
    /// The JSONPath of a custom column.
    pub path: Option<Box<str>>,
    pub is_wide: bool,
    pub is_shown: bool,
    /// Without it one row is like another.
    pub is_always: bool,
}

impl ColumnSettings {
    /// What is kept of former times, and what the link says: the link wins.
    #[must_use]
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
    #[must_use]
    pub fn cols(&self) -> Option<&ChosenColumns> {
        self.cols.as_ref()
    }

    /// What to ask the gateway for.
    #[must_use]
    pub fn own(&self) -> CustomColumns {
        let own = self.cols.iter().flat_map(ChosenColumns::own).cloned().collect();
        CustomColumns::these(own).unwrap_or_default()
    }

    /// The columns that are shown. A custom one comes with the rows that have it.
    #[must_use]
    pub fn shown(&self, available: AvailableColumns<'_>) -> Vec<Placed> {
        let Some(cols) = &self.cols else {
            let served = available.columns.iter().enumerate();
            let served =
                served.filter(|(_, column)| !column.is_custom() && (available.wide || !column.is_wide()));
            let namespace = available.with_namespace.then_some(Source::Namespace);
            let sources = namespace.into_iter().chain(served.map(|(at, _)| Source::Cell(at)));
            return sources.map(|source| self.placed(available.columns, source)).collect();
        };
        let found = |col: &ChosenColumn| match col {
            ChosenColumn::Served(key) if **key == *NAMESPACE_KEY => {
                available.with_namespace.then_some(Source::Namespace)
            }
            ChosenColumn::Served(key) => {
                let is_it = |column: &Column| !column.is_custom() && column_key(&column.name) == **key;
                available.columns.iter().position(is_it).map(Source::Cell)
            }
            ChosenColumn::Own(own) => {
                let is_it = |column: &Column| &*column.path == own.path() && &*column.name == own.name();
                available.columns.iter().position(is_it).map(Source::Cell)
            }
        };
        cols.iter().filter_map(found).map(|source| self.placed(available.columns, source)).collect()
    }

    fn placed(&self, columns: &[Column], source: Source) -> Placed {
        let key = key_of(columns, source);
        Placed { width_px: self.widths.get(&*key).copied(), key, source }
    }

    /// All that there are: those that are shown in their order, then the others.
    #[must_use]
    pub fn entries(&self, available: AvailableColumns<'_>) -> Vec<Entry> {
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
    #[must_use]
    pub fn count(&self, available: AvailableColumns<'_>) -> (usize, usize) {
        let entries = self.entries(available);
        (entries.iter().filter(|entry| entry.is_shown).count(), entries.len())
    }

    /// What is shown, as a list that can be changed.
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

    /// To the place of that number among those that are shown.
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
    /// Why it can't be a column, in words for who wrote it.
    pub fn add(&mut self, written: &str, available: AvailableColumns<'_>) -> Result<(), String> {
        let (name, path) = written.split_once(':').ok_or_else(messages::columns_expected)?;
        let column = CustomColumn::parse(name.trim(), path).map_err(|problem| problem.message)?;
        let key = column_key(column.name());
        if self.entries(available).iter().any(|entry| entry.key == key) {
            return Err(messages::columns_twice(column.name()));
        }
        let mut list = self.list(available);
        if list.iter().filter(|col| matches!(col, ChosenColumn::Own(_))).count() >= CUSTOM_COLUMNS_MAX {
            return Err(messages::columns_too_many(CUSTOM_COLUMNS_MAX));
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

    /// `None`: as wide as its cells.
    pub fn set_width(&mut self, key: &str, width_px: Option<u16>) {
        match width_px {
            Some(px) => drop(self.widths.insert(key.into(), px.clamp(COLUMN_PX_MIN, COLUMN_PX_MAX))),
            None => drop(self.widths.remove(key)),
        }
    }

    /// The server's columns in its order, as wide as they are. Custom ones stay to be chosen.
    pub fn reset(&mut self) {
        let own = self.cols.take();
        self.hidden.extend(own.iter().flat_map(ChosenColumns::own).cloned());
        self.widths.clear();
    }
}

fn key_of(columns: &[Column], source: Source) -> String {
    match source {
        Source::Namespace => NAMESPACE_KEY.to_owned(),
        Source::Cell(at) => columns.get(at).map_or_else(String::new, |column| column_key(&column.name)),
    }
}

/// `None`: the server doesn't have it, or not any more.
fn entry(col: &ChosenColumn, columns: &[Column], is_shown: bool) -> Option<Entry> {
    let key = col.key();
    let served = |title: String, is_wide, is_always| {
        Some(Entry { key: key.clone(), title, path: None, is_wide, is_shown, is_always })
    };
    match col {
        ChosenColumn::Served(key) if **key == *NAMESPACE_KEY => served("NAMESPACE".to_owned(), false, false),
        ChosenColumn::Served(key) => {
            let is_it = |column: &&Column| !column.is_custom() && column_key(&column.name) == **key;
            let column = columns.iter().find(is_it)?;
            served(column.title(), column.is_wide(), &*column.format == "name")
        }
        ChosenColumn::Own(own) => Some(Entry {
            title: own.name().to_owned(),
            path: Some(own.path().into()),
            key,
            is_wide: false,
            is_shown,
            is_always: false,
        }),
    }
}

#[cfg(test)]
mod tests;
