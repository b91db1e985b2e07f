//! The subscriptions of one connection: in which state each is, and which answer it waits for. Never why.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use shared::frame::client::{ChangesAsked, ChangesEnd, PastAsked, Projection, SubscriptionId};
use shared::frame::server::{StateFrame, ViewId};
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::state::StateReport;

use super::events::{AnswerId, FeedChoice, OpenRequest, Opened};
use crate::access::{Grant, Question};
use crate::feed::FeedKey;
use crate::hub::{Delivery, SendPermit, SubscriberKey};
use crate::subscription_request::SubscriptionRequest;

/// Every subscription and every question about rights of a connection, by the id that the client gave it. An answer of
/// the gateway that a subscription doesn't wait for any more finds nothing here, so it changes nothing.
/// [`super::Session`] alone calls it.
pub(super) struct Subscriptions<H> {
    by_id: BTreeMap<SubscriptionId, Subscription<H>>,
    /// The open ones as their hubs know them.
    ids: HashMap<SubscriberKey, SubscriptionId>,
    last_answer: u64,
    /// Where the last answer about changes goes on, if there is more.
    changes: Option<ChangesEnd>,
}

struct Subscription<H> {
    /// As it was asked. The token is that of the first grant alone.
    request: Arc<SubscriptionRequest>,
    /// `None`: the rights aren't reviewed.
    review: Option<Review>,
    state: State<H>,
}

/// What is asked of a cluster's reviews.
pub(super) struct Review {
    pub(super) cluster: ClusterName,
    pub(super) question: Question,
    /// `None`: it isn't known yet.
    pub(super) grant: Option<Grant>,
}

enum State<H> {
    /// It waits for word whether the person may have one more.
    Counted(Purpose, u64),
    /// Its cluster never answered. The client was told the state with this view; without a view it is about to be.
    WaitsForCluster {
        view: Option<ViewId>,
        report: StateReport,
        answer: u64,
    },
    /// A question about rights, which is answered once and opens nothing.
    AsksRights,
    /// A question about the past, whose rights are reviewed.
    AsksPast(PastAsked),
    /// The same, which the record answers.
    ReadsPast(u64),
    /// A question about kinds of children, as well.
    FindsChildren(u64),
    /// It waits for a grant.
    Reviewed,
    /// Nothing of it is granted. What is in it, the client isn't told yet.
    Refused(Option<Refusal>),
    Opening(Opening),
    Open(Open<H>),
}

/// What a client asked for with an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Subscribe,
    Rights,
    Children,
    Past(PastAsked),
}

struct Refusal {
    answer: u64,
    /// As far as it was granted.
    request: Arc<SubscriptionRequest>,
    report: StateReport,
}

struct Opening {
    answer: u64,
    choices: Vec<FeedChoice>,
    /// As far as it was granted.
    request: Arc<SubscriptionRequest>,
    cause: Cause,
    /// The client asks to try the upstream now.
    retries: bool,
}

struct Open<H> {
    key: SubscriberKey,
    hub: H,
    feed: FeedKey,
    /// As far as it was granted. Its token is where the client stands, until a frame moves it.
    request: Arc<SubscriptionRequest>,
    /// It waits for its turn to pull.
    has_news: bool,
}

/// Why a subscription is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The client asked, and the gateway runs as its user.
    Asked,
    Granted,
    /// It moves to another feed or begins anew there, without a decision about it.
    Moved,
}

/// A hub that was left.
pub(super) struct Former<H> {
    pub(super) key: SubscriberKey,
    pub(super) hub: H,
    pub(super) reads_a_log: bool,
}

/// What is to be opened.
pub(super) struct Wanted {
    /// The feed that answers it by itself.
    pub(super) feed: FeedKey,
    pub(super) request: Arc<SubscriptionRequest>,
    pub(super) cause: Cause,
}

/// What an answer to a request to open means.
pub(super) enum Settled<H> {
    /// No subscription waits for it.
    Unknown(Option<(SubscriberKey, H)>),
    Open {
        asked: Arc<SubscriptionRequest>,
        cause: Cause,
        hub: H,
        retries: bool,
    },
    Failed {
        asked: Arc<SubscriptionRequest>,
        cause: Cause,
        problem: Problem,
    },
}

