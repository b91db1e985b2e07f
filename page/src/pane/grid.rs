//! The table on the screen: its columns, where it is scrolled, which row has the focus, which are selected, and
//! how they are drawn. Never which rows there are.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use replica::freshness::{Freshness, Record};
use replica::table::{Delta, Slot};
use shared::row::RowId;
use shared::state::UnixMillis;

use super::attention::Attention;
use super::clocks::Clocks;
use super::columns::Columns;
use super::displayed::{Displayed, PaneView, Rows};
use super::focus::Focus;
use super::links::PageLinks;
use super::minimap::{Minimap, Target};
use super::new_rows_above::NewRowsAbove;
use super::recent::Recent;
use super::rows::{Drawing, DrawnRows, Linked, places};
use super::scroll::Scroll;
use super::selection::Selection;
use super::words;
use crate::action::{Key, MinimapAction, PaneAction};
use crate::columns::ColumnSettings;
use crate::cx::Cx;
use crate::location::Location;
use crate::model::{Layout, PaneModel, SeenRows};
use crate::table_view::TableView;
use crate::window::Window;

/// The rows and columns of one pane as they stand on the screen. It owns where its reader is among them: scrolled to, with
/// the keyboard, with the pointer, and what is selected. [`super::Pane`] passes it actions and news of the rows, and lets it
/// draw once a frame.
#[derive(Default)]
pub(super) struct Grid {
    columns: Columns,
    scroll: Scroll,
    focus: Focus,
    attention: Attention,
    selection: Selection,
    recent: Recent,
    minimap: Minimap,
    said: KeyAnswer,
    drawn: DrawnRows,
    new_rows_above: NewRowsAbove,
}

/// The answer to the last key, and until when it is shown.
#[derive(Default)]
struct KeyAnswer {
    text: Option<Cow<'static, str>>,
    until_ms: UnixMillis,
}

/// Skeleton rows are shown after this time, because most lists come sooner.
const SKELETON_ROWS_AFTER_MS: i64 = 300;
const SKELETON_ROWS: usize = 8;
/// The answer to a key is shown for this time.
const SAID_MS: i64 = 4_000;

/// What the pane's other parts read of it, and ask of it.
impl Grid {
    pub(super) fn columns(&self) -> &Columns {
        &self.columns
    }

    pub(super) fn selection(&self) -> &Selection {
        &self.selection
    }

    pub(super) fn recent(&self) -> &Recent {
        &self.recent
    }

    /// The row of the keyboard's focus, or where it was last.
    pub(super) fn row(&self) -> Option<RowId> {
        self.focus.row()
    }

    /// The focused cell's column.
    pub(super) fn column(&self) -> Option<usize> {
        self.focus.cell()
    }

    /// The answer to the last key.
    pub(super) fn said(&self) -> Option<&str> {
        self.said.text.as_deref()
    }

    /// Answers a key for a moment.
    pub(super) fn say(&mut self, text: impl Into<Cow<'static, str>>, now_ms: UnixMillis) {
        self.said = KeyAnswer { text: Some(text.into()), until_ms: now_ms.saturating_add(SAID_MS) };
    }

    pub(super) fn window(&self, count: usize) -> Window {
        self.scroll.window(count)
    }

    pub(super) fn scroll_top_px(&self) -> f64 {
        self.scroll.viewport().scroll_top_px
    }

    /// Where the reader was when they left this view.
    pub(super) fn resume_at(&mut self, top_px: f64) {
        self.scroll.resume_at(top_px);
    }

    /// The reader aims at a row with the pointer.
    pub(super) fn is_aimed_at(&self, now_ms: UnixMillis) -> bool {
        self.attention.aims(now_ms)
    }

    pub(super) fn follow_links(&mut self, page: Option<Rc<PageLinks>>, at: usize) {
        self.drawn.follow_links(page, at);
    }

    pub(super) fn link(&mut self, linked: Option<Linked>) {
        self.drawn.link(linked);
    }

    pub(super) fn linked_said(&self, rows: &Rows<'_>) -> String {
        self.drawn.linked_said(rows)
    }

    pub(super) fn stand_beside_nodes(&mut self, has_nodes: bool) {
        self.columns.stand_beside_nodes(has_nodes);
    }

    /// Something else stands in the place of the rows.
    pub(super) fn unmounted(&mut self) {
        self.scroll.unmounted();
    }

    /// Marks or rows changed, or their order.
    pub(super) fn rows_changed(&mut self) {
        self.minimap.rows_changed();
    }

    /// If the reader does something else before the rows come, the rows don't take the focus.
    pub(super) fn note(&mut self, action: &PaneAction) {
        self.focus.note(action);
    }

    pub(super) fn want_focus(&mut self) {
        self.focus.want();
    }

    /// Something else takes the focus.
    pub(super) fn leave_focus(&mut self) {
        self.focus.leave();
    }

    /// A page that has just begun has the focus in its rows.
    pub(super) fn begin_in_rows(&mut self) {
        self.focus.begin();
    }

