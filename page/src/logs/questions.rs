//! What is asked of the gateway for the tab: a question for each cluster whose log is read, of the same object in each. Behind
//! it there are sources alone, whichever clusters they are of. Never the lines.

use replica::client::ViewKey;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{LogEntry, LogMark, LogPart, SourceState};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::beginning::Older;
use super::between::Mark;
use super::buffer::{Arrived, What};
use super::level::Level;
use super::model::ChosenCluster;
use super::question::{Has, Question, State};
use super::settings::Settings;
use super::sources::Sources;
use super::text::Text;
use super::words;
use crate::messages::sentence;
use crate::table_view::Client;

/// The questions of one object's logs, and what their answers said of the sources. The pane has them asked and takes what came;
/// it knows the lines by the numbers of their sources.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// That of the object's own cluster first.
    all: Vec<Question>,
    sources: Sources,
    /// The level of the last line of each source that says one: lines below it that begin with a space are part of it.
    levels: Vec<Option<Level>>,
    /// The clusters that can be read, in the gateway's order.
    offered: Vec<ClusterName>,
    /// The name of the object's own cluster.
    own: Box<str>,
    /// The sources are others, or have other names, than when this was taken last.
    is_named_anew: bool,
}

/// What may not be shown any more.
pub(super) struct Withdrawn {
    /// It is of the object's own cluster.
    pub(super) is_own: bool,
    pub(super) sources: Vec<u32>,
}

impl Questions {
    /// Takes in of which object in which clusters there are questions. `view`: the one beside the panel, whose clusters can be
    /// chosen. Returns the sources that aren't read any more.
    pub(super) fn choose(
        &mut self,
        (scope, view): (&Scope, Option<ViewKey>),
        chosen: &[Box<str>],
        client: &mut Client,
    ) -> Vec<u32> {
        let own = scope.cluster.clone().or_else(|| Some(client.cluster()?.name.clone()));
        self.own = own.as_ref().map_or_else(Box::default, |name| name.as_str().into());
        let of_view = view.and_then(|key| client.view(key)).map(|view| &view.subscription().clusters);
        let is_chosen = |name: &ClusterName| chosen.iter().any(|held| **held == *name.as_str());
        let served = || client.clusters().iter().map(|cluster| &cluster.name);
        let is_offered = |name: &&ClusterName| {
            own.as_ref() == Some(*name) || is_chosen(name) || of_view.is_some_and(|view| view.contains(name))
        };
        self.offered = served().filter(is_offered).cloned().collect();
        let others = served().filter(|name| is_chosen(name) && own.as_ref() != Some(*name));
        let other = |name: &ClusterName| {
            (Some(name.as_str().into()), Scope { cluster: client.in_scope(name), ..scope.clone() })
        };
        let wanted: Vec<(Option<Box<str>>, Scope)> =
            std::iter::once((None, scope.clone())).chain(others.map(other)).collect();
        let mut left = Vec::new();
        let mut held = std::mem::take(&mut self.all);
        for (cluster, scope) in wanted {
            let is_it = |held: &Question| held.cluster == cluster && held.scope == scope;
            let question = match held.iter().position(is_it) {
                Some(at) => held.swap_remove(at),
                None => Question::new(cluster, scope),
            };
            self.all.push(question);
        }
        for mut question in held {
            question.end(client);
            left.extend(self.sources.leave_cluster(&question.cluster));
        }
        let is_renamed = self.sources.name_clusters((self.all.len() > 1).then_some(&*self.own));
        self.is_named_anew |= is_renamed || !left.is_empty();
        left
    }

    pub(super) fn sources(&self) -> &Sources {
        &self.sources
    }

    pub(super) fn is_of_one_cluster(&self) -> bool {
        self.all.len() < 2
    }

    pub(super) fn clusters(&self) -> usize {
        self.all.len()
    }

    /// Asks what is to be asked now. Returns whether one stands otherwise than before.
    pub(super) fn follow(&mut self, settings: &Settings, client: &mut Client, has: &Has<'_>) -> bool {
        let Self { all, sources, .. } = self;
        all.iter_mut().fold(false, |is_new, question| {
            let has_failed = question.take_failure(has.now_ms);
            question.follow(settings, sources, client, has) || has_failed || is_new
        })
    }

    /// The reader doesn't see them any more. What was told stays.
    pub(super) fn end(&mut self, client: &mut Client) {
        self.all.iter_mut().for_each(|question| question.end(client));
    }

    /// Asks for something else.
    pub(super) fn begin_anew(&mut self, client: &mut Client) {
        self.all.iter_mut().for_each(|question| question.begin_anew(client));
        self.sources.leave();
        self.levels.clear();
    }

    /// What came since the last call.
    pub(super) fn take(&mut self, client: &mut Client) -> Vec<Vec<Arrived>> {
        let Self { all, sources, levels, is_named_anew, .. } = self;
        let mut came = Vec::new();
        for question in all {
            for LogPart { sources: told, entries, caught_up, over, .. } in question.take(client) {
                sources.told(&told, &question.cluster, &mut question.numbers);
                *is_named_anew |= !told.is_empty();
                let entries = entries.into_iter();
                came.push(entries.filter_map(|entry| arrived(entry, question, sources, levels)).collect());
                question.came(caught_up, over, client);
            }
        }
        came
    }

