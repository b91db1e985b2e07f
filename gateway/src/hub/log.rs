//! The log of one timeline: its last entries, in a ring with two bounds. Logs share the entries that they have
//! in common. A reader is a number of entries; a
//! reader that was away too long is told how many it missed. The log knows no object and no subscriber.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use shared::frame::server::{TimelineFrame, ViewId};
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use super::bounds::Bounds;
use super::frames::Encoded;

/// Room for fewer entries is never given back.
const ENTRIES_ROOM: usize = 16;

/// An entry as it is written, once for all logs. `None` for a value that can't be JSON; every entry can.
pub(super) fn written(entry: &Entry) -> Option<Arc<RawValue>> {
    to_raw_value(entry).ok().map(Arc::from)
}

pub(super) struct Log {
    /// Of this log alone, so that a token of another log isn't continued.
    pub(super) epoch: Box<str>,
    entries: VecDeque<Arc<RawValue>>,
    /// Of the entries.
    byte_count: usize,
    /// How many entries there ever were.
    end: u64,
    bounds: Bounds,
    last: Option<Last>,
}

/// The frame that was written last, for most readers stand at its beginning.
struct Last {
    from: u64,
    end: u64,
    to: u64,
    frame: Arc<Encoded>,
}

#[derive(Serialize)]
struct Written<'a> {
    timeline: TimelineFrame<&'a RawValue>,
}

impl Log {
    pub(super) fn new(epoch: Box<str>, bounds: Bounds) -> Self {
        Self { epoch, entries: VecDeque::new(), byte_count: 0, end: 0, bounds, last: None }
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The number of entries before the first that is kept.
    pub(super) fn first(&self) -> u64 {
        self.end - u64::try_from(self.entries.len()).unwrap_or_default()
    }

    /// The bytes that it keeps, with the frame that it wrote last.
    pub(super) fn byte_count(&self) -> usize {
        self.byte_count + self.last.as_ref().map_or(0, |last| last.frame.bytes.len())
    }

    pub(super) fn push(&mut self, entry: Arc<RawValue>) {
        self.byte_count += entry.get().len();
        self.entries.push_back(entry);
        self.end += 1;
        self.last = None;
        self.cut(self.bounds.log_bytes);
    }

    /// Gives up its oldest entries, until it has so many bytes at most.
    pub(super) fn cut(&mut self, bytes_max: usize) {
        if self.byte_count() > bytes_max {
            self.last = None;
        }
        while self.entries.len() > self.bounds.log_entries || self.byte_count > bytes_max {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.byte_count -= oldest.get().len();
        }
        if self.entries.capacity() > 4 * self.entries.len().max(ENTRIES_ROOM) {
            self.entries.shrink_to(2 * self.entries.len());
        }
    }

    /// The entries after `read`, as many as one frame takes, and where they end.
    pub(super) fn frame(
        &mut self,
        view: ViewId,
        read: u64,
        now_ms: UnixMillis,
        frame_bytes_max: usize,
    ) -> Option<(u64, Arc<Encoded>)> {
        if let Some(last) = self.last.as_ref().filter(|last| last.from == read && last.end == self.end) {
            return Some((last.to, Arc::clone(&last.frame)));
        }
        let first = self.first();
        let lost = first.saturating_sub(read);
        let gap = (lost > 0)
            .then(|| to_raw_value(&Entry { lost: Some(lost), ..Entry::of(EntryType::Gap, now_ms) }).ok())
            .flatten();
        let skipped = usize::try_from(read.saturating_sub(first)).unwrap_or(usize::MAX);
        let mut to = read + lost;
        let mut byte_count = 0;
        let mut entries: Vec<&RawValue> = gap.iter().map(|gap| &**gap).collect();
        for entry in self.entries.iter().skip(skipped) {
            if byte_count >= frame_bytes_max {
                break;
            }
            byte_count += entry.get().len();
            entries.push(entry);
            to += 1;
        }
        let timeline = TimelineFrame { view, from: read, to, entries, reset: false };
        let frame = Arc::new(Encoded::new(&Written { timeline })?);
        self.last = Some(Last { from: read, end: self.end, to, frame: Arc::clone(&frame) });
        Some((to, frame))
    }

    /// For a reader whose position isn't known any more: it goes on here, and is told that it missed
    /// entries.
    pub(super) fn frame_of_unknown_gap(view: ViewId, at: u64, now_ms: UnixMillis) -> Option<Encoded> {
        let gap = to_raw_value(&Entry::of(EntryType::Gap, now_ms)).ok()?;
        let timeline = TimelineFrame { view, from: at, to: at, entries: vec![&*gap], reset: true };
        Encoded::new(&Written { timeline })
    }
}