/// What a grant means to a subscription.
pub(super) enum Regrant {
    /// It isn't a reviewed subscription.
    Unknown,
    Same,
    Changed {
        before: Option<Grant>,
        request: Arc<SubscriptionRequest>,
    },
}

/// What a client may ask of a subscription's upstream.
pub(super) enum Retry<H> {
    Hub(H),
    Clusters,
    /// Nothing is to be done, or it is done when the subscription is open.
    Noted,
    Unknown,
}

/// A subscription whose cluster isn't the one that it was.
pub(super) struct Orphan {
    pub(super) request: Arc<SubscriptionRequest>,
    pub(super) is_question: bool,
}

impl<H> Default for Subscriptions<H> {
    fn default() -> Self {
        Self { by_id: BTreeMap::new(), ids: HashMap::new(), last_answer: 0, changes: None }
    }
}

impl<H: Clone> Subscriptions<H> {
    /// In every state, for each of them costs memory.
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn contains(&self, id: SubscriptionId) -> bool {
        self.by_id.contains_key(&id)
    }

    pub(super) fn count(&mut self, request: SubscriptionRequest, purpose: Purpose) -> AnswerId {
        let (id, answer) = (request.id, self.next_answer());
        self.put(Arc::new(request), None, State::Counted(purpose, answer));
        AnswerId { subscription: id, number: answer }
    }

    /// The person may have it or not: it is taken out to begin.
    pub(super) fn counted(&mut self, answer: AnswerId) -> Option<(Arc<SubscriptionRequest>, Purpose)> {
        match self.by_id.remove(&answer.subscription)? {
            Subscription { request, state: State::Counted(purpose, number), .. }
                if number == answer.number =>
            {
                Some((request, purpose))
            }
            other => {
                self.by_id.insert(answer.subscription, other);
                None
            }
        }
    }

    pub(super) fn wait_for_cluster(
        &mut self,
        request: Arc<SubscriptionRequest>,
        report: StateReport,
    ) -> AnswerId {
        let (id, answer) = (request.id, self.next_answer());
        self.put(request, None, State::WaitsForCluster { view: None, report, answer });
        AnswerId { subscription: id, number: answer }
    }

    pub(super) fn ask_rights(&mut self, request: Arc<SubscriptionRequest>, review: Review) {
        self.put(request, Some(review), State::AsksRights);
    }

    /// Takes the question out, if it is one that waits for an answer.
    pub(super) fn answer_rights(&mut self, id: SubscriptionId) -> Option<Arc<SubscriptionRequest>> {
        let asks = self.by_id.get(&id).is_some_and(|asked| matches!(asked.state, State::AsksRights));
        if asks { self.by_id.remove(&id).map(|asked| asked.request) } else { None }
    }

    pub(super) fn ask_past(&mut self, request: Arc<SubscriptionRequest>, asked: PastAsked, review: Review) {
        self.put(request, Some(review), State::AsksPast(asked));
    }

    /// What was told of changes, and where that goes on.
    pub(super) fn changes_told(&mut self, goes_on: Option<ChangesEnd>) {
        self.changes = goes_on;
    }

    /// Whether changes are asked for where the last answer ended, once. A client that goes on elsewhere asks anew.
    pub(super) fn goes_on(&mut self, asked: &PastAsked) -> bool {
        let PastAsked::Changes(ChangesAsked { from: Some(from), .. }) = asked else { return false };
        self.changes.take_if(|end| end == from).is_some()
    }

    pub(super) fn asks_past(&self, id: SubscriptionId) -> bool {
        self.by_id.get(&id).is_some_and(|asked| matches!(asked.state, State::AsksPast(_)))
    }

    /// Takes a question about the past out, whose rights are known now.
    pub(super) fn past_granted(
        &mut self,
        id: SubscriptionId,
    ) -> Option<(Arc<SubscriptionRequest>, PastAsked)> {
        match self.by_id.remove(&id)? {
            Subscription { request, state: State::AsksPast(asked), .. } => Some((request, asked)),
            other => {
                self.by_id.insert(id, other);
                None
            }
        }
    }

