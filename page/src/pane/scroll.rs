//! Where the rows are scrolled to, and the row that keeps its place on the screen while rows come and go above it.
//! Never an element.

use shared::row::RowId;

use super::displayed::Rows;
use crate::limits::FOLDED_ROW_PX;
use crate::model::{Extent, SeenRows};
use crate::window::{self, Viewport, Window};

/// How far the rows are scrolled, and what keeps its place there: the row under the pointer, or the first one that is seen.
/// Only [`super::grid::Grid`] calls it.
pub(super) struct Scroll {
    viewport: Viewport,
    /// The row that keeps its place on the screen, and its distance from the upper edge.
    anchor: Option<(RowId, f64)>,
    /// The anchor is the row under the pointer.
    aim: Option<Aim>,
    /// Where the reader was in this view before: its rows have to come first.
    resume_px: Option<f64>,
    /// The DOM scrolls here with the next frame.
    target_px: Option<f64>,
    /// What was on the screen after the last frame.
    framed: Option<Viewport>,
    table: Table,
    /// The height of a row in one line.
    line_px: f64,
    is_folded: bool,
    is_printing: bool,
}

/// Whether the browser shows the rows where they were scrolled to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Table {
    #[default]
    Mounted,
    /// Something else stood in the place of the rows: the browser draws them anew, and from the first one.
    Unmounted,
    /// A panel covers them in a narrow window, and they have no size.
    Covered,
}

/// What the pointer's row took the place of as the anchor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// The rows were at the very top, and go back there.
    AtTop,
    Scrolled,
}

/// A row's height before the browser has measured one.
const ROW_PX: f64 = 28.0;

impl Default for Scroll {
    fn default() -> Self {
        let viewport = Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX };
        Self {
            viewport,
            anchor: None,
            aim: None,
            resume_px: None,
            target_px: None,
            framed: None,
            table: Table::Mounted,
            line_px: ROW_PX,
            is_folded: false,
            is_printing: false,
        }
    }
}

impl Scroll {
    pub(super) fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// All rows are in the document, up to a bound.
    pub(super) fn print(&mut self, is_printing: bool) {
        self.is_printing = is_printing;
    }

    /// For another view, which begins at its top.
    pub(super) fn begin_anew(&mut self) {
        self.viewport.scroll_top_px = 0.0;
        (self.anchor, self.aim, self.resume_px, self.target_px) = (None, None, None, Some(0.0));
        self.framed = None;
    }

    pub(super) fn resized(&mut self, height_px: f64, row_px: f64) {
        self.viewport.height_px = height_px;
        if row_px > 0.0 {
            self.line_px = row_px;
        }
        self.fold(self.is_folded);
        // The browser measures what it has just mounted.
        if std::mem::take(&mut self.table) != Table::Mounted {
            self.target_px = Some(self.viewport.scroll_top_px);
        }
    }

    pub(super) fn unmounted(&mut self) {
        self.table = Table::Unmounted;
    }

    pub(super) fn covered(&mut self) {
        self.table = Table::Covered;
    }

    /// No row is shown that could take the focus.
    pub(super) fn is_covered(&self) -> bool {
        self.table == Table::Covered
    }

    /// Whether a row takes two lines.
    pub(super) fn fold(&mut self, is_folded: bool) {
        self.is_folded = is_folded;
        self.viewport.row_height_px = if is_folded { FOLDED_ROW_PX } else { self.line_px };
    }

    pub(super) fn is_at_top(&self) -> bool {
        self.viewport.scroll_top_px <= 0.0 || self.aim == Some(Aim::AtTop)
    }

    /// Whether some row keeps its place. At the very top none does, so that new rows are seen.
    pub(super) fn has_anchor(&self) -> bool {
        self.anchor.is_some()
    }

    /// The row under the pointer stays there while others come and go above it.
    pub(super) fn aim_at(&mut self, row: RowId, rows: Rows<'_>) {
        let Some(place) = rows.place(row) else { return };
        let at_top = if self.is_at_top() { Aim::AtTop } else { Aim::Scrolled };
        self.aim = self.aim.or(Some(at_top));
        let top_px = window::top_px(place, self.viewport.row_height_px);
        self.anchor = Some((row, top_px - self.viewport.scroll_top_px));
    }

