//! The tab Timeline: the status over time, the entries of the log, and the comparison of two versions.

mod children;
pub mod comparison;
pub mod entries;
mod rollouts;
pub mod status_history;
mod stories;
pub mod words;

use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use shared::state::UnixMillis;

use crate::detail::history::Filter;
use crate::fields::model;
use crate::location::PanelPlace;
use crate::panel::object::PanelObject;
use crate::panel::outcome::PanelOutcome;
use crate::panel::part::{ActionContext, TabContext, TabInput, TabPart};
use crate::tab::overview::link::Links;
use crate::table_view::Client;
use children::Children;
use comparison::{Comparison, ComparisonAction, ComparisonModel, Picks};
use entries::{Entries, TimelineModel};
use status_history::{StatusHistory, StatusHistoryModel};

#[derive(Clone, Debug, PartialEq)]
pub enum TimelineAction {
    Filter(Filter),
    Older,
    /// What the changes come to in words, or each of the object's alone.
    Words,
    Compare(ComparisonAction),
}

impl TabInput for TimelineAction {}

model! {
    /// The status over time, the entries, and the comparison of the picked versions.
    pub struct Model = Fields {
        status_history: Option<Arc<StatusHistoryModel>>,
        picks: Picks,
        comparison: Option<Arc<ComparisonModel>>,
    } shared {
        entries: TimelineModel,
    } nested {
    }
}

pub(crate) struct Timeline {
    status_history: StatusHistory,
    entries: Entries,
    children: Children,
    comparison: Comparison,
}

impl Timeline {
    /// The object was open before.
    pub(crate) fn continues(&mut self, history: StatusHistory) {
        self.status_history = history;
    }

    pub(crate) fn into_status_history(self) -> StatusHistory {
        self.status_history
    }

    /// There is nothing to compare yet.
    pub(crate) fn ask_to_compare(&mut self) {
        self.comparison.asked(&ComparisonAction::LastChange, false);
    }

    pub(crate) fn update(&mut self, action: TimelineAction, at: ActionContext<'_>) -> PanelOutcome {
        match action {
            TimelineAction::Filter(filter) => self.entries.set_filter(filter),
            TimelineAction::Older => self.entries.show_older(),
            TimelineAction::Words => self.entries.toggle_words(),
            TimelineAction::Compare(action) => return self.compare(action, at),
        }
        PanelOutcome::Nothing
    }

    fn compare(&mut self, action: ComparisonAction, at: ActionContext<'_>) -> PanelOutcome {
        let picks = Picks::of(at.place).after(action.clone(), at.object, at.client);
        self.comparison.asked(&action, picks.is_some());
        match picks {
            Some(Picks { a, b }) => PanelOutcome::Replace(PanelPlace { a, b, ..at.place.clone() }),
            None => PanelOutcome::Nothing,
        }
    }
}

impl TabPart for Timeline {
    type Model = Model;

    fn new(opened_ms: UnixMillis) -> Self {
        Self {
            status_history: StatusHistory::new(opened_ms),
            entries: Entries::default(),
            children: Children::default(),
            comparison: Comparison::default(),
        }
    }

    fn keys(&self) -> Vec<ViewKey> {
        self.children.keys()
    }

    fn observe(&mut self, object: &PanelObject, client: &mut Client, now: Now) -> Vec<ViewKey> {
        self.status_history.observe(object, client, now.now_ms);
        self.children.follow(object, client, now)
    }

    fn render(&mut self, model: &mut Model, TabContext { shown, wanted, is_new }: TabContext<'_>) {
        let picks = Picks::of(&wanted.panel);
        self.children.look();
        model.status_history = self.status_history.model(shown).map(Arc::new);
        if is_new {
            let links = Links { client: shown.client, cluster: wanted.cluster.as_ref() };
            let opened_ms = self.status_history.opened_ms();
            model.entries = Arc::new(self.entries.model(shown, &self.children, links, opened_ms));
            model.comparison = self.comparison.model(picks.clone(), shown);
        }
        model.picks = picks;
    }

    fn has_open_part(model: &Model) -> bool {
        model.comparison.is_some()
    }

    fn close_part(&mut self, at: ActionContext<'_>) -> PanelOutcome {
        self.compare(ComparisonAction::Close, at)
    }
}
