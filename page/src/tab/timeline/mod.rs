//! The tab Timeline: the status over time, the entries of the log, and the comparison of two versions.

mod children;
pub mod comparison;
pub mod entries;
mod past_states;
mod recorded;
mod relapses;
mod rollouts;
pub mod status_history;
mod stories;
mod whole;
pub mod words;

use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::frame::timeline::Entry;
use shared::problem::Problem;
use shared::state::UnixMillis;

use crate::detail::history::Filter;
use crate::fields::model;
use crate::location::PanelPlace;
use crate::panel::object::{PanelObject, ShownObject};
use crate::panel::outcome::PanelOutcome;
use crate::panel::part::{ActionContext, TabContext, TabInput, TabPart};
use crate::tab::overview::link::Links;
use crate::table_view::Client;
use children::Children;
use comparison::{Chain, Comparison, ComparisonAction, ComparisonModel, Picks};
use entries::{Around, Entries, TimelineModel};
use recorded::RecordedVersions;
pub(crate) use relapses::{Relapses, WELL_MS};
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

/// The state of the tab for one object: what was seen of its status, which entries are mounted, the logs of what it owns,
/// what is compared, and what was recorded before.
pub(crate) struct Timeline {
    status_history: StatusHistory,
    entries: Entries,
    children: Children,
    comparison: Comparison,
    recorded: RecordedVersions,
    /// The reader asks for older versions of the record.
    wants_older: bool,
}

impl Timeline {
    /// The object was open before.
    pub(crate) fn continues(&mut self, history: StatusHistory) {
        self.status_history = history;
    }

    pub(crate) fn into_status_history(self) -> StatusHistory {
        self.status_history
    }

    /// `None`: there is nothing to compare yet.
    pub(crate) fn last_change(&self, object: &PanelObject, client: &Client) -> Option<Picks> {
        let log = object.log(client);
        Chain::of(object, &log, &self.recorded).last_change()
    }

    /// There is nothing to compare yet.
    pub(crate) fn ask_to_compare(&mut self) {
        self.comparison.asked(&ComparisonAction::LastChange, false);
    }

    /// Since when the object isn't well again and again. Where the record may say more, it is asked.
    pub(crate) fn relapses(&mut self, shown: ShownObject<'_>) -> Option<Relapses> {
        let (log, object) = (shown.log(), shown.object);
        let value = object.value.as_deref()?;
        let until_ms = object.at_ms.unwrap_or_else(|| shown.client.gateway_ms(shown.now.ms));
        // While the panel was closed, the record went on.
        let of_log =
            log.entries.iter().filter(|logged| logged.unrecorded.is_none()).map(|logged| logged.entry);
        let of_record = self.recorded.before(&log).map(|(_, entry)| entry);
        let is_told = |entry: &&Entry| !entry.earlier && entry.time_ms <= until_ms;
        let mut entries: Vec<&Entry> = of_log.chain(of_record).filter(is_told).collect();
        shared::sorted::sort_by_key(&mut entries, |entry| std::cmp::Reverse(entry.time_ms));
        let has_gap = |from_ms, to_ms| self.recorded.has_gap((from_ms, to_ms));
        let found = relapses::relapses(
            (value, until_ms),
            entries.into_iter(),
            self.recorded.is_whole(value),
            has_gap,
        );
        self.wants_older |= found.is_some_and(|found| found.is_cut) && self.recorded.is_short();
        // The time of a single one is the object's own.
        found.filter(|found| found.count > 1)
    }

    pub(crate) fn update(&mut self, action: TimelineAction, at: ActionContext<'_>) -> PanelOutcome {
        match action {
            TimelineAction::Filter(filter) => self.entries.set_filter(filter),
            TimelineAction::Older => {
                self.entries.show_older();
                self.wants_older = true;
            }
            TimelineAction::Words => self.entries.toggle_words(),
            TimelineAction::Compare(action) => return self.compare(action, at),
        }
        PanelOutcome::Nothing
    }

    /// Returns whether it was the answer to a question of this tab.
    pub(crate) fn history_came(&mut self, answer: &PastAnswer) -> bool {
        self.recorded.came(answer)
    }

    pub(crate) fn history_failed(&mut self, id: SubscriptionId, problem: &Problem) {
        self.recorded.failed(id, problem);
    }

    fn compare(&mut self, action: ComparisonAction, at: ActionContext<'_>) -> PanelOutcome {
        let log = at.object.log(at.client);
        let chain = Chain::of(at.object, &log, &self.recorded);
        let picks = Picks::of(at.place).after(action.clone(), &chain);
        self.comparison.asked(&action, picks.is_some());
        if let Some(picks) = &picks {
            let missing = chain.missing(picks);
            self.recorded.want_whole(&missing);
        }
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
            recorded: RecordedVersions::default(),
            wants_older: false,
        }
    }

    fn keys(&self) -> Vec<ViewKey> {
        self.children.keys()
    }

    fn observe(&mut self, object: &PanelObject, client: &mut Client, now: Now) -> Vec<ViewKey> {
        // Its row is of another time than now.
        if object.at_ms.is_none() {
            self.status_history.observe(object, client, now.now_ms);
        }
        self.recorded.follow(object, client);
        let lacks = object.at_ms.is_some_and(|at_ms| self.recorded.lacks(at_ms));
        if std::mem::take(&mut self.wants_older) || lacks {
            self.recorded.ask_older(object, client);
        }
        self.children.follow(object, client, now)
    }

    fn render(&mut self, model: &mut Model, TabContext { shown, wanted, is_new }: TabContext<'_>) {
        let picks = Picks::of(&wanted.panel);
        self.children.look();
        model.status_history = match shown.object.at_ms {
            Some(_) => past_states::model(&self.recorded, shown),
            None => self.status_history.model(shown),
        }
        .map(Arc::new);
        if is_new {
            let links = Links { client: shown.client, cluster: wanted.cluster.as_ref() };
            let opened_ms = self.status_history.opened_ms();
            let around = Around { children: &self.children, recorded: &self.recorded, links };
            model.entries = Arc::new(self.entries.model(shown, around, opened_ms));
            let log = shown.log();
            let chain = Chain::of(shown.object, &log, &self.recorded);
            // A link may name versions of the record.
            let missing = chain.missing(&picks);
            model.comparison = self.comparison.model(picks.clone(), &chain, shown);
            self.recorded.want_whole(&missing);
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
