//! Viewers that come with a token of another hub, of this gateway before a restart or of another gateway.
//! Each is continued at the position where this hub had exactly its rows. Their digest tells, so it doesn't
//! matter what resourceVersions mean, or whether they went back. Otherwise the viewer begins anew.

use std::collections::BTreeMap;

use shared::frame::client::Projection;
use shared::frame::server::ViewId;
use shared::resource_version::ResourceVersion;
use shared::token::Token;

use super::Hub;
use crate::hub::host::Host;
use crate::hub::request::SubscriptionRequest;
use crate::hub::subscriber::{HeldRows, Subscriber, SubscriberState};

/// The position at which a view had the rows of a digest.
type KnownPositions = BTreeMap<(ViewId, u64), Option<u64>>;

impl<H: Host> Hub<H> {
    /// The position of a token; `None` if it can't be continued.
    pub(super) fn position_of(&self, token: &Token, view: ViewId) -> Option<u64> {
        let known = token.cluster == self.cluster
            && token.columns == self.columns_of(view).hash
            && token.epoch == self.epoch.name_in(&self.views.get(&view)?.request);
        let sequence = token.sequence().filter(|sequence| *sequence <= self.head)?;
        (known && self.store.horizon() <= sequence).then_some(sequence)
    }

    /// Where the feed should begin, if it hasn't, so that this viewer gets only what changed.
    #[must_use]
    pub fn stands_at(&self, request: &SubscriptionRequest) -> Option<ResourceVersion> {
        self.held_by(request).filter(|_| !self.is_loaded).map(|held| held.resource_version)
    }

    /// What the viewer holds; its position is looked for once the first list is complete.
    pub(super) fn held_by(&self, request: &SubscriptionRequest) -> Option<HeldRows> {
        let token = request.token.as_ref().filter(|token| token.cluster == self.cluster)?;
        let digest = token.digest().filter(|_| request.projection == Projection::Rows)?;
        let columns = token.columns.clone();
        Some(HeldRows { columns, digest, resource_version: token.resource_version.clone() })
    }

    /// Whether a subscriber waits whose position may still be found.
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        let mut subscribers = self.subscribers.values();
        self.is_loaded && subscribers.any(|it| matches!(it.state, SubscriberState::Waiting(_)))
    }

    /// At the head of a tick: continues the subscribers whose position is known by now.
    pub(super) fn find_waiting(&mut self) {
        if !self.has_waiting() {
            return;
        }
        // Most of them hold the same rows.
        let mut known = BTreeMap::new();
        let mut subscribers = std::mem::take(&mut self.subscribers);
        for subscriber in subscribers.values_mut() {
            self.find(subscriber, &mut known);
        }
        self.subscribers = subscribers;
    }

    pub(super) fn find(&mut self, subscriber: &mut Subscriber<H::Session>, known: &mut KnownPositions) {
        let SubscriberState::Waiting(held) = &subscriber.state else { return };
        let columns = self.columns_of(subscriber.view).hash;
        let has_other_columns = !columns.is_empty() && columns != held.columns;
        if has_other_columns {
            self.counts.began_anew += 1;
            return subscriber.begin_anew(self.head);
        }
        if !self.is_loaded || self.views.get(&subscriber.view).is_some_and(|view| view.is_waiting) {
            return;
        }
        let position = *known
            .entry((subscriber.view, held.digest))
            .or_insert_with(|| self.position_in(subscriber.view, held.digest));
        if let Some(position) = position {
            self.counts.continued += 1;
            subscriber.continue_at(position);
        } else if !self.resource_version.is_older_than(&held.resource_version) {
            self.counts.began_anew += 1;
            subscriber.begin_anew(self.head);
        }
    }

    /// Begins all waiting subscribers anew: the watch had enough time to bring what they hold.
    pub fn give_up_waiting(&mut self) {
        for subscriber in self.subscribers.values_mut() {
            if matches!(subscriber.state, SubscriberState::Waiting(_)) {
                self.counts.began_anew += 1;
                subscriber.begin_anew(self.head);
            }
        }
    }

    fn position_in(&self, view: ViewId, digest: u64) -> Option<u64> {
        let view = self.views.get(&view)?;
        let now = (view.digest()?, self.head);
        let position = self.history.position_of::<H>(digest, (&view.request, view.set), now, &self.store)?;
        (self.store.horizon() <= position).then_some(position)
    }
}
