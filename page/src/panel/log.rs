//! The log of all objects that had the panel's name while it was open: the entries of each, one after the other.

use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use crate::detail::history;

/// Oldest first.
pub(super) struct Log<'a> {
    pub(super) entries: Vec<Logged<'a>>,
    /// The number of the object that is shown; an entry of a former one has a lower number.
    pub(super) object: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Logged<'a> {
    /// Unique in the panel.
    pub(super) number: u64,
    pub(super) object: usize,
    pub(super) entry: &'a Entry,
}

/// More entries than one log ever numbers.
const NUMBERS_OF_A_LOG: u64 = 1 << 40;

impl<'a> Log<'a> {
    /// Another object begins with another log, and after a deletion.
    pub(super) fn of(logs: impl Iterator<Item = (u64, &'a TimelineView)>, exists: bool) -> Self {
        let (mut entries, mut object, mut is_over) = (Vec::new(), 0, false);
        for (at, (log_number, log)) in logs.enumerate() {
            is_over |= at > 0;
            for (number, entry) in log.entries() {
                if is_over && history::is_change(entry) {
                    (object, is_over) = (object + 1, false);
                }
                is_over |= entry.kind == EntryType::Deleted;
                entries.push(Logged { number: log_number * NUMBERS_OF_A_LOG + number, object, entry });
            }
        }
        Self { entries, object: object + usize::from(is_over && exists) }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        self.entries.iter().map(|logged| logged.entry)
    }

    pub(super) fn changes(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        self.iter().filter(|entry| history::is_change(entry))
    }

    /// When the last deletion was, by the gateway's clock.
    pub(super) fn deleted_ms(&self) -> Option<UnixMillis> {
        let deleted = self.iter().rev().find(|entry| entry.kind == EntryType::Deleted);
        deleted.map(|entry| entry.time_ms)
    }
}
