//! The logs of the hub's timeline views: what happens is written into each that it belongs to, as it
//! happens. Never a tick, never a walk.

use shared::frame::server::Gap;
use shared::frame::timeline::{Entry, EntryType};
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::token::Token;

use super::{Hub, TIMELINE_LINGER_MS};
use crate::hub::entries::{Seen, Told};
use crate::hub::store::Stored;
use crate::hub::subscriber::Subscriber;
use crate::hub::view::Shows;

/// What a change is seen by, and with which words about its writers.
pub(super) enum Means<'a> {
    Event {
        managed: &'a [u8],
    },
    /// A list showed it, at an unknown time after it happened.
    List,
}

impl Hub {
    /// Without a reader nothing is read of the object, and nothing is compared.
    pub(super) fn has_logs(&self) -> bool {
        self.views.values().any(|view| matches!(view.shows, Shows::Timeline(_)))
    }

    pub(super) fn log_change(
        &mut self,
        before: Option<&Stored>,
        now: Option<&Stored>,
        resource_version: &ResourceVersion,
        means: &Means<'_>,
    ) {
        let (managed, relisted) = match means {
            Means::Event { managed } => (*managed, false),
            Means::List => (&[][..], true),
        };
        let seen = Seen { before, now, managed, resource_version, time_ms: self.now_ms, relisted };
        let mut told = Told::of(&seen);
        for view in self.views.values_mut() {
            let Shows::Timeline(log) = &mut view.shows else { continue };
            let was_member = before.is_some_and(|stored| view.filter.matches(stored));
            let is_member = now.is_some_and(|stored| view.filter.matches(stored));
            if let Some(entry) = told.entry(was_member, is_member) {
                log.push(&entry);
                self.is_logged = true;
            }
        }
    }

    /// What belongs to no object, for all.
    pub(super) fn log_for_all(&mut self, entry: &Entry) {
        for view in self.views.values_mut() {
            if let Shows::Timeline(log) = &mut view.shows {
                log.push(entry);
                self.is_logged = true;
            }
        }
    }

    /// Before what a list showed: the events between are in no entry.
    pub(super) fn log_gap(&mut self, gap: Option<&Gap>) {
        let since_ms = self.proof.map_or(self.now_ms, |proof| proof.at_ms);
        let unnamed = Gap { from_ms: since_ms, to_ms: self.now_ms, reason: Reason::Unproven };
        let gap = gap.cloned().unwrap_or(unnamed);
        self.log_for_all(&Entry { gap: Some(gap), ..Entry::of(EntryType::Gap, self.now_ms) });
    }

    /// A reader begins now, or where its token stands.
    pub(super) fn begin_reading(&self, subscriber: &mut Subscriber, token: Option<&Token>) {
        let Some(Shows::Timeline(log)) = self.views.get(&subscriber.view).map(|view| &view.shows) else {
            return;
        };
        let known = token.filter(|token| token.cluster == self.identity.cluster && token.epoch == log.epoch);
        let read = known.and_then(Token::sequence).filter(|read| *read <= log.end());
        subscriber.reset = token.is_some() && read.is_none();
        subscriber.read = read.unwrap_or_else(|| log.end());
        subscriber.at_cut = true;
    }

    pub(super) fn drop_idle_logs(&mut self) {
        let oldest_ms = self.now_ms - TIMELINE_LINGER_MS;
        let over: Vec<_> = self
            .idle_logs
            .iter()
            .filter(|(_, since_ms)| **since_ms < oldest_ms)
            .map(|(key, _)| *key)
            .collect();
        for key in over {
            self.idle_logs.remove(&key);
            self.views.remove(&key);
        }
    }
}
