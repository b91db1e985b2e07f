//! What a reader does in a pane. It may change the place, and then the link.

use replica::now::Now;
use shared::row::RowId;

use super::column;
use super::{Pane, export, notice, place};
use crate::action::{ColumnsAction, Key, PaneAction};
use crate::address::Look;
use crate::effect::Effect;
use crate::query::complete::complete;
use crate::query::sort::HEALTH_KEY;
use crate::table_view::Client;

impl Pane {
    pub(crate) fn update(&mut self, client: &mut Client, action: PaneAction, now: Now) -> Option<Effect> {
        let is_stale = self.is_stale();
        let Self { displayed, grid, model, .. } = self;
        grid.focus.note(&action);
        let rows = displayed.rows(client);
        match action {
            PaneAction::Filter(text) => self.filter(client, text),
            PaneAction::Complete(typed) => {
                model.suggestions = typed.zip(rows).and_then(|((text, caret), rows)| {
                    complete(&text, caret, rows.view.table(), rows.has_namespaces())
                });
            }
            PaneAction::LeaveFilter => {
                grid.focus.want();
                self.filter(client, String::new());
            }
            PaneAction::Sort(column) => self.sort(client, column),
            PaneAction::ToggleHealth(health) => {
                let term = notice::health_term(health);
                let text = rows?.index.filter().toggled(HEALTH_KEY, &term);
                self.filter(client, text);
            }
            PaneAction::ToggleTroubleFirst => {
                place::toggle_trouble_first(&mut self.place);
                self.query_changed(client);
            }
            PaneAction::ToggleWide => self.place.wide = !self.place.wide,
            PaneAction::DismissGap => displayed.dismiss_gap(client),
            PaneAction::Settle => {
                displayed.settle(client);
                grid.minimap.rows_changed();
            }
            PaneAction::TogglePause => {
                match self.log.as_mut().filter(|_| self.look == Look::Log) {
                    Some(log) => log.toggle_pause(),
                    None => displayed.toggle_pause(client, now.now_ms),
                }
                grid.minimap.rows_changed();
            }
            PaneAction::ShowExport(open) => self.is_export_open = open,
            PaneAction::Selector(action) => {
                self.must_reopen |= self.selectors.update(client, displayed, &mut self.place, action, now);
            }
            PaneAction::Columns(action) => {
                self.must_reopen |= self.chooser.update(action, &rows?, &grid.columns, &mut self.place);
                grid.minimap.rows_changed();
            }
            PaneAction::Export(format) => {
                let at = (now.now_ms, is_stale);
                return Some(export::download(format, &rows?, &grid.columns.shown, &grid.selection, at));
            }
            PaneAction::Minimap(action) => {
                let rows = rows?;
                grid.minimap_used(action, rows, &model.rows);
            }
            PaneAction::Copy(row) => {
                let row = row.and_then(|row| RowId::parse(&row));
                return export::copy(&rows?, grid, row, (now.now_ms, is_stale)).map(Effect::Copy);
            }
            PaneAction::Log(action) => {
                let log = self.log.as_mut()?;
                let effect = log.update(action, client.timeline_mut(log.key)?, &self.place.resource);
                self.place.log = log.filter().clone();
                return effect;
            }
            PaneAction::Key(key) => {
                // A row that gets another place or other cells leaves the DOM for a moment, and loses the focus.
                if matches!(key, Key::Wide | Key::Settle | Key::SortByCell) {
                    grid.focus.want();
                }
                match self.action_of(key) {
                    Some(action) => return self.update(client, action, now),
                    None => {
                        self.grid.key_pressed(key, self.displayed.rows(client), &self.model.rows, now.now_ms)
                    }
                }
            }
            action => grid.update(&action, rows, &model.rows),
        }
        None
    }

    /// `None`: the key moves the focus or changes the selection.
    fn action_of(&self, key: Key) -> Option<PaneAction> {
        Some(match key {
            Key::Wide => PaneAction::ToggleWide,
            Key::Settle => PaneAction::Settle,
            Key::Copy => PaneAction::Copy(None),
            Key::Pause => PaneAction::TogglePause,
            Key::Export => PaneAction::ShowExport(!self.is_export_open),
            Key::Columns => PaneAction::Columns(ColumnsAction::Open(!self.chooser.is_open())),
            Key::SortByCell => PaneAction::Sort(self.grid.focus.cell.unwrap_or(0)),
            Key::Back if self.grid.selection.is_empty() && !self.place.query.is_empty() => {
                PaneAction::Filter(String::new())
            }
            _ => return None,
        })
    }

    fn filter(&mut self, client: &mut Client, text: String) {
        self.model.filter.clone_from(&text);
        self.place.query = text.into();
        self.query_changed(client);
    }

    fn sort(&mut self, client: &mut Client, column: usize) {
        if let Some(column) = self.grid.columns.shown.get(column) {
            place::sort_by(&mut self.place, &column.key, column.look == column::Look::Count);
            self.query_changed(client);
        }
    }

    fn query_changed(&mut self, client: &mut Client) {
        self.displayed.set_query(client, &self.place.query, self.place.sort.as_ref());
        self.grid.scroll_to_top();
    }

    /// Gives a row the focus, and scrolls to it.
    pub(crate) fn go_to_row(&mut self, client: &Client, row: RowId) {
        if let Some(rows) = self.displayed.rows(client)
            && let Some(place) = rows.place(row)
        {
            self.grid.go_to_place(place, rows, &self.model.rows);
        }
    }

    pub(crate) fn begin_in_rows(&mut self) {
        self.grid.focus.begin();
    }

    pub(crate) fn wants_focus(&mut self) {
        self.grid.focus.want();
        self.model.log.focus += 1;
    }

    /// Changes between the table and its log, and gives that the focus.
    pub(crate) fn toggle_look(&mut self) {
        self.look = match self.look {
            Look::Table => Look::Log,
            Look::Log => Look::Table,
        };
        self.model.log.takes_focus = self.look == Look::Log;
        if let Some(log) = &self.log {
            self.place.log = log.filter().clone();
        }
        if self.look == Look::Table {
            // The table has to be in the DOM before its row can take the focus.
            self.model.log.is_shown = false;
            self.grid.focus.want();
        }
    }
}
