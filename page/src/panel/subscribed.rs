//! An object that is subscribed to, with what each tab keeps of it.

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::head;
use super::model::PanelModel;
use super::object::{PanelObject, ShownObject, Wanted, follow_last, uid};
use super::outcome::PanelOutcome;
use super::part::{ActionContext, ObjectChange, TabContext};
use super::record::Record;
use super::strip::{Strip, Trouble, trouble};
use super::tabs::{TabAction, Tabs};
use super::words;
use crate::detail::event;
use crate::detail::why::{Why, why};
use crate::kubectl::in_context;
use crate::messages::{self, Zone};
use crate::proof::proof;
use crate::status::Class;
use crate::tab::logs::AroundLogs;
use crate::tab::overview::rollout::Progress;
use crate::tab::timeline::comparison::Picks;
use crate::tab::timeline::{Relapses, WELL_MS};
use crate::table_view::Client;

/// One object that the panel shows: its subscription, and the tabs that are drawn from it.
pub(super) struct Subscribed {
    pub(super) wanted: Wanted,
    pub(super) object: PanelObject,
    tabs: Tabs,
    trouble: Trouble,
    /// Something arrived since the last rendering.
    pub(super) is_new: bool,
    drawn_second: i64,
}

impl Subscribed {
    /// `record`: what was recorded of the object when it was open before.
    pub(super) fn new(
        wanted: Wanted,
        mut object: PanelObject,
        opened_ms: UnixMillis,
        record: Option<Record>,
    ) -> Self {
        let mut tabs = Tabs::new(opened_ms);
        if let Some(Record { past, history, versions, .. }) = record {
            object.continues(past, versions);
            tabs.timeline.continues(history);
        }
        Self { wanted, object, tabs, trouble: Trouble::default(), is_new: true, drawn_second: 0 }
    }

    /// The panel of the object is closed.
    pub(super) fn record(self, client: &Client, left_ms: UnixMillis) -> Record {
        let past = self.object.recorded(client);
        Record::of(
            &self.wanted,
            past,
            self.tabs.timeline.into_status_history(),
            self.object.versions,
            left_ms,
        )
    }

    pub(super) fn keys(&self) -> Vec<ViewKey> {
        [self.tabs.keys(), self.object.keys()].concat()
    }

    /// Returns the views that the panel no longer uses.
    pub(super) fn observe(&mut self, client: &mut Client, now: Now) -> Vec<ViewKey> {
        self.object.follow_time(client, &self.wanted, now);
        follow_last(&mut self.object, client, &self.wanted);
        let mut left = self.object.follow_name(client, &self.wanted, now);
        self.is_new |= !left.is_empty();
        let held = self.object.value.clone();
        if self.object.observe(client, now.now_ms) {
            let is_change = !std::mem::take(&mut self.object.is_of_other_time);
            let both = held.as_deref().zip(self.object.value.as_deref());
            let is_same = is_change && both.is_none_or(|(a, b)| uid(a) == uid(b));
            let (before, object) = (held.as_ref(), &self.object);
            self.tabs.object_changed(&ObjectChange { before, is_same, object, now_ms: now.now_ms });
            self.is_new = true;
        }
        left.extend(self.tabs.observe(&self.object, client, now));
        if let Some(value) = self.object.value.clone() {
            let cluster = self.object.cluster.clone();
            let scope = |client: &Client| {
                let events = event::scope(&value, &client.kinds_of(cluster.as_ref())?.kinds)?;
                let cluster = cluster.as_ref().and_then(|name| client.in_scope(name));
                // The object is named by its row.
                Some(Scope { cluster, fields: None, ..events })
            };
            let row = self.object.row_id(client);
            let at_ms = self.object.at_ms;
            self.object.recorded.follow_events(row, at_ms, scope, client);
        }
        left
    }

    pub(super) fn history_came(&mut self, answer: &PastAnswer) {
        self.is_new |= self.object.recorded.came(answer) || self.tabs.timeline.history_came(answer);
    }

    pub(super) fn history_failed(&mut self, id: SubscriptionId, problem: &Problem) {
        self.object.recorded.failed(id, problem);
        self.tabs.timeline.history_failed(id, problem);
        self.tabs.logs.failed(id, problem);
        self.is_new = true;
    }

    /// `None`: the panel leaves the object.
    pub(super) fn follow_logs(&mut self, around: Option<&mut AroundLogs>, client: &mut Client, now: Now) {
        self.is_new |= match around {
            Some(around) => self.tabs.logs.follow((&self.wanted, &self.object), around, client, now),
            None => self.tabs.logs.end(client, now),
        };
    }

    /// The last change: the version before it, and itself.
    pub(super) fn last_change(&self, client: &Client) -> Option<Picks> {
        self.tabs.timeline.last_change(&self.object, client)
    }

