//! Translates the frames of a session to events, and a request to the frames that ask for it. Pure: the time is an
//! argument, and nothing is awaited. It keeps no rows, so a stream costs 16 bytes for each object that it has named.

use std::collections::BTreeMap;

use serde_json::json;
use shared::frame::SYNC_MISSING_MS;
use shared::frame::client::{ClientFrame, Hello, SubscriptionId};
use shared::frame::server::{
    Goaway, LogAnswer, ProblemFrame, Rows, ServerFrame, StateFrame, Sync, TimelineFrame, ViewId, Welcome,
};
use shared::frame::{VERSION, close};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, UnixMillis, ViewState};

use super::event::{About, EventType, StreamEvent};
use super::logs::LogEvents;
use super::query::{Projection, StreamRequest};
use super::resume::Resume;
use crate::since::Told;

use parts::{Part, Split};
use past::{Past, PastOf};

mod entry;
mod named;
mod opening;
mod parts;
mod past;

/// Turns the frames of one session into the events of one stream, and what the stream needs into frames for the
/// session. It owns the parts of the view and where each of them stands; the stream's task calls it for every frame.
pub struct Translator {
    request: StreamRequest,
    welcomed: Welcomed,
    /// `None` until the kinds are known.
    scope: Option<Scope>,
    /// The whole, under [`WHOLE`], and beside it a part for each namespace where it may not be had as a whole.
    parts: BTreeMap<SubscriptionId, Part>,
    next: SubscriptionId,
    /// What the client holds of namespaces, from an earlier stream, until they are asked for.
    resumed: Resume,
    /// What of the past is told, before or instead of the present.
    past: Past,
    logs: LogEvents,
    /// An event was sent, so an error from now on is an event as well.
    is_open: bool,
    last_problem: Option<(Problem, Option<u32>)>,
    outputs: Outputs,
}

/// What the gateway's welcome says.
#[derive(Default)]
struct Welcomed {
    /// The cluster's name, for readers of several clusters.
    cluster: Box<str>,
    rules: Box<str>,
    /// Where a record is replayed, its end.
    ends_ms: Option<UnixMillis>,
}

/// The result of a frame.
#[derive(Debug, Default)]
pub struct Outputs {
    pub send: Vec<ClientFrame>,
    pub events: Vec<StreamEvent>,
    pub end: Option<Ending>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// An error before the first event: the status of the answer, with this problem.
    Refused(Problem),
    /// The last event says why.
    Over,
}

pub(super) const WHOLE: SubscriptionId = 0;

impl Translator {
    /// With what is said first.
    pub fn new(request: StreamRequest) -> (Self, ClientFrame) {
        let hello = ClientFrame::Hello(Hello {
            version: VERSION.into(),
            credential: None,
            client: "stream".into(),
            has: Vec::new(),
        });
        let translator = Self {
            request,
            welcomed: Welcomed::default(),
            scope: None,
            parts: BTreeMap::new(),
            next: WHOLE + 1,
            resumed: Resume::default(),
            past: Past::Nothing,
            logs: LogEvents::default(),
            is_open: false,
            last_problem: None,
            outputs: Outputs::default(),
        };
        (translator, hello)
    }

    /// The cluster's name, as the gateway's welcome has it. Empty before the welcome.
    #[must_use]
    pub fn cluster(&self) -> &str {
        &self.welcomed.cluster
    }

    /// Whether messages are held back that the session must not go on after.
    #[must_use]
    pub fn holds_back(&self) -> bool {
        self.past.holds_back(&self.parts)
    }

    /// What was asked for, as `kubectl get` takes it.
    pub fn resource(&self) -> String {
        self.scope.as_ref().map_or_else(String::new, |scope| scope.resource.to_string())
    }

    pub fn frame(&mut self, frame: ServerFrame, now_ms: UnixMillis) -> Outputs {
        if let Some(frame) = PastOf(self).hold_back(frame, now_ms) {
            self.apply(frame, now_ms);
        }
        self.take_outputs()
    }

