//! The reader chooses columns: which, in which order, how wide. The list of columns is open or closed.

use replica::table::Table;
use shared::column::Column;

use super::model::ColumnList;
use super::settings::{AvailableColumns, ColumnSettings};
use super::words;
use crate::action::ColumnsAction;
use crate::location::Location;
use crate::messages;
use crate::model::to_whole_px;

/// The settings of a pane's columns, and the list in which its reader changes them, open or closed.
#[derive(Default)]
pub(crate) struct ColumnChooser {
    settings: ColumnSettings,
    /// `Some` while the list is open: why the text in its box is no column; mostly empty.
    list: Option<String>,
    /// The settings changed, so the browser has to keep them.
    must_keep: bool,
}

impl ColumnChooser {
    pub(crate) fn settings(&self) -> &ColumnSettings {
        &self.settings
    }

    /// For the kind of a place: what the link says, else what the browser kept.
    pub(crate) fn begin(&mut self, place: &mut Location, kept: &str) {
        self.settings = ColumnSettings::of(place.cols.as_ref(), kept);
        place.cols = self.settings.cols().cloned();
    }

    pub(crate) fn is_open(&self) -> bool {
        self.list.is_some()
    }

    pub(crate) fn open(&mut self, open: bool) {
        self.list = open.then(String::new);
    }

    /// The columns that the link sorts by or shows and the table has not, as sentences.
    pub(crate) fn unknown(&self, place: &Location, table: &Table) -> Vec<String> {
        if !table.is_whole() {
            return Vec::new();
        }
        let sort = place.sort.as_ref().filter(|sort| !sort.fits(table.columns()));
        let sort = sort.map(|sort| ("sort", sort.column.to_string()));
        let cols = self.settings.unknown(table.columns());
        let unknown = sort.into_iter().chain(cols.into_iter().map(|column| ("cols", column)));
        unknown
            .map(|(part, column)| messages::location_unread(part, &column, words::NO_SUCH_COLUMN))
            .collect()
    }

    pub(crate) fn forget_unknown(&mut self, place: &mut Location, columns: &[Column]) {
        place.sort = place.sort.take().filter(|sort| sort.fits(columns));
        self.settings.forget_unknown(columns);
        place.cols = self.settings.cols().cloned();
    }

    /// Changes the settings, and the place with them. Returns whether they changed.
    /// `shown`: the keys of the columns among which [`ColumnsAction::Width`] counts.
    pub(crate) fn update<'a>(
        &mut self,
        action: ColumnsAction,
        available: AvailableColumns<'_>,
        shown: impl Iterator<Item = &'a str>,
        place: &mut Location,
    ) -> bool {
        if let ColumnsAction::Open(open) = action {
            self.open(open);
            return false;
        }
        self.change(action, available, shown);
        place.cols = self.settings.cols().cloned();
        self.must_keep = true;
        true
    }

    fn change<'a>(
        &mut self,
        action: ColumnsAction,
        available: AvailableColumns<'_>,
        mut shown: impl Iterator<Item = &'a str>,
    ) {
        match action {
            ColumnsAction::Open(_) => {}
            ColumnsAction::Toggle(key) => self.settings.toggle(&key, available),
            ColumnsAction::Move { key, by } => self.settings.move_by(&key, by, available),
            ColumnsAction::Place { key, at } => {
                let entries = self.settings.entries(available);
                if let Some(to) = entries.iter().position(|entry| entry.is_shown && entry.key == at) {
                    self.settings.place(&key, to, available);
                }
            }
            ColumnsAction::Add(written) => {
                self.list = Some(self.settings.add(&written, available).err().unwrap_or_default());
            }
            ColumnsAction::Forget(key) => self.settings.forget(&key, available),
            ColumnsAction::Reset => self.settings.reset(),
            ColumnsAction::Width { column, px } => {
                if let Some(key) = shown.nth(column) {
                    self.settings.set_width(key, px.map(to_whole_px));
                }
            }
        }
    }

    /// The text that the browser has to keep, once.
    pub(crate) fn take_kept(&mut self) -> Option<String> {
        std::mem::take(&mut self.must_keep).then(|| self.settings.to_keep())
    }

    /// `None` while the list is closed.
    pub(crate) fn model(&self, available: AvailableColumns<'_>) -> Option<ColumnList> {
        Some(ColumnList { error: self.list.clone()?, entries: self.settings.entries(available) })
    }

    /// On the button: `5/9`, while some aren't shown.
    pub(crate) fn count(&self, available: AvailableColumns<'_>) -> String {
        let (shown, all) = self.settings.count(available);
        if shown == all { String::new() } else { words::shown_of(shown, all) }
    }
}
