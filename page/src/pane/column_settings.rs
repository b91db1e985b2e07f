//! The reader chooses columns: which, in which order, how wide. The link and the browser's memory follow.

use crate::column_settings::Offer;
use crate::messages;
use crate::table_view::Client;
use shared::scope::Namespaces;

use super::Pane;
use super::columns::{self, Room};
use crate::action::ColumnsAction;
use crate::model::{ColumnEntry, ColumnList, to_whole_px};

impl Pane {
    pub(super) fn room(&self, client: &Client) -> Room {
        let one = self.displayed.live(client).is_some_and(|view| {
            matches!(&view.subscription().scope().namespaces, Namespaces::These(names) if names.len() == 1)
        });
        Room {
            wide: self.place.wide,
            with_namespace: self.kind().is_some_and(|kind| kind.namespaced) && !one,
            width_px: self.screen.width_px,
        }
    }

    pub(super) fn update_columns(&mut self, client: &Client, action: ColumnsAction) {
        let room = self.room(client);
        let Some((view, _)) = self.displayed.shown(client) else { return };
        let columns = view.table().columns().clone();
        let offer = columns::offer(&columns, room);
        if let ColumnsAction::Open(open) = action {
            self.screen.chooses = open.then(String::new);
            return;
        }
        self.change_columns(action, offer);
        let own = self.choice.own();
        self.screen.asks_anew |=
            self.displayed.live(client).is_some_and(|view| *view.subscription().columns() != own);
        self.place.cols = self.choice.cols().cloned();
        self.screen.keeps_columns = true;
        self.screen.rows_changed = true;
    }

    fn change_columns(&mut self, action: ColumnsAction, offer: Offer<'_>) {
        match action {
            ColumnsAction::Open(_) => {}
            ColumnsAction::Toggle(key) => self.choice.toggle(&key, offer),
            ColumnsAction::Move { key, by } => self.choice.move_by(&key, by, offer),
            ColumnsAction::Place { key, at } => {
                let shown = self.choice.entries(offer);
                if let Some(to) = shown.iter().position(|entry| entry.is_shown && entry.key == at) {
                    self.choice.place(&key, to, offer);
                }
            }
            ColumnsAction::Add(written) => {
                let said = self.choice.add(&written, offer).err().unwrap_or_default();
                self.screen.chooses = Some(said);
            }
            ColumnsAction::Forget(key) => self.choice.forget(&key, offer),
            ColumnsAction::Reset => self.choice.reset(),
            ColumnsAction::Width { column, px } => {
                if let Some(shown) = self.screen.columns.get(column) {
                    self.choice.set_width(&shown.key, px.map(to_whole_px));
                }
            }
        }
    }

    /// What the browser is to remember, once: of which resource, and what.
    pub(crate) fn columns_to_keep(&mut self) -> Option<(Box<str>, String)> {
        let keeps = std::mem::take(&mut self.screen.keeps_columns);
        keeps.then(|| (self.place.resource.clone(), self.choice.to_keep()))
    }

    /// `None` while the list is closed.
    pub(super) fn column_list(&self, client: &Client) -> Option<ColumnList> {
        let error = self.screen.chooses.clone()?;
        let (view, _) = self.displayed.shown(client)?;
        let entries = self.choice.entries(columns::offer(view.table().columns(), self.room(client)));
        let entry = |entry: crate::column_settings::Entry| ColumnEntry {
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
        Some(ColumnList { entries: entries.into_iter().map(entry).collect(), error })
    }

    /// On the button: `5/9`, while a choice hides some, or the view is too narrow for what it would show.
    pub(super) fn columns_shown(&self, client: &Client) -> String {
        let Some((view, _)) = self.displayed.shown(client) else { return String::new() };
        let count = |room| self.choice.count(columns::offer(view.table().columns(), room));
        let room = self.room(client);
        let (shown, _) = count(room);
        let (wanted, all) = count(Room { width_px: f64::INFINITY, ..room });
        let is_whole = shown == wanted && (shown == all || self.choice.cols().is_none());
        if is_whole { String::new() } else { messages::columns_shown(shown, all) }
    }
}
