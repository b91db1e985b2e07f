//! Where the rows are scrolled to, and the row that keeps its place on the screen while rows come and go above it.
//! Never an element.

use shared::row::RowId;

use super::displayed::Rows;
use crate::model::{Extent, SeenRows};
use crate::window::{self, Viewport, Window};

pub(super) struct Scroll {
    pub(super) viewport: Viewport,
    /// The row that keeps its place on the screen, and its distance from the upper edge.
    anchor: Option<(RowId, f64)>,
    /// Where the reader was in this view before: its rows have to come first.
    resume_px: Option<f64>,
    /// The DOM scrolls here with the next frame.
    target_px: Option<f64>,
}

/// A row's height before the browser has measured one.
const ROW_PX: f64 = 28.0;

impl Default for Scroll {
    fn default() -> Self {
        let viewport = Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX };
        Self { viewport, anchor: None, resume_px: None, target_px: None }
    }
}

impl Scroll {
    /// For another view, which begins at its top.
    pub(super) fn begin_anew(&mut self) {
        self.viewport.scroll_top_px = 0.0;
        (self.anchor, self.resume_px, self.target_px) = (None, None, Some(0.0));
    }

    pub(super) fn resized(&mut self, height_px: f64, row_px: f64) {
        self.viewport.height_px = height_px;
        if row_px > 0.0 {
            self.viewport.row_height_px = row_px;
        }
    }

    pub(super) fn is_at_top(&self) -> bool {
        self.viewport.scroll_top_px <= 0.0
    }

    pub(super) fn scroll_to_top(&mut self) {
        self.anchor = None;
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

    pub(super) fn window(&self, count: usize) -> Window {
        window::window(self.viewport, count)
    }

    pub(super) fn extent(&mut self, window: &Window) -> Extent {
        Extent { height_px: window.total_px, scroll_to_px: self.target_px.take() }
    }
}