    /// The pointer rests or left.
    pub(super) fn end_aim(&mut self, rows: Option<Rows<'_>>, drawn: &SeenRows) {
        match self.aim.take() {
            Some(Aim::AtTop) => self.scroll_to_top(),
            Some(Aim::Scrolled) => {
                self.anchor = None;
                self.scrolled(self.viewport.scroll_top_px, rows, drawn);
            }
            None => {}
        }
    }

    pub(super) fn scroll_to_top(&mut self) {
        (self.anchor, self.aim) = (None, None);
        // If the rows are at the top already, a request to the browser would only cost a layout.
        self.target_px = (!self.is_at_top()).then_some(0.0);
        self.viewport.scroll_top_px = 0.0;
    }

    /// The browser scrolled. `drawn`: the rows of the last frame, which the reader saw when they scrolled.
    pub(super) fn scrolled(&mut self, top_px: f64, rows: Option<Rows<'_>>, drawn: &SeenRows) {
        // The browser reports a scroll that was requested here: the anchor stays.
        if self.anchor.is_some() && (top_px - self.viewport.scroll_top_px).abs() < 1.0 {
            return;
        }
        self.viewport.scroll_top_px = top_px;
        self.aim = None;
        let Some(rows) = rows else { return };
        self.anchor = window::anchor(self.viewport, rows.index.len()).and_then(|(place, distance_px)| {
            let drawn = drawn.rows.iter().find(|row| row.place == place).map(|row| row.id);
            Some((drawn.or_else(|| rows.at(place))?, distance_px))
        });
    }

    /// Scrolls as little as is needed to show the row of this place.
    pub(super) fn show(&mut self, place: usize, rows: Rows<'_>, drawn: &SeenRows) {
        let top_px = window::scroll_to_show(place, self.viewport);
        if (top_px - self.viewport.scroll_top_px).abs() > 0.5 {
            self.target_px = Some(top_px);
            self.scrolled(top_px, Some(rows), drawn);
        }
    }

    pub(super) fn resume_at(&mut self, top_px: f64) {
        self.resume_px = Some(top_px);
    }

    /// The rows are all here: goes to where the reader was, once.
    pub(super) fn resume(&mut self, rows: Rows<'_>, drawn: &SeenRows) {
        if let Some(top_px) = self.resume_px.take() {
            self.scroll_to(top_px, rows, drawn);
        }
    }

    pub(super) fn scroll_to(&mut self, top_px: f64, rows: Rows<'_>, drawn: &SeenRows) {
        let all_px = window::top_px(rows.index.len(), self.viewport.row_height_px);
        let top_px = top_px.clamp(0.0, (all_px - self.viewport.height_px).max(0.0));
        self.target_px = Some(top_px);
        self.scrolled(top_px, Some(rows), drawn);
    }

    pub(super) fn keep_anchor(&mut self, rows: &Rows<'_>) {
        let (Some((row, distance_px)), None) = (self.anchor, self.target_px) else { return };
        let Some(place) = rows.place(row) else { return };
        let top_px = window::scroll_to_anchor(place, distance_px, self.viewport.row_height_px);
        if (top_px - self.viewport.scroll_top_px).abs() >= 1.0 {
            self.viewport.scroll_top_px = top_px;
            self.target_px = Some(top_px);
        }
    }

    /// If the box or its rows got another height, a row that was in sight stays in sight.
    pub(super) fn keep_in_sight(&mut self, row: RowId, rows: Rows<'_>, drawn: &SeenRows) {
        let Some(before) = self.framed else { return };
        let sizes = |at: Viewport| (at.height_px, at.row_height_px);
        let Some(place) = rows.place(row).filter(|_| sizes(before) != sizes(self.viewport)) else { return };
        let was_in_sight = (window::scroll_to_show(place, before) - before.scroll_top_px).abs() < 1.0;
        if was_in_sight {
            self.show(place, rows, drawn);
        }
    }

    pub(super) fn window(&self, count: usize) -> Window {
        if self.is_printing {
            return window::printed(self.viewport, count);
        }
        window::window(self.viewport, count)
    }

    pub(super) fn extent(&mut self, window: &Window) -> Extent {
        self.framed = Some(self.viewport).filter(|at| at.height_px > 0.0);
        Extent { height_px: window.total_px, scroll_to_px: self.target_px.take() }
    }
}
