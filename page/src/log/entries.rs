//! Which entries of a view's event log are shown, and how many there are of each type. The entries themselves
//! are the timeline's and never change.

use std::collections::VecDeque;

use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};

use super::filter::{LogFilter, TYPES};
use crate::detail::history;
use crate::limits::QUERY_BYTES_MAX;

/// The entries of a timeline that a filter shows, by their numbers, and how many there are of each type. It follows the
/// timeline entry by entry; the pane's log and its lines read it.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub(crate) filter: LogFilter,
    /// The words of the text, in lower case; an entry has to mention all of them.
    words: Vec<String>,
    /// The numbers of the shown entries, the oldest first.
    pub(crate) shown: VecDeque<u64>,
    /// The number of the first entry that wasn't looked at.
    next: u64,
    /// The oldest entry that is counted.
    first: u64,
    /// In the order of [`TYPES`].
    pub(crate) counts: [usize; TYPES.len()],
    /// The first entry that isn't shown, while the log is paused.
    end: Option<u64>,
}

impl Log {
    /// Adds the new entries of the timeline, and removes those that it dropped.
    pub fn follow(&mut self, timeline: &TimelineView) {
        let oldest = timeline.dropped();
        while self.shown.front().is_some_and(|number| *number < oldest) {
            self.shown.pop_front();
        }
        if self.first < oldest {
            self.recount(timeline);
        }
        let from = self.next.max(oldest);
        for number in from..timeline.end().min(self.end.unwrap_or(u64::MAX)) {
            let Some(entry) = timeline.entry(number) else { continue };
            self.count(entry);
            if self.matches(entry) {
                self.shown.push_back(number);
            }
            self.next = number + 1;
        }
    }

    fn count(&mut self, entry: &Entry) {
        let place = TYPES.iter().position(|kind| *kind == entry.kind);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        }
    }

    fn recount(&mut self, timeline: &TimelineView) {
        self.first = timeline.dropped();
        self.counts = Default::default();
        for number in self.first..self.next {
            if let Some(entry) = timeline.entry(number) {
                self.count(entry);
            }
        }
    }

    /// A gap is always shown, because without it the log would look complete.
    fn matches(&self, entry: &Entry) -> bool {
        entry.kind == EntryType::Gap
            || !self.filter.hidden.contains(&entry.kind)
                && self.filter.predicate.is_none_or(|predicate| predicate.passes(entry))
                && (self.words.is_empty() || {
                    let text = searched(entry);
                    self.words.iter().all(|word| text.contains(word))
                })
    }

    /// A text finds objects, field paths, values and writers.
    pub fn set_filter(&mut self, timeline: &TimelineView, filter: LogFilter) {
        if self.filter == filter {
            return;
        }
        self.filter = filter;
        let end = self.filter.text.floor_char_boundary(QUERY_BYTES_MAX);
        let text = self.filter.text.get(..end).unwrap_or_default();
        self.words = text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        self.look_again(timeline);
    }

    /// The same with entries of a type hidden, or shown again.
    pub fn toggled(&self, kind: EntryType) -> LogFilter {
        let is_hidden = |each: &EntryType| self.filter.hidden.contains(each) != (*each == kind);
        LogFilter { hidden: TYPES.into_iter().filter(is_hidden).collect(), ..self.filter.clone() }
    }

    fn look_again(&mut self, timeline: &TimelineView) {
        self.shown = (timeline.dropped()..self.next)
            .filter(|number| timeline.entry(*number).is_some_and(|entry| self.matches(entry)))
            .collect();
    }

    /// While the log is paused, new entries wait.
    pub fn toggle_pause(&mut self) {
        self.end = if self.is_paused() { None } else { Some(self.next) };
    }

    /// The log was paused when the timeline had this many entries.
    pub fn pause_at(&mut self, end: u64) {
        self.end = Some(end);
    }

    pub fn is_paused(&self) -> bool {
        self.end.is_some()
    }

    /// Entries that came since the pause began.
    pub fn waiting(&self, timeline: &TimelineView) -> u64 {
        self.end.map_or(0, |end| timeline.end().saturating_sub(end))
    }
}

/// What the words of a filter are looked for in.
fn searched(entry: &Entry) -> String {
    let object = [&entry.namespace, &entry.name].map(|part| part.as_deref().unwrap_or_default());
    let mut text = object.join("/");
    let fields = history::fields(entry).into_iter().map(|line| line.text());
    let writers = entry.writers.iter().map(|writer| writer.manager.to_string());
    let event = history::event_headline(entry).map(|headline| headline.text());
    for part in fields.chain(writers).chain(event) {
        text.push('\n');
        text.push_str(&part);
    }
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use shared::frame::server::TimelineFrame;

    use super::*;
    use crate::limits::TIMELINE_ENTRIES_MAX;
    use replica::testing;

    #[test]
    fn an_entry_that_the_timeline_dropped_is_neither_shown_nor_counted() {
        let (mut timeline, mut log) = (testing::timeline(), Log::default());
        let mut entries = vec![Entry::of(EntryType::Added, 0); TIMELINE_ENTRIES_MAX + 1];
        entries[0] = Entry::of(EntryType::Deleted, 0);
        let mut at = 0;
        for entries in entries.chunks(TIMELINE_ENTRIES_MAX / 2) {
            let to = at + u64::try_from(entries.len()).expect("few");
            let frame = TimelineFrame { view: 1, from: at, to, entries: entries.to_vec(), reset: at == 0 };
            testing::log(&mut timeline, frame);
            log.follow(&timeline);
            at = to;
        }
        assert_eq!(log.shown.len(), TIMELINE_ENTRIES_MAX);
        assert_eq!(log.counts, [TIMELINE_ENTRIES_MAX, 0, 0, 0, 0]);
        timeline.clear();
        log.follow(&timeline);
        assert_eq!((log.shown.len(), log.counts), (0, [0; 5]));
    }
}
