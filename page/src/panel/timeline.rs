//! The tab Timeline: the entries of the log, newest first. The drawing above them is
//! [`super::status_history`]; [`super::comparison`] compares two versions.

use std::sync::Arc;

use replica::timeline::TimelineView;
use shared::frame::timeline::Entry;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::object::ShownObject;
use crate::detail::history::{self, Filter, Item};
use crate::messages;

#[derive(Clone, Debug, PartialEq)]
pub enum TimelineAction {
    Filter(Filter),
    Older,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineModel {
    /// The newest first.
    pub items: Vec<Arc<Item>>,
    /// How many older ones aren't mounted.
    pub older: usize,
    pub filters: Vec<(Filter, String)>,
    pub filter: Filter,
    /// A sentence about when the log began, and the version that it began with.
    pub opened: String,
    pub first: Option<ResourceVersion>,
}

pub(super) struct Timeline {
    filter: Filter,
    /// How many entries are mounted.
    shown_max: usize,
}

/// Entries that are mounted, and how many more at a time.
const PAGE: usize = 200;

impl Default for Timeline {
    fn default() -> Self {
        Self { filter: Filter::All, shown_max: PAGE }
    }
}

impl Timeline {
    pub(super) fn update(&mut self, action: TimelineAction) {
        match action {
            TimelineAction::Filter(filter) => self.filter = filter,
            TimelineAction::Older => self.shown_max += PAGE,
        }
    }

    pub(super) fn model(&self, shown: ShownObject<'_>, opened_ms: UnixMillis) -> TimelineModel {
        let Some(log) = shown.log() else { return TimelineModel::default() };
        let ShownObject { object, client, now, .. } = shown;
        let filter = self.filter;
        let passes = |entry: &Entry| history::is_shown(entry) && filter.passes(entry);
        let local_ms = |ms| client.local_ms(ms);
        let item = |(number, entry): (u64, &Entry)| -> Arc<Item> {
            Arc::new(history::item(number, entry, object.value.as_deref(), local_ms, now.zone))
        };
        let all = log.entries().filter(|(_, entry)| passes(entry)).count();
        let newest = log.entries().rev().filter(|(_, entry)| passes(entry)).take(self.shown_max);
        let items: Vec<Arc<Item>> = newest.map(item).collect();
        let label = |filter: Filter| (filter, filter.label(log.entries().map(|(_, entry)| entry)));
        TimelineModel {
            older: all - items.len(),
            items,
            filters: Filter::ALL.map(label).to_vec(),
            filter,
            opened: messages::opened(&messages::instant(opened_ms, now.ms, now.zone), change_count(log)),
            first: object.versions.oldest().map(|(version, _)| version.clone()),
        }
    }
}

pub(super) fn change_count(log: &TimelineView) -> usize {
    log.entries().filter(|(_, entry)| history::is_change(entry)).count()
}
