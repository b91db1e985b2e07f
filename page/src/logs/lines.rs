//! The lines of the logs of one object: those that are held, those that wait while its reader has paused, and the rows in
//! which they stand.

use std::rc::Rc;

use shared::frame::server::{LogMark, LogTime};

use super::between::Mark;
use super::buffer::{Arrived, Buffer, Entry, What};
use super::draw::Draw;
use super::filter::Filter;
use super::json;
use super::layout::Layout;
use super::model::LogsRow;
use super::needle::Needle;
use crate::limits::LOGS_WAITING_MAX;
use crate::window::{Viewport, window};

#[derive(Default)]
pub(super) struct Lines {
    pub(super) buffer: Buffer,
    pub(super) layout: Layout,
    pub(super) paused: Option<Paused>,
    pub(super) has_json: bool,
}

/// What comes while the reader has paused.
#[derive(Default)]
pub(super) struct Paused {
    waiting: Vec<Arrived>,
    /// More than the page keeps aside.
    dropped: u64,
}

impl Lines {
    /// Returns how many lines came.
    pub(super) fn add(&mut self, arrived: Vec<Arrived>) -> u64 {
        let texts = || {
            arrived.iter().filter_map(|arrived| match &arrived.what {
                What::Line { text, .. } => Some(&text.text),
                What::Mark(_) | What::Event(_) => None,
            })
        };
        let lines = u64::try_from(texts().count()).unwrap_or_default();
        self.has_json |= texts().any(|text| json::looks_so(text));
        match &mut self.paused {
            Some(paused) => paused.add(arrived),
            None => self.buffer.add(arrived),
        }
        lines
    }

    pub(super) fn toggle_pause(&mut self) {
        match self.paused.take() {
            Some(paused) => self.buffer.add(paused.ended()),
            None => self.paused = Some(Paused::default()),
        }
    }

    /// Forgets what is of these sources.
    pub(super) fn leave_out(&mut self, sources: &[u32]) {
        self.buffer.leave_out(sources);
        if let Some(paused) = &mut self.paused {
            paused.waiting.retain(|arrived| !sources.contains(&arrived.source));
        }
    }

    /// Forgets all lines, and keeps what is looked for.
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        self.layout = Layout::default();
        self.has_json = false;
        if let Some(paused) = &mut self.paused {
            *paused = Paused::default();
        }
    }

    pub(super) fn look_for(&mut self, needle: Needle) {
        self.buffer.set_needle(needle);
    }

    pub(super) fn filter_by(&mut self, filter: Filter) {
        self.buffer.set_filter(filter);
    }

    pub(super) fn entry(&self, place: usize) -> Option<&Entry> {
        self.buffer.entries().get(place)
    }

    pub(super) fn numbered(&self, number: u64) -> Option<(usize, &Entry)> {
        let place = self.buffer.place_of(number)?;
        Some((place, self.entry(place)?))
    }

    /// The lines that the filter lets pass.
    pub(super) fn shown(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.buffer.entries().iter().filter(|entry| entry.is_shown && entry.is_line())
    }

    pub(super) fn count(&self) -> usize {
        self.buffer.entries().iter().filter(|entry| entry.is_line()).count()
    }

    /// The fields of a line of JSON stand below it, or don't any more. Returns whether they do.
    pub(super) fn unfold(&mut self, number: u64) -> bool {
        if self.layout.is_unfolded(number) {
            self.layout.fold(number);
            return false;
        }
        let rows = match self.numbered(number) {
            Some((_, Entry { what: What::Line { text, .. }, .. })) => json::unfolded(&text.text).len(),
            _ => return false,
        };
        self.layout.unfold(number, rows);
        true
    }

    /// The rows of the window.
    pub(super) fn rows(&self, at: Viewport, draw: &Draw<'_>) -> Vec<Rc<LogsRow>> {
        let row = |row: usize| {
            if self.layout.is_head(row) {
                return Some(draw.older());
            }
            let (place, part) = self.layout.entry_at(row)?;
            let entry = self.entry(place)?;
            Some(draw.row(entry, row, part, self.layout.is_unfolded(entry.number)))
        };
        window(at, self.layout.total()).rows.filter_map(row).collect()
    }
}

impl Paused {
    fn add(&mut self, arrived: Vec<Arrived>) {
        self.waiting.extend(arrived);
        let more = self.waiting.len().saturating_sub(LOGS_WAITING_MAX);
        self.dropped += u64::try_from(more).unwrap_or_default();
        self.waiting.drain(..more);
    }

    pub(super) fn waiting(&self) -> (usize, u64) {
        (self.waiting.len(), self.dropped)
    }

    /// What waited, behind a mark for what was dropped.
    fn ended(mut self) -> Vec<Arrived> {
        if self.dropped > 0 {
            let mark = Mark { mark: LogMark::Skipped, lines: self.dropped, ..Mark::default() };
            let at: Option<LogTime> = self.waiting.first().and_then(|first| first.at);
            // The mark is about all sources, so it names none.
            self.waiting.insert(0, Arrived { source: u32::MAX, at, what: What::Mark(Box::new(mark)) });
        }
        self.waiting
    }
}
