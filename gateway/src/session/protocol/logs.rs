//! The logs that one client is told: which of them wait for a word of the gateway, and which are open. They have no hub; what
//! is told comes only while there is credit, and only what the viewer may read at that moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::frame::client::{self, SubscriptionId};
use shared::frame::server::{LogAnswer, ServerFrame};
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::resource::{Resource, WITH_LOGS};
use shared::scope::Scope;

use super::Session;
use super::events::{AnswerId, Effect, Effects, LogRequest, Now, ReviewRequest};
use super::surroundings::{Found, not_reached};
use crate::access::{Grant, Question};
use crate::audit::{Decision, decision_of_log};
use crate::logs::LogSaid;
use crate::subscription_request::SubscriptionRequest;

/// The logs of one connection, by the ids that the client gave them. [`Session`] alone calls it.
#[derive(Default)]
pub(super) struct Logs {
    by_id: BTreeMap<SubscriptionId, OpenLog>,
}

struct OpenLog {
    asked: Arc<client::Log>,
    request: Arc<SubscriptionRequest>,
    state: State,
}

enum State {
    /// It waits for word whether the person may have one more.
    Counted(u64),
    /// It waits for a grant.
    Reviewed(Place),
    /// It is told. `is_reviewed`: a right may end.
    Told { number: u64, cluster: ClusterName, is_reviewed: bool },
}

/// Where the pods of a log are.
struct Place {
    cluster: ClusterName,
    namespace: Namespace,
    pods: Resource,
}

impl Logs {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn contains(&self, id: SubscriptionId) -> bool {
        self.by_id.contains_key(&id)
    }

    pub(super) fn are_told(&self) -> bool {
        self.by_id.values().any(|log| matches!(log.state, State::Told { .. }))
    }

    fn counted(&mut self, answer: AnswerId) -> Option<OpenLog> {
        let log = self.by_id.get(&answer.subscription)?;
        let waits = matches!(log.state, State::Counted(number) if number == answer.number);
        if waits { self.by_id.remove(&answer.subscription) } else { None }
    }

    /// The log that an answer is of, if it is told still.
    fn told(&self, answer: AnswerId) -> Option<&OpenLog> {
        let log = self.by_id.get(&answer.subscription)?;
        matches!(log.state, State::Told { number, .. } if number == answer.number).then_some(log)
    }
}

impl<H: Clone> Session<H> {
    pub(super) fn count_log(&mut self, asked: client::Log, now: Now, effects: &mut Effects<H>) {
        let id = asked.id;
        if let Err(problem) = self.within_limits(id, now) {
            return self.problem(Some(id), problem);
        }
        let number = self.subscriptions.next_answer();
        let request = Arc::new(SubscriptionRequest::rows(id, asked.scope.clone()));
        let log = OpenLog { asked: Arc::new(asked), request, state: State::Counted(number) };
        self.logs.by_id.insert(id, log);
        effects.push(Effect::Count(AnswerId { subscription: id, number }));
    }

    /// `false`: the answer is of no log.
    pub(super) fn log_counted(
        &mut self,
        answer: AnswerId,
        counted: &Result<(), Problem>,
        effects: &mut Effects<H>,
    ) -> bool {
        let Some(log) = self.logs.counted(answer) else { return false };
        let id = answer.subscription;
        if let Err(problem) = counted {
            self.problem(Some(id), problem.clone());
            return true;
        }
        match self.place_of_log(&log.request) {
            Ok(place) => self.begin_log(log, place, effects),
            Err(problem) => {
                effects.record(Decision::denied(&log.request, &problem));
                self.problem(Some(id), problem);
            }
        }
        true
    }