    /// A reader who stands at a deleted row goes to that of the object which took its name.
    pub(super) fn follow_made_anew(&mut self, rows: &Rows<'_>, delta: &Delta) {
        let table = rows.live.table();
        let stood = self.row().and_then(|row| table.entry(table.slot_of(row)?));
        let Some(gone) = stood.filter(|entry| entry.is_tombstone()) else { return };
        let mut added = delta.added.iter().filter_map(|slot| table.entry(*slot));
        if let Some(anew) = added.find(|entry| entry.key() == gone.key()) {
            self.stand_at(anew.row().id);
        }
    }

    /// The row is where the reader is; the focus of the browser stays.
    pub(super) fn stand_at(&mut self, row: RowId) {
        self.focus.stand_at(row);
    }
}

/// What a reader does in it, and how it is drawn.
impl Grid {
    /// For another view. Only the size of the window is kept.
    pub(super) fn begin_anew(&mut self) {
        let former = std::mem::take(self);
        (self.columns, self.scroll, self.focus) = (former.columns, former.scroll, former.focus);
        self.drawn = former.drawn;
        self.drawn.begin_anew();
        self.columns.begin_anew();
        self.scroll.begin_anew();
        self.focus.begin_anew();
    }

    pub(super) fn rows_came(&mut self, rows: &Rows<'_>, delta: &Delta, now_ms: UnixMillis) {
        let table = rows.live.table();
        let was_whole = !delta.first_cut && table.is_whole();
        self.recent.rows_came(delta, was_whole, now_ms);
        let has_other_cluster = self.columns.rows_came(table, delta, was_whole);
        if delta.first_cut {
            self.focus.first_rows_came();
        } else if has_other_cluster {
            self.focus.other_rows_came();
        }
        if was_whole && !delta.replaced && self.scroll.has_anchor() {
            self.new_rows_above.rows_came(table, delta);
        }
        self.minimap.rows_changed();
    }

