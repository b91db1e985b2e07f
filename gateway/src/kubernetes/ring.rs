//! The last events of a feed, as far back as a bound of bytes lets it. Pure.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::version::Version;

/// What happened to one object.
pub struct Event {
    pub(super) revision: u64,
    pub(super) before: Option<Arc<Version>>,
    /// `None`: it was deleted.
    pub(super) after: Option<Arc<Version>>,
    /// As most readers are told of it, while it is young.
    printed: Mutex<Option<Bytes>>,
}

/// So many of the youngest events are kept as they are printed: readers stand there.
const PRINTED_EVENTS: usize = 256;
/// A larger form isn't kept, so that the forms of a feed have 16 MiB at most.
const PRINTED_BYTES_MAX: usize = 64 * 1024;
/// What an event costs beside its object.
const EVENT_BYTES: usize = 160;

/// Events in the order of their revisions.
pub(super) struct Ring {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    bytes_max: usize,
    /// Each event after it is there.
    horizon: u64,
}

impl Event {
    /// Its printed form, which is made once while the event is young, unless it is large.
    pub(super) fn printed(&self, print: impl FnOnce() -> Option<Vec<u8>>) -> Option<Bytes> {
        let mut kept = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_some() {
            return kept.clone();
        }
        let printed = Bytes::from(print()?);
        if printed.len() <= PRINTED_BYTES_MAX {
            *kept = Some(printed.clone());
        }
        Some(printed)
    }

    fn forget_printed(&self) {
        *self.printed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn kept_bytes(&self) -> usize {
        self.after.as_ref().map_or(0, |after| after.kept_bytes()) + EVENT_BYTES
    }
}

impl Ring {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { events: VecDeque::new(), bytes: 0, bytes_max, horizon: 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn horizon(&self) -> u64 {
        self.horizon
    }

    /// Nothing of before this revision is known any more.
    pub(super) fn begin_anew(&mut self, revision: u64) {
        self.events.clear();
        self.bytes = 0;
        self.horizon = revision;
    }

    pub(super) fn push(&mut self, revision: u64, before: Option<Arc<Version>>, after: Option<Arc<Version>>) {
        let event = Event { revision, before, after, printed: Mutex::default() };
        self.bytes += event.kept_bytes();
        self.events.push_back(Arc::new(event));
        if let Some(aged) = self.events.len().checked_sub(PRINTED_EVENTS + 1) {
            self.events.get(aged).inspect(|event| event.forget_printed());
        }
        self.fit(self.bytes_max);
    }

    /// Gives up its oldest events until the rest has so many bytes.
    pub(super) fn fit(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes -= oldest.kept_bytes();
            self.horizon = self.horizon.max(oldest.revision);
        }
    }

    /// The events after a revision, at most so many, and whether these are all.
    pub(super) fn after(&self, revision: u64, max: usize) -> (Vec<Arc<Event>>, bool) {
        let first = self.events.partition_point(|event| event.revision <= revision);
        let events: Vec<_> = self.events.iter().skip(first).take(max).cloned().collect();
        let is_rest = first + events.len() >= self.events.len();
        (events, is_rest)
    }
}
