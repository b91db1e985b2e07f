//! The tab Overview: the object's current state, the objects around it and its Events.

mod children;
mod facts;
pub(crate) mod link;
mod owners;
pub mod related;
pub mod rollout;
pub mod tree;
pub mod words;

use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use shared::row::Row;
use shared::state::UnixMillis;

use crate::detail;
use crate::detail::event;
use crate::detail::summary;
use crate::detail::why::FailingLeaf;
use crate::fields::model;
use crate::location::PanelPlace;
use crate::panel::object::{PanelObject, ShownObject, Wanted};
use crate::panel::part::{ObjectChange, TabContext, TabPart};
use crate::table_view::Client;
use facts::OverviewMarks;
use link::Links;
use related::{EventsModel, Related};
use rollout::{Progress, RolloutModel};
use tree::TreeGroup;

/// A part of the tab that a key scrolls to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverviewPart {
    #[default]
    OwnerTree,
    Events,
}

model! {
    /// The object's current state, the objects around it, and its Events.
    pub struct Model = Fields {
    } shared {
        facts: summary::Overview,
        /// `None`: the object isn't of a kind that rolls out.
        rollout: Option<RolloutModel>,
        tree: Vec<TreeGroup>,
        events: EventsModel,
    } nested {
    }
}

pub(crate) struct Overview {
    marks: OverviewMarks,
    related: Related,
}

impl Overview {
    /// What fails among the objects that the object owns. `with_short`: also those that are short.
    pub(crate) fn failing(&self, shown: ShownObject<'_>, with_short: bool) -> Vec<FailingLeaf> {
        self.related.failing(shown.client, shown.now, with_short)
    }

    pub(crate) fn rollout(&self, shown: ShownObject<'_>) -> Option<Progress> {
        rollout::progress(shown.object.value.as_deref()?, &self.related, shown)
    }
}

impl TabPart for Overview {
    type Model = Model;

    fn new(_opened_ms: UnixMillis) -> Self {
        Self { marks: OverviewMarks::default(), related: Related::default() }
    }

    fn keys(&self) -> Vec<ViewKey> {
        self.related.keys()
    }

    fn object_changed(&mut self, change: &ObjectChange<'_>) {
        match change.before.zip(change.object.value.as_deref()) {
            Some((before, after)) if change.is_same => self.marks.note(before, after, change.now_ms),
            _ => self.marks.clear(),
        }
    }

    fn observe(&mut self, object: &PanelObject, client: &mut Client, now: Now) -> Vec<ViewKey> {
        match &object.value {
            Some(value) => {
                let row = object.view(client).and_then(|view| view.row);
                self.related.follow(client, (value, row, object.cluster.as_ref()), object.at_ms, now)
            }
            None => Vec::new(),
        }
    }

    fn render(&mut self, model: &mut Model, TabContext { shown, wanted, .. }: TabContext<'_>) {
        let links = Links { client: shown.client, cluster: wanted.cluster.as_ref() };
        let Some(value) = shown.object.value.as_deref() else {
            model.events = Arc::new(events_beside(wanted, links, shown.now));
            return;
        };
        let used = self.related.used(shown);
        model.facts = Arc::new(facts::model(value, &used, (shown.now, links), &self.marks));
        model.rollout = Arc::new(rollout::model(value, &self.related, shown));
        model.tree = Arc::new(self.related.tree(shown));
        model.events = Arc::new(self.related.events(shown));
    }
}

/// The Events of an object that isn't there, as a table of Events has them, from which the panel was opened.
fn events_beside(wanted: &Wanted, links: Links<'_>, now: detail::Now) -> EventsModel {
    let view = wanted.table.and_then(|table| links.client.view(table));
    let (Some(view), Some(kinds)) = (view, links.kinds()) else {
        return EventsModel::default();
    };
    let (table, panel) = (view.table(), &wanted.panel);
    let is_of_it = |row: &&Row| {
        let cluster = PanelPlace::of_row(row, table).and_then(|own| own.cluster);
        event::subject(table.columns(), row, kinds)
            .is_some_and(|subject| PanelPlace { cluster, ..subject }.is_same_object(panel))
    };
    EventsModel::of(view, table.rows().filter(is_of_it), links, now)
}
