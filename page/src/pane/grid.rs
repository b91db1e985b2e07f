//! The table on the screen: its columns, where it is scrolled, which row has the focus, which are selected, and
//! how they are drawn. Never which rows there are.

use std::sync::Arc;

use replica::freshness::{ClusterState, Freshness};
use replica::table::{Delta, Slot};
use shared::row::RowId;
use shared::state::UnixMillis;

use super::attention::Attention;
use super::clocks::Clocks;
use super::columns::Columns;
use super::displayed::{Displayed, Rows};
use super::focus::Focus;
use super::links::RowLinks;
use super::minimap::{Minimap, Target};
use super::new_rows_above::NewRowsAbove;
use super::recent::Recent;
use super::rows::{Drawing, Flashes, places};
use super::scroll::Scroll;
use super::selection::Selection;
use crate::action::{Key, MinimapAction, PaneAction};
use crate::column_settings::ColumnSettings;
use crate::location::Location;
use crate::model::{Layout, PaneModel, SeenRows};
use crate::table_view::{Client, TableView};

#[derive(Default)]
pub(super) struct Grid {
    pub(super) columns: Columns,
    pub(super) scroll: Scroll,
    pub(super) focus: Focus,
    pub(super) attention: Attention,
    pub(super) selection: Selection,
    pub(super) recent: Recent,
    pub(super) minimap: Minimap,
    /// The answer to the last key, and until when it is shown.
    pub(super) said: Option<&'static str>,
    said_until_ms: UnixMillis,
    flashes: Flashes,
    new_rows_above: NewRowsAbove,
}

/// Skeleton rows are shown after this time, because most lists come sooner.
const SKELETON_ROWS_AFTER_MS: i64 = 300;
const SKELETON_ROWS: usize = 8;
/// The answer to a key is shown for this time.
const SAID_MS: i64 = 4_000;

impl Grid {
    /// For another view. Only the size of the window is kept.
    pub(super) fn begin_anew(&mut self) {
        let former = std::mem::take(self);
        (self.columns, self.scroll, self.focus) = (former.columns, former.scroll, former.focus);
        self.columns.begin_anew();
        self.scroll.begin_anew();
        self.focus.begin_anew();
    }

    pub(super) fn rows_came(&mut self, rows: &Rows<'_>, delta: &Delta, now_ms: UnixMillis) {
        let table = rows.live.table();
        let was_whole = !delta.first_cut && table.is_whole();
        self.recent.rows_came(delta, was_whole, now_ms);
        self.columns.rows_came(delta, was_whole);
        if delta.first_cut {
            self.focus.first_rows_came();
        }
        if was_whole && !delta.replaced && self.scroll.has_anchor() {
            self.new_rows_above.rows_came(table, delta);
        }
        self.minimap.rows_changed();
    }

    pub(super) fn second(
        &mut self,
        displayed: &mut Displayed,
        client: &mut Client,
        drawn: &SeenRows,
        now_ms: UnixMillis,
    ) {
        self.recent.expire(now_ms);
        if !self.attention.aims(now_ms) {
            self.scroll.end_aim(displayed.rows(client), drawn);
        }
        self.said = self.said.filter(|_| now_ms < self.said_until_ms);
        let holds = self.attention.is_here(!self.scroll.is_at_top(), now_ms);
        if let Some((view, reader)) = displayed.view_mut(client) {
            view.hold(reader, holds);
            if !holds && view.settle(reader) {
                self.minimap.rows_changed();
            }
        }
        if let Some(rows) = displayed.rows(client) {
            self.selection.drop_deleted(&rows);
        }
    }

    /// `drawn`: the rows of the last frame.
    pub(super) fn update(
        &mut self,
        action: &PaneAction,
        rows: Option<Rows<'_>>,
        drawn: &SeenRows,
        now_ms: UnixMillis,
    ) {
        match action {
            PaneAction::Scrolled { top_px } => self.scroll.scrolled(*top_px, rows, drawn),
            PaneAction::Resized { width_px, height_px, row_px, font } => {
                self.scroll.resized(*height_px, *row_px);
                // For other columns the rows are mounted again, and the focused one loses the focus.
                if self.columns.resized(*width_px, font.clone()) && self.attention.has_focus {
                    self.focus.want();
                }
            }
            PaneAction::Printing(is_printing) => self.scroll.is_printing = *is_printing,
            PaneAction::Focused(row) => {
                self.attention.has_focus = self.focus.focused(RowId::parse(row));
            }
            PaneAction::Blurred => self.attention.has_focus = false,
            PaneAction::PointerMoved { row } => {
                self.attention.pointer_ms = Some(now_ms);
                if let (Some(row), Some(rows)) = (row.as_deref().and_then(RowId::parse), rows) {
                    self.scroll.aim_at(row, rows);
                }
            }
            PaneAction::PointerLeft => {
                self.attention.pointer_ms = None;
                self.scroll.end_aim(rows, drawn);
            }
            PaneAction::Select { row, range } => self.select(RowId::parse(row), *range, rows),
            PaneAction::ToRows => self.focus.go_to_rows(rows),
            _ => {}
        }
    }

