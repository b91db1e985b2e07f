//! Which columns a reader sees, in which order and how wide: the server's, and custom ones. Equal settings are
//! written equally. They are read and merged here; the list in which they are changed comes with a piece of the program.

mod kept;
pub(super) mod list;

use litemap::LiteMap;
use replica::table::clusters::names_clusters;
use shared::column::Column;
use shared::custom_column::{CustomColumn, CustomColumns};

use super::chosen::{ChosenColumn, ChosenColumns};
use crate::limits::{COLUMN_PX_MAX, COLUMN_PX_MIN};
use crate::query::Source;
use crate::query::sort::{NAMESPACE_KEY, key_of};
use crate::usage::is_usage;

/// The columns that a reader chose for one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnSettings {
    /// `None`: the server's columns; a switch adds the wide ones.
    cols: Option<ChosenColumns>,
    /// Hidden custom columns, which the list of columns still offers.
    hidden: Vec<CustomColumn>,
    /// In pixels, by key.
    widths: LiteMap<Box<str>, u16>,
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
                Source::Cell(at) => key_of(columns, at)?,
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

    /// How many are shown, of how many: `5/9`. It counts the entries of the list, and makes none.
    pub fn count(&self, available: AvailableColumns<'_>) -> (usize, usize) {
        let mut listed = self.listed(available);
        listed.retain(|(col, _)| !is_unknown(col, available.columns));
        (listed.iter().filter(|(_, is_shown)| *is_shown).count(), listed.len())
    }

    /// The columns that are shown in their order, then the others, each with whether it is shown. The server may not have
    /// one of them.
    fn listed(&self, available: AvailableColumns<'_>) -> Vec<(ChosenColumn, bool)> {
        let shown = self.list(available);
        let served = available.columns.iter().enumerate().filter(|(_, column)| !column.is_custom());
        let served =
            served.filter_map(|(at, _)| Some(ChosenColumn::Served(key_of(available.columns, at)?.into())));
        let namespace = available.with_namespace.then(|| ChosenColumn::Served(NAMESPACE_KEY.into()));
        let others =
            namespace.into_iter().chain(served).chain(self.hidden.iter().cloned().map(ChosenColumn::Own));
        let hidden: Vec<(ChosenColumn, bool)> =
            others.filter(|col| !shown.contains(col)).map(|col| (col, false)).collect();
        shown.into_iter().map(|col| (col, true)).chain(hidden).collect()
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

    /// `None`: the column is as wide as its cells.
    pub fn set_width(&mut self, key: &str, width_px: Option<u16>) {
        match width_px {
            Some(px) => drop(self.widths.insert(key.into(), px.clamp(COLUMN_PX_MIN, COLUMN_PX_MAX))),
            None => drop(self.widths.remove(key)),
        }
    }
}

/// A custom column isn't unknown: its cells may still be on their way.
fn is_unknown(col: &ChosenColumn, columns: &[Column]) -> bool {
    matches!(col, ChosenColumn::Served(_)) && col.source(columns).is_none()
}

#[cfg(test)]
mod tests;
