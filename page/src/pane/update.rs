//! What a reader does in a pane. It may change the place, and then the link.

use replica::now::Now;
use shared::row::{Row, RowId};

use super::clocks::Clocks;
use super::column;
use super::{Pane, export, place};
use crate::action::{Action, ColumnsAction, Key, PaneAction, SelectorAction};
use crate::address::Look;
use crate::effect::Effect;
use crate::messages;
use crate::query::complete::complete;
use crate::query::sort::HEALTH_KEY;
use crate::table_view::{Client, TableView};

impl Pane {
    pub(crate) fn update(&mut self, client: &mut Client, action: PaneAction, now: Now) -> Option<Effect> {
        if !self.offers(&action) {
            return None;
        }
        let is_stale = self.is_stale();
        let Self { displayed, grid, model, cluster_states, .. } = self;
        grid.focus.note(&action);
        let rows = displayed.rows(client);
        let clocks = rows.map(|rows| (Clocks::new(&rows, cluster_states, is_stale, now.now_ms), rows));
        let clock = |row: &Row| clocks.map_or(0, |(clocks, rows)| clocks.of(row, rows.view.table()));
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
                let rows = rows?;
                let term = format!("{HEALTH_KEY}={}", rows.live.tally().columns().term(health));
                let text = rows.index.filter().toggled(health, &term);
                self.filter(client, text);
            }
            PaneAction::ToggleTroubleFirst => {
                place::toggle_trouble_first(&mut self.place);
                self.query_changed(client);
            }
            PaneAction::Wide(wide) => self.place.wide = wide,
            PaneAction::DismissGap => displayed.dismiss_gap(client),
            PaneAction::DismissWithdrawn => displayed.dismiss_withdrawn(client),
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
                return Some(export::download(format, &rows?, &grid.columns.shown, &grid.selection, clock));
            }
            PaneAction::CopyRows => {
                return Some(Effect::Copy(export::copy_rows(&rows?, grid, clock)));
            }
            PaneAction::Minimap(action) => {
                let rows = rows?;
                grid.minimap_used(action, rows, &model.rows);
            }
            PaneAction::Copy(row) => {
                let row = row.and_then(|row| RowId::parse(&row));
                return export::copy(&rows?, grid, row, clock).map(Effect::Copy);
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
            action => {
                grid.update(&action, rows, &model.rows, now.now_ms);
                // From the first movement on, no row moves away from under the pointer.
                if matches!(action, PaneAction::PointerMoved { .. })
                    && let Some((view, reader)) = displayed.view_mut(client)
                {
                    view.hold(reader, true);
                }
            }
        }
        None
    }

    /// Why an action that the reader chose can't do anything now.
    pub(crate) fn refusal(&self, action: &Action) -> Option<&'static str> {
        let is_offered = match action {
            Action::ToggleLog => self.look == Look::Log || self.model.head.content.takes_rows(),
            Action::In(PaneAction::Key(key)) => {
                self.action_of(*key).is_none_or(|action| self.offers(&action))
            }
            Action::In(PaneAction::Complete(_)) => true,
            Action::In(action) => self.offers(action),
            _ => true,
        };
        (!is_offered).then_some(messages::NO_ROWS_FOR_IT)
    }

    /// Whether an action can do something over what the view has to show. The buttons ask the same.
    fn offers(&self, action: &PaneAction) -> bool {
        let content = self.model.head.content;
        match action {
            PaneAction::Wide(_) | PaneAction::Columns(ColumnsAction::Open(true)) => content.has_rows(),
            PaneAction::TogglePause => content.can_pause(self.model.is_paused, self.look == Look::Log),
            PaneAction::Complete(Some(_)) => content.takes_rows(),
            PaneAction::ShowExport(true) | PaneAction::Selector(SelectorAction::Edit(_)) => content.is_view(),
            _ => true,
        }
    }

    /// `None`: the key moves the focus or changes the selection.
    fn action_of(&self, key: Key) -> Option<PaneAction> {
        Some(match key {
            Key::Wide => PaneAction::Wide(self.place.wide.next()),
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
        self.displayed.set_query(client, &self.place.query, place::order(&self.place).as_ref());
        self.grid.scroll_to_top();
    }

    /// Scrolls to a row, which Tab reaches. Its panel takes the focus.
    pub(crate) fn go_to_row(&mut self, client: &Client, row: RowId) {
        if let Some(rows) = self.displayed.rows(client)
            && let Some(place) = rows.place(row)
        {
            self.grid.go_to_place(place, rows, &self.model.rows);
            self.grid.focus.leave();
        }
    }

    /// The browser draws a moved pane anew, and from its first row.
    pub(crate) fn was_moved(&mut self) {
        self.grid.scroll_to_top();
    }

    pub(crate) fn wants_focus(&mut self) {
        self.grid.focus.want();
        self.model.log.focus += 1;
    }

    pub(crate) fn begin_in_rows(&mut self) {
        self.grid.focus.begin();
    }

    /// Changes between the table and its log, and gives that the focus.
    pub(crate) fn toggle_look(&mut self) {
        if self.look == Look::Table && !self.model.head.content.takes_rows() {
            return;
        }
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
