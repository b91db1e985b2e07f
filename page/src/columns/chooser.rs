//! The reader chooses columns: which, in which order, how wide. The list of columns is open or closed.

use super::column::Column;
use super::columns::Columns;
use super::displayed::Rows;
use crate::action::ColumnsAction;
use crate::column_settings::{AvailableColumns, ColumnSettings};
use crate::location::Location;
use crate::messages;
use crate::model::{ColumnList, to_whole_px};

#[derive(Default)]
pub(super) struct ColumnChooser {
    settings: ColumnSettings,
    /// `Some` while the list is open: why the text in its box is no column; mostly empty.
    list: Option<String>,
    /// The settings changed, so the browser has to keep them.
    must_keep: bool,
}

impl ColumnChooser {
    pub(super) fn settings(&self) -> &ColumnSettings {
        &self.settings
    }

    /// For the kind of a place: what the link says, else what the browser kept.
    pub(super) fn begin(&mut self, place: &mut Location, kept: &str) {
        self.settings = ColumnSettings::of(place.cols.as_ref(), kept);
        place.cols = self.settings.cols().cloned();
    }

    pub(super) fn is_open(&self) -> bool {
        self.list.is_some()
    }

    pub(super) fn open(&mut self, open: bool) {
        self.list = open.then(String::new);
    }

    /// The columns that the link sorts by or shows and the table has not, as sentences.
    pub(super) fn unknown(&self, place: &Location, rows: &Rows<'_>) -> Vec<String> {
        let table = rows.live.table();
        if !table.is_whole() {
            return Vec::new();
        }
        let sort = place.sort.as_ref().filter(|sort| !sort.fits(table.columns()));
        let sort = sort.map(|sort| ("sort", sort.column.to_string()));
        let cols = self.settings.unknown(table.columns());
        let unknown = sort.into_iter().chain(cols.into_iter().map(|column| ("cols", column)));
        unknown
            .map(|(part, column)| messages::location_unread(part, &column, messages::NO_SUCH_COLUMN))
            .collect()
    }

    pub(super) fn forget_unknown(&mut self, place: &mut Location, rows: &Rows<'_>) {
        let columns = rows.live.table().columns();
        place.sort = place.sort.take().filter(|sort| sort.fits(columns));
        self.settings.forget_unknown(columns);
        place.cols = self.settings.cols().cloned();
    }

    /// Changes the settings, and the place with them. Answers whether the view has to be opened again with other
    /// custom columns.
    pub(super) fn update(
        &mut self,
        action: ColumnsAction,
        rows: &Rows<'_>,
        columns: &Columns,
        place: &mut Location,
    ) -> bool {
        if let ColumnsAction::Open(open) = action {
            self.open(open);
            return false;
        }
        self.change(action, columns.available(rows), columns.shown());
        place.cols = self.settings.cols().cloned();
        self.must_keep = true;
        rows.live.subscription().columns != self.settings.own()
    }

    /// `shown`: the columns among which [`ColumnsAction::Width`] counts.
    fn change(&mut self, action: ColumnsAction, available: AvailableColumns<'_>, shown: &[Column]) {
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
                if let Some(shown) = shown.get(column) {
                    self.settings.set_width(&shown.key, px.map(to_whole_px));
                }
            }
        }
    }

    /// The text that the browser has to keep, once.
    pub(super) fn take_kept(&mut self) -> Option<String> {
        std::mem::take(&mut self.must_keep).then(|| self.settings.to_keep())
    }

    /// `None` while the list is closed.
    pub(super) fn model(&self, available: AvailableColumns<'_>) -> Option<ColumnList> {
        Some(ColumnList { error: self.list.clone()?, entries: self.settings.entries(available) })
    }

    /// On the button: `5/9`, while some aren't shown.
    pub(super) fn count(&self, rows: &Rows<'_>, columns: &Columns) -> String {
        let (shown, all) = self.settings.count(columns.available(rows));
        if shown == all { String::new() } else { messages::columns_shown(shown, all) }
    }
}
