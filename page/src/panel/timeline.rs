//! The tab Timeline: the entries of the log as they are read, the strip of states above them, and the
//! comparison of two versions.

use std::sync::Arc;

use crate::detail::compare;
use crate::detail::history::{self, Filter, Item};
use crate::detail::status_history::Strip;
use crate::messages::{self, Zone};
use crate::table_view::Client;
use replica::timeline::TimelineView;
use shared::frame::timeline::Entry;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::Opened;
use crate::model::{ComparisonModel, Picks, TimelineModel};

pub(super) struct TimelineState {
    pub(super) filter: Filter,
    /// How many entries are mounted.
    pub(super) shown_max: usize,
    /// The last entry that was looked at for a gap.
    gaps_seen: u64,
    /// Of which versions the comparison was made.
    compared: Option<(Picks, Arc<ComparisonModel>)>,
}

/// Entries that are mounted, and how many more at a time.
const PAGE: usize = 200;

impl Default for TimelineState {
    fn default() -> Self {
        Self { filter: Filter::All, shown_max: PAGE, gaps_seen: 0, compared: None }
    }
}

impl TimelineState {
    pub(super) fn show_older(&mut self) {
        self.shown_max += PAGE;
    }
}

impl Opened {
    pub(super) fn log<'a>(&self, client: &'a Client) -> Option<&'a TimelineView> {
        client.timeline(self.keys?.timeline)
    }

    pub(super) fn picks(&self) -> Picks {
        Picks { a: self.wanted.panel.a.clone(), b: self.wanted.panel.b.clone() }
    }

    pub(super) fn change_count(&self, client: &Client) -> u64 {
        let Some(log) = self.log(client) else { return 0 };
        u64::try_from(log.entries().filter(|(_, entry)| history::is_change(entry)).count())
            .unwrap_or(u64::MAX)
    }

    pub(super) fn timeline(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> TimelineModel {
        let Some(log) = self.log(client) else { return TimelineModel::default() };
        let filter = self.timeline.filter;
        let passes = |entry: &Entry| history::is_shown(entry) && filter.passes(entry);
        let local_ms = |ms| client.local_ms(ms);
        let item = |(number, entry): (u64, &Entry)| -> Arc<Item> {
            Arc::new(history::item(number, entry, self.value.as_deref(), local_ms, zone))
        };
        let all = log.entries().filter(|(_, entry)| passes(entry)).count();
        let newest = log.entries().rev().filter(|(_, entry)| passes(entry)).take(self.timeline.shown_max);
        let items: Vec<Arc<Item>> = newest.map(item).collect();
        let opened_ms = self.status_history.opened_ms().unwrap_or(now_ms);
        let changes = self.change_count(client);
        let label = |filter: Filter| (filter, filter.label(log.entries().map(|(_, entry)| entry)));
        TimelineModel {
            older: all - items.len(),
            items,
            filters: Filter::ALL.map(label).to_vec(),
            filter,
            opened: messages::opened(&messages::instant(opened_ms, now_ms, zone), changes),
            first: self.versions.oldest().map(|(version, _)| version.clone()),
        }
    }

    pub(super) fn strip(&mut self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Strip> {
        let log = self.log(client)?;
        let first = self.timeline.gaps_seen;
        let mut seen = first;
        for (number, entry) in log.entries().filter(|(number, _)| *number >= first) {
            if let Some(gap) = &entry.gap {
                self.status_history.blind(client.local_ms(gap.from_ms), client.local_ms(gap.to_ms));
            }
            seen = number + 1;
        }
        self.timeline.gaps_seen = seen;
        let changes = log.entries().filter(|(_, entry)| history::is_change(entry));
        self.status_history.strip(changes.map(|(_, entry)| client.local_ms(entry.time_ms)), now_ms, zone)
    }

    /// `None`: there aren't two versions to compare.
    pub(super) fn comparison(
        &mut self,
        client: &Client,
        now_ms: UnixMillis,
        zone: Zone,
    ) -> Option<Arc<ComparisonModel>> {
        let picks = self.picks();
        let (a, b) = match (picks.a.clone(), picks.b.clone()) {
            (Some(a), Some(b)) => (a, b),
            (None, None) => return None,
            (one, other) => return Some(Arc::new(self.half(client, one.or(other)?, now_ms, zone))),
        };
        if let Some((held, made)) = &self.timeline.compared
            && *held == picks
        {
            return Some(Arc::clone(made));
        }
        let log = self.log(client)?;
        let entries = || log.entries().map(|(_, entry)| entry);
        let clock = |version: &ResourceVersion| self.clock(client, version, now_ms, zone);
        let made = match (self.versions.at(&a, entries()), self.versions.at(&b, entries())) {
            (Some(old), Some(new)) => {
                let comparison = compare::compare(&old, &new);
                let summary = messages::compared(self.changes_between(client, &a, &b), comparison.fields);
                let lines = match comparison.lines {
                    lines if lines.is_empty() => {
                        vec![compare::DiffLine::Fold(messages::EQUAL_VERSIONS.to_owned())]
                    }
                    lines => lines,
                };
                ComparisonModel { a: clock(&a), b: clock(&b), summary, lines }
            }
            _ => ComparisonModel {
                a: clock(&a),
                b: clock(&b),
                summary: String::new(),
                lines: vec![compare::DiffLine::Fold(messages::VERSION_NOT_KEPT.to_owned())],
            },
        };
        let made = Arc::new(made);
        // What isn't kept may still come, when the link was opened a moment ago.
        if !made.summary.is_empty() {
            self.timeline.compared = Some((picks, Arc::clone(&made)));
        }
        Some(made)
    }

    /// One is picked, and the other isn't yet.
    fn half(
        &self,
        client: &Client,
        version: ResourceVersion,
        now_ms: UnixMillis,
        zone: Zone,
    ) -> ComparisonModel {
        ComparisonModel {
            a: self.clock(client, &version, now_ms, zone),
            b: String::new(),
            summary: String::new(),
            lines: vec![compare::DiffLine::Fold(messages::PICK_TWO.to_owned())],
        }
    }

    /// When the version was first there; one that nobody saw is called by its number.
    fn clock(&self, client: &Client, version: &ResourceVersion, now_ms: UnixMillis, zone: Zone) -> String {
        let mut entries = self.log(client).into_iter().flat_map(TimelineView::entries);
        let entry = entries.find(|(_, entry)| entry.resource_version.as_ref() == Some(version));
        let at_ms = entry.map(|(_, entry)| client.local_ms(entry.time_ms)).or(self.versions.seen_ms(version));
        at_ms.map_or_else(|| version.to_string(), |ms| messages::instant(ms, now_ms, zone))
    }

    fn changes_between(&self, client: &Client, a: &ResourceVersion, b: &ResourceVersion) -> u64 {
        let Some(log) = self.log(client) else { return 0 };
        let place = |version| self.place(log, version);
        place(b).saturating_sub(place(a))
    }

    /// How many changes led to a version; none to the one that the log began with.
    fn place(&self, log: &TimelineView, version: &ResourceVersion) -> u64 {
        let changes = log.entries().filter(|(_, entry)| history::is_change(entry));
        let found =
            changes.enumerate().find(|(_, (_, entry))| entry.resource_version.as_ref() == Some(version));
        found.and_then(|(place, _)| u64::try_from(place).ok()).map_or(0, |place| place + 1)
    }

    /// The circle of a version: it is picked, or no more. A is the older one.
    pub(super) fn picked(&self, client: &Client, version: ResourceVersion) -> Picks {
        let Picks { a, b } = self.picks();
        let (a, b) = match (a, b) {
            (Some(a), b) if a == version => (b, None),
            (a, Some(b)) if b == version => (a, None),
            (None, b) => (Some(version), b),
            (Some(a), _) => (Some(a), Some(version)),
        };
        let Some(log) = self.log(client) else { return Picks { a, b } };
        match (a, b) {
            (Some(a), Some(b)) if self.place(log, &a) > self.place(log, &b) => {
                Picks { a: Some(b), b: Some(a) }
            }
            (a, b) => Picks { a, b },
        }
    }

    /// The last change: the version before it, and itself.
    pub(super) fn last_two(&self, client: &Client) -> Option<Picks> {
        let log = self.log(client)?;
        let versions = log.entries().rev().filter(|(_, entry)| history::is_change(entry));
        let mut versions = versions.filter_map(|(_, entry)| entry.resource_version.clone());
        let newest = versions.next()?;
        let before = versions.next().or_else(|| self.versions.oldest().map(|(first, _)| first.clone()));
        Some(Picks { a: before.filter(|before| *before != newest), b: Some(newest) })
    }
}
