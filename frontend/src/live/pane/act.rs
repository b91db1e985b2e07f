//! What a reader does in one table. The place changes with it, and the link follows.

use replica::client::Client;
use replica::query::{Direction, Sort};
use replica::window::scroll_to_show;
use shared::row::RowId;

use super::Pane;
use crate::live::action::{Key, PaneAction};
use crate::live::signals::put;

impl Pane {
    pub(in crate::live) fn act(&mut self, client: &mut Client, action: PaneAction) {
        match action {
            PaneAction::Filter(text) => self.filter(client, text),
            PaneAction::LeaveFilter => {
                self.filter(client, String::new());
                self.screen.wants_focus = true;
            }
            PaneAction::Sort(column) => self.sort(client, column),
            PaneAction::ToggleWide => self.place.wide = !self.place.wide,
            PaneAction::DismissGap => {
                if let Some((view, _)) = self.shown_mut(client) {
                    view.dismiss_gap();
                }
            }
            PaneAction::Scrolled { top_px } => self.scrolled(client, top_px),
            PaneAction::Resized { width_px, height_px, row_px, font } => {
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
            PaneAction::Key(key) => self.key_pressed(client, key),
        }
    }

    fn filter(&mut self, client: &mut Client, text: String) {
        if let Some((view, lens)) = self.shown_mut(client) {
            view.set_filter(lens, &text);
        }
        put(self.view.filter, text.clone());
        self.place.query = text.into();
        self.show_the_top();
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
        self.place.sort = direction.map(|direction| Sort { column: key.into(), direction });
        let sort = self.place.sort.clone();
        if let Some((view, lens)) = self.shown_mut(client) {
            view.set_sort(lens, sort);
        }
        self.show_the_top();
    }

    fn show_the_top(&mut self) {
        self.screen.anchor = None;
        self.screen.scroll_to_px = Some(0.0);
        self.screen.viewport.scroll_top_px = 0.0;
        self.screen.rows_changed = true;
    }

    fn settle(&mut self, client: &mut Client) {
        if let Some((view, lens)) = self.shown_mut(client) {
            view.settle(lens);
        }
        self.screen.rows_changed = true;
    }

    fn scrolled(&mut self, client: &Client, top_px: f64) {
        self.screen.viewport.scroll_top_px = top_px;
        let Some((view, index)) = self.shown(client) else { return };
        let anchor = replica::window::anchor(self.screen.viewport, index.len());
        self.screen.anchor = anchor.and_then(|(place, distance_px)| {
            let slot = index.slots().get(place)?;
            Some((view.table().entry(*slot)?.row().id, distance_px))
        });
    }

    fn key_pressed(&mut self, client: &mut Client, key: Key) {
        match key {
            Key::Wide => return self.act(client, PaneAction::ToggleWide),
            Key::Settle => return self.settle(client),
            _ => {}
        }
        let Some((view, index)) = self.shown(client) else { return };
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
            Key::Wide | Key::Settle => None,
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
