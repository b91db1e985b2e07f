//! The mounted rows: their signals are made when a row enters the window and dropped when it leaves.
//! Never a row that isn't seen, but the one that has the focus.

use std::collections::HashMap;
use std::sync::Arc;

use leptos::prelude::*;
use replica::changes::Sign;
use replica::table::Slot;
use replica::view::View;
use replica::widths::Widths;
use shared::duration::UnixSeconds;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::body::{body, characters};
use super::columns::Shown;
use super::select::Selection;
use crate::live::model::{Mark, MountedCell, MountedRow, News};

#[derive(Default)]
pub(super) struct Mounted {
    rows: HashMap<RowId, Held>,
    /// In the order in which they were handed over.
    order: Vec<RowId>,
    generation: u32,
}

struct Held {
    row: MountedRow,
    /// When a cell began to flash, by its place.
    flashed_ms: Vec<Option<UnixMillis>>,
}

/// What the rows are drawn by.
pub(super) struct Drawing<'a> {
    pub(super) columns: &'a [Shown],
    pub(super) now_ms: UnixMillis,
    pub(super) cluster_now: UnixSeconds,
    /// The row that has the reader's focus.
    pub(super) focused: Option<RowId>,
    /// The one that the Tab key reaches: a grid is one stop.
    pub(super) reachable: Option<RowId>,
    pub(super) selection: &'a Selection,
}

/// A flash takes 0.9 s; after this the corner alone remains, so that the next one is seen again.
const FLASH_MS: i64 = 1_000;

impl Mounted {
    /// Other columns or another view: nothing that is mounted can be kept.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.order.clear();
        self.generation = self.generation.wrapping_add(1);
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    /// Brings the mounted rows up to date; answers the new list where rows came or went.
    pub(super) fn draw(
        &mut self,
        view: &mut View,
        places: &[(usize, Slot)],
        drawing: &Drawing<'_>,
        widths: &mut Widths,
    ) -> Option<Vec<MountedRow>> {
        let seen: Vec<Slot> = places.iter().map(|(_, slot)| *slot).collect();
        let flashing = view.flash(&seen, drawing.now_ms);
        let mut order = Vec::with_capacity(places.len());
        for (place, slot) in places {
            let Some(row) = view.table().entry(*slot).map(|entry| entry.row()) else { continue };
            let id = row.id;
            order.push(id);
            let generation = self.generation;
            let held = self.rows.entry(id).or_insert_with(|| Held::new(generation, id, drawing.columns));
            held.place(*place, mark(view, *slot));
            put(&held.row.has_focus, drawing.focused == Some(id));
            put(&held.row.is_reachable, drawing.reachable == Some(id));
            put(&held.row.is_selected, drawing.selection.has(id));
            for (index, column) in drawing.columns.iter().enumerate() {
                let text = body(row, column, view.tally().columns(), drawing.cluster_now);
                widths.see(index, characters(&text));
                let cell = column.cell();
                let begins = cell.is_some_and(|cell| flashing.contains(&(*slot, cell)));
                let is_marked = cell.is_some_and(|cell| view.marks().is_cell_marked(*slot, cell));
                let news = held.news(index, begins, is_marked, drawing.now_ms);
                if let Some(cell) = held.row.cells.get(index) {
                    put(&cell.body, text);
                    put(&cell.news, news);
                }
            }
        }
        if order == self.order {
            return None;
        }
        self.rows.retain(|id, _| order.contains(id));
        self.order = order;
        Some(self.order.iter().filter_map(|id| Some(self.rows.get(id)?.row.clone())).collect())
    }
}

impl Held {
    fn new(generation: u32, id: RowId, columns: &[Shown]) -> Self {
        let cells: Vec<MountedCell> = columns
            .iter()
            .map(|column| MountedCell {
                class: column.class.clone(),
                body: ArcRwSignal::new(crate::live::model::Body::Plain { text: String::new(), class: "" }),
                news: ArcRwSignal::new(News::Old),
            })
            .collect();
        let row = MountedRow {
            key: (generation, id.to_string()),
            place: ArcRwSignal::new(0),
            mark: ArcRwSignal::new(Mark::None),
            has_focus: ArcRwSignal::new(false),
            is_reachable: ArcRwSignal::new(false),
            is_selected: ArcRwSignal::new(false),
            cells: Arc::from(cells),
        };
        Self { row, flashed_ms: vec![None; columns.len()] }
    }

    fn place(&self, place: usize, mark: Mark) {
        put(&self.row.place, place);
        put(&self.row.mark, mark);
    }

    fn news(&mut self, index: usize, begins: bool, is_marked: bool, now_ms: UnixMillis) -> News {
        let Some(flashed_ms) = self.flashed_ms.get_mut(index) else { return News::Old };
        if begins {
            *flashed_ms = Some(now_ms);
        }
        let flashes = flashed_ms.is_some_and(|at_ms| now_ms.saturating_sub(at_ms) < FLASH_MS);
        match (is_marked, flashes) {
            (true, true) => News::Flash,
            (true, false) => News::Seen,
            (false, _) => News::Old,
        }
    }
}

fn mark(view: &View, slot: Slot) -> Mark {
    match view.marks().sign(slot) {
        None => Mark::None,
        Some(Sign::Added) => Mark::Added,
        Some(Sign::Changed) => Mark::Modified,
        Some(Sign::Removed) => Mark::Deleted,
    }
}

fn put<T: PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if signal.with_untracked(|held| *held != value) {
        signal.set(value);
    }
}
