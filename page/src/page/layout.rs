//! Where the panes of a board stand: in rows of 24 columns, in their order. A link says the sizes that a reader chose,
//! in 24ths of a row and as the weight of a row; the others follow from the number of panes.

use crate::address::{COLUMNS, PaneSize, ROW_WEIGHT, ROW_WEIGHTS, WIDTHS};

/// The place of one pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// The width in columns of 24.
    pub columns: u8,
    /// The weight of its row among the rows.
    pub weight: u8,
    pub row: usize,
    /// A pane stands after it in the same row.
    pub has_next: bool,
    /// A row stands below its own.
    pub has_below: bool,
}

/// Which size of a pane changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Width,
    Height,
}

pub(super) fn layout(sizes: &[PaneSize]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let (mut row, mut used, mut first) = (0, 0, 0);
    for (at, size) in sizes.iter().enumerate() {
        let columns = size.columns.unwrap_or_else(|| columns_of(at, sizes.len()));
        if used > 0 && used + columns > COLUMNS {
            fill(slots.get_mut(first..).unwrap_or_default(), sizes.get(first..at).unwrap_or_default());
            (row, used, first) = (row + 1, 0, at);
        }
        used += columns;
        let weight = match slots.get(first) {
            Some(of_row) => of_row.weight,
            None => size.weight.unwrap_or(ROW_WEIGHT),
        };
        slots.push(Slot { columns, weight, row, ..Slot::default() });
    }
    fill(slots.get_mut(first..).unwrap_or_default(), sizes.get(first..).unwrap_or_default());
    let rows: Vec<usize> = slots.iter().map(|slot| slot.row).collect();
    for (at, slot) in slots.iter_mut().enumerate() {
        slot.has_next = rows.get(at + 1) == Some(&slot.row);
        slot.has_below = slot.row < row;
    }
    slots
}

/// The panes of a row fill it: those without a chosen width grow alike, else the last one.
fn fill(slots: &mut [Slot], sizes: &[PaneSize]) {
    let used: u8 = slots.iter().map(|slot| slot.columns).sum();
    let mut left = COLUMNS.saturating_sub(used);
    let free = sizes.iter().filter(|size| size.columns.is_none()).count();
    let mut free = u8::try_from(free).unwrap_or_default();
    for (slot, size) in slots.iter_mut().zip(sizes) {
        if size.columns.is_none() && free > 0 {
            let more = left / free;
            slot.columns += more;
            (left, free) = (left - more, free - 1);
        }
    }
    if let Some(last) = slots.last_mut() {
        last.columns += left;
    }
}

fn columns_of(at: usize, count: usize) -> u8 {
    match (count, at) {
        (1, _) | (3, 2) => 24,
        (3 | 5, 0) => 14,
        (3 | 5, 1) => 10,
        (2 | 4, _) => 12,
        (..10, _) => 8,
        _ => 6,
    }
}

/// The weights of the rows.
pub(super) fn weights(slots: &[Slot]) -> Vec<u8> {
    let mut weights: Vec<u8> = Vec::new();
    for slot in slots {
        if weights.len() <= slot.row {
            weights.push(slot.weight);
        }
    }
    weights
}

