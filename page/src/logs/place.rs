//! Where the reader is in the lines: what the box shows, how the lines keep their place in it, and the line that is pointed
//! out.

use super::buffer::Entry;
use super::lines::Lines;
use super::settings::{LineLink, Times};
use super::sources::Sources;
use crate::window::{Viewport, anchor, scroll_to_anchor, top_px};

/// The box that the reader sees, and what it stays at.
pub(super) struct Place {
    pub(super) viewport: Viewport,
    width_px: f64,
    character_px: f64,
    /// The lines scroll with new ones until the reader scrolls away from the end.
    pub(super) follows: bool,
    /// The hit, or the line that a link names.
    pub(super) here: Option<u64>,
    /// The line of a link, which is looked for until the log is there.
    pub(super) looks_for: Option<LineLink>,
    pub(super) is_line_gone: bool,
    pub(super) scroll: (u32, f64),
    /// Where the box stood by its own word.
    said_px: f64,
    /// The entry of the first whole row, which row of it that is, and how far below the upper edge.
    anchor: Option<(u64, usize, f64)>,
}

const ROW_PX: f64 = 19.0;
const CHARACTER_PX: f64 = 7.2;
/// Beside the characters of a row, as in the style sheet: its edge, the name's bar, and its end.
const EDGE_PX: f64 = 10.0;
const BAR_PX: f64 = 9.0;
const END_PX: f64 = 12.0;
/// The button that unfolds a line of JSON.
const FOLD_PX: f64 = 14.0;
/// `14:02:11.123 `, `14:02:11 ` below this width, and `119 min ago `.
const CLOCK_CHARACTERS: usize = 13;
const SHORT_CLOCK_CHARACTERS: usize = 9;
const AGO_CHARACTERS: usize = 12;
const NARROW_PX: f64 = 420.0;
/// Names have this width at most where the view is narrow, in characters, and those with a cluster.
const NARROW_LABEL: usize = 7;
const NARROW_LABEL_IN_CLUSTER: usize = 12;
/// Rows that stay in sight above and below a hit.
const CONTEXT_ROWS: f64 = 3.0;

impl Default for Place {
    fn default() -> Self {
        Self {
            viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX },
            width_px: 0.0,
            character_px: CHARACTER_PX,
            follows: true,
            here: None,
            looks_for: None,
            is_line_gone: false,
            scroll: (0, 0.0),
            said_px: 0.0,
            anchor: None,
        }
    }
}

impl Place {
    /// Other lines come than before.
    pub(super) fn begin_anew(&mut self, line: Option<&LineLink>) {
        (self.here, self.anchor, self.said_px) = (None, None, 0.0);
        self.follows = line.is_none();
        self.looks_for = line.cloned();
    }

    pub(super) fn scrolled(&mut self, to_px: f64, lines: &Lines) {
        let Viewport { height_px, row_height_px, .. } = self.viewport;
        self.viewport.scroll_top_px = to_px;
        let is_at_end = top_px(lines.layout.total(), row_height_px) - height_px - to_px < row_height_px;
        // The box may still say how far it came with lines that others have followed since: no reader went back.
        self.follows = is_at_end || self.follows && to_px >= self.said_px;
        self.said_px = to_px;
        self.keep_anchor(lines);
    }

    pub(super) fn resized(&mut self, (width_px, height_px): (f64, f64), (row_px, character_px): (f64, f64)) {
        (self.width_px, self.viewport.height_px) = (width_px, height_px);
        if row_px > 0.0 && character_px > 0.0 {
            (self.viewport.row_height_px, self.character_px) = (row_px, character_px);
        }
    }

    pub(super) fn scroll_to(&mut self, to_px: f64, lines: &Lines) {
        self.viewport.scroll_top_px = to_px;
        self.scroll = (self.scroll.0.wrapping_add(1), to_px);
        self.keep_anchor(lines);
    }

    /// Stays at the lines that are seen now.
    pub(super) fn stay(&mut self, lines: &Lines) {
        self.follows = false;
        self.keep_anchor(lines);
    }

    fn keep_anchor(&mut self, lines: &Lines) {
        self.anchor = anchor(self.viewport, lines.layout.total()).and_then(|(row, distance_px)| {
            let (place, part) = lines.layout.entry_at(row)?;
            Some((lines.entry(place)?.number, part, distance_px))
        });
    }

