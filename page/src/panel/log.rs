//! The log of all objects that had the panel's name while it was open: the entries of each, one after the other.

use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use super::record::{Past, Unrecorded};
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
    /// The entry stands for a time in which the panel was closed.
    pub(super) unrecorded: Option<&'a Unrecorded>,
}

/// More entries than one log ever numbers.
const NUMBERS_OF_A_LOG: u64 = 1 << 40;

/// A number after all those of the logs before this one.
pub(super) fn number_before(log: u64) -> u64 {
    (log * NUMBERS_OF_A_LOG).saturating_sub(1)
}

impl<'a> Log<'a> {
    /// Another object begins with another log, after a deletion, and where the panel finds another `uid` than before.
    pub(super) fn of(
        past: &'a Past,
        logs: impl Iterator<Item = (u64, &'a TimelineView)>,
        exists: bool,
        uid: Option<&str>,
    ) -> Self {
        let before = past.entries.iter().map(|held| Logged {
            number: held.number,
            object: held.object,
            entry: &held.entry,
            unrecorded: held.unrecorded.as_ref(),
        });
        let (mut entries, mut object) = (before.collect::<Vec<_>>(), past.object);
        let mut is_over = uid.zip(past.uid.as_deref()).is_some_and(|(now, before)| now != before);
        for (at, (log_number, log)) in logs.enumerate() {
            is_over |= at > 0;
            for (number, entry) in log.entries().filter(|(_, entry)| !past.has(entry)) {
                if is_over && history::is_change(entry) {
                    (object, is_over) = (object + 1, false);
                }
                is_over |= entry.kind == EntryType::Deleted;
                let number = log_number * NUMBERS_OF_A_LOG + number;
                entries.push(Logged { number, object, entry, unrecorded: None });
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
