//! What is asked of the gateway for the tab, and how that stands: one answer with many parts, which goes on over broken
//! connections behind what the page has.

use shared::frame::client::{LogAsked, LogHas, SubscriptionId};
use shared::frame::server::{LogEntry, LogMark, LogPart, LogTime, SourceState};
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::beginning::Beginning;
use super::between::Mark;
use super::buffer::{Arrived, Buffer, What};
use super::level::Level;
use super::settings::Settings;
use super::sources::{Source, Sources};
use super::text::Text;
use super::withheld::is_withheld;
use crate::limits::LOGS_AGAIN_MS;
use crate::table_view::Client;

/// An answer of the gateway. The pane asks for it and takes its parts; the answer keeps what they said of the sources.
#[derive(Debug, Default)]
pub(super) struct Reading {
    state: State,
    pub(super) sources: Sources,
    pub(super) beginning: Beginning,
    /// The level of the last line of each source that says one: lines below it that begin with a space are part of it.
    levels: Vec<Option<Level>>,
    /// The sources are others, or have other names, than when this was taken last.
    is_named_anew: bool,
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

impl Reading {
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Asks, unless it was asked or nothing is to be had. Returns whether it stands otherwise than before.
    pub(super) fn follow(
        &mut self,
        scope: &Scope,
        settings: &Settings,
        client: &mut Client,
        has: Has<'_>,
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
        let asked = self.asked(settings, client, &has);
        let goes_on = |source: &Source| {
            let is_it = |has: &LogHas| has.pod == source.pod && has.container == source.container;
            !source.is_gone && asked.has.iter().any(is_it)
        };
        let sources = self.sources.all().iter().zip(0..);
        let going_on = sources.filter(|(source, _)| goes_on(source)).map(|(_, n)| n).collect();
        self.beginning.asked(&asked, going_on, has.buffer.entries().is_empty());
        self.sources.begin_answer();
        let Some(id) = client.open_logs(scope.clone(), asked) else { return false };
        self.state = State::Asked(id);
        true
    }

    fn asked(&self, settings: &Settings, client: &Client, has: &Has<'_>) -> LogAsked {
        let told = |(source, n): (&Source, u32)| {
            let (at, lines) = has.buffer.told(n)?;
            let (pod, container) = (source.pod.clone(), source.container.clone());
            (!source.is_gone).then_some(LogHas { pod, container, at, lines })
        };
        let line = settings.line.as_ref().filter(|_| has.buffer.entries().is_empty());
        let since_ms = match line {
            Some(line) => Some(line.at.ms.saturating_sub(BEFORE_LINE_MS)),
            None => settings.from.since_ms().map(|ms| client.gateway_ms(has.now_ms).saturating_sub(ms)),
        };
        LogAsked {
            containers: settings.containers.clone(),
            pods: settings.pods.clone(),
            previous: settings.is_previous,
            since: since_ms.map(|ms| LogTime { ms, ns: 0 }),
            tail: settings.from.tail().filter(|_| line.is_none()),
            has: self.sources.all().iter().zip(0..).filter_map(told).collect(),
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
        self.sources.leave();
        self.levels.clear();
    }

    /// What came since the last call.
    pub(super) fn take(&mut self, client: &mut Client) -> Vec<Vec<Arrived>> {
        let State::Asked(id) = self.state else { return Vec::new() };
        let parts = client.take_logs(id).into_iter().filter_map(|answer| answer.read()).collect::<Vec<_>>();
        parts.into_iter().map(|part| self.came(part, client)).collect()
    }

    /// Whether sources were told since the last call.
    pub(super) fn take_is_named_anew(&mut self) -> bool {
        std::mem::take(&mut self.is_named_anew)
    }

    fn came(&mut self, part: LogPart, client: &mut Client) -> Vec<Arrived> {
        self.sources.told(&part.sources);
        self.is_named_anew |= !part.sources.is_empty();
        self.is_caught_up |= part.caught_up;
        let arrived = part.entries.into_iter().filter_map(|entry| self.arrived(entry)).collect();
        if part.caught_up {
            self.beginning.caught_up();
        }
        if let (true, State::Asked(id)) = (part.over, &self.state) {
            client.close_logs(*id, true);
            self.state = State::Over;
        }
        arrived
    }

    fn arrived(&mut self, entry: LogEntry) -> Option<Arrived> {
        let source = self.sources.of_answer(entry.n)?;
        let Some(text) = entry.text else {
            let mark = entry.mark?;
            if let Some(source) = self.sources.get_mut(source) {
                source.is_gone |= mark == LogMark::Deleted;
                if mark == LogMark::Refused {
                    source.state = SourceState::Refused;
                }
            }
            let LogEntry { exit_code, lines, problem, .. } = entry;
            let what = What::Mark(Box::new(Mark { mark, exit_code, lines, problem }));
            return Some(Arrived { source, at: entry.at, what });
        };
        self.beginning.line(source);
        let place = usize::try_from(source).ok()?;
        if self.levels.len() <= place {
            self.levels.resize(place + 1, None);
        }
        let held = self.levels.get_mut(place)?;
        let text = Text::read(&text);
        let level = Level::of_line(&text.text, *held);
        *held = level;
        Some(Arrived { source, at: entry.at, what: What::Line { text, level, cut: entry.cut } })
    }

    /// Returns whether nothing that was told may be shown any more.
    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) -> bool {
        let is_ours = self.state == State::Asked(id);
        if is_ours {
            self.failure = Some(problem.clone());
        }
        is_ours && is_withheld(problem)
    }

    /// Why it ended, before that is taken in.
    pub(super) fn failure(&self) -> Option<&Problem> {
        self.failure.as_ref()
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
    pub(super) fn timer_ms(&self) -> Option<UnixMillis> {
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