/// Moves the edge between a pane and the next one in its row, or between its row and the next one. The last one has
/// the edge before it. Returns whether a size changed.
pub(super) fn resize(sizes: &mut [PaneSize], at: usize, side: Side, by: i8) -> bool {
    let slots = layout(sizes);
    let Some(slot) = slots.get(at).copied() else { return false };
    let before = sizes.to_vec();
    match side {
        Side::Width => {
            let other = if slot.has_next { at + 1 } else { at.wrapping_sub(1) };
            let Some(neighbour) = slots.get(other).filter(|other| other.row == slot.row) else {
                return false;
            };
            let Some((mine, others)) = shift(slot.columns, neighbour.columns, by, *WIDTHS.start()) else {
                return false;
            };
            // All of the row, because a pane without a size would take another one.
            for ((place, size), held) in sizes.iter_mut().enumerate().zip(&slots) {
                if held.row == slot.row {
                    size.columns = Some(match place {
                        place if place == at => mine,
                        place if place == other => others,
                        _ => held.columns,
                    });
                }
            }
        }
        Side::Height => {
            let other = if slot.has_below { slot.row + 1 } else { slot.row.wrapping_sub(1) };
            let Some(neighbour) = slots.iter().find(|slot| slot.row == other) else { return false };
            let Some((mine, others)) = shift(slot.weight, neighbour.weight, by, *ROW_WEIGHTS.start()) else {
                return false;
            };
            for (row, weight) in [(slot.row, mine), (other, others)] {
                let first = slots.iter().position(|slot| slot.row == row);
                if let Some(size) = first.and_then(|first| sizes.get_mut(first)) {
                    size.weight = Some(weight);
                }
            }
        }
    }
    *sizes != *before
}

/// Gives `by` of one size to the other; neither becomes smaller than `least`. `None`: there is nothing to give.
fn shift(mine: u8, others: u8, by: i8, least: u8) -> Option<(u8, u8)> {
    let both = mine.checked_add(others)?;
    let most = both.checked_sub(least).filter(|most| *most >= least)?;
    let mine = mine.saturating_add_signed(by).clamp(least, most);
    Some((mine, both - mine))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `14 10 | 24`: the rows and the columns of their panes.
    fn said(sizes: &[PaneSize]) -> String {
        let slots = layout(sizes);
        let row = |row: usize| {
            let columns = slots.iter().filter(|slot| slot.row == row).map(|slot| slot.columns.to_string());
            columns.collect::<Vec<_>>().join(" ")
        };
        (0..weights(&slots).len()).map(row).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn every_number_of_panes_fills_its_rows() {
        for (count, expected) in [
            (1, "24"),
            (2, "12 12"),
            (3, "14 10 | 24"),
            (4, "12 12 | 12 12"),
            (5, "14 10 | 8 8 8"),
            (7, "8 8 8 | 8 8 8 | 24"),
            (10, "6 6 6 6 | 6 6 6 6 | 12 12"),
        ] {
            assert_eq!(said(&vec![PaneSize::default(); count]), expected);
        }
    }

    #[test]
    fn an_edge_gives_to_one_pane_what_it_takes_from_the_other() {
        let mut sizes = vec![PaneSize::default(); 3];
        assert!(resize(&mut sizes, 0, Side::Width, 2));
        assert_eq!(said(&sizes), "16 8 | 24");
        assert!(resize(&mut sizes, 1, Side::Width, 1), "the last of a row has the edge before it");
        assert_eq!(said(&sizes), "15 9 | 24");
        assert!(resize(&mut sizes, 0, Side::Width, 20), "none becomes smaller than it may");
        assert_eq!(said(&sizes), "20 4 | 24");
        assert!(!resize(&mut sizes, 2, Side::Width, 1), "alone in its row");
        assert!(resize(&mut sizes, 2, Side::Height, 3));
        assert_eq!(weights(&layout(&sizes)), [9, 15]);
        assert!(!resize(&mut sizes, 7, Side::Height, 3));
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_link_says_every_row_is_full(
            columns in proptest::collection::vec(proptest::option::of(WIDTHS), 1..13),
            at in 0_usize..12,
            by: i8,
        ) {
            let mut sizes: Vec<PaneSize> =
                columns.into_iter().map(|columns| PaneSize { columns, weight: None }).collect();
            resize(&mut sizes, at, Side::Width, by);
            resize(&mut sizes, at, Side::Height, by);
            let slots = layout(&sizes);
            for row in 0..weights(&slots).len() {
                let full: u8 = slots.iter().filter(|slot| slot.row == row).map(|slot| slot.columns).sum();
                proptest::prop_assert_eq!(full, COLUMNS);
            }
        }
    }
}
