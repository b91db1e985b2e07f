//! Which hub serves which feed, and the numbers that are unique in a gateway. Pure: the product keeps a
//! channel for each hub, the simulation a number.

use std::collections::HashMap;

use shared::frame::server::ViewId;

use super::permit::SubscriberKey;
use crate::feed::FeedKey;

#[derive(Debug)]
pub struct Directory<H> {
    hubs: HashMap<FeedKey, H>,
    last_subscriber: SubscriberKey,
    last_view: ViewId,
}

impl<H> Default for Directory<H> {
    fn default() -> Self {
        Self::after_view(0)
    }
}

impl<H> Directory<H> {
    /// A directory whose views get higher ids than this one.
    #[must_use]
    pub fn after_view(last_view: ViewId) -> Self {
        Self { hubs: HashMap::new(), last_subscriber: 0, last_view }
    }

    /// For a new subscription.
    pub fn next_ids(&mut self) -> (SubscriberKey, ViewId) {
        self.last_subscriber += 1;
        self.last_view += 1;
        (self.last_subscriber, self.last_view)
    }

    #[must_use]
    pub fn get(&self, key: &FeedKey) -> Option<&H> {
        self.hubs.get(key)
    }

    pub fn insert(&mut self, key: FeedKey, hub: H) {
        self.hubs.insert(key, hub);
    }

    pub fn remove(&mut self, key: &FeedKey) -> Option<H> {
        self.hubs.remove(key)
    }

    #[must_use]
    pub fn keys_where(&self, is_wanted: impl Fn(&FeedKey, &H) -> bool) -> Vec<FeedKey> {
        self.hubs.iter().filter(|(key, hub)| is_wanted(key, hub)).map(|(key, _)| key.clone()).collect()
    }

    /// Numbers go on from here.
    pub fn take_all(&mut self) -> Vec<H> {
        self.hubs.drain().map(|(_, hub)| hub).collect()
    }
}
