//! The shown columns and their widths: those that the reader chose, else the server's in its order. Never a cell.
//!
//! Read in this order: this file (what the last frame showed, and when that changes), [`plan`] (which columns stand
//! in a width), [`sizes`] (what gives way where there is no room), [`measured`] (a sample of the cells), [`widths`]
//! (when a column grows), [`cell_width`] and [`font`] (how wide a text is).

mod cell_width;
pub mod font;
mod measured;
mod plan;
mod sizes;
mod widths;

use replica::table::{Delta, Entry, Table};
use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

use super::column::{Column, Look};
use super::displayed::Rows;
use crate::columns::{AvailableColumns, ColumnSettings};
use crate::limits::MINIMAP_PX;
use crate::model::{HeadCell, Layout, TableHead};
use crate::query::{Sort, Source};
use crate::status::StatusColumns;
use crate::theme::WideColumns;
use font::FontSize;
pub(super) use measured::Measured;
use plan::{Asked, Candidate, Plan, choose, fold, rest};
use sizes::{Size, template};

/// Fits the columns into the width of the pane: which of them are shown, how wide each is, and whether a row takes
/// one line or two. It owns what the last frame showed and all that was measured, so that data alone moves nothing
/// that the reader looks at. The grid asks it once a frame: `choose` before the rows are drawn, `for_drawing` for them,
/// and `css` after them.
pub(super) struct Columns {
    shown: Vec<Column>,
    plan: Plan,
    measured: Measured,
    width_px: f64,
    /// What the reader asked for: when it changes, columns may shrink, and others may come.
    asked: (WideColumns, ColumnSettings),
    /// The board shows nodes, too: NODE, which ties its rows to theirs, is no wide column here.
    is_beside_nodes: bool,
    /// The server's columns that stand where the reader chose none.
    served: Vec<Source>,
    came: Came,
    held: Option<Held>,
    /// Those of which rows were seen.
    clusters: Vec<Box<str>>,
}

/// The wide columns that came by themselves.
#[derive(Default)]
struct Came {
    /// `None` before all rows were measured.
    now: Option<Vec<Source>>,
    /// Those that came since the reader asked for these columns, at whatever width.
    before: Vec<Source>,
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

impl Default for Columns {
    fn default() -> Self {
        Self {
            shown: Vec::new(),
            plan: Plan::default(),
            measured: Measured::default(),
            // Before the browser has measured the table.
            width_px: 1_000.0,
            asked: Default::default(),
            is_beside_nodes: false,
            served: Vec::new(),
            came: Came::default(),
            held: None,
            clusters: Vec::new(),
        }
    }
}

impl Came {
    /// The columns are chosen anew.
    fn leave(&mut self) {
        for came in self.now.take().unwrap_or_default() {
            if !self.before.contains(&came) {
                self.before.push(came);
            }
        }
    }
}

impl Columns {
    pub(super) fn begin_anew(&mut self) {
        let mut measured = std::mem::take(&mut self.measured);
        measured.begin_anew();
        let Self { width_px, is_beside_nodes, .. } = *self;
        *self = Self { width_px, is_beside_nodes, measured, ..Self::default() };
    }

    /// Answers whether the size changed, so that other columns may fit from now on.
    pub(super) fn resized(&mut self, width_px: f64, font: Option<FontSize>) -> bool {
        let is_other_font = self.measured.set_font(font);
        let is_other = (self.width_px - width_px).abs() >= 1.0 || is_other_font;
        if is_other {
            self.width_px = width_px;
            // The minimap comes and goes with the number of rows.
            let is_near = |held: &Held| !is_other_font && (held.width_px - width_px).abs() <= MINIMAP_PX;
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
        self.measured.forget();
        self.came.leave();
        self.held = None;
    }

    /// Answers whether one more cluster has rows.
    pub(super) fn rows_came(&mut self, table: &Table, delta: &Delta, was_whole: bool) -> bool {
        self.measured.rows_came(delta, was_whole);
        let is_other = self.has_other_cluster(table, delta);
        if delta.columns || is_other {
            self.measure_anew();
        }
        is_other
    }

    /// The first rows of one more cluster: they may be longer than all before, and nothing was read yet.
    fn has_other_cluster(&mut self, table: &Table, delta: &Delta) -> bool {
        if !table.has_clusters() {
            return false;
        }
        let mut is_other = false;
        for slot in &delta.added {
            let row = table.entry(*slot).map(Entry::row);
            if let Some(cluster) = row.and_then(|row| table.cluster_of(row))
                && !self.clusters.iter().any(|known| **known == *cluster)
            {
                self.clusters.push(cluster.into());
                is_other = true;
            }
        }
        is_other
    }

    pub(super) fn shown(&self) -> &[Column] {
        &self.shown
    }

    pub(super) fn layout(&self) -> Layout {
        self.plan.layout
    }

    /// The columns to draw, and what measures each cell that is drawn.
    pub(super) fn for_drawing(&mut self) -> (&[Column], &mut Measured) {
        (&self.shown, &mut self.measured)
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
            self.came.before.clear();
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
        self.measured.take_sample(rows, &all, cluster_now, now_ms);
        let is_named = |column: &Column| {
            sort.is_some_and(|sort| *sort.column == *column.key) || rows.index.filter().names(&column.key)
        };
        let candidate = |column| Candidate {
            size: self.measured.size(&column, sort),
            is_named: is_named(&column),
            column,
        };
        let candidates: Vec<Candidate> = all.into_iter().map(candidate).collect();
        let is_measured = self.measured.has_sample() && !rows.index.is_empty();
        let asked = match settings.cols() {
            Some(_) => Asked::Chosen,
            None => {
                let Came { now, before } = &self.came;
                Asked::Served { wide, came: now.as_deref(), before, is_measured }
            }
        };
        let among: Vec<Source> = candidates.iter().map(|candidate| candidate.column.source).collect();
        let is_shown =
            |candidate: &&Candidate| self.shown.iter().any(|column| column.source == candidate.column.source);
        let lacks_named = candidates.iter().any(|candidate| candidate.is_named && !is_shown(&candidate));
        let held = self.held.take().filter(|held| held.among == among && !lacks_named);
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
            self.came.now = Some(came.collect());
        }
    }

    /// `grid-template-columns`, to be called after the rows were drawn: a status that became longer isn't cut.
    pub(super) fn css(&mut self, sort: Option<&Sort>, now_ms: UnixMillis) -> String {
        self.measured.grow(now_ms);
        let size = |column| self.measured.size(column, sort);
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
        let rest = if self.plan.layout == Layout::Flat { rest(&self.shown) } else { None };
        let css = template(&widths_px, rest);
        if let Some(held) = &mut self.held {
            held.widths_px = widths_px;
        }
        css
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
}
