//! How a session's subscriptions are begun, granted, opened at a hub, moved to a feed of less where the upstream may
//! not list as much, and closed; and how a question about rights or about kinds of children is answered.

use std::sync::Arc;

use shared::frame::client::{self, ChangesAsked, PastAsked, Projection, SubscriptionId};
use shared::frame::server::{self, Children, ServerFrame, Subscribed, ViewId};
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState, Whom};

use super::Session;
use super::events::{AnswerId, ChildrenRequest, Effect, Effects, Now, Opened, PastRequest, ReviewRequest};
use super::subscriptions::{Cause, Former, Purpose, Regrant, Retry, Review, Settled, Wanted};
use super::surroundings::{Found, not_reached, not_recorded};
use crate::access::{Grant, Question, Rights};
use crate::audit::Decision;
use crate::cluster::{ChildrenQuestion, FoundChildren};
use crate::feed::{AsOf, FeedKey};
use crate::hub::{HubRequest, SubscriberKey};
use crate::limits::{RECORDED_SLOTS_MAX, SEARCH_WORD_MAX, SEARCH_WORD_MIN, SUBSCRIPTIONS_MAX};
use crate::session::connections::too_fast;
use crate::subscription_request::SubscriptionRequest;

impl<H: Clone> Session<H> {
    /// What is over a limit wasn't looked at, so nothing of it is recorded.
    pub(super) fn count(
        &mut self,
        request: SubscriptionRequest,
        purpose: Purpose,
        now: Now,
        effects: &mut Effects<H>,
    ) {
        let id = request.id;
        if let Err(problem) = self.within_limits(id, now) {
            return self.problem(Some(id), problem);
        }
        effects.push(Effect::Count(self.subscriptions.count(request, purpose)));
    }

    pub(super) fn count_question(&mut self, asked: client::Rights, now: Now, effects: &mut Effects<H>) {
        let client::Rights { id, cluster, resource } = asked;
        let scope = Scope { cluster, ..Scope::all(resource) };
        self.count(SubscriptionRequest::rows(id, scope), Purpose::Rights, now, effects);
    }

    pub(super) fn counted(
        &mut self,
        answer: AnswerId,
        counted: Result<(), Problem>,
        effects: &mut Effects<H>,
    ) {
        match (self.subscriptions.counted(answer), counted) {
            (None, _) => {}
            (Some((request, _)), Err(problem)) => self.problem(Some(request.id), problem),
            (Some((request, Purpose::Subscribe)), Ok(())) => self.begin(request, effects),
            (Some((request, Purpose::Rights)), Ok(())) => self.ask_rights(request, effects),
            (Some((request, Purpose::Children)), Ok(())) => self.find_children(request, effects),
            (Some((request, Purpose::Past(asked))), Ok(())) => self.ask_past(request, asked, effects),
        }
    }

    /// Opens it, asks for the rights to it, or waits for its cluster.
    pub(super) fn begin(&mut self, request: Arc<SubscriptionRequest>, effects: &mut Effects<H>) {
        let found = self.surroundings.find(request.scope.cluster.as_ref());
        if let Found::Unreached(cluster, report) = found {
            if request.is_get {
                return self.problem(Some(request.id), not_reached(&cluster, &report));
            }
            let answer = self.subscriptions.wait_for_cluster(request, report);
            return effects.push(Effect::NumberView(answer));
        }
        match self.surroundings.admit(&request) {
            Ok(feed) if self.login.rights().subject().is_none() => {
                let feed = of_whole_cluster(feed);
                self.open(Wanted { feed, request, cause: Cause::Asked }, effects);
            }
            Ok(feed) => {
                let own_fields = match self.login.rights() {
                    // The record is the gateway's, whose rights are others than the viewer's.
                    Rights::AsViewer(..) if feed.past.is_none() => Some(feed.fields),
                    Rights::AsViewer(..) | Rights::OfGateway | Rights::OfViewer(_) => None,
                };
                let question = |scope: &Scope, is_namespaced| match own_fields {
                    Some(fields) => Question::of_own_feed(scope, is_namespaced, fields),
                    None => Question::of(scope, is_namespaced),
                };
                if let Some(review) = self.watch_rights(&request, question, effects) {
                    self.subscriptions.review(request, review);
                }
            }
            Err(problem) => {
                effects.record(Decision::denied(&request, &problem));
                self.problem(Some(request.id), problem);
            }
        }
    }

