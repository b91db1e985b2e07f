//! What is asked of one cluster for the tab, and how that stands: one answer with many parts, which goes on over broken
//! connections behind what the page has. Never the lines, and never what is asked of other clusters.

use shared::frame::client::{LogAsked, LogHas, SubscriptionId};
use shared::frame::server::{LogPart, LogTime};
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::beginning::Beginning;
use super::buffer::Buffer;
use super::settings::Settings;
use super::sources::{Source, Sources};
use super::withheld::is_withheld;
use crate::limits::LOGS_AGAIN_MS;
use crate::table_view::Client;

/// A question about the object in one cluster. [`super::questions::Questions`] has all of them.
#[derive(Debug)]
pub(super) struct Question {
    /// `None`: the object's own one.
    pub(super) cluster: Option<Box<str>>,
    pub(super) scope: Scope,
    state: State,
    /// By the number that the answer gives to a source, the source.
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) beginning: Beginning,
    /// All that was there has been told.
    pub(super) is_caught_up: bool,
    /// Why it ended, which the next look takes in.
    failure: Option<Problem>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) enum State {
    #[default]
    NotAsked,
    Asked(SubscriptionId),
    /// Nothing more comes.
    Over,
    Refused {
        problem: Problem,
        /// `None`: it would be refused again.
        again_ms: Option<UnixMillis>,
    },
}

/// Before the time of the line that a link names.
const BEFORE_LINE_MS: i64 = 60_000;

impl Question {
    pub(super) fn new(cluster: Option<Box<str>>, scope: Scope) -> Self {
        Self {
            cluster,
            scope,
            state: State::NotAsked,
            numbers: Vec::new(),
            beginning: Beginning::default(),
            is_caught_up: false,
            failure: None,
        }
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Asks, unless it was asked or nothing is to be had. Returns whether it stands otherwise than before.
    pub(super) fn follow(
        &mut self,
        settings: &Settings,
        sources: &Sources,
        client: &mut Client,
        has: &Has<'_>,
    ) -> bool {
        match &self.state {
            // The page is hidden: what comes meanwhile is asked for later.
            State::Asked(_) if !client.has_reader() => {
                self.end(client);
                return true;
            }
            State::NotAsked => {}
            State::Refused { again_ms: Some(at_ms), .. } if *at_ms <= has.now_ms => {}
            _ => return false,
        }
        if !client.has_reader() {
            return false;
        }
        let is_anew = !has.buffer.entries().iter().any(|entry| sources.is_of(entry.source, &self.cluster));
        let asked = self.asked(settings, sources, client, (has, is_anew));
        let goes_on = |source: &Source| {
            let is_it = |has: &LogHas| has.pod == source.pod.name && has.container == source.container;
            !source.is_gone && asked.has.iter().any(is_it)
        };
        let going_on = sources.of_cluster(&self.cluster).filter(|(_, source)| goes_on(source));
        self.beginning.asked(&asked, going_on.map(|(n, _)| n).collect(), is_anew);
        self.numbers.clear();
        let Some(id) = client.open_logs(self.scope.clone(), asked) else { return false };
        self.state = State::Asked(id);
        true
    }

    /// `is_anew`: the page has no line of this cluster.
    fn asked(
        &self,
        settings: &Settings,
        sources: &Sources,
        client: &Client,
        (has, is_anew): (&Has<'_>, bool),
    ) -> LogAsked {
        let told = |(n, source): (u32, &Source)| {
            let (at, lines) = has.buffer.told(n)?;
            let (pod, container) = (source.pod.name.clone(), source.container.clone());
            (!source.is_gone).then_some(LogHas { pod, container, at, lines })
        };
        let line = settings.line.as_ref().filter(|_| is_anew);
        let since_ms = match line {
            Some(line) => Some(line.at.ms.saturating_sub(BEFORE_LINE_MS)),
            None => settings.from.since_ms().map(|ms| client.gateway_ms(has.now_ms).saturating_sub(ms)),
        };
        LogAsked {
            containers: settings.containers.clone(),
            pods: settings.pods_of(&self.cluster).map(|pod| pod.name).collect(),
            previous: settings.is_previous,
            since: since_ms.map(|ms| LogTime { ms, ns: 0 }),
            tail: settings.from.tail().filter(|_| line.is_none()),
            has: sources.of_cluster(&self.cluster).filter_map(told).collect(),
            ..LogAsked::default()
        }
    }

    /// The reader doesn't see it any more. What was told stays.
    pub(super) fn end(&mut self, client: &mut Client) {
        if let State::Asked(id) = self.state {
            client.close_logs(id, false);
            self.state = State::NotAsked;
        }
    }

    /// Asks for something else.
    pub(super) fn begin_anew(&mut self, client: &mut Client) {
        self.end(client);
        self.state = State::NotAsked;
        self.is_caught_up = false;
        self.numbers.clear();
    }

    /// What came since the last call.
    pub(super) fn take(&mut self, client: &mut Client) -> Vec<LogPart> {
        let State::Asked(id) = self.state else { return Vec::new() };
        client.take_logs(id).into_iter().filter_map(|answer| answer.read()).collect()
    }

    /// A part was taken in as a whole.
    pub(super) fn came(&mut self, caught_up: bool, over: bool, client: &mut Client) {
        self.is_caught_up |= caught_up;
        if caught_up {
            self.beginning.caught_up();
        }
        if let (true, State::Asked(id)) = (over, &self.state) {
            client.close_logs(*id, true);
            self.state = State::Over;
        }
    }

    /// `None`: it is another question's. Else whether nothing that was told may be shown any more.
    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) -> Option<bool> {
        if self.state != State::Asked(id) {
            return None;
        }
        self.failure = Some(problem.clone());
        Some(is_withheld(problem))
    }

    /// Why nothing comes, also before that is taken in.
    pub(super) fn problem(&self) -> Option<&Problem> {
        match (&self.failure, &self.state) {
            (Some(problem), _) | (None, State::Refused { problem, .. }) => Some(problem),
            _ => None,
        }
    }

    /// Takes in that it failed since the last call. Returns whether it did.
    pub(super) fn take_failure(&mut self, now_ms: UnixMillis) -> bool {
        let Some(problem) = self.failure.take() else { return false };
        if problem.reason == Reason::ConnectionClosed {
            self.state = State::NotAsked;
            return true;
        }
        let is_final = matches!(problem.reason, Reason::BadRequest | Reason::Hidden);
        let again_ms = (!is_final).then(|| now_ms.saturating_add(LOGS_AGAIN_MS));
        self.state = State::Refused { problem, again_ms };
        true
    }

    /// When it is asked for again.
    pub(super) fn again_ms(&self) -> Option<UnixMillis> {
        match self.state {
            State::Refused { again_ms, .. } => again_ms,
            _ => None,
        }
    }
}

/// What the page has, and its time.
pub(super) struct Has<'a> {
    pub(super) buffer: &'a Buffer,
    pub(super) now_ms: UnixMillis,
}
