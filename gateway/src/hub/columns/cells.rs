//! One object's cells of custom columns as they are kept, and the bytes that the cells of a set take. Equal texts of
//! one object are kept once. Nothing is read from an object here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shared::cell::Cell;

use super::NONE;

/// The bytes of all cells that are kept for one set. Cheap to clone: all clones are the same count.
#[derive(Clone, Default)]
pub(super) struct ByteCount(Arc<AtomicUsize>);

impl ByteCount {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The cells of one object in one set. Their bytes are counted from the first moment to the last.
pub(super) struct Cells {
    kept: Box<[Kept]>,
    bytes: usize,
    of_set: ByteCount,
}

enum Kept {
    /// [`NONE`], which most cells of an optional field are.
    Missing,
    Text(Arc<str>),
    Other(Cell),
}

/// What the row itself takes: its allocation, its place among the sets of its object, and its hash.
const ROW_BYTES: usize = 96;
/// The head of the allocation of a shared text.
const TEXT_HEAD_BYTES: usize = 16;

impl Cells {
    pub(super) fn new(cells: Vec<Cell>, of_set: &ByteCount) -> Self {
        let mut bytes = ROW_BYTES + cells.len() * size_of::<Kept>();
        let mut kept: Vec<Kept> = Vec::with_capacity(cells.len());
        for cell in cells {
            let cell = match cell {
                Cell::Text(text) if &*text == NONE => Kept::Missing,
                Cell::Text(text) => Kept::Text(known(&kept, &text).unwrap_or_else(|| {
                    bytes += TEXT_HEAD_BYTES + text.len();
                    text.into()
                })),
                other => Kept::Other(other),
            };
            kept.push(cell);
        }
        of_set.0.fetch_add(bytes, Ordering::Relaxed);
        Self { kept: kept.into(), bytes, of_set: of_set.clone() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Cell> {
        self.kept.iter().map(|kept| match kept {
            Kept::Missing => Cell::text(NONE),
            Kept::Text(text) => Cell::text(text),
            Kept::Other(cell) => cell.clone(),
        })
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        self.of_set.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

fn known(kept: &[Kept], wanted: &str) -> Option<Arc<str>> {
    kept.iter().find_map(|kept| match kept {
        Kept::Text(text) if **text == *wanted => Some(text.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_of_one_object_are_kept_once_and_their_bytes_go_with_the_last_row() {
        let count = ByteCount::default();
        let text = "x".repeat(1_000);
        let cells: Vec<Cell> =
            [Cell::text(&text), Cell::Int(3), Cell::text(NONE), Cell::text(&text)].into_iter().collect();
        let (first, second) = (Cells::new(cells.clone(), &count), Cells::new(cells.clone(), &count));
        assert_eq!(first.iter().collect::<Vec<_>>(), cells);
        assert!((2_000..2_600).contains(&count.get()), "{}", count.get());
        drop(first);
        assert!((1_000..1_300).contains(&count.get()), "{}", count.get());
        drop(second);
        assert_eq!(count.get(), 0);
    }
}
