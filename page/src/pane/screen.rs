//! What was drawn last, and where the reader is.

use std::sync::Arc;

use crate::widths::Widths;
use crate::window::Viewport;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::columns::Shown;
use super::minimap::Recent;
use super::new_rows_above::NewRowsAbove;
use super::rows::Flashes;
use super::selection::Selection;
use super::selectors::Editing;
use crate::action::FontSize;
use crate::model::{Suggestions, TableHead};

pub(crate) struct Screen {
    pub(super) viewport: Viewport,
    pub(super) width_px: f64,
    pub(super) font: FontSize,
    pub(super) columns: Vec<Shown>,
    pub(super) head: Arc<TableHead>,
    pub(super) widths: Widths,
    pub(super) flashes: Flashes,
    pub(super) recent: Recent,
    pub(super) new_rows_above: NewRowsAbove,
    pub(super) focused: Option<RowId>,
    /// The row that the Tab key reaches.
    pub(super) reachable: Option<RowId>,
    /// The focus moved by a key and is to follow in the DOM.
    pub(super) focus_request: u32,
    pub(crate) wants_focus: bool,
    /// The reader came here to go on by keys, before there were rows.
    pub(super) goes_on: bool,
    /// The row that keeps its pixel, and its distance from the upper edge.
    pub(super) anchor: Option<(RowId, f64)>,
    /// A place that a key asked for.
    pub(super) scroll_to_px: Option<f64>,
    pub(super) minimap_drawn_ms: UnixMillis,
    pub(crate) rows_changed: bool,
    /// Many rows came at once, or columns did: look for the widest cells.
    pub(super) must_measure: bool,
    pub(super) reader: Reader,
    pub(super) selection: Selection,
    /// The cell within the focused row that the arrows reached.
    pub(super) cell: Option<usize>,
    /// What may be typed next in the filter.
    pub(super) suggestions: Option<Suggestions>,
    /// A selector is being written.
    pub(super) selector: Option<Editing>,
    /// The list of columns is open, and why what was written there isn't one.
    pub(super) chooses: Option<String>,
    /// Other rows or cells are needed than those that were asked for.
    pub(crate) asks_anew: bool,
    /// The columns were changed, and that is to be remembered.
    pub(super) keeps_columns: bool,
    /// The popover with what can be taken along is open.
    pub(super) shows_export: bool,
}

/// Whether somebody reads: rows don't move under an eye.
#[derive(Clone, Copy, Default)]
pub(super) struct Reader {
    pub(super) has_focus: bool,
    pub(super) has_pointer: bool,
    pub(super) last_ms: UnixMillis,
}

/// What a table is before the browser has measured one.
const ROW_PX: f64 = 28.0;
const FONT: FontSize = FontSize { mono_px: 7.3, text_px: 6.9 };

impl Screen {
    pub(super) fn new() -> Self {
        Self {
            viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX },
            width_px: 1_000.0,
            font: FONT,
            columns: Vec::new(),
            head: Arc::default(),
            widths: Widths::default(),
            flashes: Flashes::default(),
            recent: Recent::default(),
            new_rows_above: NewRowsAbove::default(),
            focused: None,
            reachable: None,
            focus_request: 0,
            wants_focus: false,
            goes_on: false,
            anchor: None,
            scroll_to_px: None,
            minimap_drawn_ms: 0,
            rows_changed: true,
            must_measure: true,
            reader: Reader::default(),
            selection: Selection::default(),
            cell: None,
            suggestions: None,
            selector: None,
            chooses: None,
            asks_anew: false,
            keeps_columns: false,
            shows_export: false,
        }
    }

    /// Another view: nothing of the former one is kept but the size of the window.
    pub(super) fn begin_anew(&mut self) {
        let (viewport, width_px, font, focus_request) =
            (self.viewport, self.width_px, self.font, self.focus_request);
        let goes_on = self.wants_focus;
        *self = Self {
            viewport: Viewport { scroll_top_px: 0.0, ..viewport },
            width_px,
            font,
            focus_request,
            scroll_to_px: Some(0.0),
            wants_focus: goes_on,
            goes_on,
            ..Self::new()
        };
    }
}
