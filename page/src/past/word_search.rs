//! The search for a word in the record: what was asked and answered. The time is that of the slider. Never what is shown of
//! it, which [`super::found_list`] makes.

use std::ops::Deref;
use std::sync::Arc;

use replica::client::ViewKey;
use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::{Found, Past, PastAnswer};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::model::InPlaceOfRows;
use super::recorded_changes::named_cluster;
use super::span::Window;
use crate::table_view::Client;

/// The search of a page, while its list is open.
#[derive(Default)]
pub(crate) struct WordSearch {
    pub(super) is_open: bool,
    pub(super) word: Box<str>,
    pub(super) step: Step,
    pub(super) model: Option<Arc<InPlaceOfRows>>,
    pub(super) made_ms: UnixMillis,
}

#[derive(Default)]
pub(super) enum Step {
    /// No word was typed.
    #[default]
    Typing,
    /// It is asked for with the next connection.
    Due,
    Asked {
        /// With the cluster that is asked, where the view has several.
        ids: Vec<(SubscriptionId, Option<ClusterName>)>,
        done: Done,
    },
    Done(Done),
}

/// What came of a question.
pub(super) struct Done {
    view: ViewKey,
    pub(super) window: Window,
    pub(super) answers: Vec<FoundIn>,
    pub(super) problem: Option<Problem>,
}

/// What one cluster has answered.
pub(super) struct FoundIn {
    /// Where the view has several.
    pub(super) cluster: Option<ClusterName>,
    pub(super) found: Found,
}

impl Deref for FoundIn {
    type Target = Found;
    fn deref(&self) -> &Found {
        &self.found
    }
}

impl WordSearch {
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The word that is looked for; empty while the list is closed.
    pub(super) fn word(&self) -> &str {
        if self.is_open { &self.word } else { "" }
    }

    /// As an address says it.
    pub(super) fn go_to(&mut self, word: Box<str>) {
        let step = if word.is_empty() { Step::Typing } else { Step::Due };
        *self = Self { is_open: !word.is_empty(), word, step, ..Self::default() };
    }

    pub(super) fn open(&mut self) {
        self.is_open = true;
    }

    /// Opens or closes the list.
    pub(super) fn toggle(&mut self) {
        let is_open = !self.is_open;
        *self = Self { is_open, ..Self::default() };
    }

    pub(super) fn look_for(&mut self, word: &str) {
        self.word = word.trim().into();
        self.step = if self.word.is_empty() { Step::Typing } else { Step::Due };
        self.model = None;
    }

    /// Asks what is due, of these scopes of a view.
    pub(super) fn ask(&mut self, (view, scopes): (ViewKey, &[Scope]), window: Window, client: &mut Client) {
        if matches!(&self.step, Step::Done(done) if done.view != view) {
            // Another kind is shown.
            self.step = Step::Due;
        }
        if !self.is_open || !matches!(self.step, Step::Due) {
            return;
        }
        let Window { from_ms, to_ms } = window;
        let asked = PastAsked::Search { from_ms, to_ms, word: self.word.clone() };
        let is_of_one = scopes.len() == 1;
        let ids = scopes.iter().filter_map(|scope| {
            let id = client.ask_past(scope.clone(), asked.clone())?;
            Some((id, named_cluster(scope, is_of_one, client)))
        });
        let ids: Vec<(SubscriptionId, Option<ClusterName>)> = ids.collect();
        if !ids.is_empty() {
            self.step = Step::Asked { ids, done: Done { view, window, answers: Vec::new(), problem: None } };
            self.model = None;
        }
    }

    pub(super) fn came(&mut self, answer: &PastAnswer) {
        self.answered(answer.id, |done, cluster| {
            if let Some(Past::Found(found)) = answer.read() {
                done.answers.push(FoundIn { cluster, found });
            }
        });
    }

    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        let is_cut = problem.reason == Reason::ConnectionClosed;
        match &self.step {
            Step::Asked { ids, .. } if is_cut && ids.iter().any(|(asked, _)| *asked == id) => {
                self.step = Step::Due
            }
            _ => self.answered(id, |done, _| done.problem = Some(problem.clone())),
        }
    }

    fn answered(&mut self, id: SubscriptionId, note: impl FnOnce(&mut Done, Option<ClusterName>)) {
        let Step::Asked { ids, done } = &mut self.step else { return };
        let Some(at) = ids.iter().position(|(asked, _)| *asked == id) else { return };
        let (_, cluster) = ids.swap_remove(at);
        note(done, cluster);
        self.model = None;
        if ids.is_empty()
            && let Step::Asked { done, .. } = std::mem::take(&mut self.step)
        {
            self.step = Step::Done(done);
        }
    }
}