    pub(super) fn read_past(&mut self, request: Arc<SubscriptionRequest>) -> AnswerId {
        let (id, answer) = (request.id, self.next_answer());
        self.put(request, None, State::ReadsPast(answer));
        AnswerId { subscription: id, number: answer }
    }

    /// Takes the question out, if it waits for this answer.
    pub(super) fn past_read(&mut self, answer: AnswerId) -> bool {
        let AnswerId { subscription: id, number } = answer;
        let state = self.by_id.get(&id).map(|asked| &asked.state);
        let waits = matches!(state, Some(State::ReadsPast(awaited)) if *awaited == number);
        waits && self.by_id.remove(&id).is_some()
    }

    pub(super) fn find_children(&mut self, request: Arc<SubscriptionRequest>) -> AnswerId {
        let (id, answer) = (request.id, self.next_answer());
        self.put(request, None, State::FindsChildren(answer));
        AnswerId { subscription: id, number: answer }
    }

    /// Takes the question out, if it waits for this answer.
    pub(super) fn children_found(&mut self, answer: AnswerId) -> Option<Arc<SubscriptionRequest>> {
        let AnswerId { subscription: id, number } = answer;
        let state = &self.by_id.get(&id)?.state;
        let waits = matches!(state, State::FindsChildren(awaited) if *awaited == number);
        if waits { self.by_id.remove(&id).map(|asked| asked.request) } else { None }
    }

    pub(super) fn review(&mut self, request: Arc<SubscriptionRequest>, review: Review) {
        self.put(request, Some(review), State::Reviewed);
    }

    /// What is reviewed for subscriptions and questions.
    pub(super) fn reviews(&self) -> impl Iterator<Item = (SubscriptionId, &Review)> {
        self.by_id.iter().filter_map(|(id, of)| Some((*id, of.review.as_ref()?)))
    }

    pub(super) fn grant(&mut self, id: SubscriptionId, grant: &Grant) -> Regrant {
        let Some(Subscription { request, review: Some(review), state }) = self.by_id.get_mut(&id) else {
            return Regrant::Unknown;
        };
        if matches!(state, State::AsksRights | State::AsksPast(_)) {
            return Regrant::Unknown;
        }
        let before = review.grant.replace(grant.clone());
        if before.as_ref() == Some(grant) {
            return Regrant::Same;
        }
        if before.is_some() {
            // It is of the former grant's rows.
            Arc::make_mut(request).token = None;
        }
        Regrant::Changed { before, request: Arc::clone(request) }
    }

    /// The former grant is to be followed anew. `None`: its rights aren't reviewed.
    pub(super) fn retake_grant(&mut self, id: SubscriptionId) -> Option<Option<Grant>> {
        let Subscription { request, review, .. } = self.by_id.get_mut(&id)?;
        let review = review.as_mut()?;
        Arc::make_mut(request).token = None;
        Some(review.grant.take())
    }

    /// The subscription stays, because the right to it may come. `None` in place of the answer: there is no such one.
    pub(super) fn refuse(
        &mut self,
        request: Arc<SubscriptionRequest>,
        report: StateReport,
    ) -> (Option<Former<H>>, AnswerId) {
        let (id, answer) = (request.id, self.next_answer());
        let former = self.set(id, State::Refused(Some(Refusal { answer, request, report })));
        (former, AnswerId { subscription: id, number: answer })
    }

    /// A view has this number: what the client is told of which request.
    pub(super) fn numbered(
        &mut self,
        answer: AnswerId,
        number: ViewId,
    ) -> Option<(Arc<SubscriptionRequest>, StateReport)> {
        let Subscription { request, state, .. } = self.by_id.get_mut(&answer.subscription)?;
        match state {
            State::WaitsForCluster { view, report, answer: awaited } if *awaited == answer.number => {
                *view = Some(number);
                Some((Arc::clone(request), report.clone()))
            }
            State::Refused(refusal) => {
                let Refusal { request, report, .. } =
                    refusal.take_if(|refusal| refusal.answer == answer.number)?;
                Some((request, report))
            }
            _ => None,
        }
    }

