//! The shown columns and their widths: those that the reader chose, else the server's in its order. Never a cell.

use replica::table::Delta;
use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

use super::cell::body;
use super::cell_width::cell_width;
use super::column::{Column, Look};
use super::column_sizes::{Size, template};
use super::displayed::Rows;
use super::plan::{Asked, Candidate, Plan, choose, fold};
use crate::column_settings::{AvailableColumns, ColumnSettings};
use crate::font::FontSize;
use crate::limits::{MEASURED_ROWS_MAX, MINIMAP_PX, WIDEN_INTERVAL_MS};
use crate::model::{HeadCell, Layout, TableHead};
use crate::query::{Sort, Source};
use crate::status::StatusColumns;
use crate::table_view::TableView;
use crate::theme::WideColumns;
use crate::widths::Widths;

pub(super) struct Columns {
    pub(super) shown: Vec<Column>,
    pub(super) widths: Widths,
    pub(super) font: FontSize,
    pub(super) plan: Plan,
    width_px: f64,
    /// What the reader asked for: when it changes, columns may shrink, and others may come.
    asked: (WideColumns, ColumnSettings),
    /// The board shows nodes, too: NODE, which ties its rows to theirs, is no wide column here.
    is_beside_nodes: bool,
    /// The server's columns that stand where the reader chose none.
    served: Vec<Source>,
    /// The wide ones among them that came by themselves; `None` before all rows were measured.
    came: Option<Vec<Source>>,
    /// Those that came since the reader asked for these columns, at whatever width.
    came_before: Vec<Source>,
    sample: Sample,
    held: Option<Held>,
}

/// The choice and the widths of the last frame. Data alone changes neither as long as what must not be cut has room;
/// a reader who resizes the view, or asks for other columns, does.
struct Held {
    /// The columns that could be chosen.
    among: Vec<Source>,
    /// The view's width when the columns were chosen.
    width_px: f64,
    plan: Plan,
    /// The widths of the shown columns; empty before they were drawn.
    widths_px: Vec<f64>,
}

/// The rows that the widths were measured from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    /// None yet.
    None,
    Taken {
        at_ms: UnixMillis,
        /// Rows came since.
        is_old: bool,
    },
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            shown: Vec::new(),
            widths: Widths::default(),
            font: FontSize::default(),
            plan: Plan::default(),
            // Before the browser has measured the table.
            width_px: 1_000.0,
            asked: Default::default(),
            is_beside_nodes: false,
            served: Vec::new(),
            came: None,
            came_before: Vec::new(),
            sample: Sample::None,
            held: None,
        }
    }
}

impl Columns {
    pub(super) fn begin_anew(&mut self) {
        let Self { width_px, is_beside_nodes, .. } = *self;
        *self = Self { width_px, is_beside_nodes, font: self.font.clone(), ..Self::default() };
    }

    /// Answers whether the size changed, so that other columns may fit from now on.
    pub(super) fn resized(&mut self, width_px: f64, font: Option<FontSize>) -> bool {
        let font = font.filter(|font| *font != self.font);
        let is_other = (self.width_px - width_px).abs() >= 1.0 || font.is_some();
        let is_same_font = font.is_none();
        if let Some(font) = font {
            self.font = font;
        }
        if is_other {
            self.width_px = width_px;
            // The minimap comes and goes with the number of rows.
            let is_near = |held: &Held| is_same_font && (held.width_px - width_px).abs() <= MINIMAP_PX;
            if !self.held.as_ref().is_some_and(is_near) {
                self.measure_anew();
            }
        }
        is_other
    }

    pub(super) fn stand_beside_nodes(&mut self, is_beside_nodes: bool) {
        if std::mem::replace(&mut self.is_beside_nodes, is_beside_nodes) != is_beside_nodes {
            self.measure_anew();
        }
    }

    fn measure_anew(&mut self) {
        self.widths.clear();
        for came in self.came.take().unwrap_or_default() {
            if !self.came_before.contains(&came) {
                self.came_before.push(came);
            }
        }
        (self.sample, self.held) = (Sample::None, None);
    }

    pub(super) fn rows_came(&mut self, delta: &Delta, was_whole: bool) {
        // Before the view is whole, columns may grow as its rows come.
        if !was_whole {
            self.widths.grow_at_once();
        }
        if delta.columns {
            self.measure_anew();
        } else if delta.first_cut || delta.replaced {
            self.sample = Sample::None;
        } else if let Sample::Taken { is_old, .. } = &mut self.sample {
            *is_old = true;
        }
    }

    pub(super) fn available<'a>(&'a self, rows: &Rows<'a>) -> AvailableColumns<'a> {
        AvailableColumns {
            columns: rows.view.table().columns(),
            served: &self.served,
            with_namespace: rows.has_namespaces(),
        }
    }

