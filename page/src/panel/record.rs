//! What the panel saw of the objects that were open before, so that a reader who returns to one finds its timeline
//! again. The time between stands in it as a gap. Never a subscription: nothing is recorded while a panel is closed.

use std::collections::VecDeque;

use shared::frame::timeline::{Entry, EntryType};
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::state::UnixMillis;

use super::log::{Past, PastEntry, Unrecorded, number_before};
use super::object::Wanted;
use crate::detail::versions::Versions;
use crate::limits::{PANEL_RECORD_ENTRIES_MAX, PANEL_RECORD_VERSIONS_BYTES_MAX, PANEL_RECORDS_MAX};
use crate::location::PanelPlace;
use crate::tab::timeline::status_history::StatusHistory;

/// The records of the objects that were open last.
#[derive(Default)]
pub(super) struct Records(VecDeque<Record>);

/// All that was recorded of one object until its panel was closed.
pub(super) struct Record {
    cluster: Option<ClusterName>,
    resource: Resource,
    place: PanelPlace,
    left_ms: UnixMillis,
    pub(super) past: Past,
    pub(super) history: StatusHistory,
    pub(super) versions: Versions,
}

impl Records {
    pub(super) fn keep(&mut self, record: Record) {
        self.0.push_back(record);
        if self.0.len() > PANEL_RECORDS_MAX {
            self.0.pop_front();
        }
    }

    pub(super) fn take(&mut self, wanted: &Wanted, opened_ms: UnixMillis) -> Option<Record> {
        // The same object may be opened beside a table of its kind, or of its Events.
        let is_it = |held: &Record| {
            let (before, now) = (&held.place, &wanted.panel);
            (&held.cluster, &held.resource) == (&wanted.cluster, &wanted.kind.resource)
                && (&before.namespace, &before.name) == (&now.namespace, &now.name)
        };
        let mut record = self.0.iter().position(is_it).and_then(|at| self.0.remove(at))?;
        record.reopen(opened_ms);
        Some(record)
    }
}

impl Record {
    pub(super) fn of(
        wanted: &Wanted,
        mut past: Past,
        history: StatusHistory,
        mut versions: Versions,
        left_ms: UnixMillis,
    ) -> Self {
        let more = past.entries.len().saturating_sub(PANEL_RECORD_ENTRIES_MAX);
        past.entries.drain(..more);
        past.is_cut |= more > 0;
        versions.shrink_to(PANEL_RECORD_VERSIONS_BYTES_MAX);
        let (cluster, resource) = (wanted.cluster.clone(), wanted.kind.resource.clone());
        Self { cluster, resource, place: wanted.panel.clone(), left_ms, past, history, versions }
    }

    /// From now on is recorded again.
    fn reopen(&mut self, opened_ms: UnixMillis) {
        let (from_ms, to_ms) = (self.left_ms, opened_ms);
        self.history.unrecorded(from_ms, to_ms);
        self.past.entries.push_back(PastEntry {
            number: number_before(self.past.next_log),
            object: self.past.object,
            entry: Entry::of(EntryType::Gap, to_ms),
            unrecorded: Some(Unrecorded { from_ms, to_ms, dated: Vec::new() }),
        });
    }
}
