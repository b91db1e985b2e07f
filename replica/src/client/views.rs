//! The views of a client, each with its subscription: which there are, and when each is asked for.

use std::collections::BTreeMap;

use shared::custom_column::CustomColumns;
use shared::frame::client::{ClientFrame, Projection, Retry, SubscriptionId};
use shared::frame::server::ViewId;
use shared::problem::{Problem, Reason};
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::any_view::AnyView;
use super::part::Part;
use super::requests::Sender;
use super::{Output, ViewKey};
use crate::now::Now;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::view::View;

mod frames;
mod parts;

/// Every view, and every part of one under a key of its own. `frames` applies what arrives, `parts` splits views and
/// merges their parts.
#[derive(Debug)]
pub(super) struct Views<O> {
    by_key: BTreeMap<ViewKey, AnyView<O>>,
    next: u32,
}

impl<O> Default for Views<O> {
    fn default() -> Self {
        Self { by_key: BTreeMap::new(), next: 1 }
    }
}

impl<O: RowObserver> Views<O> {
    pub(super) fn get(&self, key: ViewKey) -> Option<&AnyView<O>> {
        self.by_key.get(&key)
    }

    pub(super) fn get_mut(&mut self, key: ViewKey) -> Option<&mut AnyView<O>> {
        self.by_key.get_mut(&key)
    }

    pub(super) fn table(&self, key: ViewKey) -> Option<&View<O>> {
        match self.by_key.get(&key)? {
            AnyView::Rows(view) => Some(view),
            _ => None,
        }
    }

    pub(super) fn table_mut(&mut self, key: ViewKey) -> Option<&mut View<O>> {
        match self.by_key.get_mut(&key)? {
            AnyView::Rows(view) => Some(view),
            _ => None,
        }
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = (ViewKey, &View<O>)> {
        self.by_key.iter().filter_map(|(key, view)| match view {
            AnyView::Rows(view) => Some((*key, &**view)),
            _ => None,
        })
    }

    pub(super) fn part(&self, key: ViewKey) -> Option<&Part> {
        match self.by_key.get(&key)? {
            AnyView::Part(part) => Some(part),
            _ => None,
        }
    }

    /// The view to which a part belongs; any other view itself.
    pub(super) fn whole_of(&self, key: ViewKey) -> ViewKey {
        self.by_key.get(&key).and_then(AnyView::whole).unwrap_or(key)
    }

    pub(super) fn keys(&self, wanted: impl Fn(&Subscription) -> bool) -> Vec<ViewKey> {
        self.by_key.iter().filter(|(_, view)| wanted(view.subscription())).map(|(key, _)| *key).collect()
    }

    /// The view that a frame is for.
    fn receiver(&mut self, view: ViewId) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.find(|subscription| subscription.phase.receives(view))
    }

