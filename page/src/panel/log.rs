//! The log of all objects that had the panel's name while it was open: the entries of each, one after the other.

use std::collections::VecDeque;

use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use crate::detail::dated::Dated;
use crate::detail::history;

/// Oldest first.
pub(crate) struct Log<'a> {
    pub(crate) entries: Vec<Logged<'a>>,
    /// The number of the object that is shown; an entry of a former one has a lower number.
    pub(crate) object: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Logged<'a> {
    /// Unique in the panel.
    pub(crate) number: u64,
    pub(crate) object: usize,
    pub(crate) entry: &'a Entry,
    /// The entry stands for a time in which the panel was closed.
    pub(crate) unrecorded: Option<&'a Unrecorded>,
}

/// The part of a log that was recorded before the panel was opened this time, oldest first.
#[derive(Default)]
pub(crate) struct Past {
    pub(crate) entries: VecDeque<PastEntry>,
    /// The number of the last object in it, and its uid.
    pub(crate) object: usize,
    pub(crate) uid: Option<Box<str>>,
    /// The number of the first log after it.
    pub(crate) next_log: u64,
    /// What the object told when it was recorded first, newest first.
    pub(crate) dated: Vec<Dated>,
    /// When its last entry was recorded, by the gateway's clock.
    last_ms: UnixMillis,
    /// The oldest entries were dropped.
    pub(crate) is_cut: bool,
}

pub(crate) struct PastEntry {
    pub(crate) number: u64,
    pub(crate) object: usize,
    pub(crate) entry: Entry,
    pub(crate) unrecorded: Option<Unrecorded>,
}

/// A time in which the panel was closed, by the viewer's clock, and what the object tells of that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unrecorded {
    pub(crate) from_ms: UnixMillis,
    pub(crate) to_ms: UnixMillis,
    pub(crate) dated: Vec<Dated>,
}

/// More entries than one log ever numbers.
const NUMBERS_OF_A_LOG: u64 = 1 << 40;

/// A number after all those of the logs before this one.
pub(crate) fn number_before(log: u64) -> u64 {
    (log * NUMBERS_OF_A_LOG).saturating_sub(1)
}

impl<'a> Log<'a> {
    /// Another object begins with another log, after a deletion, and where the panel finds another `uid` than before.
    pub(crate) fn of(
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

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        self.entries.iter().map(|logged| logged.entry)
    }

    pub(crate) fn changes(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        self.iter().filter(|entry| history::is_change(entry))
    }

    /// When the last deletion was, by the gateway's clock.
    pub(crate) fn deleted_ms(&self) -> Option<UnixMillis> {
        let deleted = self.iter().rev().find(|entry| entry.kind == EntryType::Deleted);
        deleted.map(|entry| entry.time_ms)
    }
}

impl Past {
    /// With all that the log has now.
    pub(crate) fn and(&self, log: &Log<'_>, uid: Option<&str>, next_log: u64) -> Self {
        let past = |logged: &Logged<'_>| PastEntry {
            number: logged.number,
            object: logged.object,
            entry: logged.entry.clone(),
            unrecorded: logged.unrecorded.cloned(),
        };
        let entries: VecDeque<PastEntry> = log.entries.iter().map(past).collect();
        let times = entries.iter().filter(|held| held.unrecorded.is_none()).map(|held| held.entry.time_ms);
        let last_ms = times.max().unwrap_or_default();
        Self {
            object: log.object,
            uid: uid.map(Box::from),
            next_log,
            dated: self.dated.clone(),
            last_ms,
            is_cut: self.is_cut,
            entries,
        }
    }

    /// Whether the entry was recorded before: a gateway may send the end of its log again.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        let is_it = |held: &PastEntry| {
            held.entry.kind == entry.kind && held.entry.resource_version == entry.resource_version
        };
        entry.time_ms <= self.last_ms && entry.resource_version.is_some() && self.entries.iter().any(is_it)
    }

    /// What the object tells as it arrives, of the time since it was recorded last. `ahead_ms`: of the cluster's clock.
    pub(crate) fn tell(&mut self, mut dated: Vec<Dated>, ahead_ms: i64) {
        match self.entries.back_mut().and_then(|held| held.unrecorded.as_mut()) {
            Some(unrecorded) => {
                let from_s = unrecorded.from_ms.saturating_add(ahead_ms).div_euclid(1_000);
                dated.retain(|dated| dated.at >= from_s);
                unrecorded.dated = dated;
            }
            None => self.dated = dated,
        }
    }
}
