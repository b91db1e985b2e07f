//! The shown columns and their widths: those that the reader chose, else the server's in its order. Wide columns
//! are shown on request, and only if the view has room for them.

use replica::table::Delta;
use shared::state::UnixMillis;

use super::cell::{body, characters};
use super::column::{Column, Look};
use super::column_sizes::{go_across, is_narrow, template};
use super::displayed::Rows;
use crate::action::FontSize;
use crate::column_settings::{AvailableColumns, ColumnSettings};
use crate::model::{HeadCell, TableHead};
use crate::query::Sort;
use crate::status::StatusColumns;
use crate::table_view::TableView;
use crate::widths::Widths;

pub(super) struct Columns {
    pub(super) shown: Vec<Column>,
    pub(super) widths: Widths,
    width_px: f64,
    font: FontSize,
    /// Many rows or other columns came, so the widest cells have to be found again.
    must_measure: bool,
}

/// In tables up to this size all cells are measured, not only the seen ones.
const MEASURE_ROWS_MAX: usize = 2_000;

impl Default for Columns {
    fn default() -> Self {
        Self {
            shown: Vec::new(),
            widths: Widths::default(),
            // Before the browser has measured the table.
            width_px: 1_000.0,
            font: FontSize { mono_px: 7.3, text_px: 6.9 },
            must_measure: true,
        }
    }
}

impl Columns {
    pub(super) fn begin_anew(&mut self) {
        *self = Self { width_px: self.width_px, font: self.font, ..Self::default() };
    }

    /// Answers whether other columns fit from now on.
    pub(super) fn resized(&mut self, width_px: f64, font: FontSize) -> bool {
        if font.mono_px > 0.0 && font.text_px > 0.0 {
            self.font = font;
        }
        is_narrow(std::mem::replace(&mut self.width_px, width_px)) != is_narrow(width_px)
    }

    pub(super) fn rows_came(&mut self, delta: &Delta, was_whole: bool) {
        // Before the view is whole, columns may grow as its rows come.
        if !was_whole {
            self.widths.grow_at_once();
        }
        self.must_measure |= delta.first_cut || delta.replaced || delta.columns;
    }

    /// The columns from which a reader may choose at this width.
    pub(super) fn available<'a>(&self, rows: &Rows<'a>, wide: bool) -> AvailableColumns<'a> {
        available(rows, wide, !is_narrow(self.width_px))
    }

    pub(super) fn choose(&mut self, rows: &Rows<'_>, settings: &ColumnSettings, wide: bool) {
        let available = self.available(rows, wide);
        let status = StatusColumns::of(available.columns);
        let placed = settings.shown(available);
        let shown = placed.iter().filter_map(|placed| Column::of(placed, available.columns, &status));
        // A narrow view needs its room for names.
        let has_room = !is_narrow(self.width_px);
        let shown: Vec<Column> = shown.filter(|column| has_room || !column.is_usage).collect();
        if !differ_in_width_alone(&shown, &self.shown) {
            self.widths.clear();
            self.must_measure = true;
        }
        self.shown = shown;
    }

    pub(super) fn head(
        &self,
        rows: &Rows<'_>,
        sort: Option<&Sort>,
        is_busy: bool,
        polled: &str,
    ) -> TableHead {
        let direction =
            |column: &Column| sort.filter(|sort| *sort.column == *column.key).map(|sort| sort.direction);
        let cell = |(index, column): (usize, &Column)| HeadCell {
            index,
            title: column.title.clone(),
            description: column.description.clone(),
            at_end: column.at_end,
            is_name: column.look == Look::Name,
            sort: direction(column),
            polled: column.is_usage.then(|| polled.to_owned()),
        };
        TableHead {
            label: rows.kind.resource.to_string(),
            columns: self.shown.iter().enumerate().map(cell).collect(),
            row_count: (!is_busy).then(|| rows.index.len() + 1),
            moved: rows.index.waiting_count(),
            is_busy,
            is_across: go_across(&self.shown, self.width_px),
        }
    }

    /// Finds the widest cells of all rows, unless there are too many.
    pub(super) fn measure(&mut self, rows: &Rows<'_>, count: usize) {
        if !self.must_measure || !rows.view.table().is_whole() {
            return;
        }
        self.must_measure = false;
        if count > MEASURE_ROWS_MAX {
            return;
        }
        let status = rows.view.tally().columns();
        for row in rows.view.table().rows() {
            for (index, column) in self.shown.iter().enumerate() {
                // Ages change with time; the seen ones are measured when they are drawn.
                let body = body(row, column, status, row.created.unwrap_or_default());
                self.widths.see(index, characters(&body));
            }
        }
    }

    /// `grid-template-columns`, to be called after the rows were drawn.
    pub(super) fn css(&mut self, now_ms: UnixMillis) -> String {
        self.widths.grow(now_ms);
        template(&self.shown, &self.widths, self.font, self.width_px)
    }
}

/// `has_room`: wide columns and NAMESPACE fit.
pub(super) fn available<'a>(rows: &Rows<'a>, wide: bool, has_room: bool) -> AvailableColumns<'a> {
    let columns = rows.view.table().columns();
    AvailableColumns { columns, wide: wide && has_room, with_namespace: rows.has_namespaces() && has_room }
}

/// Whether these are the same columns in the same order, so that their measured widths stay.
fn differ_in_width_alone(some: &[Column], others: &[Column]) -> bool {
    let alike = |(one, other): (&Column, &Column)| *one == Column { width_px: one.width_px, ..other.clone() };
    some.len() == others.len() && some.iter().zip(others).all(alike)
}