    /// What a viewer may list of a kind, without a view of it: a question that is reviewed, answered once and
    /// forgotten.
    fn ask_rights(&mut self, request: Arc<SubscriptionRequest>, effects: &mut Effects<H>) {
        let asked = self.surroundings.admit(&request).and_then(|_| {
            self.watch_rights(&request, Question::of, effects).ok_or_else(|| {
                Problem::bad_request("the rights of the gateway's own user aren't reviewed; subscribe to see")
            })
        });
        match asked {
            Ok(review) => self.subscriptions.ask_rights(request, review),
            Err(problem) => {
                effects.record(Decision::not_asked(&request, &problem));
                self.problem(Some(request.id), problem);
            }
        }
    }

    /// `None`: the viewer's rights aren't reviewed.
    fn watch_rights(
        &self,
        request: &SubscriptionRequest,
        question: impl FnOnce(&Scope, bool) -> Question,
        effects: &mut Effects<H>,
    ) -> Option<Review> {
        let subject = Arc::clone(self.login.rights().subject()?);
        let scope = &request.scope;
        let Found::Reached(kinds) = self.surroundings.find(scope.cluster.as_ref()) else { return None };
        let is_namespaced = kinds.kinds.iter().any(|kind| kind.serves(&scope.resource) && kind.namespaced);
        let (cluster, question) = (kinds.cluster.clone(), question(scope, is_namespaced));
        effects.review(ReviewRequest::Watch(request.id, cluster.clone(), subject, question.clone()));
        Some(Review { cluster, question, grant: None })
    }

    /// What the viewer may see of a subscription: it is opened, opened anew with other namespaces, or refused.
    pub(super) fn granted(&mut self, id: SubscriptionId, grant: Grant, effects: &mut Effects<H>) {
        match self.subscriptions.grant(id, &grant) {
            Regrant::Unknown if self.subscriptions.asks_past(id) => self.past_granted(id, &grant, effects),
            Regrant::Unknown => self.answer_rights(id, grant, effects),
            Regrant::Same => {}
            Regrant::Changed { before, request } => {
                effects.record(Decision::reviewed(before.as_ref(), &grant, &request));
                // The gateway may show less than when it was asked.
                match self.surroundings.admit(&request) {
                    Ok(feed) if feed.past.is_some() => self.follow_past(&grant, request, feed, effects),
                    Ok(feed) => {
                        let feed = FeedKey { upstream: self.login.rights().upstream(), ..feed };
                        self.follow(grant, request, feed, effects);
                    }
                    Err(problem) => {
                        effects.record(Decision::denied(&request, &problem));
                        self.end_with(id, problem, effects);
                    }
                }
            }
        }
    }

    fn follow(
        &mut self,
        grant: Grant,
        mut request: Arc<SubscriptionRequest>,
        mut feed: FeedKey,
        effects: &mut Effects<H>,
    ) {
        match grant {
            Grant::Refused(problem) if request.is_get => return self.end_with(request.id, problem, effects),
            Grant::Refused(problem) => return self.refuse(request, problem, effects),
            Grant::Whole => {}
            Grant::Within(namespaces) => {
                Arc::make_mut(&mut request).scope.namespaces = namespaces;
                match (self.login.rights(), request.scope.namespaces.only()) {
                    (Rights::AsViewer(..), Some(one)) => feed.namespace = Some(one.clone()),
                    (Rights::AsViewer(..), None) if !request.is_get => {
                        let problem = of_one_each(&request.scope);
                        return self.refuse(request, problem, effects);
                    }
                    _ => {}
                }
            }
            Grant::Listed(namespaces) => {
                Arc::make_mut(&mut request).scope.namespaces = namespaces;
                feed.is_only_listed = true;
            }
        }
        self.open(Wanted { feed, request, cause: Cause::Granted }, effects);
    }