    pub(super) fn key_pressed(
        &mut self,
        key: Key,
        rows: Option<Rows<'_>>,
        drawn: &SeenRows,
        now_ms: UnixMillis,
    ) {
        self.said = None;
        match key {
            Key::NextInTrouble | Key::PreviousInTrouble => {
                let Some(rows) = rows else { return };
                let (place, said) = self.focus.failing_after(key == Key::PreviousInTrouble, &rows);
                (self.said, self.said_until_ms) = (said, now_ms.saturating_add(SAID_MS));
                if let Some(place) = place {
                    self.go_to_place(place, rows, drawn);
                }
            }
            Key::Back => self.selection.clear(),
            Key::NextCell => self.focus.move_cell(1, self.columns.shown.len()),
            Key::PreviousCell => self.focus.move_cell(-1, self.columns.shown.len()),
            Key::Select | Key::SelectRange => {
                self.select(self.focus.row_or_reachable(), key == Key::SelectRange, rows);
            }
            key => {
                if let Some(rows) = rows
                    && let Some(place) = self.focus.place_after(key, &rows, self.scroll.viewport)
                {
                    self.go_to_place(place, rows, drawn);
                }
            }
        }
    }

    /// The row that a reader has the keyboard in.
    pub(super) fn focused(&self) -> Option<RowId> {
        self.focus.row.filter(|_| self.attention.has_focus)
    }

    pub(super) fn minimap_used(&mut self, action: MinimapAction, rows: Rows<'_>, drawn: &SeenRows) {
        match self.minimap.update(action, &rows, self.scroll.viewport) {
            Some(Target::Top(top_px)) => self.scroll.scroll_to(top_px, rows, drawn),
            Some(Target::Row(place)) => self.go_to_place(place, rows, drawn),
            None => {}
        }
    }

    fn select(&mut self, row: Option<RowId>, is_range: bool, rows: Option<Rows<'_>>) {
        match (row, rows) {
            (Some(row), Some(rows)) if is_range => self.selection.select_range(&rows, row),
            (Some(row), _) if !is_range => self.selection.toggle(row),
            _ => {}
        }
    }

    pub(super) fn scroll_to_top(&mut self) {
        self.scroll.scroll_to_top();
        self.minimap.rows_changed();
    }

    /// Gives the row of this place the focus, and scrolls to it.
    pub(super) fn go_to_place(&mut self, place: usize, rows: Rows<'_>, drawn: &SeenRows) {
        self.focus.want();
        self.show_place(place, rows, drawn);
    }

    fn show_place(&mut self, place: usize, rows: Rows<'_>, drawn: &SeenRows) {
        let Some(row) = rows.at(place) else { return };
        self.focus.row = Some(row);
        self.scroll.show(place, rows, drawn);
    }

    /// Moves as a key does, and leaves the focus of the browser where it is.
    pub(super) fn walk(&mut self, key: Key, rows: Rows<'_>, drawn: &SeenRows) {
        if let Some(place) = self.focus.place_after(key, &rows, self.scroll.viewport) {
            self.show_place(place, rows, drawn);
        }
    }

    /// Draws the rows of the window, and their columns, scroll bar and minimap.
    pub(super) fn render(
        &mut self,
        (displayed, client): (&mut Displayed, &mut Client),
        (place, settings, polled): (&Location, &ColumnSettings, &str),
        (freshness, clusters, links): (&Freshness, &[ClusterState], &mut RowLinks),
        now_ms: UnixMillis,
        model: &mut PaneModel,
    ) {
        let Some(rows) = displayed.rows(client) else { return };
        let is_syncing = matches!(freshness, Freshness::Syncing { .. });
        let count = if freshness.shows_rows() { rows.index.len() } else { 0 };
        let clocks = Clocks::new(&rows, clusters, freshness.is_stale(), now_ms);
        let now_ms = rows.drawn_ms(now_ms);
        self.columns.choose(&rows, (settings, place.wide), clocks.now_s, now_ms);
        let head = self.columns.head(&rows, is_syncing, polled);
        if *model.table != head {
            model.table = Arc::new(head);
        }
        self.scroll.fold(self.columns.plan.layout == Layout::Folded);
        if count > 0 && rows.view.table().is_whole() {
            self.scroll.resume(rows, &model.rows);
        }
        self.scroll.keep_anchor(&rows);
        let window = self.scroll.window(count);
        let waited_ms = now_ms.saturating_sub(rows.view.subscription().asked_ms);
        let is_waiting = count == 0 && is_syncing && waited_ms >= SKELETON_ROWS_AFTER_MS;
        model.skeleton_rows = if is_waiting { SKELETON_ROWS } else { 0 };
        let places = places(&rows, &window, self.focus.row);
        self.focus.reach(&rows, &places);
        let seen: Vec<Slot> = places.iter().map(|(_, slot)| *slot).collect();
        let flashing = displayed.view_mut(client).map(|(view, _)| view.flash(&seen, now_ms));
        let Some(rows) = displayed.rows(client) else { return };
        let drawing = Drawing {
            rows,
            columns: &self.columns.shown,
            font: &self.columns.font,
            flashing: flashing.unwrap_or_default(),
            now_ms,
            clocks,
            focus: &self.focus,
            selection: &self.selection,
            row_px: self.scroll.viewport.row_height_px,
        };
        model.rows = Arc::new(self.flashes.draw(&places, &drawing, &mut self.columns.widths, links));
        model.columns_css = self.columns.css(rows.index.sort(), now_ms);
        model.extent = self.scroll.extent(&window);
        // Before the browser has measured the table, no row of it is in the document.
        if self.scroll.viewport.height_px > 0.0
            && let Some(request) = self.focus.request()
        {
            model.focus = Some(request);
        }
        let viewport = self.scroll.viewport;
        self.minimap.render(&mut model.minimap, &rows, &self.recent, (&window, viewport), now_ms);
        model.out_of_order = rows.index.out_of_order(rows.view.table());
        model.new_rows_above = self.new_rows_above.count(&rows, window.seen.start);
    }
}