    pub(super) fn second(&mut self, displayed: &mut Displayed, drawn: &SeenRows, cx: &mut Cx) {
        let now_ms = cx.now_ms();
        self.recent.expire(now_ms);
        if !self.attention.aims(now_ms) {
            self.scroll.end_aim(displayed.rows(cx), drawn);
        }
        self.said.text.take_if(|_| now_ms >= self.said.until_ms);
        let (holds, is_paused) =
            (self.attention.is_here(!self.scroll.is_at_top(), now_ms), displayed.is_paused());
        if let Some((view, reader)) = displayed.view_mut(cx) {
            view.hold(reader, holds);
            // Paused rows stand still.
            if !holds && !is_paused && view.settle(reader) {
                self.minimap.rows_changed();
            }
        }
        if let Some(rows) = displayed.rows(cx) {
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
            // A panel covers the rows: they stay where they are, and the browser measures them again.
            PaneAction::Resized { height_px, .. }
                if *height_px <= 0.0 && self.scroll.viewport().height_px > 0.0 =>
            {
                self.scroll.covered();
            }
            PaneAction::Resized { width_px, height_px, row_px, font } => {
                self.scroll.resized(*height_px, *row_px);
                // For other columns the rows are mounted again, and the focused one loses the focus.
                if self.columns.resized(*width_px, font.clone()) && self.attention.has_focus() {
                    self.focus.want();
                }
            }
            PaneAction::Printing(is_printing) => self.scroll.print(*is_printing),
            PaneAction::Focused(row) => {
                let has_focus = self.focus.focused(RowId::parse(row));
                self.attention.set_focus(has_focus);
            }
            PaneAction::Blurred => self.attention.set_focus(false),
            PaneAction::PointerMoved { row } => {
                self.attention.pointed(Some(now_ms));
                if let (Some(row), Some(rows)) = (row.as_deref().and_then(RowId::parse), rows) {
                    self.scroll.aim_at(row, rows);
                }
            }
            PaneAction::PointerLeft => {
                self.attention.pointed(None);
                self.scroll.end_aim(rows, drawn);
            }
            PaneAction::Select { row, range } => self.select(RowId::parse(row), *range, rows),
            PaneAction::ToRows if rows.is_some_and(|rows| rows.index.is_empty()) => {
                self.say(words::NO_ROW_TO_GO_TO, now_ms);
            }
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
        self.said.text = None;
        match key {
            Key::NextInTrouble | Key::PreviousInTrouble => {
                let Some(rows) = rows else { return };
                let (place, said) = self.focus.failing_after(key == Key::PreviousInTrouble, &rows);
                said.into_iter().for_each(|said| self.say(said, now_ms));
                if let Some(place) = place {
                    self.go_to_place(place, rows, drawn);
                }
            }
            Key::Back => self.selection.clear(),
            Key::NextCell => self.focus.move_cell(1, self.columns.shown().len()),
            Key::PreviousCell => self.focus.move_cell(-1, self.columns.shown().len()),
            Key::Select | Key::SelectRange => {
                self.select(self.focus.row_or_reachable(), key == Key::SelectRange, rows);
            }
            key => {
                if let Some(rows) = rows
                    && let Some(place) = self.focus.place_after(key, &rows, self.scroll.viewport())
                {
                    self.go_to_place(place, rows, drawn);
                }
            }
        }
    }

    /// The row that a reader has the keyboard in.
    pub(super) fn focused(&self) -> Option<RowId> {
        self.focus.row().filter(|_| self.attention.has_focus())
    }

    pub(super) fn minimap_used(&mut self, action: MinimapAction, rows: Rows<'_>, drawn: &SeenRows) {
        match self.minimap.update(action, &rows, self.scroll.viewport()) {
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

    /// The reader stands at the row of this place, which is in the window. The focus of the browser stays.
    pub(super) fn show_place(&mut self, place: usize, rows: Rows<'_>, drawn: &SeenRows) {
        let Some(row) = rows.at(place) else { return };
        self.focus.stand_at(row);
        self.scroll.show(place, rows, drawn);
    }

    /// Moves as a key does, and leaves the focus of the browser where it is.
    pub(super) fn walk(&mut self, key: Key, rows: Rows<'_>, drawn: &SeenRows) {
        if let Some(place) = self.focus.place_after(key, &rows, self.scroll.viewport()) {
            self.show_place(place, rows, drawn);
        }
    }

    /// Draws the rows of the window, and their columns, scroll bar and minimap.
    pub(super) fn render(
        &mut self,
        view: &mut PaneView,
        (place, settings, polled): (&Location, &ColumnSettings, &str),
        model: &mut PaneModel,
        cx: &mut Cx,
    ) {
        let Some((displayed, freshness, clusters)) = view.parts_mut() else { return };
        let Some(rows) = displayed.rows(cx) else { return };
        let is_reading = freshness.past().is_some_and(|as_of| matches!(as_of.record, Record::Reading { .. }));
        let is_syncing = is_reading || matches!(freshness, Freshness::Syncing { .. });
        let count = if freshness.shows_rows() { rows.index.len() } else { 0 };
        let (stale_ms, real_ms) = (freshness.stale_ms(), cx.now_ms());
        let now_ms = rows.drawn_ms(real_ms);
        let now_s = rows.view.cluster_now_s(now_ms, stale_ms);
        self.columns.choose(&rows, (settings, place.wide), now_s, now_ms);
        let head = self.columns.head(&rows, is_syncing, polled);
        if *model.table != head {
            model.table = Arc::new(head);
        }
        self.scroll.fold(self.columns.layout() == Layout::Folded);
        if count > 0 && rows.view.table().is_whole() {
            self.scroll.resume(rows, &model.rows);
        }
        self.scroll.keep_anchor(&rows);
        if let Some(row) = self.focus.row() {
            self.scroll.keep_in_sight(row, rows, &model.rows);
        }
        let window = self.scroll.window(count);
        let waited_ms = now_ms.saturating_sub(rows.view.subscription().asked_ms);
        let is_waiting = count == 0 && is_syncing && waited_ms >= SKELETON_ROWS_AFTER_MS;
        model.skeleton_rows = if is_waiting { SKELETON_ROWS } else { 0 };
        let places = places(&rows, &window, self.focus.row());
        self.focus.reach(&rows, &places);
        let seen: Vec<Slot> = places.iter().map(|(_, slot)| *slot).collect();
        let flashing = displayed.view_mut(cx).map(|(view, _)| view.flash(&seen, now_ms));
        let Some(rows) = displayed.rows(cx) else { return };
        let row_px = self.scroll.viewport().row_height_px;
        let (columns, measured) = self.columns.for_drawing();
        let drawing = Drawing {
            rows,
            columns,
            flashing: flashing.unwrap_or_default(),
            now_ms,
            clocks: Clocks::new(&rows, clusters, stale_ms, real_ms),
            focus: &self.focus,
            selection: &self.selection,
            row_px,
        };
        model.rows = Arc::new(self.drawn.draw(&places, &drawing, measured));
        model.columns_css = self.columns.css(rows.index.sort(), now_ms);
        model.extent = self.scroll.extent(&window);
        // Before the browser has measured the table, no row of it is in the document. A table that takes the place of a
        // sentence is measured again.
        let comes_anew = model.empty_state.is_some() && !model.rows.rows.is_empty();
        if comes_anew {
            self.scroll.unmounted();
        }
        if self.scroll.viewport().height_px > 0.0
            && !comes_anew
            && !self.scroll.is_covered()
            && let Some(request) = self.focus.request()
        {
            model.focus = Some(request);
        }
        let viewport = self.scroll.viewport();
        self.minimap.render(&mut model.minimap, &rows, &self.recent, (&window, viewport), now_ms);
        model.out_of_order = rows.index.out_of_order(rows.view.table());
        model.new_rows_above = self.new_rows_above.count(&rows, window.seen.start);
    }
}
