//! The viewer's log of what happened, filled by `timeline` frames alone. It is bounded, and counts what it
//! dropped.

use std::collections::VecDeque;

use shared::frame::server::{Subscribed, TimelineFrame};
use shared::frame::timeline::Entry;
use shared::name::ClusterName;
use shared::resource_version::ResourceVersion;

use crate::chain::{Broken, Chain};
use crate::limits::TIMELINE_ENTRIES_MAX;
use crate::subscription::Subscription;

#[derive(Debug)]
pub struct TimelineView {
    pub(crate) subscription: Subscription,
    pub(crate) chain: Chain,
    entries: VecDeque<Entry>,
    /// The cluster of each entry, in a log of several clusters.
    clusters: VecDeque<ClusterName>,
    /// Entries that came before the first one here.
    dropped: u64,
}

impl TimelineView {
    pub(crate) fn new(subscription: Subscription) -> Self {
        Self {
            subscription,
            chain: Chain::default(),
            entries: VecDeque::new(),
            clusters: VecDeque::new(),
            dropped: 0,
        }
    }

    /// The only way in which entries come. Returns how many came.
    pub(crate) fn apply(&mut self, frame: TimelineFrame) -> Result<usize, Broken> {
        self.chain.step(frame.from, frame.to, frame.reset)?;
        let count = frame.entries.len();
        self.entries.extend(frame.entries);
        self.limit();
        self.chain.cut(ResourceVersion::default(), None);
        Ok(count)
    }

    pub(crate) fn subscribed(&mut self, answer: &Subscribed) {
        self.chain.subscribed(answer, true);
        // A log without entries can be continued as well, from its beginning.
        self.chain.cut(ResourceVersion::default(), None);
    }

    /// Moves the entries of one cluster's log into that of several, in the order in which they came.
    pub(crate) fn take_from(&mut self, log: &mut Self, cluster: &ClusterName) {
        self.clusters.extend(log.entries.iter().map(|_| cluster.clone()));
        self.entries.append(&mut log.entries);
        self.limit();
    }

    fn limit(&mut self) {
        while self.entries.len() > TIMELINE_ENTRIES_MAX {
            self.entries.pop_front();
            self.clusters.pop_front();
            self.dropped += 1;
        }
    }

    #[must_use]
    pub fn subscription(&self) -> &Subscription {
        &self.subscription
    }

    /// The oldest first, each with its number since the view was opened.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (u64, &Entry)> {
        (self.dropped..).zip(&self.entries).collect::<Vec<_>>().into_iter()
    }

    /// The entry of a number.
    #[must_use]
    pub fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }

    /// The cluster of the entry of a number, in a log of several.
    #[must_use]
    pub fn cluster_of(&self, number: u64) -> Option<&ClusterName> {
        self.clusters.get(usize::try_from(number.checked_sub(self.dropped)?).ok()?)
    }

    /// The number after the newest entry's.
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

    /// How many entries were dropped for want of room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Drops all entries; later ones are numbered on from them.
    pub fn clear(&mut self) {
        self.dropped += u64::try_from(self.entries.len()).unwrap_or_default();
        self.entries.clear();
        self.clusters.clear();
    }
}
