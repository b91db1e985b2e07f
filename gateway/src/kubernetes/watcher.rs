//! One watch: a reader of a feed's events, and what it is told. Pure: a log and the time go in, lines come out.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use kubernetes_api::{Failure, Representation};
use shared::column::Column;
use shared::duration::UnixSeconds;

use super::log::{Log, Position, Stop};
use super::printer::{EventType, Printer};
use super::ring::Event;
use super::selection::Selection;
use super::version::Version;

/// The events that a reader takes at once.
const EVENTS_AT_ONCE: usize = 64;

/// Where a watch stands, and how it is written.
pub struct Watcher {
    selection: Selection,
    printer: Printer,
    /// Whether bookmarks were asked for.
    bookmarks: bool,
    position: Position,
    /// Where it began, for the words of its end.
    asked: u64,
    bookmarked: u64,
    with_columns: bool,
}

/// What a watch takes from a log under its lock. It is written afterwards.
pub struct Taken {
    columns: Arc<[Column]>,
    events: Vec<Arc<Event>>,
    initial: VecDeque<Arc<Version>>,
    /// The initial events end with it.
    end_mark: Option<u64>,
    bookmark: Option<u64>,
}

impl Taken {
    /// Whether there may be more already.
    pub(super) fn is_full(&self) -> bool {
        self.events.len() >= EVENTS_AT_ONCE
    }

    /// Whether all of it was written.
    pub(super) fn is_told(&self) -> bool {
        self.initial.is_empty()
    }
}

/// How a watch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// With what is there.
    Initial { ends_with_bookmark: bool },
    /// From now on.
    Now,
    /// After this revision.
    After(u64),
}

impl Watcher {
    /// # Errors
    /// What followed the revision isn't known any more.
    pub fn begin(
        log: &Log,
        begin: Begin,
        (selection, printer): (Selection, Printer),
        bookmarks: bool,
    ) -> Result<(Self, Taken), Failure> {
        let (position, asked) = match begin {
            Begin::Initial { .. } | Begin::Now => (log.now(), log.revision()),
            Begin::After(revision) => {
                // It has told nothing yet, so only its revision can be at fault.
                let expired = |stop| gone(revision, stop).unwrap_or_else(Failure::expired_list);
                (log.after(revision).map_err(expired)?, revision)
            }
        };
        if matches!(begin, Begin::Initial { .. })
            && let Some(object) = log.left_out(&selection)
        {
            let message =
                format!("{object} can't be shown by this gateway, so what is there can't be told whole");
            return Err(Failure::internal(&message));
        }
        let initial = match begin {
            Begin::Initial { .. } => {
                log.objects().filter(|version| selection.chooses(version)).cloned().collect()
            }
            Begin::Now | Begin::After(_) => VecDeque::new(),
        };
        let ends = matches!(begin, Begin::Initial { ends_with_bookmark: true });
        let taken = Taken {
            columns: log.columns(),
            events: Vec::new(),
            initial,
            end_mark: ends.then_some(position.revision),
            bookmark: None,
        };
        let bookmarked = if ends { position.revision } else { 0 };
        Ok((Self { selection, printer, bookmarks, position, asked, bookmarked, with_columns: true }, taken))
    }

    /// The next events. `is_bookmark_due`: a bookmark follows them, if all was told.
    ///
    /// # Errors
    /// It has fallen behind, or there was a gap: the client has to list again. `None`: it ends without an error.
    pub fn take(&mut self, log: &Log, is_bookmark_due: bool) -> Result<Taken, Option<Failure>> {
        let (events, position) = log
            .next(self.position, EVENTS_AT_ONCE)
            .map_err(|stop| gone(self.position.revision.max(self.asked), stop))?;
        self.position = position;
        let is_whole = position.revision >= log.revision();
        let bookmark = (self.bookmarks && is_bookmark_due && is_whole && position.revision > self.bookmarked)
            .then_some(position.revision);
        self.bookmarked = bookmark.unwrap_or(self.bookmarked);
        Ok(Taken { columns: log.columns(), events, initial: VecDeque::new(), end_mark: None, bookmark })
    }

    /// Whether it is asked to write an event as a list, at which an API server ends the stream.
    pub(super) fn is_unprintable(&self) -> bool {
        self.printer.representation == Representation::PartialList
    }

    /// Its next lines; [`Taken::is_told`] says whether there are more. `None`: one of the objects can't be read any more, so
    /// the watch has to end.
    pub fn print(&mut self, taken: &mut Taken, now_s: UnixSeconds) -> Option<Vec<Bytes>> {
        let printer = self.printer.with(&taken.columns, now_s);
        let mut lines = Vec::with_capacity(EVENTS_AT_ONCE);
        while lines.len() < EVENTS_AT_ONCE
            && let Some(version) = taken.initial.pop_front()
        {
            lines.push(printer.added(&version, self.columns_once())?.into());
        }
        if !taken.initial.is_empty() {
            return Some(lines);
        }
        if let Some(revision) = taken.end_mark.take() {
            lines.push(printer.bookmark(revision, true, self.columns_once()).into());
        }
        for event in std::mem::take(&mut taken.events) {
            let Some(kind) = self.seen(&event) else { continue };
            lines.push(self.print_event(&printer, &event, kind)?);
        }
        if let Some(revision) = taken.bookmark.take() {
            lines.push(printer.bookmark(revision, false, self.columns_once()).into());
        }
        Some(lines)
    }

    fn columns_once(&mut self) -> bool {
        std::mem::take(&mut self.with_columns)
    }

    /// An event that every reader of the whole objects is told alike is written once for all.
    fn print_event(&mut self, printer: &Printer, event: &Event, seen: EventType) -> Option<Bytes> {
        let with_columns = self.columns_once();
        let is_shared = printer.representation == Representation::Whole && seen == happened(event);
        if is_shared {
            return event.printed(|| printer.event(seen, event, false));
        }
        printer.event(seen, event, with_columns).map(Into::into)
    }

    /// What a client sees whose selectors choose only some objects. One that leaves them is deleted for it.
    fn seen(&self, event: &Event) -> Option<EventType> {
        let chosen = |version: &Option<Arc<Version>>| {
            version.as_ref().is_some_and(|version| self.selection.chooses(version))
        };
        match (chosen(&event.before), chosen(&event.after)) {
            (false, false) => None,
            (false, true) => Some(EventType::Added),
            (true, true) => Some(EventType::Modified),
            (true, false) => Some(EventType::Deleted),
        }
    }
}

fn happened(event: &Event) -> EventType {
    match (&event.before, &event.after) {
        (None, _) => EventType::Added,
        (Some(_), Some(_)) => EventType::Modified,
        (Some(_), None) => EventType::Deleted,
    }
}

/// `None`: without an error.
fn gone(asked: u64, stop: Stop) -> Option<Failure> {
    match stop {
        Stop::Expired { horizon } => Some(Failure::expired_watch(asked, horizon)),
        Stop::Redefined => None,
    }
}
