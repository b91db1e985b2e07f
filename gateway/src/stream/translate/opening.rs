//! What is subscribed to, and what the session answers.

use serde_json::json;
use shared::frame::client::{ClientFrame, LogText, LogTime, Subscribe, SubscriptionId, Unsubscribe};
use shared::frame::server::{Kinds, Subscribed};
use shared::problem::{Problem, Reason};
use shared::resource::resolve;
use shared::scope::{Namespaces, Scope};
use shared::state::{UnixMillis, ViewState};

use super::parts::{Part, Split};
use super::past::PastOf;
use super::{Translator, WHOLE};
use crate::stream::event::EventType;
use crate::stream::query::{PastAsked, Projection};

impl Translator {
    pub(super) fn begin(&mut self, kinds: &Kinds, now_ms: UnixMillis) {
        let kind = match resolve(&kinds.kinds, &typed(&self.request.word)) {
            Ok(kind) => kind,
            Err(problem) => return self.end(problem, None),
        };
        let scope = self.request.scope(&kind);
        if self.request.projection == Projection::Log {
            return self.ask_log(scope, now_ms);
        }
        let mut whole = Part::of(None);
        let resumes = self.request.resume.is_some();
        if let Some(resume) = self.request.resume.take() {
            if !resume.is_of(&scope, self.request.projection.word()) {
                let message = "resume is of a stream of other parameters; leave it out";
                return self.end(Problem::bad_request(message), None);
            }
            self.resumed = resume;
            whole.resume(self.resumed.take(None));
        }
        self.scope = Some(scope);
        self.parts.insert(WHOLE, whole);
        if let Err(problem) = PastOf(self).begin(resumes, now_ms) {
            return self.end(problem, None);
        }
        if !self.past.is_read_first() {
            self.subscribe(WHOLE);
        }
    }

    fn ask_log(&mut self, scope: Scope, now_ms: UnixMillis) {
        let since = match self.request.past {
            PastAsked::Since(time) => match time.ms(now_ms) {
                Ok(ms) => Some(LogTime { ms, ns: 0 }),
                Err(problem) => return self.end(problem, None),
            },
            PastAsked::Nothing | PastAsked::At(_) => None,
        };
        self.scope = Some(scope.clone());
        let asked = self.request.log.asked(since);
        self.outputs.send.extend(LogText::of(WHOLE, &scope, &asked).map(ClientFrame::Log));
    }

    pub(super) fn subscribe(&mut self, id: SubscriptionId) {
        let (Some(scope), Some(part)) = (&self.scope, self.parts.get(&id)) else { return };
        let mut scope = scope.clone();
        if let Some(namespace) = &part.namespace {
            scope.namespaces = Namespaces::These(vec![namespace.clone()]);
        }
        let (projection, rows) = self.request.projection.on_the_wire();
        let is_timeline = self.request.projection == Projection::Timeline;
        let token = part.token.clone();
        let earlier = is_timeline && token.is_none();
        let each_event = self.request.projection == Projection::Object;
        let at_ms = self.past.at_ms();
        let of_all = Subscribe::rows(id, scope);
        let frame = Subscribe { projection, rows, each_event, earlier, at_ms, token, ..of_all };
        self.outputs.send.push(ClientFrame::Subscribe(Box::new(frame)));
    }

    pub(super) fn unsubscribe(&mut self, id: SubscriptionId) {
        self.outputs.send.push(ClientFrame::Unsubscribe(Unsubscribe { id, differed: false }));
    }

    pub(super) fn subscribed(&mut self, answer: Subscribed, now_ms: UnixMillis) {
        let is_refused = matches!(answer.state.state, ViewState::Forbidden { .. });
        let id = answer.id;
        if answer.id == WHOLE {
            match self.split_of(&answer.scope.namespaces, is_refused) {
                Split::Into(names) => return self.split(&answer, names),
                Split::Whole => self.join(),
            }
            if is_refused && !self.course.is_open {
                let message = format!("{} may not be listed", answer.scope.resource);
                let unknown = Problem::new(Reason::Forbidden, message);
                return self.end(answer.state.problem.unwrap_or(unknown), None);
            }
        }
        let is_whole = answer.id == WHOLE;
        let has_resumed = is_whole && answer.at.is_none() && self.resumed.clear();
        let Some(part) = self.parts.get_mut(&answer.id) else { return };
        part.synced_ms = now_ms;
        part.report = Some(answer.state.clone());
        let first = part.event(EventType::Subscribed);
        let resource = json!({ "cluster": self.welcomed.cluster, "resource": answer.scope.resource });
        let mut first = first.with(&resource).with(&answer.state);
        if let Namespaces::These(names) = &answer.scope.namespaces {
            first.fields.insert("namespaces".to_owned(), json!(names));
        }
        if !answer.columns.is_empty() && self.request.projection == Projection::Cells {
            first.fields.insert("columns".to_owned(), json!(answer.columns));
        }
        let mut reset = part.answered(answer);
        if has_resumed && reset.is_none() {
            reset = Some(part.event(EventType::Reset));
        }
        let is_current = part.report.as_ref().is_some_and(|report| report.state.is_current());
        let Some(first) = PastOf(self).keep_first(id, first, is_current) else { return };
        self.say(first);
        reset.into_iter().for_each(|event| self.say(event));
    }
}

/// `apps/v1/deployments` as `deployments.v1.apps`, and `v1/pods` as `pods.v1`.
fn typed(word: &str) -> String {
    word.rsplit('/').collect::<Vec<_>>().join(".")
}
