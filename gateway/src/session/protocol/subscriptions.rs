//! The subscriptions of a session: admitted, opened at a hub, closed, and moved to a feed of less where the
//! upstream may not list as much.

use std::collections::HashSet;
use std::sync::Arc;

use shared::frame::client::{Projection, SubscriptionId};
use shared::frame::server::{ServerFrame, Subscribed, ViewId};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState, Whom};

use super::clusters::not_reached;
use super::{Effects, Found, Gateway, Now, ReviewRequest, Sending, Session, Subscription};
use crate::access::{Grant, Question, Rights, admit};
use crate::audit::Decision;
use crate::feed::FeedKey;
use crate::hub::{HubRequest, SubscriberKey, SubscriptionRequest};
use crate::limits::SUBSCRIPTIONS_MAX;
use crate::session::connections::too_fast;

/// A subscription of a viewer whose rights the API server reviews.
pub(super) struct Reviewed {
    /// As it was asked.
    pub(super) request: Arc<SubscriptionRequest>,
    pub(super) cluster: ClusterName,
    question: Question,
    /// `None`: it isn't known yet.
    grant: Option<Grant>,
}

impl<H: Clone> Session<H> {
    pub(super) fn subscribe(
        &mut self,
        request: SubscriptionRequest,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
        effects: &mut Effects<H>,
    ) {
        let id = request.id;
        // What is over a limit wasn't looked at, so nothing of it is recorded.
        if let Err(problem) = self.within_limits(id, gateway, now) {
            return self.problem(Some(id), problem);
        }
        self.begin(Arc::new(request), gateway, effects);
    }

    /// Opens it, asks for the rights to it, or waits for its cluster.
    pub(super) fn begin(
        &mut self,
        request: Arc<SubscriptionRequest>,
        gateway: &impl Gateway<Hub = H>,
        effects: &mut Effects<H>,
    ) {
        let id = request.id;
        let asked = Arc::clone(&request);
        let found = match gateway.find(request.scope.cluster.as_ref()) {
            Found::Reached(kinds) => Ok(kinds),
            Found::Unreached(cluster, state) => {
                return self.wait_for_cluster(request, &cluster, state, gateway);
            }
            Found::Unknown(problem) => Err(problem),
        };
        let admitted = found.and_then(|kinds| {
            let feed = admit(&kinds, &gateway.ceiling(), &request)?;
            Ok((feed, kinds))
        });
        let opened = admitted.and_then(|(feed, kinds)| match self.rights.subject().cloned() {
            None => {
                self.open(feed, request, gateway)?;
                effects.audit.push(Decision::of_own_user(&asked));
                Ok(())
            }
            Some(subject) => {
                let resource = &request.scope.resource;
                let is_namespaced =
                    kinds.kinds.iter().any(|kind| kind.resource == *resource && kind.namespaced);
                let feed = FeedKey { upstream: self.rights.upstream(), ..feed };
                let question = match self.rights {
                    Rights::AsViewer(..) => {
                        Question::of_own_feed(&request.scope, is_namespaced, feed.fields.clone())
                    }
                    Rights::OfGateway | Rights::OfViewer(_) => Question::of(&request.scope, is_namespaced),
                };
                let cluster = kinds.cluster.clone();
                effects.reviews.push(ReviewRequest::Watch(id, cluster.clone(), subject, question.clone()));
                self.reviewed.insert(id, Reviewed { request, cluster, question, grant: None });
                Ok(())
            }
        });
        if let Err(problem) = opened {
            effects.audit.push(Decision::denied(&asked, &problem));
            self.problem(Some(id), problem);
        }
    }

