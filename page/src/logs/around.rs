//! What stands around the rows: the tools, the choice of pods, and the bar below.

use shared::state::UnixMillis;

use super::beginning::Older;
use super::lines::Lines;
use super::model::{ChosenContainer, ChosenPod, LogsChoice, LogsFoot, LogsOffer, LogsTools};
use super::pod::Pod;
use super::question::State;
use super::questions::Questions;
use super::settings::Settings;
use super::words;
use crate::messages;

/// What the tools, the choice of pods and the bar below are made from. The pane makes one for each time that it draws.
pub(super) struct Around<'a> {
    pub(super) lines: &'a Lines,
    pub(super) questions: &'a Questions,
    pub(super) settings: &'a Settings,
    pub(super) here: Option<u64>,
    pub(super) older: Older,
    pub(super) follows: bool,
}

impl Around<'_> {
    pub(super) fn tools(&self) -> LogsTools {
        let Self { lines, settings, .. } = self;
        LogsTools {
            find: settings.find.to_string(),
            hits: self.hits(),
            hits_why: words::hits_why(self.older),
            filter: settings.filter.to_string(),
            is_filter_unread: lines.buffer.filter().problem.is_some(),
            chosen: words::chosen(self.questions.clusters(), self.pods(), &self.containers()),
            has_clusters: !self.questions.is_of_one_cluster(),
            from: settings.from,
            times: settings.times,
            wraps: settings.wraps,
            has_json: lines.has_json,
            is_raw: settings.is_raw,
            events: (lines.buffer.has_events() || settings.hides_events).then_some(!settings.hides_events),
        }
    }

    fn hits(&self) -> String {
        let buffer = &self.lines.buffer;
        if buffer.needle().is_nothing() {
            return String::new();
        }
        let here = self.here.and_then(|number| self.lines.numbered(number));
        let here = here.filter(|(_, entry)| entry.is_found).map(|(place, _)| place);
        let (at, of) = buffer.found(here);
        words::hits(at, of, buffer.is_looking(), self.older)
    }

    fn containers(&self) -> Vec<&str> {
        if self.settings.containers.is_empty() {
            self.questions.sources().read_containers()
        } else {
            self.settings.containers.iter().map(|name| &**name).collect()
        }
    }

    fn pods(&self) -> usize {
        self.questions.sources().read_pods()
    }

    pub(super) fn choice(&self) -> LogsChoice {
        let (sources, settings) = (self.questions.sources(), self.settings);
        let is_on =
            |chosen: &[Box<str>], name: &str| chosen.is_empty() || chosen.iter().any(|on| **on == *name);
        let pod = |pod: &Pod| {
            let states = sources.of_pod(pod).map(|source| words::state(source.state, source.is_gone));
            let mut states: Vec<&str> = states.filter(|state| !state.is_empty()).collect();
            states.dedup();
            ChosenPod {
                key: pod.to_string(),
                cluster: sources.cluster_of(pod).unwrap_or_default().to_owned(),
                name: pod.name.to_string(),
                colour: sources.colour_of(pod),
                is_on: settings.is_read(pod),
                state: states.join(", "),
            }
        };
        let container = |name: &str| {
            let source = sources.read().find(|source| *source.container == *name);
            let kind = source.map_or("", |source| words::kind(source.kind));
            ChosenContainer { name: name.to_owned(), kind, is_on: is_on(&settings.containers, name) }
        };
        LogsChoice {
            clusters: self.questions.choice(),
            pods: sources.pods().into_iter().map(pod).collect(),
            containers: sources.containers().into_iter().map(container).collect(),
            is_some: !settings.pods.is_empty(),
            is_previous: settings.is_previous,
        }
    }

    /// In place of the lines: bold, and why.
    pub(super) fn empty(&self, now_ms: UnixMillis) -> Option<(String, String)> {
        let of = |strong: &str, why: &str| Some((strong.to_owned(), why.to_owned()));
        let has_lines = !self.lines.buffer.entries().is_empty();
        if let (false, Some((problem, again_ms))) = (has_lines, self.questions.problem()) {
            let left_s = again_ms.map(|at_ms| at_ms.saturating_sub(now_ms).max(0) / 1_000);
            let again = left_s.map(words::asked_again).unwrap_or_default();
            return Some((messages::sentence(&problem.message), again));
        }
        if self.lines.layout.total() > 0 {
            return None;
        }
        if has_lines {
            return of(words::NO_LINE_MATCHES, &words::passed(&self.settings.filter, self.older));
        }
        match (self.questions.state(), self.questions.sources().is_empty()) {
            (State::Over, true) => of(words::NO_PODS, ""),
            (State::Over, false) => of(words::NO_LINES, ""),
            _ if !self.questions.is_caught_up() => of("", words::ASKED),
            (_, true) => of(words::NO_PODS, words::NO_PODS_WHY),
            (_, false) => of(words::NO_LINES, words::NO_LINES_WHY),
        }
    }

    pub(super) fn foot(&self) -> LogsFoot {
        let (strong, text, offer) = match (&self.lines.paused, self.questions.state()) {
            (Some(paused), _) => {
                let (waiting, dropped) = paused.waiting();
                (words::PAUSED, words::wait(waiting, dropped), Some(LogsOffer::Resume))
            }
            (None, State::Over) => (words::ENDED, String::new(), None),
            (None, State::Refused { problem, .. }) => {
                (words::REFUSED, messages::sentence(&problem.message), None)
            }
            (None, State::NotAsked) => (words::ASKING, String::new(), None),
            (None, State::Asked(_)) if self.follows => (words::FOLLOWING, String::new(), None),
            (None, State::Asked(_)) => (words::NOT_FOLLOWING, String::new(), Some(LogsOffer::Follow)),
        };
        let (shown, all) = (self.lines.shown().count(), self.lines.count());
        let count = words::lines(shown, all, self.pods(), self.lines.buffer.dropped());
        LogsFoot { strong: strong.to_owned(), text, offer, count }
    }
}
