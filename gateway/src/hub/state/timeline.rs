//! The logs of the hub's timeline views. Each event is written into the logs of the views that it belongs
//! to, as it happens; ticks and walks have no part in it.

use std::collections::{BTreeMap, BTreeSet};

use shared::frame::server::{Gap, ViewId};
use shared::frame::timeline::{Entry, EntryType};
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::token::Token;

use super::Hub;
use crate::hub::entries::{EntryWriter, Seen};
use crate::hub::host::Host;
use crate::hub::log::{Log, written};
use crate::hub::log_budget::{LogGrowth, Share, allowed};
use crate::hub::permit::SessionNumber;
use crate::hub::request::SubscriptionRequest;
use crate::hub::store::{Stored, Watched};
use crate::hub::subscriber::{LogReader, SubscriberState};
use crate::hub::view::{View, ViewKind};
use crate::limits::{TIMELINE_LINGER_MS, TIMELINES_LINGERING_MAX};

/// How a change was seen.
pub(super) enum SeenBy<'a> {
    /// With the managedFields, which name its writers.
    Event { managed: &'a [u8] },
    /// A list showed it, at an unknown time after it happened.
    List,
}

impl<H: Host> Hub<H> {
    /// Whether there are logs; without them no object is read or compared.
    pub(super) fn has_logs(&self) -> bool {
        self.views.values().any(|view| matches!(view.kind, ViewKind::Timeline(_)))
    }

    pub(super) fn log_change(
        &mut self,
        before: Option<&Stored>,
        now: Option<&Stored>,
        resource_version: &ResourceVersion,
        seen_by: &SeenBy<'_>,
    ) {
        let (managed, relisted) = match seen_by {
            SeenBy::Event { managed } => (*managed, false),
            SeenBy::List => (&[][..], true),
        };
        let seen = Seen { before, now, managed, resource_version, time_ms: self.now_ms, relisted };
        let mut writer = EntryWriter::of(&seen);
        for view in self.views.values_mut() {
            let ViewKind::Timeline(log) = &mut view.kind else { continue };
            let was_member = before.is_some_and(|stored| view.request.matches(stored));
            let is_member = now.is_some_and(|stored| view.request.matches(stored));
            if let Some(entry) = writer.entry(was_member, is_member) {
                self.log_growth.bytes += entry.get().len();
                log.push(entry);
                self.is_logged = true;
            }
        }
        self.bound_grown_logs();
    }

    /// Writes an event that belongs to no object into all logs.
    pub(super) fn log_for_all(&mut self, entry: &Entry) {
        let Some(entry) = written(entry) else { return };
        for view in self.views.values_mut() {
            if let ViewKind::Timeline(log) = &mut view.kind {
                self.log_growth.bytes += entry.get().len();
                log.push(entry.clone());
                self.is_logged = true;
            }
        }
        self.bound_grown_logs();
    }

    /// Written before the changes that a list showed, for the events in between are in no entry.
    pub(super) fn log_gap(&mut self, gap: Option<&Gap>) {
        let since_ms = self.proof.map_or(self.now_ms, |proof| proof.at_ms);
        let unnamed = Gap { from_ms: since_ms, to_ms: self.now_ms, reason: Reason::Unproven };
        let gap = gap.cloned().unwrap_or(unnamed);
        self.log_for_all(&Entry { gap: Some(gap), ..Entry::of(EntryType::Gap, self.now_ms) });
    }

    /// A log begins with the last change of each object, as far as the watch has shown it.
    pub(super) fn new_log(&self, request: &SubscriptionRequest, epoch: Box<str>) -> Log {
        let mut log = Log::new(epoch, self.bounds);
        let changes = self.store.last_changes().filter(|(_, stored)| request.matches(stored));
        let changes: Vec<_> = changes.take(self.bounds.log_entries).collect();
        for (Watched { at_ms, kind }, Stored { row, .. }) in changes.into_iter().rev() {
            let version = Some(row.resource_version.clone()).filter(|version| !version.is_empty());
            let entry = written(&Entry {
                resource_version: version,
                row: Some(row.id),
                namespace: row.namespace.clone(),
                name: Some(row.name.clone()),
                earlier: true,
                ..Entry::of(kind, at_ms)
            });
            entry.into_iter().for_each(|entry| log.push(entry));
        }
        log
    }