    /// Opens a subscription, in place of where it is open.
    pub(super) fn open(
        &mut self,
        Wanted { feed, request, cause }: Wanted,
        permit: &SendPermit,
    ) -> (Option<Former<H>>, OpenRequest) {
        let (id, answer) = (request.id, self.next_answer());
        let choices: Vec<FeedChoice> = choices(feed)
            .map(|feed| FeedChoice { is_second: self.has_view(id, &feed, &request), feed })
            .collect();
        let opens = OpenRequest {
            answer: AnswerId { subscription: id, number: answer },
            request: Arc::clone(&request),
            permit: permit.clone(),
            choices: choices.clone(),
        };
        if !self.contains(id) {
            self.put(Arc::clone(&request), None, State::Reviewed);
        }
        // A retry that came while it opened is for where it opens now.
        let retries = matches!(self.by_id.get(&id), Some(Subscription { state: State::Opening(former), .. }) if former.retries);
        let opening = Opening { answer, choices, request, cause, retries };
        (self.set(id, State::Opening(opening)), opens)
    }

    /// A subscription that is to be opened at another feed is left to the caller if it failed.
    pub(super) fn opened(&mut self, answer: AnswerId, result: Result<Opened<H>, Problem>) -> Settled<H> {
        let id = answer.subscription;
        let waiting = self.by_id.get_mut(&id);
        let waiting = waiting.filter(|waiting| waiting.state.waits_for(answer.number));
        let Some(Subscription { request: asked, state, .. }) = waiting else {
            return Settled::Unknown(result.ok().map(|opened| (opened.key, opened.hub)));
        };
        let asked = Arc::clone(asked);
        let State::Opening(Opening { request, cause, retries, .. }) =
            std::mem::replace(state, State::Reviewed)
        else {
            return Settled::Unknown(None);
        };
        match result {
            Ok(Opened { key, hub, feed }) => {
                *state = State::Open(Open { key, hub: hub.clone(), feed, request, has_news: false });
                self.ids.insert(key, id);
                Settled::Open { asked, cause, hub, retries }
            }
            Err(problem) => Settled::Failed { asked, cause, problem },
        }
    }

    /// The requests of what is open or opens, in the order in which the hubs got them.
    pub(super) fn at_hubs(&self) -> Vec<Arc<SubscriptionRequest>> {
        let mut found: Vec<(u64, u64, &Arc<SubscriptionRequest>)> = Vec::new();
        for subscription in self.by_id.values() {
            match &subscription.state {
                State::Open(open) => found.push((0, open.key, &open.request)),
                State::Opening(opening) => found.push((1, opening.answer, &opening.request)),
                _ => {}
            }
        }
        found.sort_unstable_by_key(|(is_opening, at, _)| (*is_opening, *at));
        found.into_iter().map(|(_, _, request)| Arc::clone(request)).collect()
    }

    /// Takes everything out, with the connection.
    pub(super) fn take_all(&mut self) -> Vec<Former<H>> {
        self.ids.clear();
        let all = std::mem::take(&mut self.by_id);
        let mut left: Vec<Former<H>> = all.into_values().filter_map(|of| of.state.former()).collect();
        left.sort_unstable_by_key(|former| former.key);
        left
    }

    /// Takes a subscription out. `None`: there is none. The flag: its rights were watched.
    pub(super) fn remove(&mut self, id: SubscriptionId) -> Option<(Option<Former<H>>, bool)> {
        if self.is_question(id) {
            return None;
        }
        let Subscription { review, state, .. } = self.by_id.remove(&id)?;
        let former = state.former();
        if let Some(former) = &former {
            self.ids.remove(&former.key);
        }
        Some((former, review.is_some()))
    }

    /// What was granted is left, and waits for another grant.
    pub(super) fn leave_reviewed(&mut self) -> Vec<Former<H>> {
        let mut left = Vec::new();
        for Subscription { request, review, state } in self.by_id.values_mut() {
            let Some(review) =
                review.as_mut().filter(|_| !matches!(state, State::AsksRights | State::AsksPast(_)))
            else {
                continue;
            };
            review.grant = None;
            Arc::make_mut(request).token = None;
            left.extend(std::mem::replace(state, State::Reviewed).former());
        }
        for former in &left {
            self.ids.remove(&former.key);
        }
        left
    }