    /// Chooses the columns, measures them, and says how rows stand.
    pub(super) fn choose(
        &mut self,
        rows: &Rows<'_>,
        (settings, wide): (&ColumnSettings, WideColumns),
        cluster_now: UnixSeconds,
        now_ms: UnixMillis,
    ) {
        if (self.asked.0, &self.asked.1) != (wide, settings) {
            self.asked = (wide, settings.clone());
            self.measure_anew();
            self.came_before.clear();
        }
        let sort = rows.index.sort();
        let columns = rows.view.table().columns();
        let status = StatusColumns::of(columns);
        let placed = settings.candidates(columns, rows.has_namespaces());
        let mut all: Vec<Column> =
            placed.iter().filter_map(|placed| Column::of(placed, columns, &status)).collect();
        if self.is_beside_nodes {
            all.iter_mut().filter(|column| &*column.key == "node").for_each(|column| column.is_wide = false);
        }
        self.measure(rows, &all, cluster_now, now_ms);
        let candidate = |column| Candidate { size: self.size(&column, sort), column };
        let candidates: Vec<Candidate> = all.into_iter().map(candidate).collect();
        let is_measured = self.sample != Sample::None && !rows.index.is_empty();
        let asked = match settings.cols() {
            Some(_) => Asked::Chosen,
            None => {
                Asked::Served { wide, came: self.came.as_deref(), before: &self.came_before, is_measured }
            }
        };
        let among: Vec<Source> = candidates.iter().map(|candidate| candidate.column.source).collect();
        let is_shown =
            |candidate: &&Candidate| self.shown.iter().any(|column| column.source == candidate.column.source);
        let held = self.held.take().filter(|held| held.among == among);
        let chosen = match &held {
            Some(_) => candidates.iter().filter(is_shown).collect(),
            None => choose(&candidates, asked, self.width_px),
        };
        let sizes: Vec<&Size> = chosen.iter().map(|candidate| &candidate.size).collect();
        self.plan = held.as_ref().map_or_else(|| Plan::of(&sizes, self.width_px), |held| held.plan);
        let (width_px, plan) = (self.width_px, self.plan);
        let anew = || Held { among, width_px, plan, widths_px: Vec::new() };
        self.held = held.or_else(|| is_measured.then(anew));
        self.shown = chosen.iter().map(|candidate| candidate.column.clone()).collect();
        if self.plan.layout == Layout::Folded {
            fold(&mut self.shown, &sizes);
        }
        if settings.cols().is_none() {
            self.served = self.shown.iter().map(|column| column.source).collect();
        }
        if is_measured {
            let came = self.shown.iter().filter(|column| column.is_wide).map(|column| column.source);
            self.came = Some(came.collect());
        }
    }

    /// `grid-template-columns`, to be called after the rows were drawn: a status that became longer isn't cut.
    pub(super) fn css(&mut self, sort: Option<&Sort>, now_ms: UnixMillis) -> String {
        self.widths.grow(now_ms);
        let size = |column| self.size(column, sort);
        let sizes: Vec<Size> = self.shown.iter().map(size).collect();
        let sizes: Vec<&Size> = sizes.iter().collect();
        let held = self.held.as_ref().filter(|held| held.widths_px.len() == sizes.len());
        let grown = held.map(|held| held.plan.grown_px(&held.widths_px, &sizes, self.width_px));
        let widths_px = match grown {
            Some(Some(widths_px)) => widths_px,
            // What must not be cut has no room any more: the columns are chosen anew with the next frame.
            Some(None) => {
                self.held = None;
                Plan::of(&sizes, self.width_px).widths_px(&sizes, self.width_px)
            }
            None => self.plan.widths_px(&sizes, self.width_px),
        };
        let css = template(&widths_px);
        if let Some(held) = &mut self.held {
            held.widths_px = widths_px;
        }
        css
    }

    fn size(&self, column: &Column, sort: Option<&Sort>) -> Size {
        let is_sorted = sort.is_some_and(|sort| *sort.column == *column.key);
        Size::of(column, self.widths.shown(column.source), &self.font, is_sorted)
    }

    pub(super) fn head(&self, rows: &Rows<'_>, is_busy: bool, polled: &str) -> TableHead {
        let direction = |column: &Column| {
            rows.index.sort().filter(|sort| *sort.column == *column.key).map(|sort| sort.direction)
        };
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
            is_busy,
            layout: self.plan.layout,
            hides_ago: self.plan.hides_ago,
        }
    }

    /// Measures the cells of a sample of the rows, also of columns that aren't shown.
    fn measure(&mut self, rows: &Rows<'_>, columns: &[Column], cluster_now: UnixSeconds, now_ms: UnixMillis) {
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
        self.widths.grow(now_ms);
    }
}