    /// Whether such logs are shown at all, whoever asks.
    fn place_of_log(&self, request: &SubscriptionRequest) -> Result<Place, Problem> {
        let scope = &request.scope;
        if !self.surroundings.shows_logs() {
            let message = "this gateway shows no logs; its setting logs says so";
            return Err(Problem::new(Reason::NotFound, message));
        }
        let kinds = match self.surroundings.find(scope.cluster.as_ref()) {
            Found::Reached(kinds) => kinds,
            Found::Unreached(cluster, report) => return Err(not_reached(&cluster, &report)),
            Found::Unknown(problem) => return Err(problem),
        };
        let namespace = scope.namespaces.only().cloned().ok_or_else(|| {
            Problem::bad_request("logs are of one namespace; name it in the scope, and no other")
        })?;
        self.surroundings.admit(request)?;
        if !WITH_LOGS.contains(&(scope.resource.group.as_str(), scope.resource.resource.as_str())) {
            let message = format!(
                "{} have no logs of their own; ask for pods, by a name or by labels, or for what owns them",
                scope.resource
            );
            return Err(Problem::bad_request(message));
        }
        if scope.fields.is_some() || scope.labels.is_some() && scope.name.is_some() {
            return Err(Problem::bad_request("logs are chosen by a name or by labels, and nothing else"));
        }
        if scope.name.is_none() && !scope.resource.is_pods() {
            let message = format!("{} have logs by a name; choose pods by labels instead", scope.resource);
            return Err(Problem::bad_request(message));
        }
        let pods = Resource::parse("", "v1", "pods")?;
        // The ceiling may hide pods and show what owns them.
        let of_pods = Scope {
            cluster: scope.cluster.clone(),
            namespaces: scope.namespaces.clone(),
            ..Scope::all(pods.clone())
        };
        self.surroundings.admit(&SubscriptionRequest::rows(request.id, of_pods))?;
        Ok(Place { cluster: kinds.cluster.clone(), namespace, pods })
    }

    fn begin_log(&mut self, log: OpenLog, place: Place, effects: &mut Effects<H>) {
        let id = log.asked.id;
        match self.login.rights().subject().cloned() {
            Some(subject) => {
                let question = Question::of_logs(&log.request.scope, &place.pods);
                let watch = ReviewRequest::Watch(id, place.cluster.clone(), subject, question);
                effects.review(watch);
                self.logs.by_id.insert(id, OpenLog { state: State::Reviewed(place), ..log });
            }
            None => self.tell_log((log.asked, log.request), place, false, effects),
        }
    }

    fn tell_log(
        &mut self,
        (asked, request): (Arc<client::Log>, Arc<SubscriptionRequest>),
        place: Place,
        is_reviewed: bool,
        effects: &mut Effects<H>,
    ) {
        let Place { cluster, namespace, pods } = place;
        let (id, number) = (asked.id, self.subscriptions.next_answer());
        effects.push(Effect::OpenLog(LogRequest {
            answer: AnswerId { subscription: id, number },
            asked: Arc::clone(&asked),
            cluster: cluster.clone(),
            namespace,
            pods,
            upstream: self.login.rights().upstream(),
        }));
        self.logs
            .by_id
            .insert(id, OpenLog { asked, request, state: State::Told { number, cluster, is_reviewed } });
    }

    /// `false`: there is no such log.
    pub(super) fn log_granted(
        &mut self,
        id: SubscriptionId,
        grant: &Grant,
        effects: &mut Effects<H>,
    ) -> bool {
        let Some(log) = self.logs.by_id.get(&id) else { return false };
        let (is_told, request) = (matches!(log.state, State::Told { .. }), Arc::clone(&log.request));
        let problem = match grant {
            Grant::Whole => None,
            Grant::Refused(problem) => Some(problem.clone()),
            Grant::Within(_) | Grant::Listed(_) => {
                Some(Problem::new(Reason::Forbidden, "the right to these logs has ended"))
            }
        };
        if let Some(problem) = problem {
            let before = is_told.then_some(Grant::Whole);
            let refused = Grant::Refused(problem.clone());
            effects.record(decision_of_log(before.as_ref(), Some(&refused), &request, ""));
            self.end_log(id, problem, effects);
            return true;
        }
        if is_told {
            return true;
        }
        let granted = self.logs.by_id.remove(&id);
        if let Some(OpenLog { asked, request, state: State::Reviewed(place) }) = granted {
            self.tell_log((asked, request), place, true, effects);
        }
        true
    }