    /// The subscription that a hub knows by this key.
    pub(super) fn id_of(&self, key: SubscriberKey) -> Option<SubscriptionId> {
        self.ids.get(&key).copied()
    }

    /// The feed of less that answers a subscription too. `None`: there is none.
    pub(super) fn smaller(&self, key: SubscriberKey) -> Option<Wanted> {
        let open = self.open_at(key)?;
        let (feed, scope) = (&open.feed, &open.request.scope);
        let namespace = scope.namespaces.only().cloned();
        let feed = if scope.name.is_some() && feed.name.is_none() {
            FeedKey { namespace, name: scope.name.clone(), ..feed.clone() }
        } else if namespace.is_some() && feed.namespace.is_none() {
            FeedKey { namespace, ..feed.clone() }
        } else if feed.fields != scope.fields {
            // A right to single objects holds for a selection of just these names.
            FeedKey { fields: scope.fields.clone(), ..feed.clone() }
        } else {
            return None;
        };
        Some(Wanted { feed, request: Arc::clone(&open.request), cause: Cause::Moved })
    }

    /// Messages for a subscription came, which may move its client past its token.
    pub(super) fn delivered(&mut self, key: SubscriberKey, delivery: &Delivery) -> Option<SubscriptionId> {
        let id = self.id_of(key)?;
        let open = self.open_at_mut(key)?;
        if !delivery.messages.is_empty() && !delivery.is_undecided && open.request.token.is_some() {
            Arc::make_mut(&mut open.request).token = None;
        }
        Some(id)
    }

    /// Whether it is to wait for its turn to pull, which it didn't yet.
    pub(super) fn note_news(&mut self, key: SubscriberKey) -> bool {
        self.open_at_mut(key).is_some_and(|open| !std::mem::replace(&mut open.has_news, true))
    }

    /// It is its turn. `None`: it isn't open any more.
    pub(super) fn take_news(&mut self, key: SubscriberKey) -> Option<H> {
        let open = self.open_at_mut(key)?;
        open.has_news = false;
        Some(open.hub.clone())
    }

    pub(super) fn retry(&mut self, id: SubscriptionId) -> Retry<H> {
        match self.by_id.get_mut(&id).map(|subscription| &mut subscription.state) {
            Some(State::Open(open)) => Retry::Hub(open.hub.clone()),
            Some(State::Opening(opening)) => {
                opening.retries = true;
                Retry::Noted
            }
            Some(State::WaitsForCluster { .. }) => Retry::Clusters,
            // Nothing is granted of it, which is asked again by itself.
            Some(State::Reviewed | State::Refused(_) | State::Counted(Purpose::Subscribe, _)) => Retry::Noted,
            Some(
                State::AsksRights
                | State::AsksPast(_)
                | State::ReadsPast(_)
                | State::FindsChildren(_)
                | State::Counted(..),
            )
            | None => Retry::Unknown,
        }
    }

    /// In how many feeds there are timelines, and in how many views of each event. The hubs divide the memory for what is
    /// read later among these.
    pub(super) fn log_feeds(&self) -> usize {
        let open = self.by_id.values().filter_map(|subscription| match &subscription.state {
            State::Open(open) if open.reads_a_log() => Some((&open.feed, open.request.wants_events())),
            _ => None,
        });
        open.collect::<HashSet<_>>().len()
    }

    /// What was begun of these clusters.
    pub(super) fn ids_of(&self, clusters: &[ClusterName], home: Option<&ClusterName>) -> Vec<SubscriptionId> {
        let is_of = |subscription: &Subscription<H>| {
            let named = subscription.request.scope.cluster.as_ref().or(home);
            let is_begun = !matches!(subscription.state, State::Counted(..));
            is_begun && named.is_some_and(|cluster| clusters.contains(cluster))
        };
        self.by_id.iter().filter(|(_, subscription)| is_of(subscription)).map(|(id, _)| *id).collect()
    }

