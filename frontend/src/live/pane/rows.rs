//! The mounted rows: made when the window has more rows than ever before, and used again for others
//! when theirs leave it. Never a row that isn't seen, but the one that has the focus.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use leptos::prelude::*;
use replica::changes::Sign;
use replica::table::Slot;
use replica::view::View;
use replica::widths::Widths;
use replica::window;
use shared::duration::UnixSeconds;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::body::{body, characters};
use super::columns::Shown;
use super::select::Selection;
use crate::live::model::{Body, Mark, MountedCell, MountedRow, News};

#[derive(Default)]
pub(super) struct Mounted {
    rows: HashMap<RowId, Held>,
    /// Mounted and hidden, for the next rows that come.
    spare: Vec<Held>,
    /// In the order in which they were made; they are never made in another.
    list: Vec<MountedRow>,
    last_number: u32,
    /// The rows that are seen stand so in the document.
    order: Arc<[u32]>,
    is_moving: bool,
}

struct Held {
    row: MountedRow,
    /// When a cell began to flash, by its place.
    flashed_ms: Vec<Option<UnixMillis>>,
}

/// What differs from what was drawn last.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) list: Option<Vec<MountedRow>>,
    /// Only when no row came or left: nothing is moved in the document while a reader scrolls.
    pub(super) order: Option<Arc<[u32]>>,
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
    /// All rows are so high.
    pub(super) row_px: f64,
}

/// A flash takes 0.9 s; after this the corner alone remains, so that the next one is seen again.
const FLASH_MS: i64 = 1_000;

impl Mounted {
    /// Other columns or another view: nothing that is mounted can be kept.
    pub(super) fn clear(&mut self) {
        *self = Self { last_number: self.last_number, ..Self::default() };
    }

    /// Rows came or left in the last drawing: the document is put in order by the next one.
    pub(super) fn is_moving(&self) -> bool {
        self.is_moving
    }

    /// Brings the mounted rows up to date.
    pub(super) fn draw(
        &mut self,
        view: &mut View,
        places: &[(usize, Slot)],
        drawing: &Drawing<'_>,
        widths: &mut Widths,
    ) -> Drawn {
        let seen: Vec<Slot> = places.iter().map(|(_, slot)| *slot).collect();
        let flashing = view.flash(&seen, drawing.now_ms);
        let ids: Vec<RowId> =
            seen.iter().filter_map(|slot| Some(view.table().entry(*slot)?.row().id)).collect();
        let is_other_list = self.exchange(&ids, drawing.columns);
        let mut order = Vec::with_capacity(places.len());
        for (place, slot) in places {
            let Some(row) = view.table().entry(*slot).map(|entry| entry.row()) else { continue };
            let Some(held) = self.rows.get_mut(&row.id) else { continue };
            order.push(held.row.number);
            put(&held.row.place, *place);
            put(&held.row.top_px, window::top_px(*place, drawing.row_px));
            put(&held.row.mark, mark(view, *slot));
            put(&held.row.has_focus, drawing.focused == Some(row.id));
            put(&held.row.is_reachable, drawing.reachable == Some(row.id));
            put(&held.row.is_selected, drawing.selection.has(row.id));
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
        let is_other_order = !self.is_moving && *self.order != *order;
        if is_other_order {
            self.order = Arc::from(order);
        }
        Drawn {
            list: is_other_list.then(|| self.list.clone()),
            order: is_other_order.then(|| self.order.clone()),
        }
    }

    /// What was mounted for rows that left is for rows that came; whether some had to be made or dropped.
    fn exchange(&mut self, ids: &[RowId], columns: &[Shown]) -> bool {
        let seen: HashSet<RowId> = ids.iter().copied().collect();
        let left: Vec<Held> =
            self.rows.extract_if(|id, _| !seen.contains(id)).map(|(_, held)| held).collect();
        let came: Vec<RowId> = ids.iter().filter(|id| !self.rows.contains_key(id)).copied().collect();
        self.is_moving = !(left.is_empty() && came.is_empty());
        let mounted = self.list.len();
        for mut held in left {
            put(&held.row.id, None);
            held.flashed_ms.fill(None);
            // The keyboard may be in it: it must not become another row under the hand.
            if held.row.has_focus.get_untracked() {
                self.list.retain(|row| row.number != held.row.number);
            } else {
                self.spare.push(held);
            }
        }
        let is_other_list = self.list.len() < mounted || came.len() > self.spare.len();
        for id in came {
            let held = self.spare.pop().unwrap_or_else(|| self.make(columns));
            put(&held.row.id, Some(id));
            self.rows.insert(id, held);
        }
        is_other_list
    }

    fn make(&mut self, columns: &[Shown]) -> Held {
        self.last_number = self.last_number.wrapping_add(1);
        let held = Held::new(self.last_number, columns);
        self.list.push(held.row.clone());
        held
    }
}

impl Held {
    fn new(number: u32, columns: &[Shown]) -> Self {
        let cells: Vec<MountedCell> = columns
            .iter()
            .map(|column| MountedCell {
                class: column.class.clone(),
                body: ArcRwSignal::new(Body::Plain { text: String::new(), class: "" }),
                news: ArcRwSignal::new(News::Old),
            })
            .collect();
        let row = MountedRow {
            number,
            id: ArcRwSignal::new(None),
            place: ArcRwSignal::new(0),
            top_px: ArcRwSignal::new(0.0),
            mark: ArcRwSignal::new(Mark::None),
            has_focus: ArcRwSignal::new(false),
            is_reachable: ArcRwSignal::new(false),
            is_selected: ArcRwSignal::new(false),
            cells: Arc::from(cells),
        };
        Self { row, flashed_ms: vec![None; columns.len()] }
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