    /// What a view of logs says.
    pub(super) fn log_said(&mut self, answer: AnswerId, said: LogSaid, effects: &mut Effects<H>) {
        let Some(log) = self.logs.told(answer) else { return };
        let id = answer.subscription;
        match said {
            LogSaid::Reads(read) => {
                let request = Arc::clone(&log.request);
                let is_reviewed = matches!(log.state, State::Told { is_reviewed: true, .. });
                let grant = is_reviewed.then_some(Grant::Whole);
                for (pod, container) in read {
                    let request = Arc::new(of_pod(&request, &pod));
                    effects.record(decision_of_log(None, grant.as_ref(), &request, &container));
                }
            }
            LogSaid::Part(part) => {
                if let Some(answer) = LogAnswer::of(id, &part) {
                    self.frames.earn(1);
                    self.flow.say(&ServerFrame::Log(answer));
                }
                if part.over {
                    self.close_log(id, effects);
                }
            }
            LogSaid::Ended(problem) => self.end_log(id, problem, effects),
        }
    }

    fn end_log(&mut self, id: SubscriptionId, problem: Problem, effects: &mut Effects<H>) {
        self.close_log(id, effects);
        self.problem(Some(id), problem);
    }

    /// `false`: there is no such log.
    pub(super) fn close_log(&mut self, id: SubscriptionId, effects: &mut Effects<H>) -> bool {
        let Some(log) = self.logs.by_id.remove(&id) else { return false };
        let (is_told, is_reviewed) = match log.state {
            State::Counted(_) => (false, false),
            State::Reviewed(_) => (false, true),
            State::Told { is_reviewed, .. } => (true, is_reviewed),
        };
        if is_reviewed {
            effects.review(ReviewRequest::Forget(id));
        }
        if is_told {
            effects.push(Effect::CloseLog(id));
        }
        true
    }

    /// What the gateway shows, as whom it asks, or what the viewer may see isn't what it was: each log ends, and its client
    /// may ask for what follows.
    pub(super) fn end_logs(&mut self, why: &str, effects: &mut Effects<H>) {
        self.end_logs_where(|_| true, why, effects);
    }

    pub(super) fn end_logs_of(&mut self, clusters: &[ClusterName], effects: &mut Effects<H>) {
        let is_of = |log: &OpenLog| match &log.state {
            State::Counted(_) => false,
            State::Reviewed(Place { cluster, .. }) | State::Told { cluster, .. } => {
                clusters.contains(cluster)
            }
        };
        self.end_logs_where(is_of, "the cluster isn't the one that it was", effects);
    }

    fn end_logs_where(&mut self, is_wanted: impl Fn(&OpenLog) -> bool, why: &str, effects: &mut Effects<H>) {
        let begun = self.logs.by_id.iter().filter(|(_, log)| !matches!(log.state, State::Counted(_)));
        let ids: Vec<SubscriptionId> = begun.filter(|(_, log)| is_wanted(log)).map(|(id, _)| *id).collect();
        for id in ids {
            let message = format!("{why}; ask for the log again");
            self.end_log(id, Problem::new(Reason::Expired, message), effects);
        }
    }
}

/// The same request for one pod alone, as it is recorded.
fn of_pod(request: &SubscriptionRequest, pod: &str) -> SubscriptionRequest {
    let scope = &request.scope;
    let pods = Resource::parse("", "v1", "pods").unwrap_or_else(|_| scope.resource.clone());
    let scope = Scope {
        cluster: scope.cluster.clone(),
        namespaces: scope.namespaces.clone(),
        name: ObjectName::parse(pod).ok(),
        ..Scope::all(pods)
    };
    SubscriptionRequest::rows(request.id, scope)
}
