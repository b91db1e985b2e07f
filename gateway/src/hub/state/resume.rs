//! Viewers that come with a token of another hub: one of this gateway before a restart, or one of
//! another gateway. Each is continued where this hub had exactly its rows, which their digest tells: so
//! it doesn't matter what resourceVersions mean, or whether they went back. Whose rows were never here
//! begins anew.

use std::collections::BTreeMap;

use shared::frame::client::Projection;
use shared::resource_version::ResourceVersion;
use shared::token::Token;

use super::{Hub, Opening};
use crate::hub::defect::{self, Defect};
use crate::hub::subscriber::Subscriber;
use crate::hub::view::ViewKey;

/// What a viewer holds, until it is known whether it can be continued.
#[derive(Clone)]
pub(in crate::hub) struct Held {
    columns: Box<str>,
    digest: u64,
    resource_version: ResourceVersion,
}

/// Where a view had the rows of a digest.
type KnownPlaces = BTreeMap<(ViewKey, u64), Option<u64>>;

impl Hub {
    /// Where a token stands; `None` when it can't be continued.
    pub(super) fn position_of(&self, token: &Token, view: ViewKey) -> Option<u64> {
        let known = token.cluster == self.identity.cluster
            && token.columns == self.columns_of(view).hash
            && *token.epoch == *self.incarnation.epoch();
        let sequence = token.sequence().filter(|sequence| *sequence <= self.head)?;
        (known && self.store.horizon() <= sequence).then_some(sequence)
    }

    /// Where the feed should begin, while it hasn't, for this one to be told only what changed.
    #[must_use]
    pub fn stands_at(&self, opening: &Opening) -> Option<ResourceVersion> {
        self.held_by(opening).filter(|_| !self.synced).map(|held| held.resource_version)
    }

    /// What it holds is looked for here, or will be once the first list is whole.
    pub(super) fn held_by(&self, opening: &Opening) -> Option<Held> {
        let token = opening.token.as_ref().filter(|token| token.cluster == self.identity.cluster)?;
        let is_of_rows = opening.projection == Projection::Rows && !opening.is_granted;
        let digest = token.digest().filter(|_| is_of_rows)?;
        let columns = token.columns.clone();
        Some(Held { columns, digest, resource_version: token.resource_version.clone() })
    }

    /// Whether somebody waits whose place may still be found.
    #[must_use]
    pub fn has_waiting(&self) -> bool {
        self.synced && self.subscribers.values().any(|(subscriber, _)| subscriber.held.is_some())
    }

    /// At the head of a tick: who stands somewhere that is known by now goes on from there.
    pub(super) fn find_waiting(&mut self) {
        if !self.has_waiting() {
            return;
        }
        // Most of them hold the same.
        let mut known = BTreeMap::new();
        let mut subscribers = std::mem::take(&mut self.subscribers);
        for (subscriber, _) in subscribers.values_mut() {
            self.find(subscriber, &mut known);
        }
        self.subscribers = subscribers;
    }

    pub(super) fn find(&self, subscriber: &mut Subscriber, known: &mut KnownPlaces) {
        let Some(held) = &subscriber.held else { return };
        let columns = self.columns_of(subscriber.view).hash;
        let has_other_columns = !columns.is_empty() && columns != held.columns;
        if has_other_columns {
            return self.begin_anew_for(subscriber);
        }
        if !self.synced || self.views.get(&subscriber.view).is_some_and(|view| view.is_waiting) {
            return;
        }
        let place = (subscriber.view, held.digest);
        let position = *known.entry(place).or_insert_with(|| self.position_in(subscriber.view, held.digest));
        if let Some(position) = position {
            subscriber.go_on(position);
            subscriber.owed.subscribed = true;
        } else if !self.resource_version.is_older_than(&held.resource_version) {
            self.begin_anew_for(subscriber);
        }
    }

    /// The watch has had the time to bring what they have.
    pub fn give_up_waiting(&mut self) {
        let mut subscribers = std::mem::take(&mut self.subscribers);
        for (subscriber, _) in subscribers.values_mut().filter(|(it, _)| it.held.is_some()) {
            self.begin_anew_for(subscriber);
        }
        self.subscribers = subscribers;
    }

    fn begin_anew_for(&self, subscriber: &mut Subscriber) {
        subscriber.begin_anew(self.head);
        subscriber.owed.subscribed = true;
    }

    fn position_in(&self, view: ViewKey, digest: u64) -> Option<u64> {
        let view = self.views.get(&view)?;
        if defect::is_on(Defect::DigestIgnored) {
            return Some(self.head);
        }
        let now = (view.digest()?, self.head);
        let position = self.past.position_of(digest, (&view.filter, view.set), now, &self.store)?;
        (self.store.horizon() <= position).then_some(position)
    }
}
