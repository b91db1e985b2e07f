//! What changed lately, as a diff shows it: `+`, `~` and `−` for ten seconds, deleted rows in their place for as
//! long, and which cells flash now. Time is an argument; the style sheet has the animation.

use std::collections::{HashMap, HashSet, VecDeque};

use shared::sorted;
use shared::state::UnixMillis;

use crate::limits::{FLASH_INTERVAL_MS, FLASH_PERCENT_MAX, MARK_MS, TOMBSTONES_MAX};
use replica::table::{Delta, Entry, Slot, Table};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Added,
    Modified,
    /// Modified, and what changed is, at least in part, behind a mask.
    Masked,
    Deleted,
}

#[derive(Clone, Debug, Default)]
pub struct Marks {
    rows: HashMap<Slot, Mark>,
    /// Deleted rows, the oldest first.
    tombstones: VecDeque<(Slot, UnixMillis)>,
    /// Rows that changed since the last frame was drawn.
    fresh: Vec<Slot>,
    /// When visible rows changed, in the last second, and how many.
    recent: VecDeque<(UnixMillis, usize)>,
}

#[derive(Clone, Debug)]
struct Mark {
    sign: Sign,
    /// When its sign was set: a new row that changes is no longer new after ten seconds.
    signed_ms: UnixMillis,
    /// When the row changed last.
    at_ms: UnixMillis,
    /// It stays as it is until it is released.
    is_kept: bool,
    cells: Vec<CellMark>,
}

#[derive(Clone, Copy, Debug)]
struct CellMark {
    cell: u16,
    at_ms: UnixMillis,
    flashed_ms: Option<UnixMillis>,
}

/// If too many visible rows change within this time, no cell flashes.
const STORM_MS: i64 = 1_000;

impl Mark {
    fn new(sign: Sign, now_ms: UnixMillis) -> Self {
        Self { sign, signed_ms: now_ms, at_ms: now_ms, is_kept: false, cells: Vec::new() }
    }
}

impl Marks {
    /// Marks the changes of a frame, but not the rows of a first load, and not those of other columns. Returns
    /// the tombstones that have to leave at once, because there are too many.
    #[must_use]
    pub fn note(&mut self, delta: &Delta, are_changes: bool, now_ms: UnixMillis) -> Vec<Slot> {
        if are_changes && !delta.columns {
            for slot in &delta.added {
                self.mark(*slot, Sign::Added, &[], now_ms);
            }
            // Also where no cell says it: an annotation is a change of its object.
            for changed in &delta.changed {
                self.mark(changed.slot, Sign::Modified, &changed.cells, now_ms);
            }
            for slot in &delta.masked {
                if let Some(mark) = self.rows.get_mut(slot).filter(|mark| mark.sign == Sign::Modified) {
                    mark.sign = Sign::Masked;
                }
            }
        }
        for slot in &delta.removed {
            self.rows.insert(*slot, Mark::new(Sign::Deleted, now_ms));
            self.tombstones.push_back((*slot, now_ms));
        }
        let mut leaving = Vec::new();
        while self.tombstones.len() > TOMBSTONES_MAX {
            leaving.extend(self.tombstones.pop_front().map(|(slot, _)| slot));
        }
        leaving
    }

    fn mark(&mut self, slot: Slot, sign: Sign, cells: &[u16], now_ms: UnixMillis) {
        if sign == Sign::Added {
            // The object may have been deleted and created again.
            self.tombstones.retain(|(dead, _)| *dead != slot);
            self.rows.remove(&slot);
        }
        let mark = self.rows.entry(slot).or_insert_with(|| Mark::new(sign, now_ms));
        mark.at_ms = now_ms;
        for cell in cells {
            match mark.cells.iter_mut().find(|mark| mark.cell == *cell) {
                Some(mark) => mark.at_ms = now_ms,
                None => mark.cells.push(CellMark { cell: *cell, at_ms: now_ms, flashed_ms: None }),
            }
        }
        if !cells.is_empty() {
            self.fresh.push(slot);
        }
    }

    pub fn sign(&self, slot: Slot) -> Option<Sign> {
        self.rows.get(&slot).map(|mark| mark.sign)
    }

    /// Whether a cell has the mark in its corner.
    pub fn is_cell_marked(&self, slot: Slot, cell: u16) -> bool {
        self.rows.get(&slot).is_some_and(|mark| mark.cells.iter().any(|mark| mark.cell == cell))
    }