    fn apply(&mut self, frame: ServerFrame, now_ms: UnixMillis) {
        match frame {
            ServerFrame::Welcome(welcome) => self.welcome(&welcome),
            ServerFrame::Kinds(kinds)
                if self.scope.is_none() && *kinds.cluster.as_str() == *self.welcomed.cluster =>
            {
                self.begin(&kinds, now_ms);
            }
            ServerFrame::Subscribed(answer) => self.subscribed(*answer, now_ms),
            ServerFrame::Rows(rows) => self.rows(rows),
            ServerFrame::Timeline(frame) => self.timeline(frame),
            ServerFrame::Sync(sync) => self.sync(&sync, now_ms),
            ServerFrame::State(state) => self.state(state),
            ServerFrame::Problem(ProblemFrame { id: Some(id), problem }) => self.refused(id, problem),
            // A close follows.
            ServerFrame::Problem(ProblemFrame { id: None, problem }) => {
                self.last_problem = Some((problem, None));
            }
            ServerFrame::Goaway(Goaway { problem, spread_ms }) => {
                self.last_problem = Some((problem, Some(spread_ms)));
            }
            ServerFrame::Auth(auth) => {
                if auth.expires_ms.is_some() {
                    self.say(StreamEvent::of(EventType::Auth).with(&auth));
                }
            }
            ServerFrame::Kinds(_)
            | ServerFrame::Challenge(_)
            | ServerFrame::Object(_)
            | ServerFrame::Rights(_)
            | ServerFrame::Children(_)
            | ServerFrame::Pong(_) => {}
            ServerFrame::Past(answer) => PastOf(self).answered(&answer, now_ms),
            ServerFrame::Log(answer) => self.log(&answer),
        }
    }

    /// The session is over.
    pub fn closed(&mut self, code: Option<u16>) -> Outputs {
        let (problem, spread_ms) = self.last_problem.take().unwrap_or_else(|| {
            let message = match code {
                Some(close::SILENT) => "nothing was read for too long",
                _ => "the connection within the gateway ended; come back",
            };
            (Problem::new(Reason::ConnectionClosed, message), None)
        });
        self.end(problem, spread_ms);
        self.take_outputs()
    }

    /// Nothing came for a while: says again what isn't current, and what isn't proven any more.
    pub fn quiet(&mut self, now_ms: UnixMillis) -> Outputs {
        let missing_ms = i64::from(SYNC_MISSING_MS);
        let mut states = Vec::new();
        for part in self.parts.values().filter(|part| part.view.is_some()) {
            let is_missing = now_ms.saturating_sub(part.synced_ms) >= missing_ms;
            let report = match &part.report {
                Some(report) if !report.state.is_current() => report.clone(),
                Some(_) if is_missing => StateReport::of(ViewState::Stale { since_ms: part.synced_ms }),
                _ => continue,
            };
            states.push(part.event(EventType::State).with(&report));
        }
        states.into_iter().for_each(|event| self.say(event));
        self.take_outputs()
    }

    fn take_outputs(&mut self) -> Outputs {
        std::mem::take(&mut self.outputs)
    }

    pub(super) fn say(&mut self, event: StreamEvent) {
        self.is_open = true;
        self.outputs.events.extend(self.past.take_first());
        self.outputs.events.push(event);
    }

    fn end(&mut self, problem: Problem, spread_ms: Option<u32>) {
        if self.outputs.end.is_some() {
            return;
        }
        if !self.is_open {
            self.outputs.end = Some(Ending::Refused(problem));
            return;
        }
        let mut last = StreamEvent::of(EventType::End).with(&problem);
        last.fields.extend(spread_ms.map(|spread_ms| ("spread_ms".to_owned(), spread_ms.into())));
        self.say(last);
        self.outputs.end = Some(Ending::Over);
    }

