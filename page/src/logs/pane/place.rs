//! Where the reader is in the lines: what the box shows, and how the lines keep their place in it.

use super::super::buffer::{Entry, What};
use super::super::json;
use super::super::settings::Times;
use super::LogsPane;
use crate::window::{Viewport, anchor, scroll_to_anchor, top_px};

/// Beside the characters of a row, as in the style sheet: its edge, the name's bar, and its end.
const EDGE_PX: f64 = 10.0;
const BAR_PX: f64 = 9.0;
const END_PX: f64 = 12.0;
/// `14:02:11.123 `, `14:02:11 ` below this width, and `119 min ago `.
const CLOCK_CHARACTERS: usize = 13;
const SHORT_CLOCK_CHARACTERS: usize = 9;
const AGO_CHARACTERS: usize = 12;
pub(super) const NARROW_PX: f64 = 420.0;
/// Names have this width at most where the view is narrow, in characters.
const NARROW_LABEL: usize = 7;

impl LogsPane {
    pub(super) fn scrolled(&mut self, to_px: f64) {
        self.view.viewport.scroll_top_px = to_px;
        let rest = top_px(self.layout.total(), self.view.viewport.row_height_px)
            - self.view.viewport.height_px
            - to_px;
        self.view.follows = rest < self.view.viewport.row_height_px;
        self.keep_anchor();
    }

    pub(super) fn resized(&mut self, (width_px, height_px): (f64, f64), (row_px, character_px): (f64, f64)) {
        self.view.viewport.height_px = height_px;
        self.view.width_px = width_px;
        if row_px > 0.0 && character_px > 0.0 {
            (self.view.viewport.row_height_px, self.view.character_px) = (row_px, character_px);
        }
    }

    pub(super) fn scroll_to(&mut self, to_px: f64) {
        self.view.viewport.scroll_top_px = to_px;
        self.view.scroll = (self.view.scroll.0.wrapping_add(1), to_px);
        self.keep_anchor();
    }

    pub(super) fn follow_end(&mut self) {
        self.view.follows = true;
        if self.paused.is_some() {
            self.toggle_pause();
        }
    }

    pub(super) fn keep_anchor(&mut self) {
        let kept = anchor(self.view.viewport, self.layout.total()).and_then(|(row, distance_px)| {
            let (place, part) = self.layout.entry_at(row)?;
            Some((self.buffer.entries().get(place)?.number, part, distance_px))
        });
        self.view.anchor = kept;
    }

    /// Lays out what changed. The lines that the reader sees keep their place, whatever comes or goes above them.
    pub(super) fn lay_out(&mut self) {
        let columns = self.settings.wraps.then(|| self.text_columns());
        self.layout.set_columns(columns);
        let has_changed = self.layout.follow(&mut self.buffer);
        let Viewport { scroll_top_px, height_px, row_height_px } = self.view.viewport;
        let total_px = top_px(self.layout.total(), row_height_px);
        if self.view.follows {
            let end_px = (total_px - height_px).max(0.0);
            if has_changed || (end_px - scroll_top_px).abs() >= 1.0 {
                self.view.viewport.scroll_top_px = end_px;
                self.view.scroll = (self.view.scroll.0.wrapping_add(1), end_px);
            }
            return;
        }
        let Some((number, part, distance_px)) = self.view.anchor.filter(|_| has_changed) else { return };
        let Some(place) = self.buffer.place_of(number) else { return };
        let to_px = scroll_to_anchor(self.layout.row_of(place) + part, distance_px, row_height_px);
        if (to_px - scroll_top_px).abs() >= 1.0 {
            self.view.viewport.scroll_top_px = to_px;
            self.view.scroll = (self.view.scroll.0.wrapping_add(1), to_px);
        }
    }

    pub(super) fn is_narrow(&self) -> bool {
        self.view.width_px > 0.0 && self.view.width_px <= NARROW_PX
    }

    pub(super) fn label_characters(&self) -> usize {
        let most = if self.is_narrow() { NARROW_LABEL } else { usize::MAX };
        self.reading.sources.label_characters().min(most)
    }

    /// How many characters of a text have room beside its time and its name.
    pub(super) fn text_columns(&self) -> usize {
        let time = match (self.settings.times, self.is_narrow()) {
            (Times::Clock, false) => CLOCK_CHARACTERS,
            (Times::Clock, true) => SHORT_CLOCK_CHARACTERS,
            (Times::Ago, _) => AGO_CHARACTERS,
            (Times::Off, _) => 0,
        };
        let label = self.label_characters();
        let (name, bar_px) = if label == 0 { (0, 0.0) } else { (label + 1, BAR_PX) };
        let beside: u32 = u32::try_from(time + name).unwrap_or_default();
        let room_px = self.view.width_px - EDGE_PX - END_PX - bar_px;
        let columns = room_px / self.view.character_px.max(1.0) - f64::from(beside);
        columns.max(0.0) as usize
    }

    pub(super) fn unfold(&mut self, number: u64) {
        if self.layout.is_unfolded(number) {
            return self.layout.fold(number);
        }
        let entry = self.buffer.place_of(number).and_then(|place| self.buffer.entries().get(place));
        if let Some(Entry { what: What::Line { text, .. }, .. }) = entry {
            self.layout.unfold(number, json::unfolded(&text.text).len());
            self.view.follows = false;
            self.keep_anchor();
        }
    }
}
