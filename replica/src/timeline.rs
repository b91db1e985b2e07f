//! The viewer's log of what happened, moved by `timeline` frames alone, Bounded; what falls out at its end is counted. Never a sentence.

use std::collections::VecDeque;

use shared::frame::server::TimelineFrame;
use shared::frame::timeline::Entry;
use shared::resource_version::ResourceVersion;

use crate::limits::TIMELINE_ENTRIES_MAX;
use crate::place::Place;
use crate::subscription::Subscription;
use crate::table::Broken;

#[derive(Debug)]
pub struct TimelineView {
    pub(crate) subscription: Subscription,
    pub(crate) place: Place,
    entries: VecDeque<Entry>,
    /// Entries that came before the first one here.
    dropped: u64,
}

impl TimelineView {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self { subscription, place: Place::default(), entries: VecDeque::new(), dropped: 0 }
    }

    /// The only way in which entries come. How many did.
    pub(crate) fn apply(&mut self, frame: TimelineFrame) -> Result<usize, Broken> {
        self.place.step(frame.from, frame.to, frame.reset)?;
        let count = frame.entries.len();
        self.entries.extend(frame.entries);
        while self.entries.len() > TIMELINE_ENTRIES_MAX {
            self.entries.pop_front();
            self.dropped += 1;
        }
        self.place.cut(ResourceVersion::default());
        Ok(count)
    }

    #[must_use]
    pub fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    /// The oldest first, each with its number since the view was opened.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (u64, &Entry)> {
        (self.dropped..).zip(&self.entries).collect::<Vec<_>>().into_iter()
    }

    /// By its number.
    #[must_use]
    pub fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }

    /// Beyond the number of the newest.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.dropped + u64::try_from(self.entries.len()).unwrap_or_default()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Entries that came and aren't here any more, for want of room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Numbers go on.
    pub fn clear(&mut self) {
        self.dropped += u64::try_from(self.entries.len()).unwrap_or_default();
        self.entries.clear();
    }
}
