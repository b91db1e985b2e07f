//! How pods, containers and what happens to them are named in the log: what the filter compares with, and the sentences that
//! are drawn, laid out and found alike. Never a text that a container wrote.

use shared::frame::server::LogMark;

use super::between::{Mark, PodEvent};
use super::filter::Filter;
use super::model::MarkKind;
use super::pod::Pod;
use super::sources::{Source, Sources};
use super::text::Text;
use super::words;

/// The names of the sources, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    of_sources: Vec<Named>,
    /// Events say of which pod they are.
    has_pods: bool,
    /// What stands before the name of a pod of the object's own cluster, whose Events these are.
    own: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    pod: Box<str>,
    container: Box<str>,
    /// In a sentence.
    what: Box<str>,
}

impl Names {
    pub(super) fn of(sources: &Sources) -> Self {
        let has_names = sources.are_named();
        let named = |(source, n): (&Source, u32)| {
            let Source { pod, container, .. } = source;
            let label = sources.label_of(n).filter(|_| has_names);
            let what = label.map_or_else(|| container.clone(), |label| (&*label.text).into());
            Named { pod: sources.name_of(pod).into(), container: container.clone(), what }
        };
        Self {
            of_sources: sources.all().iter().zip(0..).map(named).collect(),
            has_pods: sources.read_pods() > 1,
            own: sources.name_of(&Pod::of_own("")).into(),
        }
    }

    pub(super) fn names_pods_as(&self, other: &Self) -> bool {
        (self.has_pods, &self.own) == (other.has_pods, &other.own)
    }

    /// Which sources the filter lets pass, by their numbers.
    pub(super) fn passed(&self, filter: &Filter) -> Vec<bool> {
        let passes = |named: &Named| filter.passes_names(&named.pod, Some(&named.container));
        self.of_sources.iter().map(passes).collect()
    }

    /// The pod of an Event.
    pub(super) fn pod_of(&self, event: &PodEvent) -> String {
        format!("{}{}", self.own, event.pod)
    }

    /// What an Event says, in one line.
    pub(super) fn event(&self, event: &PodEvent) -> String {
        let pod = self.has_pods.then(|| self.pod_of(event));
        let sentence = words::event(&event.reason, &event.message, pod.as_deref(), event.count);
        Text::read(&sentence).text.into()
    }

    /// What a mark says.
    pub(super) fn mark(&self, source: u32, mark: &Mark) -> (MarkKind, String) {
        let named = usize::try_from(source).ok().and_then(|source| self.of_sources.get(source));
        let (pod, what) =
            named.map_or((words::THESE_LOGS, words::THESE_LOGS), |named| (&*named.pod, &*named.what));
        match mark.mark {
            LogMark::Restarted => (ended(mark.exit_code), words::restarted(what, mark.exit_code)),
            LogMark::Ended => (ended(mark.exit_code), words::ended(what, mark.exit_code)),
            LogMark::Deleted => (MarkKind::Plain, words::deleted(pod)),
            LogMark::MayMiss => (MarkKind::Gap, words::may_miss(what)),
            LogMark::Skipped => (MarkKind::Gap, words::skipped(mark.lines, what)),
            LogMark::Refused => (MarkKind::Refused, words::refused(what, mark.problem.as_ref())),
            LogMark::Unknown => (MarkKind::Plain, words::unknown_mark(what)),
        }
    }
}

fn ended(exit_code: Option<i64>) -> MarkKind {
    if exit_code.is_some_and(|code| code != 0) { MarkKind::Bad } else { MarkKind::Plain }
}