    fn welcome(&mut self, welcome: &Welcome) {
        let named = |name: &ClusterName| welcome.clusters.iter().find(|cluster| cluster.name == *name);
        let found = self.request.cluster.as_ref().map_or(welcome.cluster(), named);
        let Some(found) = found else {
            let name = self.request.cluster.as_ref().map_or("", ClusterName::as_str);
            let message = format!("this gateway shows no cluster {name:?}");
            return self.end(Problem::new(Reason::NotFound, message), None);
        };
        self.welcomed.cluster = found.name.as_str().into();
        // Without the cluster's kinds its resources can't be named.
        if let (Some(problem), None, "") = (&found.problem, &self.scope, &*found.version) {
            let message = format!("the cluster {} can't be reached: {}", found.name, problem.problem.message);
            return self.end(Problem::new(Reason::ServiceUnavailable, message), None);
        }
        let is_other = self.scope.is_some() && self.welcomed.rules != welcome.rules;
        self.welcomed.rules = welcome.rules.clone();
        self.welcomed.ends_ms = welcome.replays.map(|replays| replays.to_ms);
        // What was sent may not be shown any more; each part is answered anew.
        if is_other {
            let mut resets: Vec<_> = PastOf(self).forget().into_iter().collect();
            for part in self.parts.values_mut() {
                resets.extend(part.forget());
            }
            resets.into_iter().for_each(|event| self.say(event));
        }
    }

    /// The first part says that the log is told, and from which cluster.
    fn log(&mut self, answer: &LogAnswer) {
        let Some(part) = answer.read() else { return };
        if let (Some(scope), false) = (&self.scope, self.is_open) {
            let about = json!({ "cluster": self.welcomed.cluster, "resource": scope.resource });
            let mut first = StreamEvent::of(EventType::Subscribed).with(&about);
            if let Namespaces::These(names) = &scope.namespaces {
                first.fields.insert("namespaces".to_owned(), json!(names));
            }
            self.say(first);
        }
        let is_over = part.over;
        self.logs.of(part).into_iter().for_each(|event| self.say(event));
        if is_over {
            self.say(StreamEvent::of(EventType::End));
            self.outputs.end = Some(Ending::Over);
        }
    }

    fn rows(&mut self, rows: Rows) {
        let Some(id) = self.id_of(rows.view) else { return };
        let Some(part) = self.parts.get_mut(&id) else { return };
        let mut events = Vec::new();
        if rows.reset {
            let reset = part.forget();
            if let (Some(_), Some(told)) = (&reset, self.past.told()) {
                *told = Told::default();
            }
            events.extend(reset);
        }
        events.extend(rows.gap.as_ref().map(|gap| part.event(EventType::Gap).with(gap)));
        let mut told = self.past.told();
        // Deletions come first, because an object that was made anew has the same name.
        for (row, place) in rows.delete.iter().zip(rows.left) {
            part.named.remove(*row);
            if told.as_mut().is_some_and(|told| !told.remove(*row)) {
                continue;
            }
            let about = About { id: *row, place, version: rows.resource_version.clone() };
            events.push(StreamEvent { about: Some(about), ..StreamEvent::of(EventType::Deleted) });
        }
        for row in rows.put {
            let was_told = told.as_ref().is_some_and(|told| told.is_there(row.id));
            let is_known = part.named.put(&row) || was_told;
            if told.as_mut().is_some_and(|told| !told.put(row.id, &row.resource_version)) {
                continue;
            }
            let kind = if is_known { EventType::Modified } else { EventType::Added };
            let mut event = StreamEvent::of(kind);
            if rows.masked.contains(&row.id) {
                event.fields.insert("masked".to_owned(), true.into());
            }
            if let Some(health) = row.health().and_then(|health| serde_json::to_value(health).ok()) {
                event.fields.insert("health".to_owned(), health);
            }
            match self.request.projection {
                Projection::Cells => event = part.with_cells(event, &row),
                Projection::Object | Projection::Timeline | Projection::Log => {
                    event.object = row.extra.and_then(|extra| extra.object);
                }
            }
            let place = (row.namespace, row.name);
            event.about = Some(About { id: row.id, place, version: row.resource_version });
            events.push(event);
        }
        part.holds |= !part.named.is_empty();
        if rows.more {
            part.is_between_cuts = true;
        } else {
            events.extend(told.map(|told| part.settle(told, &rows.resource_version)).into_iter().flatten());
            part.cut(rows.to, rows.resource_version, part.named.digest());
        }
        self.say_at_cut(events);
        if !rows.more {
            PastOf(self).is_whole(id);
        }
    }