    /// What the viewer may see of a subscription: it is opened, opened anew with other namespaces, or refused.
    pub(super) fn granted(
        &mut self,
        id: SubscriptionId,
        grant: Grant,
        gateway: &impl Gateway<Hub = H>,
        effects: &mut Effects<H>,
    ) {
        let Some(reviewed) = self.reviewed.get_mut(&id) else {
            return self.answer_rights(id, grant, effects);
        };
        let before = reviewed.grant.replace(grant.clone());
        if before.as_ref() == Some(&grant) {
            return;
        }
        if before.is_some() {
            // It is of the former grant's rows.
            Arc::make_mut(&mut reviewed.request).token = None;
        }
        let mut request = Arc::clone(&reviewed.request);
        let asked = Arc::clone(&request);
        effects.audit.push(Decision::reviewed(before.as_ref(), &grant, &asked));
        self.leave_hub(id, effects);
        // The gateway may show less than when it was asked.
        let mut feed = match admitted(&request, gateway) {
            Ok(feed) => FeedKey { upstream: self.rights.upstream(), ..feed },
            Err(problem) => {
                effects.audit.push(Decision::denied(&asked, &problem));
                self.close(id, effects);
                return self.problem(Some(id), problem);
            }
        };
        let opened = match grant {
            Grant::Refused(problem) if request.is_get => {
                self.close(id, effects);
                return self.problem(Some(id), problem);
            }
            Grant::Refused(problem) => return self.say_refused(&request, problem, gateway),
            Grant::Whole => self.open(feed, request, gateway),
            Grant::Within(namespaces) => {
                Arc::make_mut(&mut request).scope.namespaces = namespaces;
                match (&self.rights, request.scope.namespaces.only()) {
                    (Rights::AsViewer(..), Some(one)) => feed.namespace = Some(one.clone()),
                    (Rights::AsViewer(..), None) if !request.is_get => {
                        return self.say_refused(&request, of_one_each(&request.scope), gateway);
                    }
                    _ => {}
                }
                self.open(feed, request, gateway)
            }
            Grant::Listed(namespaces) => {
                Arc::make_mut(&mut request).scope.namespaces = namespaces;
                feed.is_only_listed = true;
                self.open(feed, request, gateway)
            }
        };
        if let Err(problem) = opened {
            effects.audit.push(Decision::denied(&asked, &problem));
            self.close(id, effects);
            self.problem(Some(id), problem);
        }
    }

    /// The subscription stays, for the right to it may come.
    fn say_refused(
        &mut self,
        request: &SubscriptionRequest,
        problem: Problem,
        gateway: &impl Gateway<Hub = H>,
    ) {
        let state = StateReport::of(ViewState::Forbidden { to: Whom::You }).because(problem);
        self.say_without_feed(request, gateway.fresh_view(), state);
    }

    /// Answers a subscription for which nothing is asked of a cluster.
    pub(super) fn say_without_feed(
        &mut self,
        request: &SubscriptionRequest,
        view: ViewId,
        state: StateReport,
    ) {
        self.say(&ServerFrame::Subscribed(Box::new(Subscribed {
            id: request.id,
            view,
            scope: request.scope.clone(),
            projection: request.projection,
            cluster: "".into(),
            columns_hash: "".into(),
            // The client keeps what it has until another answer follows.
            epoch: "".into(),
            at: None,
            columns: Vec::new(),
            state,
        })));
    }

    /// The API server is asked as somebody else from now on: what was asked as before isn't shown any longer.
    pub(super) fn leave_feeds(&mut self, effects: &mut Effects<H>) {
        for reviewed in self.reviewed.values_mut() {
            reviewed.grant = None;
            Arc::make_mut(&mut reviewed.request).token = None;
        }
        let ids: Vec<SubscriptionId> = self.reviewed.keys().copied().collect();
        for id in ids {
            self.leave_hub(id, effects);
        }
    }

    /// The viewer's groups have changed, or what else their rights hang on.
    pub(super) fn review_again(&self, effects: &mut Effects<H>) {
        let Some(subject) = self.rights.subject() else { return };
        let reviewed = self.reviewed.iter().map(|(id, of)| (id, &of.cluster, &of.question));
        let asked = self.asked_rights.iter().map(|(id, of)| (id, &of.cluster, &of.question));
        let again = reviewed.chain(asked);
        let again = again.map(|(id, cluster, question)| {
            ReviewRequest::Watch(*id, cluster.clone(), Arc::clone(subject), question.clone())
        });
        effects.reviews.extend(again);
    }