    /// What is to begin anew, as it was asked.
    pub(super) fn orphan(&self, id: SubscriptionId) -> Option<Orphan> {
        let Subscription { request, state, .. } = self.by_id.get(&id)?;
        let mut request = Arc::clone(request);
        if !matches!(state, State::WaitsForCluster { .. }) {
            // Another cluster, or another way to it: what the client stands at is of the former.
            Arc::make_mut(&mut request).token = None;
        }
        Some(Orphan { request, is_question: self.is_question(id) })
    }

    /// What waits for its cluster hears why, whenever that changes.
    pub(super) fn cluster_states(
        &mut self,
        state_of: impl Fn(Option<&ClusterName>) -> Option<StateReport>,
    ) -> Vec<StateFrame> {
        let mut said = Vec::new();
        for Subscription { request, state, .. } in self.by_id.values_mut() {
            let State::WaitsForCluster { view, report, .. } = state else { continue };
            if let Some(now) = state_of(request.scope.cluster.as_ref()).filter(|now| now != report) {
                *report = now.clone();
                said.extend(view.map(|view| StateFrame { view, report: now }));
            }
        }
        said
    }

    fn is_question(&self, id: SubscriptionId) -> bool {
        let state = self.by_id.get(&id).map(|subscription| &subscription.state);
        match state {
            Some(State::AsksRights | State::AsksPast(_) | State::ReadsPast(_) | State::FindsChildren(_)) => {
                true
            }
            Some(State::Counted(purpose, _)) => *purpose != Purpose::Subscribe,
            _ => false,
        }
    }

    /// Whether another subscription has this view at this feed, or may have it in a moment.
    fn has_view(&self, id: SubscriptionId, feed: &FeedKey, request: &SubscriptionRequest) -> bool {
        let others = self.by_id.iter().filter(|(other, _)| **other != id);
        others.map(|(_, other)| &other.state).any(|state| match state {
            State::Open(open) => open.feed == *feed && open.request.is_of_same_view(request),
            State::Opening(opening) => {
                let has_feed = opening.choices.iter().any(|choice| choice.feed == *feed);
                has_feed && opening.request.is_of_same_view(request)
            }
            _ => false,
        })
    }

    fn put(&mut self, request: Arc<SubscriptionRequest>, review: Option<Review>, state: State<H>) {
        self.by_id.insert(request.id, Subscription { request, review, state });
    }

    fn set(&mut self, id: SubscriptionId, state: State<H>) -> Option<Former<H>> {
        let subscription = self.by_id.get_mut(&id)?;
        let former = std::mem::replace(&mut subscription.state, state).former()?;
        self.ids.remove(&former.key);
        Some(former)
    }

    fn open_at(&self, key: SubscriberKey) -> Option<&Open<H>> {
        match &self.by_id.get(&self.id_of(key)?)?.state {
            State::Open(open) => Some(open),
            _ => None,
        }
    }

    fn open_at_mut(&mut self, key: SubscriberKey) -> Option<&mut Open<H>> {
        let id = self.id_of(key)?;
        match &mut self.by_id.get_mut(&id)?.state {
            State::Open(open) => Some(open),
            _ => None,
        }
    }

    pub(super) fn next_answer(&mut self) -> u64 {
        self.last_answer += 1;
        self.last_answer
    }
}

impl<H> State<H> {
    fn waits_for(&self, number: u64) -> bool {
        matches!(self, Self::Opening(opening) if opening.answer == number)
    }

    fn former(self) -> Option<Former<H>> {
        let Self::Open(open) = self else { return None };
        let reads_a_log = open.reads_a_log();
        Some(Former { key: open.key, hub: open.hub, reads_a_log })
    }
}

impl<H> Open<H> {
    fn reads_a_log(&self) -> bool {
        self.request.projection == Projection::Timeline || self.request.wants_events()
    }
}

/// The feeds that answer a subscription, those first that are taken if they are current: an object is shared with a
/// table of its neighbours.
fn choices(feed: FeedKey) -> impl Iterator<Item = FeedKey> {
    let wider = feed.name.is_some().then(|| {
        let of_namespace = FeedKey { name: None, ..feed.clone() };
        [FeedKey { namespace: None, ..of_namespace.clone() }, of_namespace]
    });
    wider.into_iter().flatten().chain([feed])
}
