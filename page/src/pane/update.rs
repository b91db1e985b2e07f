//! What a reader does in one table. The place changes with it, and the link follows.

use crate::query::{Direction, Sort};
use crate::table_view::Client;
use crate::table_view::TableView;
use crate::window::scroll_to_show;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::Pane;
use super::columns;
use crate::action::{ColumnsAction, Key, PaneAction};
use crate::effect::Effect;
use replica::now::Now;

impl Pane {
    pub(crate) fn update(&mut self, client: &mut Client, action: PaneAction, now: Now) -> Option<Effect> {
        let now_ms = now.now_ms;
        // Whoever does something else meanwhile goes on there.
        self.screen.goes_on &= matches!(
            action,
            PaneAction::Resized { .. } | PaneAction::Scrolled { .. } | PaneAction::Reading(_)
        );
        match action {
            PaneAction::Filter(text) => self.filter(client, text),
            PaneAction::Complete(typed) => self.complete(client, typed),
            PaneAction::LeaveFilter => {
                self.filter(client, String::new());
                self.screen.wants_focus = true;
            }
            PaneAction::Sort(column) => self.sort(client, column),
            PaneAction::ToggleWide => self.place.wide = !self.place.wide,
            PaneAction::DismissGap => {
                if let Some((view, _)) = self.displayed.shown_mut(client) {
                    view.dismiss_gap();
                }
            }
            PaneAction::Scrolled { top_px } => self.scrolled(client, top_px),
            PaneAction::Resized { width_px, height_px, row_px, font } => {
                // Other columns fit, and their rows are made anew.
                let (was, is) = (columns::is_narrow(self.screen.width_px), columns::is_narrow(width_px));
                self.screen.wants_focus |= was != is && self.screen.reader.has_focus;
                self.screen.viewport.height_px = height_px;
                if row_px > 0.0 {
                    self.screen.viewport.row_height_px = row_px;
                }
                self.screen.width_px = width_px;
                if font.mono_px > 0.0 && font.text_px > 0.0 {
                    self.screen.font = font;
                }
            }
            PaneAction::Focused(row) => {
                self.screen.focused = RowId::parse(&row);
                self.screen.reader.has_focus = true;
            }
            PaneAction::Blurred => self.screen.reader.has_focus = false,
            PaneAction::Reading(over) => self.screen.reader.has_pointer = over,
            PaneAction::Settle => self.settle(client),
            PaneAction::Select { row, range } => {
                let Some(row) = RowId::parse(&row) else { return None };
                if range {
                    self.select_range(client, row);
                } else {
                    self.select(row);
                }
            }
            PaneAction::TogglePause => self.toggle_pause(client, now_ms),
            PaneAction::ToRows => self.go_to_rows(client),
            PaneAction::ShowExport(open) => self.screen.shows_export = open,
            PaneAction::Selector(action) => self.update_selector(client, action, now),
            PaneAction::Columns(action) => self.update_columns(client, action),
            PaneAction::Export(format) => return self.export(client, format, now_ms),
            PaneAction::Log(action) => return self.update_log(client, action),
            PaneAction::Key(key) => self.key_pressed(client, key, now_ms),
        }
        None
    }

    fn filter(&mut self, client: &mut Client, text: String) {
        self.model.filter = text.clone();
        self.place.query = text.into();
        self.displayed.set_query(client, &self.place.query, self.place.sort.clone());
        self.show_the_top();
    }

    /// What the link sorts by, where the table has no such column.
    pub(crate) fn unknown_sort(&self, client: &Client) -> Option<&str> {
        let sort = self.place.sort.as_ref()?;
        let table = self.displayed.live(client)?.table();
        (table.is_whole() && !sort.fits(table.columns())).then_some(&*sort.column)
    }

    pub(crate) fn forget_unknown_sort(&mut self, client: &Client) {
        if self.unknown_sort(client).is_some() {
            self.place.sort = None;
        }
    }

    /// Up, down, and back to the server's order.
    fn sort(&mut self, client: &mut Client, column: usize) {
        let Some(key) = self.screen.columns.get(column).map(|column| column.key.clone()) else { return };
        let direction = match &self.place.sort {
            Some(sort) if *sort.column == *key => match sort.direction {
                Direction::Ascending => Some(Direction::Descending),
                Direction::Descending => None,
            },
            _ => Some(Direction::Ascending),
        };
        self.place.sort = direction.map(|direction| Sort { column: (*key).into(), direction });
        self.displayed.set_query(client, &self.place.query, self.place.sort.clone());
        self.show_the_top();
    }

    /// A row that was found elsewhere gets the focus, and is scrolled to.
    pub(crate) fn go_to_row(&mut self, client: &Client, row: RowId) {
        let Some((view, index)) = self.displayed.shown(client) else { return };
        let slot = view.table().slot_of(row);
        let Some(place) = slot.and_then(|slot| index.position(view.table(), slot)) else { return };
        let top_px = scroll_to_show(place, self.screen.viewport);
        self.screen.focused = Some(row);
        self.screen.wants_focus = true;
        self.screen.scroll_to_px = Some(top_px);
        self.scrolled(client, top_px);
    }

    pub(crate) fn wants_focus(&mut self) {
        self.screen.wants_focus = true;
    }

    fn show_the_top(&mut self) {
        self.screen.anchor = None;
        // Where it stands there, asking the browser costs a layout.
        self.screen.scroll_to_px = (self.screen.viewport.scroll_top_px > 0.0).then_some(0.0);
        self.screen.viewport.scroll_top_px = 0.0;
        self.screen.rows_changed = true;
    }

