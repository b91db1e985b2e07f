//! What is known of the cells' widths: the font, a sample of the rows, and the cells that are drawn. Never which
//! columns there are.

use replica::table::Delta;
use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

use super::cell_width::cell_width;
use super::font::FontSize;
use super::sizes::Size;
use super::widths::Widths;
use crate::limits::{MEASURED_ROWS_MAX, WIDEN_INTERVAL_MS};
use crate::model::Body;
use crate::pane::cell::body;
use crate::pane::column::Column;
use crate::pane::displayed::Rows;
use crate::query::Sort;
use crate::table_view::TableView;

#[derive(Default)]
pub(in crate::pane) struct Measured {
    font: FontSize,
    widths: Widths,
    sample: Sample,
}

/// The rows that the widths were measured from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Sample {
    /// None yet.
    #[default]
    None,
    Taken {
        at_ms: UnixMillis,
        /// Rows came since.
        is_old: bool,
    },
}

impl Measured {
    /// For another view. The font stays.
    pub(super) fn begin_anew(&mut self) {
        *self = Self { font: self.font.clone(), ..Self::default() };
    }

    /// Answers whether the font is another one.
    pub(super) fn set_font(&mut self, font: Option<FontSize>) -> bool {
        let font = font.filter(|font| *font != self.font);
        let is_other = font.is_some();
        if let Some(font) = font {
            self.font = font;
        }
        is_other
    }

    pub(super) fn rows_came(&mut self, delta: &Delta, was_whole: bool) {
        // Before the view is whole, columns may grow as its rows come.
        if !was_whole {
            self.widths.grow_at_once();
        }
        if delta.first_cut || delta.replaced {
            self.sample = Sample::None;
        } else if let Sample::Taken { is_old, .. } = &mut self.sample {
            *is_old = true;
        }
    }

    /// The next sample applies as it is.
    pub(super) fn forget(&mut self) {
        self.widths.clear();
        self.sample = Sample::None;
    }

    pub(super) fn has_sample(&self) -> bool {
        self.sample != Sample::None
    }

    /// Measures the cells of a sample of the rows, also of columns that aren't shown.
    pub(super) fn take_sample(
        &mut self,
        rows: &Rows<'_>,
        columns: &[Column],
        cluster_now: UnixSeconds,
        now_ms: UnixMillis,
    ) {
        let is_due = match self.sample {
            Sample::None => true,
            Sample::Taken { at_ms, is_old } => is_old && now_ms.saturating_sub(at_ms) >= WIDEN_INTERVAL_MS,
        };
        let slots = rows.index.slots();
        if is_due && rows.view.table().is_whole() && !slots.is_empty() {
            self.sample = Sample::Taken { at_ms: now_ms, is_old: false };
            let status = rows.view.tally().columns();
            let step = slots.len().div_ceil(MEASURED_ROWS_MAX).max(1);
            for column in columns {
                let sampled = slots.iter().step_by(step);
                let entries = sampled.filter_map(|slot| rows.view.table().entry(*slot));
                let cells = entries.map(|entry| {
                    cell_width(&body(entry.row(), column, status, cluster_now), column, &self.font)
                });
                self.widths.sample(column.source, cells.collect());
            }
        }
        self.grow(now_ms);
    }

    /// A cell that is drawn.
    pub(in crate::pane) fn see(&mut self, column: &Column, body: &Body) {
        self.widths.see(column.source, cell_width(body, column, &self.font));
    }

    /// Lets the columns grow, as far as they may now.
    pub(super) fn grow(&mut self, now_ms: UnixMillis) {
        self.widths.grow(now_ms);
    }

    pub(super) fn size(&self, column: &Column, sort: Option<&Sort>) -> Size {
        let is_sorted = sort.is_some_and(|sort| *sort.column == *column.key);
        Size::of(column, self.widths.shown(column.source), &self.font, is_sorted)
    }
}
