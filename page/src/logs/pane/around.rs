//! What stands around the rows: the tools, the choice of pods, what can't be read, and the bar below.

use shared::state::UnixMillis;

use super::super::model::{ChosenContainer, ChosenPod, LogsChoice, LogsFoot, LogsOffer, LogsTools};
use super::super::reading::State;
use super::super::words;
use super::LogsPane;
use crate::messages;

impl LogsPane {
    pub(super) fn tools(&self) -> LogsTools {
        let here = self.view.here.and_then(|number| self.buffer.place_of(number));
        let (at, of) = self.buffer.found(here);
        let is_at_hit = here.and_then(|place| self.buffer.entries().get(place)).is_some_and(|it| it.is_found);
        let hits = if self.buffer.needle().is_nothing() {
            String::new()
        } else {
            words::hits(if is_at_hit { at } else { 0 }, of, self.buffer.is_looking())
        };
        let containers: Vec<&str> = match &*self.settings.containers {
            [] => {
                let mut names = self.reading.sources.containers();
                names.truncate(self.reading.sources.all().len());
                names
            }
            chosen => chosen.iter().map(|name| &**name).collect(),
        };
        LogsTools {
            find: self.settings.find.to_string(),
            hits,
            filter: self.settings.filter.to_string(),
            is_filter_unread: self.buffer.filter().problem.is_some(),
            chosen: words::chosen(self.pods(), &containers),
            from: self.settings.from,
            times: self.settings.times,
            wraps: self.settings.wraps,
            has_json: self.has_json,
            is_raw: self.settings.is_raw,
        }
    }

    pub(super) fn choice(&self) -> LogsChoice {
        let sources = &self.reading.sources;
        let pod = |name: &str| {
            let all: Vec<_> = sources.of_pod(name).collect();
            let mut states: Vec<&str> =
                all.iter().map(|source| words::state(source.state, source.is_gone)).collect();
            states.retain(|state| !state.is_empty());
            states.dedup();
            ChosenPod {
                name: name.to_owned(),
                colour: sources.colour_of(name),
                is_on: self.settings.pods.is_empty() || self.settings.pods.iter().any(|held| **held == *name),
                state: states.join(", "),
            }
        };
        let container = |name: &str| ChosenContainer {
            name: name.to_owned(),
            kind: sources
                .all()
                .iter()
                .find(|source| *source.container == *name)
                .map_or("", |it| words::kind(it.kind)),
            is_on: self.settings.containers.is_empty()
                || self.settings.containers.iter().any(|held| **held == *name),
        };
        LogsChoice {
            pods: sources.pods().into_iter().map(pod).collect(),
            containers: sources.containers().into_iter().map(container).collect(),
            is_some: !self.settings.pods.is_empty(),
            is_previous: self.settings.is_previous,
        }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let unread = (!self.unread.is_empty()).then(|| words::unread(&self.unread));
        let filter = self.buffer.filter().problem.clone();
        let line = self.view.is_line_gone.then(|| words::LINE_IS_GONE.to_owned());
        [unread, self.find_problem.clone(), filter, line].into_iter().flatten().collect()
    }

    pub(super) fn empty(&self, now_ms: UnixMillis) -> Option<(String, String)> {
        let of = |strong: &str, why: &str| Some((strong.to_owned(), why.to_owned()));
        if let State::Refused { problem, again_ms } = self.reading.state() {
            let again = again_ms.map(|at_ms| words::asked_again(at_ms.saturating_sub(now_ms).max(0) / 1_000));
            if self.buffer.entries().is_empty() {
                return Some((words::of_refusal(problem), again.unwrap_or_default()));
            }
        }
        if self.layout.total() > 0 {
            return None;
        }
        if !self.buffer.entries().is_empty() {
            return of(words::NO_LINE_MATCHES, &self.settings.filter);
        }
        match (self.reading.state(), self.reading.sources.all().is_empty()) {
            (State::Over, true) => of(words::NO_PODS, ""),
            (State::Over, false) => of(words::NO_LINES, ""),
            (_, _) if !self.reading.is_caught_up => of("", words::ASKED),
            (_, true) => of(words::NO_PODS, words::NO_PODS_WHY),
            (_, false) => of(words::NO_LINES, words::NO_LINES_WHY),
        }
    }

    pub(super) fn foot(&self) -> LogsFoot {
        let waiting = self.paused.as_ref();
        let (strong, text, offer) = match (waiting, self.reading.state()) {
            (Some(paused), _) => {
                let dropped = match paused.dropped {
                    0 => String::new(),
                    dropped => format!(" {}", words::let_go_while_paused(dropped)),
                };
                let text = format!("{}{dropped}", words::wait(paused.waiting.len()));
                (words::PAUSED, text, Some(LogsOffer::Resume))
            }
            (None, State::Over) => (words::ENDED, String::new(), None),
            (None, State::Refused { problem, .. }) => {
                (words::REFUSED, messages::sentence(&problem.message), None)
            }
            (None, State::NotAsked) => (words::ASKING, String::new(), None),
            (None, State::Asked(_)) if self.view.follows => (words::FOLLOWING, String::new(), None),
            (None, State::Asked(_)) => (words::NOT_FOLLOWING, String::new(), Some(LogsOffer::Follow)),
        };
        let all = self.buffer.entries().iter().filter(|entry| entry.is_line()).count();
        let count = words::lines(self.shown_lines().count(), all, self.pods(), self.buffer.dropped);
        LogsFoot { strong: strong.to_owned(), text, offer, count }
    }

    pub(super) fn pods(&self) -> usize {
        let mut pods: Vec<&str> = self.reading.sources.all().iter().map(|source| &*source.pod).collect();
        pods.sort_unstable();
        pods.dedup();
        pods.len()
    }
}