    /// What was seen stays; what comes is counted.
    fn toggle_pause(&mut self, client: &Client, now_ms: UnixMillis) {
        if let Some(log) = &mut self.log {
            log.toggle_pause();
        } else if self.displayed.frozen().is_some() {
            self.displayed.thaw();
        } else {
            self.displayed.freeze(client, now_ms);
        }
        self.screen.rows_changed = true;
    }

    fn step_back(&mut self, client: &mut Client) {
        if !self.screen.selection.is_empty() {
            self.screen.selection.clear();
        } else if !self.place.query.is_empty() {
            self.filter(client, String::new());
        }
    }

    /// Left of the first cell is the row itself.
    fn move_cell(&mut self, by: isize) {
        let last = self.screen.columns.len().saturating_sub(1);
        self.screen.cell = match self.screen.cell {
            None if by > 0 => Some(0),
            None => None,
            Some(0) if by < 0 => None,
            Some(at) => Some(at.saturating_add_signed(by).min(last)),
        };
        self.screen.wants_focus = true;
    }

    fn settle(&mut self, client: &mut Client) {
        if let Some((view, reader)) = self.displayed.shown_mut(client) {
            view.settle(reader);
        }
        self.screen.rows_changed = true;
    }

    /// A row that the filter hides can't be gone on from: the first one is.
    fn go_to_rows(&mut self, client: &Client) {
        let is_shown = |id: &RowId| {
            let (view, index) = self.displayed.shown(client)?;
            index.position(view.table(), view.table().slot_of(*id)?)
        };
        self.screen.focused = self.screen.focused.filter(|id| is_shown(id).is_some());
        self.screen.wants_focus = true;
    }

    fn scrolled(&mut self, client: &Client, top_px: f64) {
        // The echo of a place that was set here: its anchor stands, and rows may have come since.
        if self.screen.anchor.is_some() && (top_px - self.screen.viewport.scroll_top_px).abs() < 1.0 {
            return;
        }
        self.screen.viewport.scroll_top_px = top_px;
        let Some((view, index)) = self.displayed.shown(client) else { return };
        let anchor = crate::window::anchor(self.screen.viewport, index.len());
        self.screen.anchor = anchor.and_then(|(place, distance_px)| {
            // What the reader sees there: rows may have come since, and wait for the next flush.
            let drawn = self.model.rows.rows.iter().find(|row| row.place == place).map(|row| row.id);
            let held = || Some(view.table().entry(*index.slots().get(place)?)?.row().id);
            Some((drawn.or_else(held)?, distance_px))
        });
    }

    fn key_pressed(&mut self, client: &mut Client, key: Key, now_ms: UnixMillis) {
        match key {
            Key::Wide => {
                // Rows with other columns are made anew.
                self.screen.wants_focus = true;
                self.place.wide = !self.place.wide;
                return;
            }
            Key::Settle => {
                self.screen.wants_focus = true;
                return self.settle(client);
            }
            Key::Pause => return self.toggle_pause(client, now_ms),
            Key::Export => return self.screen.shows_export = !self.screen.shows_export,
            Key::Columns => {
                let is_open = self.screen.chooses.is_some();
                return self.update_columns(client, ColumnsAction::Open(!is_open));
            }
            Key::Back => return self.step_back(client),
            Key::NextCell => return self.move_cell(1),
            Key::PreviousCell => return self.move_cell(-1),
            Key::SortByCell => {
                // A row that changes its place is taken out of the page for a moment.
                self.screen.wants_focus = true;
                return self.sort(client, self.screen.cell.unwrap_or(0));
            }
            Key::Select | Key::SelectRange => {
                let Some(row) = self.screen.focused.or(self.screen.reachable) else { return };
                return if key == Key::Select { self.select(row) } else { self.select_range(client, row) };
            }
            _ => {}
        }
        let Some((view, index)) = self.displayed.shown(client) else { return };
        let viewport = self.screen.viewport;
        let Some(last) = index.len().checked_sub(1) else { return };
        let at = self
            .screen
            .focused
            .and_then(|id| view.table().slot_of(id))
            .and_then(|slot| index.position(view.table(), slot));
        let in_trouble = |place: &usize| {
            index
                .slots()
                .get(*place)
                .and_then(|slot| view.tally().class(*slot))
                .is_some_and(|c| c.is_trouble())
        };
        let page = rows_in(viewport.height_px, viewport.row_height_px);
        let next = at.map_or(0, |at| at + 1);
        let to = match key {
            Key::Down => Some(next.min(last)),
            Key::Up => Some(at.unwrap_or(0).saturating_sub(1)),
            Key::PageDown => Some(at.unwrap_or(0).saturating_add(page).min(last)),
            Key::PageUp => Some(at.unwrap_or(0).saturating_sub(page)),
            Key::Home => Some(0),
            Key::End => Some(last),
            Key::NextInTrouble => (next..=last).find(in_trouble),
            Key::PreviousInTrouble => (0..at.unwrap_or(0)).rev().find(in_trouble),
            _ => None,
        };
        let Some(place) = to else { return };
        let Some(entry) = index.slots().get(place).and_then(|slot| view.table().entry(*slot)) else { return };
        let top_px = scroll_to_show(place, viewport);
        self.screen.focused = Some(entry.row().id);
        self.screen.wants_focus = true;
        if (top_px - viewport.scroll_top_px).abs() > 0.5 {
            self.screen.scroll_to_px = Some(top_px);
            self.scrolled(client, top_px);
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
fn rows_in(height_px: f64, row_px: f64) -> usize {
    ((height_px / row_px.max(1.0)).floor() as usize).saturating_sub(1).max(1)
}
