//! How many feeds run, and whose they are: a feed is each of its viewers', and without viewers the last
//! one's, until it ends or makes room. It also counts how many sets of columns of a
//! feed are one viewer's. Time is an argument;
//! the registry starts and ends the feeds.

use std::collections::{HashMap, HashSet};

use shared::problem::{Problem, Reason};

use super::columns::ColumnsAsked;
use crate::access::Identity;
use crate::feed::FeedKey;
use crate::limits::{CUSTOM_SETS_PER_IDENTITY_MAX, FEEDS_MAX, FEEDS_PER_IDENTITY_MAX};
use crate::rate_limiter::{MonotonicMs, RateLimiter};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedBounds {
    pub per_identity: usize,
    pub total: usize,
}

impl Default for FeedBounds {
    fn default() -> Self {
        Self { per_identity: FEEDS_PER_IDENTITY_MAX, total: FEEDS_MAX }
    }
}

/// Unique in the gateway: a feed that ended and one that was started for the same key have different ones.
pub(super) type FeedNumber = u64;

pub(super) struct FeedQuota {
    bounds: FeedBounds,
    feeds: HashMap<FeedKey, Feed>,
    starts: HashMap<Identity, RateLimiter>,
    /// Numbers the feeds, and the moments at which one lost its last viewer.
    last_number: u64,
}

struct Feed {
    number: FeedNumber,
    holders: Holders,
}

enum Holders {
    Viewed(HashMap<Identity, Share>),
    /// It has no viewer since this moment.
    Lingering {
        last: Identity,
        since: u64,
    },
}

/// The subscriptions of one viewer to a feed, by the columns that they ask for.
#[derive(Default)]
struct Share(HashMap<Option<ColumnsAsked>, usize>);

/// A subscription that may be opened.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admitted {
    pub(super) feed: FeedNumber,
    /// The feeds without viewers that make room for a new one, and must end.
    pub(super) ended: Vec<FeedKey>,
}

impl FeedQuota {
    pub(super) fn new(bounds: FeedBounds) -> Self {
        Self { bounds, feeds: HashMap::new(), starts: HashMap::new(), last_number: 0 }
    }

    /// Counts a subscription of a viewer to a feed, which is started if it doesn't run.
    ///
    /// # Errors
    /// `Limit`: the viewer or the gateway has as many feeds as there may be, and each has viewers, or the
    /// viewer started too many in a short time, or has too many sets of columns of this one. Nothing has changed then.
    pub(super) fn enter(
        &mut self,
        viewer: &Identity,
        (key, columns): (&FeedKey, Option<&ColumnsAsked>),
        now: MonotonicMs,
    ) -> Result<Admitted, Problem> {
        let known = self.feeds.get(key);
        let is_new = known.is_none();
        if known.and_then(|feed| feed.share(viewer)).is_some_and(|share| !share.may_ask_for(columns)) {
            let message = format!(
                "{} is shown this resource with {CUSTOM_SETS_PER_IDENTITY_MAX} sets of columns, the most that one person may; ask for one of them, or close a view",
                viewer.name()
            );
            return Err(Problem::new(Reason::Limit, message));
        }
        let ended = match known {
            Some(feed) if feed.is_of(viewer) => Vec::new(),
            _ => self.room_for(viewer, key, is_new)?,
        };
        // A feed of the past asks nothing of a cluster, and a reader goes from change to change.
        if is_new && key.past.is_none() && !self.may_start(viewer, now) {
            let message = format!(
                "{} started too many feeds in a short time, one for each kind, field selector or single object; try again in a second",
                viewer.name()
            );
            return Err(Problem::new(Reason::Limit, message));
        }
        for key in &ended {
            self.feeds.remove(key);
        }
        let fresh = self.next_number();
        let unused = || Feed { number: fresh, holders: Holders::Viewed(HashMap::new()) };
        let feed = self.feeds.entry(key.clone()).or_insert_with(unused);
        feed.enter(viewer, columns);
        Ok(Admitted { feed: feed.number, ended })
    }

    /// A subscription that was counted is over. Whether its feed still runs.
    pub(super) fn leave(
        &mut self,
        viewer: &Identity,
        (key, columns): (&FeedKey, Option<&ColumnsAsked>),
        number: FeedNumber,
    ) -> bool {
        let since = self.next_number();
        let feed = self.feeds.get_mut(key).filter(|feed| feed.number == number);
        feed.map(|feed| feed.leave(viewer, columns, since)).is_some()
    }

