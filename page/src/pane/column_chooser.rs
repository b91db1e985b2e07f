//! The reader chooses columns: which, in which order, how wide. The list in which they do is open or closed.

use super::column::Column;
use super::columns::{Columns, available};
use super::displayed::Rows;
use crate::action::ColumnsAction;
use crate::column_settings::{AvailableColumns, ColumnSettings, Entry};
use crate::location::Location;
use crate::messages;
use crate::model::{ColumnEntry, ColumnList, to_whole_px};

#[derive(Default)]
pub(super) struct ColumnChooser {
    pub(super) settings: ColumnSettings,
    /// Why what was written in the open list is no column; mostly empty.
    list: Option<String>,
    /// The settings changed, and the browser is to keep them.
    must_keep: bool,
}

impl ColumnChooser {
    pub(super) fn is_open(&self) -> bool {
        self.list.is_some()
    }

    pub(super) fn open(&mut self, open: bool) {
        self.list = open.then(String::new);
    }

    /// Changes the settings and the place with them. Whether other cells are needed than the view has.
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
        self.change(action, columns.available(rows, place.wide), &columns.shown);
        place.cols = self.settings.cols().cloned();
        self.must_keep = true;
        rows.live.subscription().columns != self.settings.own()
    }

    /// `shown` are the columns that a width's number counts.
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

    /// What the browser is to keep, once.
    pub(super) fn take_kept(&mut self) -> Option<String> {
        std::mem::take(&mut self.must_keep).then(|| self.settings.to_keep())
    }

    /// `None` while the list is closed.
    pub(super) fn model(&self, available: AvailableColumns<'_>) -> Option<ColumnList> {
        let error = self.list.clone()?;
        let entry = |entry: Entry| ColumnEntry {
            key: entry.key,
            title: entry.title,
            note: match (&entry.path, entry.is_always, entry.is_wide) {
                (Some(path), ..) => path.to_string(),
                (None, true, _) => messages::COLUMNS_ALWAYS.to_owned(),
                (None, false, true) => messages::COLUMNS_WIDE.to_owned(),
                (None, false, false) => String::new(),
            },
            is_own: entry.path.is_some(),
            is_shown: entry.is_shown,
            is_always: entry.is_always,
        };
        Some(ColumnList { entries: self.settings.entries(available).into_iter().map(entry).collect(), error })
    }

    /// On the button: `5/9`, while the settings hide some columns, or the view is too narrow for what it would
    /// show.
    pub(super) fn count(&self, rows: &Rows<'_>, columns: &Columns, wide: bool) -> String {
        let (shown, _) = self.settings.count(columns.available(rows, wide));
        let (wanted, all) = self.settings.count(available(rows, wide, true));
        let is_whole = shown == wanted && (shown == all || self.settings.cols().is_none());
        if is_whole { String::new() } else { messages::columns_shown(shown, all) }
    }
}
