//! The subscriptions of a session: admitted, opened at a hub, closed, and moved to the feed of one
//! namespace where the upstream may not list the whole cluster.

use std::sync::Arc;

use shared::frame::client::SubscriptionId;
use shared::problem::{Problem, Reason};

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
        if let Err(problem) = admitted.and_then(|feed| self.open(feed, Arc::new(request), gateway)) {
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
        if !self.subscribes.take(now.monotonic_ms) {
            return limit("too many subscriptions in a short time; try again in a second".to_owned());
        }
        admit(&gateway.kinds(), request)
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
        self.subscriptions.insert(key, Subscription { hub, feed, request, has_news: false });
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
        Some((key, self.subscriptions.remove(&key)?))
    }

    /// The only place where a view is reduced to a namespace: if the upstream may not list the whole
    /// cluster, a subscription to one namespace moves to that namespace's own feed. The client is told by
    /// another `subscribed`, as of any other epoch.
    pub(super) fn reduce(
        &mut self,
        key: SubscriberKey,
        gateway: &impl Gateway<Hub = H>,
        effects: &mut Effects<H>,
    ) {
        let Some(open) = self.subscriptions.get(&key) else { return };
        let namespace = open.request.scope.namespaces.only().filter(|_| open.feed.namespace.is_none());
        let Some(namespace) = namespace.cloned() else { return };
        let feed = FeedKey { namespace: Some(namespace), ..open.feed.clone() };
        let (id, request) = (open.request.id, Arc::clone(&open.request));
        self.close(id, effects);
        if let Err(problem) = self.open(feed, request, gateway) {
            self.problem(Some(id), problem);
        }
    }
}
