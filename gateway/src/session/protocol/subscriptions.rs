//! The subscriptions of a session: admitted, opened at a hub, closed, and moved to a feed of less where the
//! upstream may not list as much.

use std::collections::HashSet;
use std::sync::Arc;

use shared::frame::client::{Projection, SubscriptionId};
use shared::problem::{Problem, Reason};
use shared::scope::Scope;

use super::{Effects, Gateway, Now, Sending, Session, Subscription};
use crate::access::admit;
use crate::feed::FeedKey;
use crate::hub::{HubRequest, SubscriberKey, SubscriptionRequest};
use crate::limits::SUBSCRIPTIONS_MAX;

impl<H: Clone> Session<H> {
    pub(super) fn subscribe(
        &mut self,
        request: SubscriptionRequest,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
    ) {
        let id = request.id;
        let admitted = self.admit(&request, gateway, now);
        let feed = admitted.map(|feed| shared(feed, gateway));
        if let Err(problem) = feed.and_then(|feed| self.open(feed, Arc::new(request), gateway)) {
            self.problem(Some(id), problem);
        }
    }

    fn admit(
        &mut self,
        request: &SubscriptionRequest,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
    ) -> Result<FeedKey, Problem> {
        if self.keys.contains_key(&request.id) {
            return Err(Problem::bad_request(format!("subscription {} is open already", request.id)));
        }
        let limit = |message: String| Err(Problem::new(Reason::Limit, message));
        if self.subscriptions.len() >= SUBSCRIPTIONS_MAX {
            return limit(format!(
                "a connection has at most {SUBSCRIPTIONS_MAX} subscriptions; close one first"
            ));
        }
        if !self.subscribes.take(now.monotonic_ms) || !gateway.may_subscribe() {
            return limit("too many subscriptions in a short time; try again in a second".to_owned());
        }
        admit(&gateway.kinds(), &gateway.ceiling(), request)
    }

    fn open(
        &mut self,
        feed: FeedKey,
        request: Arc<SubscriptionRequest>,
        gateway: &impl Gateway<Hub = H>,
    ) -> Result<(), Problem> {
        let is_same = |open: &Subscription<H>| open.feed == feed && open.request.is_of_same_view(&request);
        let is_second = self.subscriptions.values().any(is_same);
        let (key, hub) = gateway.open(feed.clone(), &request, is_second, &self.permit)?;
        self.keys.insert(request.id, key);
        let is_timeline = request.projection == Projection::Timeline;
        self.subscriptions.insert(key, Subscription { hub, feed, request, has_news: false });
        if is_timeline {
            self.count_timeline_feeds();
        }
        Ok(())
    }

    /// `false`: there is no such subscription.
    pub(super) fn close(&mut self, id: SubscriptionId, effects: &mut Effects<H>) -> bool {
        let forgotten = self.forget(id);
        let is_known = forgotten.is_some();
        effects.requests.extend(forgotten.map(|(key, open)| (open.hub, HubRequest::Close(key))));
        is_known
    }

    pub(super) fn forget(&mut self, id: SubscriptionId) -> Option<(SubscriberKey, Subscription<H>)> {
        let key = self.keys.remove(&id)?;
        // A delivery that is on its way is dropped when it comes.
        if self.sending == Sending::Pulling(key) {
            self.sending = Sending::Idle;
        }
        let open = self.subscriptions.remove(&key)?;
        if open.request.projection == Projection::Timeline {
            self.count_timeline_feeds();
        }
        Some((key, open))
    }

    /// The hubs divide the memory of the timelines among these feeds.
    fn count_timeline_feeds(&self) {
        let timelines =
            self.subscriptions.values().filter(|open| open.request.projection == Projection::Timeline);
        self.permit.set_timeline_feeds(timelines.map(|open| &open.feed).collect::<HashSet<_>>().len());
    }

    /// The only place where a view gets a feed of less than it could share: if the upstream may not list the
    /// whole cluster, a subscription to one object or one namespace moves to a feed of that, and then one with a
    /// field selector to the feed of just its objects. The client is told by another `subscribed`, as of any other
    /// epoch.
    pub(super) fn reduce(
        &mut self,
        key: SubscriberKey,
        gateway: &impl Gateway<Hub = H>,
        effects: &mut Effects<H>,
    ) {
        let Some(open) = self.subscriptions.get(&key) else { return };
        let Some(feed) = smaller(&open.feed, &open.request.scope) else { return };
        let (id, request) = (open.request.id, Arc::clone(&open.request));
        self.close(id, effects);
        if let Err(problem) = self.open(feed, request, gateway) {
            self.problem(Some(id), problem);
        }
    }
}

/// The feed that answers for an object and is shared with a table of its neighbours, if it runs.
fn shared<H: Clone>(feed: FeedKey, gateway: &impl Gateway<Hub = H>) -> FeedKey {
    if feed.name.is_none() {
        return feed;
    }
    let of_namespace = FeedKey { name: None, ..feed.clone() };
    let of_all = FeedKey { namespace: None, ..of_namespace.clone() };
    [of_all, of_namespace].into_iter().find(|wider| gateway.is_current(wider)).unwrap_or(feed)
}

/// The feed of less that answers the scope too. `None`: there is none.
fn smaller(feed: &FeedKey, scope: &Scope) -> Option<FeedKey> {
    let namespace = scope.namespaces.only().cloned();
    if scope.name.is_some() && feed.name.is_none() {
        return Some(FeedKey { namespace, name: scope.name.clone(), ..feed.clone() });
    }
    if namespace.is_some() && feed.namespace.is_none() {
        return Some(FeedKey { namespace, ..feed.clone() });
    }
    // A right to single objects holds for a selection of just these names.
    (feed.fields != scope.fields).then(|| FeedKey { fields: scope.fields.clone(), ..feed.clone() })
}
