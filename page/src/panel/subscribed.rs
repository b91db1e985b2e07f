//! An object that is subscribed to, with what each tab keeps of it.

use std::sync::Arc;

use replica::client::ViewKey;
use replica::freshness::Freshness;
use replica::now::Now;
use shared::row::Row;
use shared::state::UnixMillis;

use super::action::{PanelAction, PanelOutcome};
use super::comparison::{Comparison, ComparisonAction, Picks};
use super::head;
use super::link::Links;
use super::model::PanelModel;
use super::object::{PanelObject, Wanted, uid};
use super::overview::{self, OverviewMarks};
use super::record::Record;
use super::related::{EventsModel, Related};
use super::status_history::StatusHistory;
use super::strip::Strip;
use super::timeline::{self, Timeline};
use super::yaml::Yaml;
use crate::detail::why::why;
use crate::detail::{self, event};
use crate::kubectl::in_context;
use crate::location::{PanelPlace, Tab};
use crate::messages::{self, Zone};
use crate::proof::proof;
use crate::table_view::Client;

pub(super) struct Subscribed {
    pub(super) wanted: Wanted,
    pub(super) object: PanelObject,
    marks: OverviewMarks,
    status_history: StatusHistory,
    pub(super) related: Related,
    timeline: Timeline,
    comparison: Comparison,
    pub(super) yaml: Yaml,
    strip: Option<Strip>,
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
        let status_history = match record {
            Some(Record { past, history, versions, .. }) => {
                object.continues(past, versions);
                history
            }
            None => StatusHistory::new(opened_ms),
        };
        Self {
            wanted,
            object,
            marks: OverviewMarks::default(),
            status_history,
            related: Related::default(),
            timeline: Timeline::default(),
            comparison: Comparison::default(),
            yaml: Yaml::default(),
            strip: None,
            is_new: true,
            drawn_second: 0,
        }
    }

    /// The panel of the object is closed.
    pub(super) fn record(self, client: &Client, left_ms: UnixMillis) -> Record {
        let past = self.object.recorded(client);
        Record::of(&self.wanted, past, self.status_history, self.object.versions, left_ms)
    }

    pub(super) fn keys(&self) -> Vec<ViewKey> {
        self.related.keys().into_iter().chain(self.object.keys()).collect()
    }

    /// Returns the views that the panel no longer uses.
    pub(super) fn observe(&mut self, client: &mut Client, now: Now) -> Vec<ViewKey> {
        let mut left = self.object.follow_name(client, &self.wanted, now);
        self.is_new |= !left.is_empty();
        let held = self.object.value.clone();
        if self.object.observe(client, now.now_ms) {
            let is_same =
                held.as_deref().zip(self.object.value.as_deref()).is_none_or(|(a, b)| uid(a) == uid(b));
            match held.as_deref().zip(self.object.value.as_deref()) {
                Some((before, after)) if is_same => self.marks.note(before, after, now.now_ms),
                _ => self.marks.clear(),
            }
            self.yaml.object_changed(held, is_same, &self.object.masked_changes, now.now_ms);
            self.is_new = true;
        }
        self.status_history.observe(&self.object, client, now.now_ms);
        if let Some(value) = &self.object.value {
            left.extend(self.related.follow(client, (value, self.object.cluster.as_ref()), now));
        }
        left
    }

    /// There is nothing to compare yet, which the timeline says.
    pub(super) fn ask_to_compare(&mut self) {
        self.comparison.asked(&ComparisonAction::LastChange, false);
        self.is_new = true;
    }

    /// An action in one of the tabs.
    pub(super) fn update(
        &mut self,
        client: &Client,
        action: PanelAction,
        now_ms: UnixMillis,
    ) -> PanelOutcome {
        self.is_new = true;
        let place = &self.wanted.panel;
        match action {
            PanelAction::Timeline(action) => self.timeline.update(action),
            PanelAction::Comparison(action) => {
                let picks = Picks::of(place).after(action.clone(), &self.object, client);
                self.comparison.asked(&action, picks.is_some());
                if let Some(Picks { a, b }) = picks {
                    return PanelOutcome::Replace(PanelPlace { a, b, ..place.clone() });
                }
            }
            PanelAction::Yaml(action) => {
                let copied = self.yaml.update(action, &self.object, now_ms);
                return copied.map_or(PanelOutcome::Nothing, PanelOutcome::Copy);
            }
            _ => {}
        }
        PanelOutcome::Nothing
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
        let second = now.ms.div_euclid(1_000);
        if !self.is_new && self.drawn_second == second {
            return;
        }
        self.drawn_second = second;
        let is_new = std::mem::take(&mut self.is_new);
        if let Some((view, row)) = shown.row() {
            model.top = head::top_facts(view, row, now);
        } else if object.value.is_none() {
            model.top = Vec::new();
        }
        let is_there = !object.is_deleted(client);
        model.strip = match object.value.as_deref() {
            None => shown.row().and_then(|(view, row)| Strip::of_row(view, row)),
            Some(value) => {
                let mut why = why(value, now).filter(|_| is_there);
                if let Some(command) = why.as_mut().and_then(|why| why.command.as_mut()) {
                    *command = in_context(command, client, self.wanted.cluster.as_ref());
                }
                self.strip = Strip::after(self.strip.take(), why);
                self.strip.clone()
            }
        };
        model.changes = messages::changes_beside_tab(timeline::change_count(&shown.log()));
        match self.wanted.panel.tab {
            Tab::Overview => {
                let links = Links { client, cluster: self.wanted.cluster.as_ref() };
                let Some(value) = object.value.as_deref() else {
                    return model.events = Arc::new(self.events_beside(client, now));
                };
                model.overview = Arc::new(overview::model(value, now, links, &self.marks));
                model.tree = Arc::new(self.related.tree(shown));
                model.events = Arc::new(self.related.events(client, now));
            }
            Tab::Timeline => {
                model.status_history = self.status_history.model(shown).map(Arc::new);
                if is_new {
                    let opened_ms = self.status_history.opened_ms();
                    model.timeline = Arc::new(self.timeline.model(shown, opened_ms));
                    model.comparison = self.comparison.model(Picks::of(&self.wanted.panel), shown);
                }
            }
            Tab::Yaml => {
                let has_new_marks = self.yaml.drawn(now.ms);
                model.yaml_tools = self.yaml.tools(shown);
                if is_new || has_new_marks {
                    model.yaml = Arc::new(self.yaml.model(object));
                    model.yaml_scroll = self.yaml.scroll();
                }
            }
        }
    }

    /// Of an object that isn't there: what a table of Events, from which the panel was opened, says of it.
    fn events_beside(&self, client: &Client, now: detail::Now) -> EventsModel {
        let links = Links { client, cluster: self.wanted.cluster.as_ref() };
        let (Some(view), Some(kinds)) =
            (self.wanted.table.and_then(|table| client.view(table)), links.kinds())
        else {
            return EventsModel::default();
        };
        let (table, panel) = (view.table(), &self.wanted.panel);
        let is_of_it = |row: &&Row| {
            let cluster = PanelPlace::of_row(row, table).and_then(|own| own.cluster);
            event::subject(table.columns(), row, kinds)
                .is_some_and(|subject| PanelPlace { cluster, ..subject }.is_same_object(panel))
        };
        EventsModel::of(view, table.rows().filter(is_of_it), links, now)
    }
}
