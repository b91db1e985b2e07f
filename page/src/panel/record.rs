//! What the panel saw of the objects that were open before, so that a reader who returns to one finds its timeline
//! again. The time between stands in it as a gap. Never a subscription: nothing is recorded while a panel is closed.

use std::collections::VecDeque;

use shared::frame::timeline::{Entry, EntryType};
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::state::UnixMillis;

use super::log::{Log, number_before};
use super::object::Wanted;
use super::status_history::StatusHistory;
use crate::detail::dated::Dated;
use crate::detail::versions::Versions;
use crate::limits::{PANEL_RECORD_ENTRIES_MAX, PANEL_RECORD_VERSIONS_BYTES_MAX, PANEL_RECORDS_MAX};
use crate::location::PanelPlace;

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

/// The part of a log that was recorded before the panel was opened this time, oldest first.
#[derive(Default)]
pub(super) struct Past {
    pub(super) entries: VecDeque<PastEntry>,
    /// The number of the last object in it, and its uid.
    pub(super) object: usize,
    pub(super) uid: Option<Box<str>>,
    /// The number of the first log after it.
    pub(super) next_log: u64,
    /// What the object told when it was recorded first, newest first.
    pub(super) dated: Vec<Dated>,
    /// When its last entry was recorded, by the gateway's clock.
    last_ms: UnixMillis,
    /// The oldest entries were dropped.
    pub(super) is_cut: bool,
}

pub(super) struct PastEntry {
    pub(super) number: u64,
    pub(super) object: usize,
    pub(super) entry: Entry,
    pub(super) unrecorded: Option<Unrecorded>,
}

/// A time in which the panel was closed, by the viewer's clock, and what the object tells of that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unrecorded {
    pub(super) from_ms: UnixMillis,
    pub(super) to_ms: UnixMillis,
    pub(super) dated: Vec<Dated>,
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

impl Past {
    /// With all that the log has now.
    pub(super) fn and(&self, log: &Log<'_>, uid: Option<&str>, next_log: u64) -> Self {
        let past = |logged: &super::log::Logged<'_>| PastEntry {
            number: logged.number,
            object: logged.object,
            entry: logged.entry.clone(),
            unrecorded: logged.unrecorded.cloned(),
        };
        let entries: VecDeque<PastEntry> = log.entries.iter().map(past).collect();
        let times = entries.iter().filter(|held| held.unrecorded.is_none()).map(|held| held.entry.time_ms);
        let last_ms = times.max().unwrap_or_default();
        Self {
            object: log.object,
            uid: uid.map(Box::from),
            next_log,
            dated: self.dated.clone(),
            last_ms,
            is_cut: self.is_cut,
            entries,
        }
    }

    /// Whether the entry was recorded before: a gateway may send the end of its log again.
    pub(super) fn has(&self, entry: &Entry) -> bool {
        let is_it = |held: &PastEntry| {
            held.entry.kind == entry.kind && held.entry.resource_version == entry.resource_version
        };
        entry.time_ms <= self.last_ms && entry.resource_version.is_some() && self.entries.iter().any(is_it)
    }

    /// What the object tells as it arrives, of the time since it was recorded last. `ahead_ms`: of the cluster's clock.
    pub(super) fn tell(&mut self, mut dated: Vec<Dated>, ahead_ms: i64) {
        match self.entries.back_mut().and_then(|held| held.unrecorded.as_mut()) {
            Some(unrecorded) => {
                let from_s = unrecorded.from_ms.saturating_add(ahead_ms).div_euclid(1_000);
                dated.retain(|dated| dated.at >= from_s);
                unrecorded.dated = dated;
            }
            None => self.dated = dated,
        }
    }
}
