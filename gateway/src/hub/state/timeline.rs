//! The logs of the hub's timeline views. Each event is written into the logs of the views that it belongs
//! to, as it happens; ticks and walks have no part in it.

use shared::frame::server::Gap;
use shared::frame::timeline::{Entry, EntryType};
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::token::Token;

use super::Hub;
use crate::hub::entries::{EntryWriter, Seen};
use crate::hub::host::Host;
use crate::hub::log::Log;
use crate::hub::request::SubscriptionRequest;
use crate::hub::store::{Stored, Watched};
use crate::hub::subscriber::LogReader;
use crate::hub::view::ViewKind;
use crate::limits::TIMELINE_LINGER_MS;

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
                log.push(&entry);
                self.is_logged = true;
            }
        }
    }

    /// Writes an event that belongs to no object into all logs.
    pub(super) fn log_for_all(&mut self, entry: &Entry) {
        for view in self.views.values_mut() {
            if let ViewKind::Timeline(log) = &mut view.kind {
                log.push(entry);
                self.is_logged = true;
            }
        }
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
            log.push(&Entry {
                resource_version: version,
                row: Some(row.id),
                namespace: row.namespace.clone(),
                name: Some(row.name.clone()),
                earlier: true,
                ..Entry::of(kind, at_ms)
            });
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
    }
}