    /// Whether sources were told, named anew or left since the last call.
    pub(super) fn take_is_named_anew(&mut self) -> bool {
        std::mem::take(&mut self.is_named_anew)
    }

    /// What may not be shown any more.
    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) -> Option<Withdrawn> {
        let failed =
            |question: &mut Question| Some((question.failed(id, problem)?, question.cluster.clone()));
        let (is_withheld, cluster) = self.all.iter_mut().find_map(failed)?;
        let sources = self.sources.of_cluster(&cluster).map(|(n, _)| n).collect();
        is_withheld.then_some(Withdrawn { is_own: cluster.is_none(), sources })
    }

    /// How the log as a whole stands: it goes on while one of them does.
    pub(super) fn state(&self) -> &State {
        let rank = |state: &&State| match state {
            State::Asked(_) => 0,
            State::NotAsked => 1,
            State::Over => 2,
            State::Refused { .. } => 3,
        };
        self.all.iter().map(Question::state).min_by_key(rank).unwrap_or(&State::NotAsked)
    }

    /// Why nothing comes from any cluster, and when the first one is asked again.
    pub(super) fn problem(&self) -> Option<(&Problem, Option<UnixMillis>)> {
        let first = self.all.first()?;
        let is_whole = self.all.iter().all(|question| question.problem().is_some());
        Some((first.problem().filter(|_| is_whole)?, first.again_ms()))
    }

    /// All that was there has been told, by all that answer.
    pub(super) fn is_caught_up(&self) -> bool {
        let is_done = |question: &Question| {
            question.is_caught_up || question.problem().is_some() || *question.state() == State::Over
        };
        self.all.iter().any(|question| question.is_caught_up) && self.all.iter().all(is_done)
    }

    /// Whether lines may exist that are older than the first ones. `dropped`: those that the page let go.
    pub(super) fn older(&self, dropped: u64) -> Older {
        let older = self.all.iter().map(|question| question.beginning.older(dropped));
        older.max().unwrap_or_default()
    }

    /// When one is asked again.
    pub(super) fn timer_ms(&self) -> Option<UnixMillis> {
        self.all.iter().filter_map(Question::again_ms).min()
    }

    /// The clusters that can be chosen. Empty: there is one alone.
    pub(super) fn choice(&self) -> Vec<ChosenCluster> {
        if self.offered.len() < 2 {
            return Vec::new();
        }
        let chosen = |name: &ClusterName| {
            let is_own = *name.as_str() == *self.own;
            let is_it = |question: &&Question| match &question.cluster {
                None => is_own,
                Some(cluster) => **cluster == *name.as_str(),
            };
            let question = self.all.iter().find(is_it);
            let problem = question.and_then(|question| question.problem());
            ChosenCluster {
                name: name.to_string(),
                is_on: question.is_some(),
                is_own,
                why: problem.map(|problem| sentence(&problem.message)).unwrap_or_default(),
            }
        };
        self.offered.iter().map(chosen).collect()
    }

    /// Where several clusters are read: why one of them isn't, while others are. What is wrong with all stands in the place of
    /// the lines.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let is_whole = self.problem().is_some();
        let of_some = self.all.iter().filter(move |question| question.cluster.is_some() || !is_whole);
        of_some.filter(|_| !self.is_of_one_cluster()).filter_map(|question| {
            let problem = question.problem().filter(|problem| problem.reason != Reason::ConnectionClosed)?;
            Some(words::refused(question.cluster.as_ref().unwrap_or(&self.own), Some(problem)))
        })
    }
}

fn arrived(
    entry: LogEntry,
    question: &mut Question,
    sources: &mut Sources,
    levels: &mut Vec<Option<Level>>,
) -> Option<Arrived> {
    let source = question.numbers.get(usize::try_from(entry.n).ok()?).copied().flatten()?;
    let Some(text) = entry.text else {
        let mark = entry.mark?;
        if let Some(source) = sources.get_mut(source) {
            source.is_gone |= mark == LogMark::Deleted;
            if mark == LogMark::Refused {
                source.state = SourceState::Refused;
            }
        }
        let LogEntry { exit_code, lines, problem, .. } = entry;
        let what = What::Mark(Box::new(Mark { mark, exit_code, lines, problem }));
        return Some(Arrived { source, at: entry.at, what });
    };
    question.beginning.line(source);
    let place = usize::try_from(source).ok()?;
    if levels.len() <= place {
        levels.resize(place + 1, None);
    }
    let held = levels.get_mut(place)?;
    let text = Text::read(&text);
    let level = Level::of_line(&text.text, *held);
    *held = level;
    Some(Arrived { source, at: entry.at, what: What::Line { text, level, cut: entry.cut } })
}