    fn timeline(&mut self, frame: TimelineFrame) {
        let Some(id) = self.id_of(frame.view) else { return };
        let Some(part) = self.parts.get_mut(&id) else { return };
        let mut events = Vec::new();
        if frame.reset {
            events.extend(part.forget());
        }
        events.extend(frame.entries.into_iter().filter_map(|entry| part.entry(entry)));
        part.holds |= !events.is_empty();
        part.cut(frame.to, Default::default(), None);
        self.say_at_cut(events);
    }

    fn sync(&mut self, sync: &Sync, now_ms: UnixMillis) {
        let Some(id) = self.id_of(sync.view) else { return };
        let Some(part) = self.parts.get_mut(&id) else { return };
        part.synced_ms = now_ms;
        part.proven(sync);
        let event = part.event(EventType::Sync).with(&json!({
            "resource_version": sync.resource_version,
            "proof_ms": sync.proof_ms,
            "now_ms": sync.now_ms,
            "cluster_now_ms": sync.cluster_now_ms,
        }));
        self.say_at_cut(vec![event]);
    }

    fn state(&mut self, StateFrame { view, report }: StateFrame) {
        let Some(id) = self.id_of(view) else { return };
        let is_refused = matches!(report.state, ViewState::Forbidden { .. });
        if id == WHOLE
            && let Split::Into(names) = self.split_of(&Namespaces::All, is_refused)
        {
            return self.split_by(names);
        }
        let Some(part) = self.parts.get_mut(&id) else { return };
        // The answer to the subscription said it.
        if part.report.as_ref() == Some(&report) {
            return;
        }
        part.report = Some(report.clone());
        let event = part.event(EventType::State).with(&report);
        if let (Past::At(_), ViewState::Failed { .. }, Some(problem)) =
            (&self.past, &report.state, &report.problem)
        {
            return self.end(problem.clone(), None);
        }
        self.say(event);
        if matches!(report.state, ViewState::Past(_)) {
            PastOf(self).is_of_past(id);
        }
        // A selector that the API server refuses stays wrong.
        let is_hopeless = |problem: &Problem| matches!(problem.reason, Reason::BadRequest | Reason::Invalid);
        if let (ViewState::Failed { .. }, Some(problem)) = (&report.state, report.problem)
            && is_hopeless(&problem)
        {
            self.end(problem, None);
        }
    }

    /// A part that ends is said; the last one ends the stream.
    fn refused(&mut self, id: SubscriptionId, problem: Problem) {
        if self.past.asks(id) || self.request.projection == Projection::Log {
            return self.end(problem, None);
        }
        let is_hidden = problem.reason == Reason::Hidden;
        if id == WHOLE
            && let Split::Into(names) = self.split_of(&Namespaces::All, is_hidden)
        {
            self.parts.remove(&WHOLE);
            return self.split_by(names);
        }
        let Some(mut part) = self.parts.remove(&id) else { return };
        if self.parts.is_empty() {
            return self.end(problem, None);
        }
        let (reset, said) = (part.forget(), part.event(EventType::Problem).with(&problem));
        self.say(said);
        reset.into_iter().for_each(|event| self.say(event));
    }

    fn id_of(&self, view: ViewId) -> Option<SubscriptionId> {
        self.parts.iter().find(|(_, part)| part.view == Some(view)).map(|(id, _)| *id)
    }

    /// The namespaces that were asked for.
    pub(super) fn asked(&self) -> Option<&Namespaces> {
        Some(&self.scope.as_ref()?.namespaces)
    }

    /// The last of these events says where the stream stands, if it stands anywhere.
    fn say_at_cut(&mut self, mut events: Vec<StreamEvent>) {
        if let Some(last) = events.last_mut() {
            last.resume = self.token();
        }
        events.into_iter().for_each(|event| self.say(event));
    }

    /// `None` while a part is between two cuts, and of a view as of a time, which ends.
    fn token(&self) -> Option<String> {
        if self.past.at_ms().is_some() || self.parts.values().any(|part| part.is_between_cuts) {
            return None;
        }
        let tokens =
            self.parts.values().filter_map(|part| Some((part.namespace.clone(), part.token.clone()?)));
        let rest = self.resumed.parts.iter().cloned();
        Resume::new(self.scope.as_ref()?, self.request.projection.word(), tokens.chain(rest).collect())
            .to_text()
    }
}