    /// The cells of the seen rows that begin to flash with this frame: none twice within two seconds, and none
    /// at all while too many rows change.
    pub fn flash(&mut self, seen: &[Slot], now_ms: UnixMillis) -> Vec<(Slot, u16)> {
        let mut fresh = std::mem::take(&mut self.fresh);
        sorted::sort(&mut fresh);
        fresh.dedup();
        fresh.retain(|slot| seen.contains(slot));
        if !fresh.is_empty() {
            self.recent.push_back((now_ms, fresh.len()));
        }
        while self.recent.front().is_some_and(|(at_ms, _)| now_ms.saturating_sub(*at_ms) >= STORM_MS) {
            self.recent.pop_front();
        }
        let changed: usize = self.recent.iter().map(|(_, count)| count).sum();
        if changed * 100 > seen.len() * FLASH_PERCENT_MAX && changed > 1 {
            return Vec::new();
        }
        let mut flashing = Vec::new();
        for slot in fresh {
            for mark in self.rows.get_mut(&slot).into_iter().flat_map(|mark| &mut mark.cells) {
                let rested = mark.flashed_ms.is_none_or(|at| now_ms.saturating_sub(at) >= FLASH_INTERVAL_MS);
                let is_new = mark.flashed_ms.is_none_or(|at| at < mark.at_ms);
                if rested && is_new {
                    mark.flashed_ms = Some(now_ms);
                    flashing.push((slot, mark.cell));
                }
            }
        }
        flashing
    }

    /// Marks what changed behind a pause as if it had happened now; its rows that were deleted are tombstones already.
    pub(crate) fn note_again(&mut self, delta: &Delta, now_ms: UnixMillis) {
        // Without deleted rows no tombstone has to leave.
        let _ = self.note(&Delta { removed: Vec::new(), ..delta.clone() }, true, now_ms);
        // A superseded tombstone leaves with the next second all the same.
        let stays = |(slot, at_ms): &&mut (Slot, UnixMillis)| {
            *at_ms != UnixMillis::MIN && delta.removed.contains(slot)
        };
        self.tombstones.iter_mut().filter(stays).for_each(|(_, at_ms)| *at_ms = now_ms);
    }

    /// The marks of these rows stay until they are released.
    pub(crate) fn keep(&mut self, slots: &[Slot]) {
        for slot in slots {
            if let Some(mark) = self.rows.get_mut(slot).filter(|mark| mark.sign != Sign::Deleted) {
                mark.is_kept = true;
            }
        }
    }

    /// Kept marks stand for ten seconds more.
    pub(crate) fn release(&mut self, slots: &[Slot], now_ms: UnixMillis) {
        for slot in slots {
            if let Some(mark) = self.rows.get_mut(slot).filter(|mark| mark.is_kept) {
                (mark.is_kept, mark.at_ms, mark.signed_ms) = (false, now_ms, now_ms);
                mark.cells.iter_mut().for_each(|cell| cell.at_ms = now_ms);
            }
        }
    }

    /// Tombstones of objects that were made anew have nothing more to say: they leave with the next second.
    pub(crate) fn supersede(&mut self, table: &Table, added: &[Slot]) {
        if self.tombstones.is_empty() || added.is_empty() {
            return;
        }
        let key = |slot: &Slot| table.entry(*slot).map(Entry::key);
        let keys: HashSet<&str> = added.iter().filter_map(key).collect();
        for (slot, at_ms) in &mut self.tombstones {
            if key(slot).is_some_and(|key| keys.contains(key)) {
                *at_ms = UnixMillis::MIN;
            }
        }
    }

    /// The deleted rows that still stand in their place.
    pub(crate) fn tombstones(&self) -> impl Iterator<Item = Slot> {
        self.tombstones.iter().map(|(slot, _)| *slot)
    }

    /// When the row of this tombstone was deleted.
    pub fn removed_ms(&self, slot: Slot) -> Option<UnixMillis> {
        self.rows.get(&slot).filter(|mark| mark.sign == Sign::Deleted).map(|mark| mark.at_ms)
    }

    /// Once a second: removes marks older than ten seconds, and returns the tombstones to remove. Those in `held`,
    /// which have the focus, stay.
    #[must_use]
    pub fn expire(&mut self, held: &[Slot], now_ms: UnixMillis) -> Vec<Slot> {
        let is_old = |at_ms: UnixMillis| now_ms.saturating_sub(at_ms) >= MARK_MS;
        let mut leaving = Vec::new();
        self.tombstones.retain(|(slot, at_ms)| {
            let leaves = is_old(*at_ms) && !held.contains(slot);
            if leaves {
                leaving.push(*slot);
            }
            !leaves
        });
        self.rows.retain(|slot, mark| {
            if mark.is_kept {
                return true;
            }
            mark.cells.retain(|cell| !is_old(cell.at_ms));
            if mark.sign == Sign::Added && is_old(mark.signed_ms) {
                mark.sign = Sign::Modified;
            }
            if mark.sign == Sign::Deleted { !leaving.contains(slot) } else { !is_old(mark.at_ms) }
        });
        leaving
    }

