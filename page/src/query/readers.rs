//! Several readers of the same rows, each with its own filter and order: two panes of a board over one
//! subscription. Never a row.

use super::index::Index;
use litemap::LiteMap;
use replica::table::Table;

/// One reader of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReaderId(usize);

impl ReaderId {
    /// Each view has this reader from the start.
    pub const FIRST: Self = Self(0);
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    first: Index,
    has_first: bool,
    others: LiteMap<ReaderId, Index>,
}

impl Readers {
    pub(crate) fn add(&mut self, table: &Table) -> ReaderId {
        if !std::mem::replace(&mut self.has_first, true) {
            return ReaderId::FIRST;
        }
        let last = self.others.last().map_or(ReaderId::FIRST, |(reader, _)| *reader);
        let reader = ReaderId(last.0 + 1);
        self.others.insert(reader, Index::of(table));
        reader
    }

    pub(crate) fn remove(&mut self, reader: ReaderId) {
        if reader == ReaderId::FIRST {
            self.has_first = false;
        }
        self.others.remove(&reader);
    }

    /// A reader that was removed gets the first index.
    pub(crate) fn get(&self, reader: ReaderId) -> &Index {
        self.others.get(&reader).unwrap_or(&self.first)
    }

    pub(crate) fn get_mut(&mut self, reader: ReaderId) -> &mut Index {
        self.others.get_mut(&reader).unwrap_or(&mut self.first)
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Index> {
        std::iter::once(&mut self.first).chain(self.others.iter_mut().map(|(_, index)| index))
    }
}