    /// A view of the past shows what the viewer may list now.
    fn follow_past(
        &mut self,
        grant: &Grant,
        mut request: Arc<SubscriptionRequest>,
        feed: FeedKey,
        effects: &mut Effects<H>,
    ) {
        let feed = match grant {
            Grant::Refused(problem) if request.is_get => {
                return self.end_with(request.id, problem.clone(), effects);
            }
            Grant::Refused(problem) => return self.refuse(request, problem.clone(), effects),
            Grant::Whole if request.scope.namespaces.is_all() => of_whole_cluster(feed),
            Grant::Whole => feed,
            Grant::Within(namespaces) | Grant::Listed(namespaces) => {
                Arc::make_mut(&mut request).scope.namespaces = namespaces.clone();
                feed
            }
        };
        self.open(Wanted { feed, request, cause: Cause::Granted }, effects);
    }

    fn refuse(&mut self, request: Arc<SubscriptionRequest>, problem: Problem, effects: &mut Effects<H>) {
        let report = StateReport::of(ViewState::Forbidden { to: Whom::You }).because(problem);
        let (former, answer) = self.subscriptions.refuse(request, report);
        self.leave(former, effects);
        effects.push(Effect::NumberView(answer));
    }

    /// Answers a subscription for which nothing is asked of a cluster.
    pub(super) fn numbered(&mut self, answer: AnswerId, view: ViewId) {
        let Some((request, state)) = self.subscriptions.numbered(answer, view) else { return };
        self.flow.say(&ServerFrame::Subscribed(Box::new(Subscribed {
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

    pub(super) fn count_children(&mut self, asked: client::Children, now: Now, effects: &mut Effects<H>) {
        let client::Children { id, cluster, resource, namespace } = asked;
        let namespaces = namespace.map(|namespace| Namespaces::these(vec![namespace]));
        let namespaces = namespaces.and_then(Result::ok).unwrap_or(Namespaces::All);
        let scope = Scope { cluster, namespaces, ..Scope::all(resource) };
        self.count(SubscriptionRequest::rows(id, scope), Purpose::Children, now, effects);
    }

    pub(super) fn find_children(&mut self, request: Arc<SubscriptionRequest>, effects: &mut Effects<H>) {
        let id: SubscriptionId = request.id;
        match self.surroundings.admit(&request) {
            Ok(feed) => {
                let Scope { resource, namespaces, .. } = &request.scope;
                let whom = self.login.rights().upstream();
                let namespace = namespaces.only().cloned();
                let question = ChildrenQuestion { resource: resource.clone(), namespace, whom };
                let subject = self.login.rights().subject().cloned();
                let answer = self.subscriptions.find_children(request);
                let cluster = feed.cluster;
                effects.push(Effect::FindChildren(ChildrenRequest { answer, cluster, subject, question }));
            }
            Err(problem) => {
                effects.record(Decision::not_asked(&request, &problem));
                self.problem(Some(id), problem);
            }
        }
    }

    /// A question that was withdrawn meanwhile has no answer.
    pub(super) fn children_found(
        &mut self,
        answer: AnswerId,
        found: FoundChildren,
        effects: &mut Effects<H>,
    ) {
        let Some(request) = self.subscriptions.children_found(answer) else { return };
        effects.record(Decision::children(&request));
        let id = answer.subscription;
        let FoundChildren { kinds, looked_at, of } = found;
        self.flow.say(&ServerFrame::Children(Children { id, kinds, looked_at, of }));
    }

    fn answer_rights(&mut self, id: SubscriptionId, grant: Grant, effects: &mut Effects<H>) {
        let Some(request) = self.subscriptions.answer_rights(id) else { return };
        effects.record(Decision::asked(&grant, &request));
        effects.review(ReviewRequest::Forget(id));
        let (namespaces, watch, problem) = match grant {
            Grant::Whole => (Namespaces::All, true, None),
            Grant::Within(namespaces) => (namespaces, true, None),
            Grant::Listed(namespaces) => (namespaces, false, None),
            Grant::Refused(problem) => (Namespaces::All, false, Some(problem)),
        };
        let Scope { cluster, resource, .. } = request.scope.clone();
        let rights = server::Rights { id, cluster, resource, namespaces, watch, problem };
        self.flow.say(&ServerFrame::Rights(Box::new(rights)));
    }

    /// The API server is asked as another identity from now on: what was asked as before isn't shown any longer.
    pub(super) fn leave_feeds(&mut self, effects: &mut Effects<H>) {
        for former in self.subscriptions.leave_reviewed() {
            self.leave(Some(former), effects);
        }
    }

    /// The viewer's groups have changed, or what else their rights hang on.
    pub(super) fn review_again(&self, effects: &mut Effects<H>) {
        let Some(subject) = self.login.rights().subject() else { return };
        for (id, Review { cluster, question, .. }) in self.subscriptions.reviews() {
            let (cluster, subject) = (cluster.clone(), Arc::clone(subject));
            effects.review(ReviewRequest::Watch(id, cluster, subject, question.clone()));
        }
    }

    pub(super) fn within_limits(&mut self, id: SubscriptionId, now: Now) -> Result<(), Problem> {
        if self.subscriptions.contains(id) || self.logs.contains(id) {
            return Err(Problem::bad_request(format!("subscription {id} is open already")));
        }
        if self.subscription_count() >= SUBSCRIPTIONS_MAX {
            let message =
                format!("a connection has at most {SUBSCRIPTIONS_MAX} subscriptions; close one first");
            return Err(Problem::new(Reason::Limit, message));
        }
        if self.subscribes.take(now.monotonic_ms) { Ok(()) } else { Err(too_fast()) }
    }

    /// The loop carries effects out before the requests to hubs: where it answers at once, the next hub has the
    /// subscription before the former one is left.
    fn open(&mut self, wanted: Wanted, effects: &mut Effects<H>) {
        let (former, opens) = self.subscriptions.open(wanted, self.flow.permit());
        self.leave(former, effects);
        effects.push(Effect::Open(opens));
    }

    /// A subscription that doesn't wait for it any more leaves the hub at once.
    pub(super) fn opened(
        &mut self,
        answer: AnswerId,
        result: Result<Opened<H>, Problem>,
        effects: &mut Effects<H>,
    ) {
        match self.subscriptions.opened(answer, result) {
            Settled::Unknown(left) => {
                effects.requests.extend(left.map(|(key, hub)| (hub, HubRequest::Close(key))));
            }
            Settled::Open { asked, cause, hub, retries } => {
                if cause == Cause::Asked {
                    effects.record(Decision::of_own_user(&asked));
                }
                if retries {
                    effects.requests.push((hub, HubRequest::Retry));
                }
                if asked.projection == Projection::Timeline || asked.wants_events() {
                    self.count_log_feeds();
                }
            }
            Settled::Failed { asked, cause, problem } => {
                if cause != Cause::Moved {
                    effects.record(Decision::denied(&asked, &problem));
                }
                self.end_with(asked.id, problem, effects);
            }
        }
    }

    /// What is shown or masked has changed: the client drops what it has, and every subscription begins anew at
    /// another hub. What a former one still says is for a key that isn't known any more.
    pub(super) fn purge(&mut self, now: Now, effects: &mut Effects<H>) {
        self.say_welcome(now);
        for mut request in self.subscriptions.at_hubs() {
            let id = request.id;
            match self.subscriptions.retake_grant(id) {
                // What was granted is opened anew, with the same identity and the same granted namespaces.
                Some(Some(grant)) => self.granted(id, grant, effects),
                Some(None) => {}
                None => {
                    Arc::make_mut(&mut request).token = None;
                    match self.surroundings.admit(&request) {
                        Ok(feed) => {
                            let feed = of_whole_cluster(feed);
                            self.open(Wanted { feed, request, cause: Cause::Moved }, effects);
                        }
                        Err(problem) => self.end_with(id, problem, effects),
                    }
                }
            }
        }
    }

    pub(super) fn retry(&mut self, id: SubscriptionId, effects: &mut Effects<H>) {
        match self.subscriptions.retry(id) {
            Retry::Hub(hub) => effects.requests.push((hub, HubRequest::Retry)),
            Retry::Clusters => effects.push(Effect::RetryClusters),
            Retry::Noted => {}
            Retry::Unknown => self.unknown(id),
        }
    }

    /// The subscription ends, and its client is told why.
    pub(super) fn end_with(&mut self, id: SubscriptionId, problem: Problem, effects: &mut Effects<H>) {
        self.close(id, effects);
        self.problem(Some(id), problem);
    }

    /// `false`: there is no such subscription.
    pub(super) fn close(&mut self, id: SubscriptionId, effects: &mut Effects<H>) -> bool {
        let Some((former, is_reviewed)) = self.subscriptions.remove(id) else { return false };
        if is_reviewed {
            effects.review(ReviewRequest::Forget(id));
        }
        self.leave(former, effects);
        true
    }

    fn leave(&mut self, former: Option<Former<H>>, effects: &mut Effects<H>) {
        let Some(Former { key, hub, reads_a_log }) = former else { return };
        self.flow.left(key);
        if reads_a_log {
            self.count_log_feeds();
        }
        effects.requests.push((hub, HubRequest::Close(key)));
    }

    fn count_log_feeds(&self) {
        self.flow.permit().set_log_feeds(self.subscriptions.log_feeds());
    }

    /// The only place where a view gets a feed of less than it could share: if the upstream may not list the
    /// whole cluster, a subscription to one object or one namespace moves to a feed of that, and then one with a
    /// field selector to the feed of just its objects. The client is told by another `subscribed`, as of any other
    /// epoch.
    pub(super) fn reduce(&mut self, key: SubscriberKey, effects: &mut Effects<H>) {
        if let Some(wanted) = self.subscriptions.smaller(key) {
            self.open(wanted, effects);
        }
    }
}

/// Questions about the past: how much of a view was recorded, and which versions of an object. They are reviewed as a
/// subscription is, answered once, and open nothing.
impl<H: Clone> Session<H> {
    pub(super) fn count_past(&mut self, question: client::Past, now: Now, effects: &mut Effects<H>) {
        let client::Past { id, scope, asked } = question;
        let request = match &asked {
            PastAsked::Recorded { from_ms, to_ms, slots } => {
                if !(1..=RECORDED_SLOTS_MAX).contains(slots) || to_ms < from_ms {
                    let message = format!(
                        "a time is divided into 1 to {RECORDED_SLOTS_MAX} parts, and ends after it begins"
                    );
                    return self.problem(Some(id), Problem::bad_request(message));
                }
                // It is counted for the whole kind, whose rights are asked for then.
                let scope = Scope { labels: None, fields: None, name: None, ..scope };
                SubscriptionRequest::rows(id, scope)
            }
            // As a view of that time, which takes the same selectors.
            PastAsked::Changes(ChangesAsked { since_ms, .. }) => {
                SubscriptionRequest { at_ms: Some(*since_ms), ..SubscriptionRequest::rows(id, scope) }
            }
            PastAsked::History { row, .. } => SubscriptionRequest {
                projection: Projection::Timeline,
                row: Some(*row),
                ..SubscriptionRequest::rows(id, scope)
            },
            PastAsked::Version { row, .. } => SubscriptionRequest {
                projection: Projection::Object,
                row: Some(*row),
                ..SubscriptionRequest::rows(id, scope)
            },
            PastAsked::Last if scope.name.is_none() => {
                let message = "the last version is of one object; say its name in the scope";
                return self.problem(Some(id), Problem::bad_request(message));
            }
            PastAsked::Last => {
                SubscriptionRequest { projection: Projection::Object, ..SubscriptionRequest::rows(id, scope) }
            }
            PastAsked::Search { from_ms, to_ms, word } => {
                if !(SEARCH_WORD_MIN..=SEARCH_WORD_MAX).contains(&word.len()) || to_ms < from_ms {
                    let message = format!(
                        "a word of {SEARCH_WORD_MIN} to {SEARCH_WORD_MAX} bytes is searched for, in a time that ends after it begins"
                    );
                    return self.problem(Some(id), Problem::bad_request(message));
                }
                SubscriptionRequest::rows(id, Scope { fields: None, ..scope })
            }
            // The row is that of the object that they are about, so no Event is left out by it.
            PastAsked::Events { .. } => SubscriptionRequest::rows(id, scope),
        };
        // The rest of an answer isn't another question.
        if !self.subscriptions.contains(id) && self.subscriptions.goes_on(&asked) {
            return self.ask_past(Arc::new(request), asked, effects);
        }
        self.count(request, Purpose::Past(asked), now, effects);
    }

    /// Reads the record, or asks for the rights to it first.
    pub(super) fn ask_past(
        &mut self,
        request: Arc<SubscriptionRequest>,
        asked: PastAsked,
        effects: &mut Effects<H>,
    ) {
        let admitted = self.surroundings.admit(&request);
        let recorded = if self.surroundings.records { Ok(()) } else { Err(not_recorded()) };
        if let Err(problem) = admitted.and(recorded) {
            effects.record(Decision::not_asked(&request, &problem));
            return self.problem(Some(request.id), problem);
        }
        if self.login.rights().subject().is_none() {
            effects.record(Decision::past(None, &request));
            return self.read_past(request, (asked, true), effects);
        }
        if let Some(review) = self.watch_rights(&request, Question::of, effects) {
            self.subscriptions.ask_past(request, asked, review);
        }
    }

    pub(super) fn past_granted(&mut self, id: SubscriptionId, grant: &Grant, effects: &mut Effects<H>) {
        let Some((mut request, asked)) = self.subscriptions.past_granted(id) else { return };
        effects.record(Decision::past(Some(grant), &request));
        effects.review(ReviewRequest::Forget(id));
        let of_whole_cluster = match grant {
            Grant::Refused(problem) => return self.problem(Some(id), problem.clone()),
            Grant::Whole => request.scope.namespaces.is_all(),
            Grant::Within(namespaces) | Grant::Listed(namespaces) => {
                Arc::make_mut(&mut request).scope.namespaces = namespaces.clone();
                false
            }
        };
        self.read_past(request, (asked, of_whole_cluster), effects);
    }

    fn read_past(
        &mut self,
        request: Arc<SubscriptionRequest>,
        (asked, of_whole_cluster): (PastAsked, bool),
        effects: &mut Effects<H>,
    ) {
        let answer = self.subscriptions.read_past(Arc::clone(&request));
        effects.push(Effect::ReadPast(PastRequest { answer, request, asked, of_whole_cluster }));
    }

    /// A question that was withdrawn meanwhile has no answer.
    pub(super) fn past_read(&mut self, answer: AnswerId, read: Result<ServerFrame, Problem>) {
        if !self.subscriptions.past_read(answer) {
            return;
        }
        match read {
            Ok(frame) => {
                if let ServerFrame::Past(answer) = &frame {
                    self.subscriptions.changes_told(answer.goes_on);
                }
                self.flow.say(&frame);
            }
            Err(problem) => self.problem(Some(answer.subscription), problem),
        }
    }
}

/// Its viewers may list the kind in the whole cluster, so a feed of the past shows them all of it.
fn of_whole_cluster(feed: FeedKey) -> FeedKey {
    let past = feed.past.map(|as_of| AsOf { is_of_whole_cluster: true, ..as_of });
    FeedKey { past, ..feed }
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