    /// The view that has this number on the wire.
    fn of_wire_id(&mut self, id: SubscriptionId) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.find(|subscription| subscription.phase.wire_id() == Some(id))
    }

    fn find(&mut self, wanted: impl Fn(&Subscription) -> bool) -> Option<(ViewKey, &mut AnyView<O>)> {
        self.by_key.iter_mut().find(|(_, view)| wanted(view.subscription())).map(|(key, view)| (*key, view))
    }

    /// Opens a view, and each of its clusters where they are several. What is open already is the same view.
    pub(super) fn open(&mut self, view: AnyView<O>, now: Now, sender: &mut Sender<'_>) -> ViewKey {
        let mut open = self.by_key.iter().filter(|(_, view)| view.whole().is_none());
        let known = open.find(|(_, open)| open.subscription().is_same_request(view.subscription()));
        let known = known.map(|(key, _)| *key);
        let key = known.unwrap_or_else(|| self.add(view, sender));
        self.split_into_clusters(key, now, sender);
        key
    }

    fn add(&mut self, mut view: AnyView<O>, sender: &mut Sender<'_>) -> ViewKey {
        let key = ViewKey(self.next);
        self.next += 1;
        // Each of several clusters is asked for by itself.
        if view.subscription().clusters.is_empty() && sender.may_ask() {
            view.ask(sender);
        }
        self.by_key.insert(key, view);
        key
    }

    pub(super) fn close(&mut self, key: ViewKey, sender: &mut Sender<'_>) {
        let Some(view) = self.by_key.remove(&key) else { return };
        for part in view.subscription().phase.parts() {
            self.close(*part, sender);
        }
        let subscription = view.subscription();
        for id in subscription.phase.wire_id().into_iter().chain(subscription.phase.of_all()) {
            sender.unsubscribe(id, false);
        }
    }

    pub(super) fn set_columns(&mut self, key: ViewKey, columns: &CustomColumns, sender: &mut Sender<'_>) {
        let Some(view) = self.by_key.get(&key) else { return };
        if view.subscription().columns == *columns {
            return;
        }
        let parts = view.subscription().phase.parts().to_vec();
        for part in parts {
            self.set_columns(part, columns, sender);
        }
        if let Some(view) = self.by_key.get_mut(&key) {
            view.set_columns(columns, sender);
        }
    }

    /// On a new connection, and when the page is visible again.
    pub(super) fn ask_all(&mut self, now: Now, sender: &mut Sender<'_>) {
        for view in self.by_key.values_mut().filter(|view| view.subscription().phase.is_unasked()) {
            if view.subscription().proof.is_none() {
                view.subscription_mut().asked_ms = now.now_ms;
            }
            view.ask(sender);
        }
    }

    /// Asks again for what was not served: it may be served now.
    pub(super) fn ask_unknown(&mut self, sender: &mut Sender<'_>) {
        let is_unknown = |problem: &Problem| matches!(problem.reason, Reason::NotFound | Reason::Gone);
        for view in
            self.by_key.values_mut().filter(|view| view.subscription().ended().is_some_and(is_unknown))
        {
            view.ask(sender);
        }
    }

    /// The views whose time has come to begin again.
    pub(super) fn ask_due(&mut self, now: Now, sender: &mut Sender<'_>) {
        if !sender.is_open() {
            return;
        }
        let is_due = |phase: &Phase| matches!(phase, Phase::Resyncing { at_ms } if *at_ms <= now.now_ms);
        for view in self.by_key.values_mut().filter(|view| is_due(&view.subscription().phase)) {
            view.subscription_mut().resyncs.last_ms = Some(now.now_ms);
            view.ask(sender);
        }
    }

    /// When [`Views::ask_due`] has something to do.
    pub(super) fn timer_ms(&self) -> Option<UnixMillis> {
        let due = self.by_key.values().filter_map(|view| match view.subscription().phase {
            Phase::Resyncing { at_ms } => Some(at_ms),
            _ => None,
        });
        due.min()
    }

    /// "Try now": the upstreams that wait for their next try, and what the gateway had refused.
    pub(super) fn retry(&mut self, sender: &mut Sender<'_>) {
        for view in self.by_key.values_mut() {
            if view.subscription().ended().is_some() {
                view.subscription_mut().phase = Phase::Unasked;
            }
        }
        if !sender.is_open() {
            return;
        }
        let waits =
            |subscription: &Subscription| subscription.state().is_some_and(|state| !state.is_current());
        let subscriptions = self.by_key.values().map(AnyView::subscription).filter(|it| waits(it));
        for id in subscriptions.filter_map(|subscription| subscription.phase.wire_id()) {
            sender.send(ClientFrame::Retry(Retry { id }));
        }
    }

    /// Everything is given back; the rows and their tokens stay.
    pub(super) fn park(&mut self, sender: &mut Sender<'_>) {
        let mut open = Vec::new();
        for view in self.by_key.values_mut() {
            open.extend(view.subscription_mut().phase.give_back_of_all());
        }
        for (key, view) in self.by_key.iter_mut().filter(|(_, view)| !view.is_split()) {
            open.extend(view.subscription().phase.wire_id());
            view.subscription_mut().park();
            view.detach();
            sender.say(Output::View(*key));
        }
        for id in open {
            sender.unsubscribe(id, false);
        }
    }

    /// The connection is gone: nothing applies before the answers on the next one.
    pub(super) fn disconnected(&mut self, sender: &mut Sender<'_>) {
        for view in self.by_key.values_mut() {
            view.subscription_mut().phase.give_back_of_all();
        }
        for (key, view) in self.by_key.iter_mut().filter(|(_, view)| !view.is_split()) {
            view.subscription_mut().disconnected();
            view.detach();
            sender.say(Output::View(*key));
        }
    }
}

pub(super) fn timeline(scope: Scope, row: Option<RowId>, now: Now) -> Subscription {
    Subscription {
        projection: Projection::Timeline,
        row,
        earlier: row.is_none(),
        ..Subscription::new(scope, now.now_ms)
    }
}
