//! What each action does. Links change with what they name: filter and sort replace the history's
//! entry, another kind or other namespaces push one.

use replica::limits::READER_GONE_MS;
use replica::query::{Direction, Sort};
use replica::window::scroll_to_show;
use shared::row::RowId;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::action::{Action, Key};
use super::page::{Open, Page};
use super::preferences;
use super::signals::put;
use crate::dom;

impl Page {
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::OpenKind(resource) => self.open_kind(resource),
            Action::SetNamespaces(namespaces) => self.set_namespaces(namespaces),
            Action::LookEverywhere => self.set_namespaces(Namespaces::All),
            Action::PickNamespaces(open) => self.pick_namespaces(open),
            Action::Filter(text) => self.filter(text),
            Action::LeaveFilter => {
                self.filter(String::new());
                self.screen.wants_focus = true;
            }
            Action::Sort(column) => self.sort(column),
            Action::ToggleWide => self.toggle_wide(),
            Action::NextTheme => self.next_theme(),
            Action::TryNow => self.handle(replica::client::Input::Retry),
            Action::Dismiss => self.dismiss(),
            Action::Reload => dom::address::reload(),
            Action::Copy(text) => dom::page::copy(&text),
            Action::Scrolled { top_px } => self.scrolled(top_px),
            Action::Resized { width_px, height_px, row_px, font } => {
                self.screen.viewport.height_px = height_px;
                if row_px > 0.0 {
                    self.screen.viewport.row_height_px = row_px;
                }
                self.screen.width_px = width_px;
                if font.mono_px > 0.0 && font.text_px > 0.0 {
                    self.screen.font = font;
                }
            }
            Action::Focused(row) => {
                self.screen.focused = RowId::parse(&row);
                self.screen.reader.has_focus = true;
            }
            Action::Blurred => self.screen.reader.has_focus = false,
            Action::Reading(over) => self.screen.reader.has_pointer = over,
            Action::Settle => self.settle(),
            Action::Key(key) => self.key_pressed(key),
        }
    }

    fn filter(&mut self, text: String) {
        if let Some(view) = self.key().and_then(|key| self.client.view_mut(key)) {
            view.set_filter(&text);
        }
        put(self.view.filter, text.clone());
        self.place.query = text.into();
        self.write_address();
        self.show_the_top();
    }

    /// Up, down, and back to the server's order.
    fn sort(&mut self, column: usize) {
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
        if let Some(view) = self.key().and_then(|key| self.client.view_mut(key)) {
            view.set_sort(sort);
        }
        self.write_address();
        self.show_the_top();
    }

    fn show_the_top(&mut self) {
        self.screen.anchor = None;
        self.screen.scroll_to_px = Some(0.0);
        self.screen.viewport.scroll_top_px = 0.0;
        self.screen.rows_changed = true;
    }

    fn settle(&mut self) {
        if let Some(view) = self.key().and_then(|key| self.client.view_mut(key)) {
            view.settle();
        }
        self.screen.rows_changed = true;
    }

    /// While somebody reads, rows stay where they are; when nobody has for a while, they are put in
    /// order.
    pub(super) fn follow_reader(&mut self, now_ms: UnixMillis) {
        let reader = &mut self.screen.reader;
        let reads = reader.has_focus || reader.has_pointer || self.screen.viewport.scroll_top_px > 0.0;
        if reads {
            reader.last_ms = now_ms;
        }
        let holds = now_ms.saturating_sub(reader.last_ms) < READER_GONE_MS;
        let Some(view) = self.key().and_then(|key| self.client.view_mut(key)) else { return };
        view.hold(holds);
        if !holds && view.index().waiting_count() > 0 {
            view.settle();
            self.screen.rows_changed = true;
        }
    }

    fn toggle_wide(&mut self) {
        self.place.wide = !self.place.wide;
        self.write_address();
    }

    fn next_theme(&mut self) {
        use leptos::prelude::GetUntracked;
        let theme = self.shell.theme.get_untracked().next();
        put(self.shell.theme, theme);
        preferences::keep_theme(theme);
        dom::page::set_body_attribute("data-theme", theme.attribute());
    }

    fn dismiss(&mut self) {
        if let Some(view) = self.key().and_then(|key| self.client.view_mut(key)) {
            view.dismiss_gap();
        }
    }

    fn scrolled(&mut self, top_px: f64) {
        self.screen.viewport.scroll_top_px = top_px;
        let Some(view) = self.key().and_then(|key| self.client.view(key)) else { return };
        let anchor = replica::window::anchor(self.screen.viewport, view.index().len());
        self.screen.anchor = anchor.and_then(|(place, distance_px)| {
            let slot = view.index().slots().get(place)?;
            Some((view.table().entry(*slot)?.row().id, distance_px))
        });
    }

    fn key_pressed(&mut self, key: Key) {
        match key {
            Key::Wide => return self.toggle_wide(),
            Key::Settle => return self.settle(),
            _ => {}
        }
        let Some(view) = self.key().and_then(|key| self.client.view(key)) else { return };
        let (index, viewport) = (view.index(), self.screen.viewport);
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
            self.scrolled(top_px);
        }
    }

    pub(super) fn link_changed(&mut self) {
        if let replica::connection::Link::Refused { problem } = self.client.connection().link() {
            preferences::forget_secret();
            let text = replica::text::sentence(&problem.message);
            put(self.shell.login, Some(super::shell::login_refused(text)));
        }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self.open, Open::View { .. })
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
fn rows_in(height_px: f64, row_px: f64) -> usize {
    ((height_px / row_px.max(1.0)).floor() as usize).saturating_sub(1).max(1)
}