    pub(super) fn within_limits(
        &mut self,
        id: SubscriptionId,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
    ) -> Result<(), Problem> {
        let is_taken = self.reviewed.contains_key(&id)
            || self.asked_rights.contains_key(&id)
            || self.clusters.unreached.contains_key(&id);
        if is_taken || self.keys.contains_key(&id) {
            return Err(Problem::bad_request(format!("subscription {id} is open already")));
        }
        if self.subscription_count() >= SUBSCRIPTIONS_MAX {
            let message =
                format!("a connection has at most {SUBSCRIPTIONS_MAX} subscriptions; close one first");
            return Err(Problem::new(Reason::Limit, message));
        }
        if !self.subscribes.take(now.monotonic_ms) {
            return Err(too_fast());
        }
        gateway.may_subscribe()
    }

    /// Also those of which nothing is granted.
    #[must_use]
    pub fn subscription_count(&self) -> usize {
        let waiting = self.asked_rights.len() + self.clusters.unreached.len();
        self.subscriptions.len().max(self.reviewed.len()) + waiting
    }

    fn open(
        &mut self,
        feed: FeedKey,
        request: Arc<SubscriptionRequest>,
        gateway: &impl Gateway<Hub = H>,
    ) -> Result<(), Problem> {
        let feed = shared(feed, gateway);
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

    /// What is shown or masked has changed: the client drops what it has, and every subscription begins anew at
    /// another hub. What a former one still says is for a key that isn't known any more.
    pub(super) fn purge(&mut self, gateway: &impl Gateway<Hub = H>, effects: &mut Effects<H>) {
        self.rules = gateway.rules();
        self.say_welcome(gateway);
        let open = self.subscriptions.values().map(|open| Arc::clone(&open.request));
        for mut request in open.collect::<Vec<_>>() {
            let id = request.id;
            self.leave_hub(id, effects);
            if let Some(reviewed) = self.reviewed.get_mut(&id) {
                // What was granted is opened anew, as whom and of which namespaces it was.
                Arc::make_mut(&mut reviewed.request).token = None;
                if let Some(grant) = reviewed.grant.take() {
                    self.granted(id, grant, gateway, effects);
                }
                continue;
            }
            Arc::make_mut(&mut request).token = None;
            let admitted = admitted(&request, gateway);
            if let Err(problem) = admitted.and_then(|feed| self.open(feed, request, gateway)) {
                self.close(id, effects);
                self.problem(Some(id), problem);
            }
        }
    }

    /// `false`: there is no such subscription.
    pub(super) fn close(&mut self, id: SubscriptionId, effects: &mut Effects<H>) -> bool {
        let is_reviewed = self.reviewed.remove(&id).is_some();
        if is_reviewed {
            effects.reviews.push(ReviewRequest::Forget(id));
        }
        let is_waiting = self.clusters.unreached.remove(&id).is_some();
        self.leave_hub(id, effects) || is_reviewed || is_waiting
    }

    fn leave_hub(&mut self, id: SubscriptionId, effects: &mut Effects<H>) -> bool {
        let forgotten = self.forget(id);
        let is_known = forgotten.is_some();
        effects.requests.extend(forgotten.map(|(key, open)| (open.hub, HubRequest::Close(key))));
        is_known
    }

    fn forget(&mut self, id: SubscriptionId) -> Option<(SubscriberKey, Subscription<H>)> {
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
        self.leave_hub(id, effects);
        if let Err(problem) = self.open(feed, request, gateway) {
            self.close(id, effects);
            self.problem(Some(id), problem);
        }
    }
}

/// The feed that answers the request. A cluster that is gone meanwhile is about to be looked at.
fn admitted<H: Clone>(
    request: &SubscriptionRequest,
    gateway: &impl Gateway<Hub = H>,
) -> Result<FeedKey, Problem> {
    match gateway.find(request.scope.cluster.as_ref()) {
        Found::Reached(kinds) => admit(&kinds, &gateway.ceiling(), request),
        Found::Unreached(cluster, state) => Err(not_reached(&cluster, &state)),
        Found::Unknown(problem) => Err(problem),
    }
}

/// A viewer's own feed has one namespace or all, and these are several.
fn of_one_each(scope: &Scope) -> Problem {
    let names = match &scope.namespaces {
        Namespaces::These(names) => names.len(),
        Namespaces::All => 0,
    };
    let message =
        format!("you may see {} in {names} namespaces; ask for each of them by itself", scope.resource);
    Problem::new(Reason::Forbidden, message)
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
