//! Several readers of the same rows, each with a filter and an order of its own: two panes of a board
//! over one subscription. Never a row.

use super::index::Index;
use replica::table::Table;

/// One reader of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReaderId(usize);

impl ReaderId {
    /// There from the start: a view with one reader needs no other.
    pub const FIRST: Self = Self(0);
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    first: Index,
    first_is_lent: bool,
    /// By the reader's number, less one; a reader that was given back leaves its place free.
    others: Vec<Option<Index>>,
}

impl Readers {
    pub(crate) fn lend(&mut self, table: &Table) -> ReaderId {
        if !std::mem::replace(&mut self.first_is_lent, true) {
            return ReaderId::FIRST;
        }
        let index = Index::of(table);
        match self.others.iter().position(Option::is_none) {
            Some(at) => {
                if let Some(place) = self.others.get_mut(at) {
                    *place = Some(index);
                }
                ReaderId(at + 1)
            }
            None => {
                self.others.push(Some(index));
                ReaderId(self.others.len())
            }
        }
    }

    pub(crate) fn give_back(&mut self, reader: ReaderId) {
        match reader.0.checked_sub(1) {
            None => self.first_is_lent = false,
            Some(at) => {
                if let Some(place) = self.others.get_mut(at) {
                    *place = None;
                }
            }
        }
    }

    /// For a reader that was given back this is the first index, which is never wrong to look at.
    pub(crate) fn get(&self, reader: ReaderId) -> &Index {
        let other = reader.0.checked_sub(1).and_then(|at| self.others.get(at)?.as_ref());
        other.unwrap_or(&self.first)
    }

    pub(crate) fn get_mut(&mut self, reader: ReaderId) -> &mut Index {
        let other = reader.0.checked_sub(1).and_then(|at| self.others.get_mut(at)?.as_mut());
        other.unwrap_or(&mut self.first)
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Index> {
        std::iter::once(&mut self.first).chain(self.others.iter_mut().flatten())
    }
}
