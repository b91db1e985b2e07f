//! The rows of the window as they are drawn, and when their cells began to flash. Besides them only the row that
//! has the focus.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::linked::{self, LinkedObject};
use crate::table_view::TableView;
use crate::window::{self, Window};
use replica::table::Slot;
use shared::duration::UnixSeconds;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::cell::body;
use super::clocks::Clocks;
use super::column::Column;
use super::columns::Measured;
use super::displayed::Rows;
use super::focus::Focus;
use super::links::{PageLinks, RowLinks};
use super::selection::Selection;
use super::status_bar::words;
use crate::model::{News, SeenCell, SeenColumn, SeenRow, SeenRows};

/// What is kept of the drawn rows from frame to frame.
#[derive(Default)]
pub(super) struct DrawnRows {
    /// When each of their cells began to flash.
    flashed_ms: HashMap<RowId, Vec<Option<UnixMillis>>>,
    /// The clock of each deleted row, which stands.
    ended: HashMap<RowId, UnixSeconds>,
    links: RowLinks,
    linked: Option<Linked>,
}

/// What the rows are held against: the object at which the reader stands in another pane.
#[derive(Clone)]
pub(crate) struct Linked {
    pub(crate) object: Rc<LinkedObject>,
    pub(crate) part: linked::Part,
    /// The cluster of these rows, where they are of one.
    pub(crate) cluster: Option<Box<str>>,
}

/// A view of more rows doesn't say how many of them belong to that object.
const COUNTED_MAX: usize = 10_000;

impl Linked {
    fn is_of(&self, row: &Row, rows: &Rows<'_>) -> bool {
        (self.part.is_linked)(&self.object, row, rows.view.table(), rows.kind, self.cluster.as_deref())
    }
}

/// The input for drawing the rows.
pub(super) struct Drawing<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) columns: &'a [Column],
    /// The cells that begin to flash with this frame.
    pub(super) flashing: Vec<(Slot, u16)>,
    pub(super) now_ms: UnixMillis,
    pub(super) clocks: Clocks<'a>,
    pub(super) focus: &'a Focus,
    pub(super) selection: &'a Selection,
    /// The height of each row.
    pub(super) row_px: f64,
}

/// A flash takes 0.9 s. Then only the mark in the corner stays, so that the next flash can be seen.
const FLASH_MS: i64 = 1_000;

impl DrawnRows {
    /// For another view. The links are those of the same page.
    pub(super) fn begin_anew(&mut self) {
        self.flashed_ms.clear();
        self.ended.clear();
    }

    /// The address of each row's panel is made from the page's. `at`: the place of the pane.
    pub(super) fn follow_links(&mut self, page: Option<Rc<PageLinks>>, at: usize) {
        self.links.follow(page, at);
    }

    pub(super) fn link(&mut self, linked: Option<Linked>) {
        self.linked = linked;
    }

    /// How many rows belong to the object at which the reader stands in another pane.
    pub(super) fn linked_said(&self, rows: &Rows<'_>) -> String {
        let Some(linked) = &self.linked else { return String::new() };
        let table = rows.view.table();
        let shown = table.iter().filter(|(slot, _)| rows.index.shows(*slot));
        let entries = shown.map(|(_, entry)| entry).filter(|entry| !entry.is_tombstone());
        let count = match table.len() {
            0..=COUNTED_MAX => entries.filter(|entry| linked.is_of(entry.row(), rows)).count(),
            _ => 0,
        };
        words::linked(count, linked.object.name())
    }

    pub(super) fn draw(
        &mut self,
        places: &[(usize, Slot)],
        drawing: &Drawing<'_>,
        measured: &mut Measured,
    ) -> SeenRows {
        let view = drawing.rows.view;
        let mut rows = Vec::with_capacity(places.len());
        let mut flashed_ms = HashMap::with_capacity(places.len());
        let mut ended = HashMap::new();
        for (place, slot) in places {
            let Some(row) = view.table().entry(*slot).map(|entry| entry.row()) else { continue };
            let mut flashed = self.flashed_ms.remove(&row.id).unwrap_or_default();
            flashed.resize(drawing.columns.len(), None);
            let mut cells = Vec::with_capacity(drawing.columns.len());
            let mut cluster_now = drawing.clocks.of(row, view.table());
            if let Some(at_ms) = view.marks().removed_ms(*slot) {
                // What was deleted grows no older.
                let then = cluster_now - ((drawing.now_ms - at_ms) / 1_000).max(0);
                cluster_now = self.ended.get(&row.id).copied().unwrap_or(then);
                ended.insert(row.id, cluster_now);
            }
            for (column, flashed_ms) in drawing.columns.iter().zip(&mut flashed) {
                let body = body(row, column, view.tally().columns(), cluster_now);
                measured.see(column, &body);
                let cell = column.cell();
                if cell.is_some_and(|cell| drawing.flashing.contains(&(*slot, cell))) {
                    *flashed_ms = Some(drawing.now_ms);
                }
                let is_marked = cell.is_some_and(|cell| view.marks().is_cell_marked(*slot, cell));
                cells.push(SeenCell { body, news: news(is_marked, *flashed_ms, drawing.now_ms) });
            }
            rows.push(SeenRow {
                id: row.id,
                place: *place,
                top_px: window::top_px(*place, drawing.row_px),
                sign: view.marks().sign(*slot),
                has_focus: drawing.focus.row() == Some(row.id),
                is_reachable: drawing.focus.reachable() == Some(row.id),
                is_kept: drawing.rows.index.is_kept(*slot),
                href: self.links.of(row, view.table()),
                is_stale: drawing.clocks.is_stale(row, view.table()),
                is_selected: drawing.selection.has(row.id),
                is_linked: self.linked.as_ref().is_some_and(|linked| linked.is_of(row, &drawing.rows)),
                cells,
            });
            flashed_ms.insert(row.id, flashed);
        }
        (self.flashed_ms, self.ended) = (flashed_ms, ended);
        let column = |column: &Column| SeenColumn {
            source: column.source,
            key: Arc::clone(&column.key),
            at_end: column.at_end,
            is_polled: column.is_usage,
            label: column.label(),
            fold: column.fold,
        };
        SeenRows { columns: drawing.columns.iter().map(column).collect(), rows }
    }
}

/// The rows to mount: those of the window, and the one that has the focus.
pub(super) fn places(rows: &Rows<'_>, window: &Window, focused: Option<RowId>) -> Vec<(usize, Slot)> {
    let mut places: Vec<(usize, Slot)> =
        window.rows.clone().zip(rows.index.range(window.rows.clone()).iter().copied()).collect();
    if let Some(place) = focused.and_then(|row| rows.place(row))
        && !window.rows.contains(&place)
        && let Some(slot) = rows.slot(place)
    {
        let at = if place < window.rows.start { 0 } else { places.len() };
        places.insert(at, (place, slot));
    }
    places
}

fn news(is_marked: bool, flashed_ms: Option<UnixMillis>, now_ms: UnixMillis) -> News {
    let flashes = flashed_ms.is_some_and(|at_ms| now_ms.saturating_sub(at_ms) < FLASH_MS);
    match (is_marked, flashes) {
        (true, true) => News::Flash,
        (true, false) => News::Seen,
        (false, _) => News::Old,
    }
}
