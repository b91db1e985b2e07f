//! The reader chooses columns: which, in which order, how wide. The list of columns is open or closed.

use replica::table::Table;
use shared::column::Column;

use super::model::ColumnList;
use super::part::Part;
use super::settings::{AvailableColumns, ColumnSettings};
use super::words;
use crate::action::ColumnsAction;
use crate::limits::COLUMNS_WAITING_MAX;
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
    /// What waits for the piece of the program that changes the settings, the oldest first.
    waiting: Vec<ColumnsAction>,
}

impl ColumnChooser {
    pub(crate) fn settings(&self) -> &ColumnSettings {
        &self.settings
    }

    /// Another view is shown.
    pub(crate) fn leave(&mut self) {
        (self.list, self.waiting) = (None, Vec::new());
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

    /// `None`: the column is as wide as its cells.
    pub(crate) fn set_width(&mut self, key: &str, px: Option<f64>) {
        self.settings.set_width(key, px.map(to_whole_px));
        self.must_keep = true;
    }

    /// Changes the settings, and the place with them. Returns whether they changed: without the piece of the list, what a
    /// reader does in it waits, as [`Self::take_waiting`] says.
    pub(crate) fn update(
        &mut self,
        action: ColumnsAction,
        available: AvailableColumns<'_>,
        place: &mut Location,
        part: Option<Part>,
    ) -> bool {
        let Some(part) = part else {
            if self.waiting.len() < COLUMNS_WAITING_MAX {
                self.waiting.push(action);
            }
            return false;
        };
        let is_add = matches!(action, ColumnsAction::Add(_));
        let error = (part.change)(&mut self.settings, action, available).err();
        if is_add {
            self.list = Some(error.unwrap_or_default());
        }
        place.cols = self.settings.cols().cloned();
        self.must_keep = true;
        true
    }

    /// What a reader did in the list before its piece was there.
    pub(crate) fn take_waiting(&mut self) -> Vec<ColumnsAction> {
        std::mem::take(&mut self.waiting)
    }

    pub(crate) fn needs_piece(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The text that the browser has to keep, once.
    pub(crate) fn take_kept(&mut self) -> Option<String> {
        std::mem::take(&mut self.must_keep).then(|| self.settings.to_keep())
    }

    /// `None` while the list is closed.
    pub(crate) fn model(&self, available: AvailableColumns<'_>, part: Option<Part>) -> Option<ColumnList> {
        let error = self.list.clone()?;
        let entries = part.map(|part| (part.entries)(&self.settings, available)).unwrap_or_default();
        Some(ColumnList { entries, error })
    }

    /// On the button: `5/9`, while some aren't shown.
    pub(crate) fn count(&self, available: AvailableColumns<'_>) -> String {
        let (shown, all) = self.settings.count(available);
        if shown == all { String::new() } else { words::shown_of(shown, all) }
    }
}