    /// The place of the entry at the upper edge.
    pub(super) fn first_seen(&self, lines: &Lines) -> usize {
        let row = self.viewport.scroll_top_px / self.viewport.row_height_px.max(1.0);
        lines.layout.entry_at(row.max(0.0) as usize).map_or(0, |(place, _)| place)
    }

    /// Points an entry out, and shows it with lines around it.
    pub(super) fn go_to(&mut self, place: usize, lines: &mut Lines) {
        let Some(number) = lines.entry(place).map(|entry| entry.number) else { return };
        lines.layout.follow(&mut lines.buffer);
        (self.here, self.follows) = (Some(number), false);
        let Viewport { scroll_top_px, height_px, row_height_px } = self.viewport;
        let top = top_px(lines.layout.row_of(place), row_height_px);
        let context_px = (row_height_px * CONTEXT_ROWS).min(height_px / 3.0);
        let is_seen = top >= scroll_top_px + context_px
            && top + row_height_px <= scroll_top_px + height_px - context_px;
        if !is_seen {
            self.scroll_to((top - height_px / 2.0).max(0.0), lines);
        }
    }

    /// The line that the link names, or the next one once all that was there has come.
    pub(super) fn look_for_line(&mut self, lines: &mut Lines, sources: &Sources, is_caught_up: bool) {
        let Some(line) = &self.looks_for else { return };
        let is_of_source = |entry: &Entry| {
            let source = sources.get(entry.source);
            source.is_some_and(|source| source.pod == line.pod && source.container == line.container)
        };
        let entries = lines.buffer.entries();
        let exact = entries.iter().position(|entry| entry.at == Some(line.at) && is_of_source(entry));
        let found = match exact {
            None if !is_caught_up => return,
            None => entries.iter().position(|entry| entry.at >= Some(line.at)),
            exact => exact,
        };
        (self.looks_for, self.is_line_gone) = (None, exact.is_none());
        if let Some(place) = found {
            self.go_to(place, lines);
        }
    }

    /// Lays out what changed. The lines that the reader sees keep their place, whatever comes or goes above them.
    pub(super) fn lay_out(&mut self, lines: &mut Lines, columns: Option<usize>) {
        lines.layout.set_columns(columns);
        let has_changed = lines.layout.follow(&mut lines.buffer);
        let Viewport { scroll_top_px, height_px, row_height_px } = self.viewport;
        let to_px = if self.follows {
            (top_px(lines.layout.total(), row_height_px) - height_px).max(0.0)
        } else {
            let Some((number, part, distance_px)) = self.anchor.filter(|_| has_changed) else { return };
            let Some((place, _)) = lines.numbered(number) else { return };
            scroll_to_anchor(lines.layout.row_of(place) + part, distance_px, row_height_px)
        };
        if (self.follows && has_changed) || (to_px - scroll_top_px).abs() >= 1.0 {
            self.viewport.scroll_top_px = to_px;
            self.scroll = (self.scroll.0.wrapping_add(1), to_px);
        }
    }

    fn is_narrow(&self) -> bool {
        self.width_px > 0.0 && self.width_px <= NARROW_PX
    }

    pub(super) fn label_characters(&self, sources: &Sources) -> usize {
        let most = match (self.is_narrow(), sources.are_of_several_clusters()) {
            (true, true) => NARROW_LABEL_IN_CLUSTER,
            (true, false) => NARROW_LABEL,
            (false, _) => usize::MAX,
        };
        sources.label_characters().min(most)
    }

    /// How many characters of a text have room beside its time and its name.
    /// `with_folds`: the first row of some has a button before it.
    pub(super) fn text_columns(&self, times: Times, sources: &Sources, with_folds: bool) -> usize {
        let time = match (times, self.is_narrow()) {
            (Times::Clock, false) => CLOCK_CHARACTERS,
            (Times::Clock, true) => SHORT_CLOCK_CHARACTERS,
            (Times::Ago, _) => AGO_CHARACTERS,
            (Times::Off, _) => 0,
        };
        let label = self.label_characters(sources);
        let (name, bar_px) = if label == 0 { (0, 0.0) } else { (label + 1, BAR_PX) };
        let beside = u32::try_from(time + name).unwrap_or_default();
        let fold_px = if with_folds { FOLD_PX } else { 0.0 };
        let room_px = self.width_px - EDGE_PX - END_PX - bar_px - fold_px;
        (room_px / self.character_px.max(1.0) - f64::from(beside)).max(0.0) as usize
    }
}