    /// A reader begins now, with what the log has, or where its token stands.
    pub(super) fn reader_of(&self, log: &Log, request: &SubscriptionRequest) -> LogReader {
        let token = request.token.as_ref();
        if token.is_none() && request.earlier {
            return LogReader { read: log.first(), is_lost: false };
        }
        let known = token.filter(|token| token.cluster == self.cluster && token.epoch == log.epoch);
        let read = known.and_then(Token::sequence).filter(|read| *read <= log.end());
        LogReader { read: read.unwrap_or_else(|| log.end()), is_lost: token.is_some() && read.is_none() }
    }

    pub(super) fn drop_idle_logs(&mut self) {
        let oldest_ms = self.now_ms - TIMELINE_LINGER_MS;
        self.views.retain(|_, view| view.idle_since_ms.is_none_or(|since_ms| since_ms >= oldest_ms));
        self.bound_logs();
    }

    /// If the logs have grown by as much as matters.
    fn bound_grown_logs(&mut self) {
        if self.log_growth.bytes > self.log_growth.due {
            self.bound_logs();
        }
    }

    /// Cuts the logs to what the connections that read them may keep, all their timelines together. The share in
    /// this hub is smaller if a connection has timelines in other feeds. Logs without a reader are one
    /// connection's.
    pub(super) fn bound_logs(&mut self) {
        let sizes = self.log_sizes();
        let mut of_sessions: BTreeMap<SessionNumber, Share> = BTreeMap::new();
        for subscriber in self.subscribers.values() {
            if matches!(subscriber.state, SubscriberState::Timeline(_)) {
                let bytes = self.bounds.log_bytes / subscriber.permit.timeline_feeds();
                let share = of_sessions.entry(subscriber.permit.session());
                let share = share.or_insert_with(|| Share { bytes, logs: BTreeSet::new() });
                share.logs.insert(subscriber.view);
            }
        }
        let mut shares: Vec<Share> = of_sessions.into_values().collect();
        let smallest = shares.iter().map(|share| share.bytes).min().unwrap_or(self.bounds.log_bytes);
        shares.push(Share { bytes: self.bounds.log_bytes, logs: self.lingering_logs() });
        for (view, bytes_max) in allowed(&sizes, &shares) {
            if let Some(ViewKind::Timeline(log)) = self.views.get_mut(&view).map(|view| &mut view.kind) {
                log.cut(bytes_max);
            }
        }
        self.log_growth = LogGrowth { bytes: 0, due: smallest / 8 };
    }

    fn log_sizes(&self) -> BTreeMap<ViewId, usize> {
        let size = |view: &View| match &view.kind {
            ViewKind::Timeline(log) => Some(log.byte_count()),
            ViewKind::Rows(_) | ViewKind::Object(_) => None,
        };
        self.views.iter().filter_map(|(key, view)| Some((*key, size(view)?))).collect()
    }

    /// Those without a reader. The oldest of too many are dropped.
    fn lingering_logs(&mut self) -> BTreeSet<ViewId> {
        let lingering = self.views.iter().filter_map(|(key, view)| Some((view.idle_since_ms?, *key)));
        let mut lingering: BTreeSet<_> = lingering.collect();
        while lingering.len() > TIMELINES_LINGERING_MAX
            && let Some((_, oldest)) = lingering.pop_first()
        {
            self.views.remove(&oldest);
        }
        lingering.into_iter().map(|(_, key)| key).collect()
    }

    #[cfg(test)]
    pub(in crate::hub) fn log_bytes(&self) -> usize {
        self.log_sizes().into_values().sum()
    }

    #[cfg(test)]
    pub(in crate::hub) fn log_count(&self) -> usize {
        self.log_sizes().len()
    }
}