    /// There is nothing to compare yet, which the timeline says.
    pub(super) fn ask_to_compare(&mut self) {
        self.tabs.timeline.ask_to_compare();
        self.is_new = true;
    }

    pub(super) fn dismiss_trouble(&mut self) {
        self.trouble.dismiss();
        self.is_new = true;
    }

    /// An action in one of the tabs.
    pub(super) fn update(&mut self, client: &Client, action: TabAction, now_ms: UnixMillis) -> PanelOutcome {
        self.is_new = true;
        let Self { wanted, object, tabs, .. } = self;
        tabs.update(action, ActionContext { object, client, place: &wanted.panel, now_ms })
    }

    /// Closes what the reader opened in the tab.
    pub(super) fn close_part(&mut self, client: &Client, now_ms: UnixMillis) -> PanelOutcome {
        self.is_new = true;
        let Self { wanted, object, tabs, .. } = self;
        let place = &wanted.panel;
        tabs.close_part(place.tab, ActionContext { object, client, place, now_ms })
    }

    /// The rollout of the object, while it goes on and is current.
    pub(super) fn rollout(&self, client: &Client, at: (UnixMillis, Zone)) -> Option<Progress> {
        let freshness = self.object.freshness(client, at.0);
        let is_shown = freshness.is_current() && !self.object.is_deleted(client);
        is_shown.then(|| self.tabs.overview.rollout(self.object.shown(client, &freshness, at)))?
    }

    /// The facts and the tab are rendered when something arrived, and once a second for their ages.
    pub(super) fn render(
        &mut self,
        model: &mut PanelModel,
        client: &Client,
        freshness: &Freshness,
        at: (UnixMillis, Zone),
    ) {
        let object = &self.object;
        let shown = object.shown(client, freshness, at);
        let now = shown.now;
        model.note = head::note(shown, &self.wanted);
        if let Some(view) = shown.view() {
            model.proof = proof(client, &view.subscription, None, &[], freshness, now.ms);
        }
        let is_there = !object.is_deleted(client);
        // Nothing of an object that is gone is well.
        model.is_stale |= !is_there;
        let second = now.ms.div_euclid(1_000);
        if !self.is_new && self.drawn_second == second {
            show_logs(model, &self.tabs);
            return;
        }
        self.drawn_second = second;
        let is_new = std::mem::take(&mut self.is_new);
        if let Some((view, row)) = shown.row() {
            model.top = head::top_facts(view, row, now);
        } else if object.value.is_none() {
            model.top = Vec::new();
        }
        model.strip = match object.value.as_deref() {
            None => shown.row().and_then(|(_, row)| Strip::of_row(row, now)),
            Some(value) => {
                let said = why(value, now);
                let said = match shown.row() {
                    Some((_, row)) => trouble(said, row, now),
                    None => said,
                };
                let is_short = said.as_ref().is_some_and(|why| why.class != Class::Busy);
                let leaves = self.tabs.overview.failing(shown, is_short);
                let said = said.map(|why| since_relapses(why, self.tabs.timeline.relapses(shown), shown));
                let mut why = Why::of_leaves(said, &leaves).filter(|_| is_there);
                if let Some(command) = why.as_mut().and_then(|why| why.command.as_mut()) {
                    *command = in_context(command, client, self.wanted.cluster.as_ref());
                }
                let from = shown.row().and_then(|(_, row)| row.health()?.since);
                if object.at_ms.is_some() {
                    // What was wrong at another time isn't over.
                    self.trouble = Trouble::default();
                }
                self.trouble.follow(why, from, now);
                self.trouble.strip(now)
            }
        };
        model.changes = words::changes_beside_tab(shown.log().changes().count());
        let at = TabContext { shown, wanted: &self.wanted, is_new };
        self.tabs.render(self.wanted.panel.tab, &mut model.tabs, at);
        show_logs(model, &self.tabs);
    }
}

/// The head is made anew each time, and has what the tab with logs drew last.
fn show_logs(model: &mut PanelModel, tabs: &Tabs) {
    if let Some(head) = &mut model.head {
        head.logs = tabs.logs.shown(model.tab);
    }
}

/// An object that isn't well again and again says so since the first time, beside the last one.
fn since_relapses(why: Why, relapses: Option<Relapses>, shown: ShownObject<'_>) -> Why {
    let Some(Relapses { first_ms, count, is_cut }) = relapses else { return why };
    let (at_ms, now) = (shown.client.local_ms(first_ms), shown.now);
    let clock = messages::instant(at_ms, now.ms, now.zone);
    why.again_and_again((&clock, now.ms.saturating_sub(at_ms)), count, (WELL_MS, is_cut))
}