    /// The tombstone leaves the table, and its marks with it.
    pub(crate) fn forget(&mut self, slot: Slot) {
        self.rows.remove(&slot);
        self.tombstones.retain(|(dead, _)| *dead != slot);
    }

    /// Nothing is marked any more. Returns the tombstones that have to leave.
    #[must_use]
    pub(crate) fn forget_all(&mut self) -> Vec<Slot> {
        std::mem::take(self).tombstones.into_iter().map(|(slot, _)| slot).collect()
    }

    /// Whether nothing is marked.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use replica::table::Changed;
    use replica::testing;

    fn slots() -> Vec<Slot> {
        let table = testing::named_table(&["a/0", "a/1", "a/2", "a/3", "a/4", "a/5"]);
        table.iter().map(|(slot, _)| slot).collect()
    }

    fn changed(slot: Slot) -> Delta {
        Delta { changed: vec![Changed { slot, cells: vec![2] }], ..Delta::default() }
    }

    #[test]
    fn signs_stand_for_ten_seconds_and_deleted_rows_as_long() {
        let slots = slots();
        let mut marks = Marks::default();
        let _ = marks.note(&Delta { added: slots.clone(), ..Delta::default() }, false, 0);
        assert!(marks.is_empty(), "the first load isn't marked");
        let delta = Delta { added: vec![slots[0]], removed: vec![slots[1]], ..changed(slots[2]) };
        assert!(marks.note(&delta, true, 0).is_empty());
        assert!(marks.expire(&[], 9_999).is_empty());
        let signs: Vec<_> = slots.iter().map(|slot| marks.sign(*slot)).collect();
        assert_eq!(signs[..4], [Some(Sign::Added), Some(Sign::Deleted), Some(Sign::Modified), None]);
        assert!(marks.expire(&[slots[1]], 10_000).is_empty(), "held by the pointer");
        assert_eq!(marks.sign(slots[0]), None);
        assert_eq!(marks.expire(&[], 11_000), [slots[1]]);
        assert!(marks.is_empty());
    }

    #[test]
    fn a_new_row_that_changes_is_new_for_ten_seconds_alone() {
        let slots = slots();
        let mut marks = Marks::default();
        let _ = marks.note(&Delta { added: vec![slots[0]], ..Delta::default() }, true, 0);
        let _ = marks.note(&changed(slots[0]), true, 8_000);
        let mut sign = |now_ms| {
            let _ = marks.expire(&[], now_ms);
            marks.sign(slots[0])
        };
        assert_eq!(
            [sign(9_999), sign(10_000), sign(18_000)],
            [Some(Sign::Added), Some(Sign::Modified), None]
        );
    }

    #[test]
    fn a_change_that_no_cell_shows_is_a_change() {
        let slots = slots();
        let mut marks = Marks::default();
        let unseen = Delta { changed: vec![Changed { slot: slots[0], cells: vec![] }], ..Delta::default() };
        let _ = marks.note(&unseen, true, 0);
        assert_eq!(marks.sign(slots[0]), Some(Sign::Modified));
        let masked = Delta { masked: vec![slots[0]], ..unseen };
        let _ = marks.note(&masked, true, 0);
        assert_eq!(marks.sign(slots[0]), Some(Sign::Masked));
        assert!(marks.flash(&slots, 0).is_empty());
    }

    #[test]
    fn a_cell_flashes_once_in_two_seconds_and_keeps_its_corner() {
        let slots = slots();
        let mut marks = Marks::default();
        let mut change = |now_ms| {
            let _ = marks.note(&changed(slots[0]), true, now_ms);
            let flashing = marks.flash(&slots, now_ms).len();
            assert!(marks.is_cell_marked(slots[0], 2));
            flashing
        };
        assert_eq!([change(0), change(1_500), change(2_500), change(5_000)], [1, 0, 1, 1]);
    }

    #[test]
    fn nothing_flashes_while_more_than_a_third_of_the_rows_change() {
        let slots = slots();
        let mut marks = Marks::default();
        for slot in &slots {
            let _ = marks.note(&changed(*slot), true, 0);
        }
        assert!(marks.flash(&slots, 0).is_empty());
        let _ = marks.note(&changed(slots[0]), true, 1_500);
        assert_eq!(marks.flash(&slots, 1_500), [(slots[0], 2)]);
    }
}