    /// The feed runs no more.
    pub(super) fn ended(&mut self, key: &FeedKey) {
        self.feeds.remove(key);
    }

    /// No feed runs any more, and each viewer may start as many at once as at the beginning.
    pub(super) fn begin_anew(&mut self) {
        self.feeds.clear();
        self.starts.clear();
    }

    /// The feeds that must end so that the viewer may have one more.
    fn room_for(&self, viewer: &Identity, key: &FeedKey, is_new: bool) -> Result<Vec<FeedKey>, Problem> {
        let mut ended = HashSet::new();
        let own = self.feeds.values().filter(|feed| feed.is_of(viewer)).count();
        if own >= self.bounds.per_identity {
            let oldest = self.oldest_lingering(|other, last| other != key && last == viewer);
            let message = || {
                format!(
                    "{} views {own} feeds, the most that one person may; close a view first: each kind, field selector and single object is a feed of its own, labels and namespaces are not",
                    viewer.name()
                )
            };
            ended.insert(oldest.ok_or_else(|| Problem::new(Reason::Limit, message()))?);
        }
        if is_new && self.feeds.len() - ended.len() >= self.bounds.total {
            let total = self.bounds.total;
            let message = || {
                format!(
                    "this gateway watches {total} feeds, the most that it may; close a view, or ask whoever runs the gateway to raise --feeds-max"
                )
            };
            let oldest = self.oldest_lingering(|_, _| true);
            ended.insert(oldest.ok_or_else(|| Problem::new(Reason::Limit, message()))?);
        }
        Ok(ended.into_iter().cloned().collect())
    }

    fn oldest_lingering(&self, may_end: impl Fn(&FeedKey, &Identity) -> bool) -> Option<&FeedKey> {
        let lingering = self.feeds.iter().filter_map(|(key, feed)| match &feed.holders {
            Holders::Lingering { last, since } if may_end(key, last) => Some((since, key)),
            _ => None,
        });
        lingering.min_by_key(|(since, _)| **since).map(|(_, key)| key)
    }

    fn may_start(&mut self, viewer: &Identity, now: MonotonicMs) -> bool {
        if !self.starts.contains_key(viewer) {
            self.starts.retain(|_, limiter| !limiter.is_full(now));
            let limiter = RateLimiter::of_feed_starts(self.bounds.per_identity, now);
            self.starts.insert(viewer.clone(), limiter);
        }
        self.starts.get_mut(viewer).is_some_and(|limiter| limiter.take(now))
    }

    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}

impl Feed {
    fn is_of(&self, viewer: &Identity) -> bool {
        match &self.holders {
            Holders::Viewed(viewers) => viewers.contains_key(viewer),
            Holders::Lingering { last, .. } => last == viewer,
        }
    }

    fn share(&self, viewer: &Identity) -> Option<&Share> {
        match &self.holders {
            Holders::Viewed(viewers) => viewers.get(viewer),
            Holders::Lingering { .. } => None,
        }
    }

    fn enter(&mut self, viewer: &Identity, columns: Option<&ColumnsAsked>) {
        if let Holders::Lingering { .. } = self.holders {
            self.holders = Holders::Viewed(HashMap::new());
        }
        if let Holders::Viewed(viewers) = &mut self.holders {
            viewers.entry(viewer.clone()).or_default().enter(columns);
        }
    }

    fn leave(&mut self, viewer: &Identity, columns: Option<&ColumnsAsked>, since: u64) {
        let Holders::Viewed(viewers) = &mut self.holders else { return };
        let Some(share) = viewers.get_mut(viewer) else { return };
        share.leave(columns);
        if share.0.is_empty() {
            viewers.remove(viewer);
        }
        if viewers.is_empty() {
            self.holders = Holders::Lingering { last: viewer.clone(), since };
        }
    }
}

impl Share {
    /// The server's own columns alone are no set.
    fn may_ask_for(&self, columns: Option<&ColumnsAsked>) -> bool {
        columns.is_none()
            || self.0.contains_key(&columns.cloned())
            || self.0.keys().flatten().count() < CUSTOM_SETS_PER_IDENTITY_MAX
    }

    fn enter(&mut self, columns: Option<&ColumnsAsked>) {
        *self.0.entry(columns.cloned()).or_default() += 1;
    }

    fn leave(&mut self, columns: Option<&ColumnsAsked>) {
        let columns = columns.cloned();
        let Some(count) = self.0.get_mut(&columns) else { return };
        *count -= 1;
        if *count == 0 {
            self.0.remove(&columns);
        }
    }
}

#[cfg(test)]
mod tests;
