//! The versions of the object that the gateway recorded before its panel was opened. They come a page at a time, the newest
//! first, and stand below the entries of the log. Never an entry that the log has, too.

use serde_json::Value;
use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::{History, Past, PastAnswer};
use shared::frame::timeline::Entry;
use shared::past::{Removed, Unrecorded};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::whole::WholeVersions;
use crate::detail;
use crate::panel::log::Log;
use crate::panel::object::PanelObject;
use crate::panel::recorded::records;
use crate::table_view::Client;

/// The record of one object, as far as it was asked for.
#[derive(Default)]
pub(super) struct RecordedVersions {
    of: Option<RowId>,
    /// The newest first.
    entries: Vec<Entry>,
    unrecorded: Vec<Unrecorded>,
    removed: Vec<Removed>,
    /// Since when the kind is recorded, by the gateway's clock.
    since_ms: Option<UnixMillis>,
    next: Next,
    /// Those that are compared.
    whole: WholeVersions,
}

/// What comes after the entries that are here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    /// The newest ones were not asked for yet.
    #[default]
    First,
    Asked(SubscriptionId),
    /// Older ones are asked for with this number, when the reader wants them.
    Before(i64),
    End,
}

/// Entries that the record keeps: as many as a reader looks through.
const ENTRIES_MAX: usize = 2_000;

/// So many versions before the time of a panel are asked for.
const SEEN_BEFORE: usize = 50;

/// So many are asked for until it is known since when the object isn't well.
const SHORT_MAX: usize = 500;

/// Entries of the record are numbered below those of children and above those of logs.
const RECORD_NUMBERS: u64 = 1 << 55;

impl RecordedVersions {
    /// Asks for the newest versions, once it is known which object it is.
    pub(super) fn follow(&mut self, object: &PanelObject, client: &mut Client) {
        let Some(row) = object.row_id(client) else { return };
        if self.of != Some(row) {
            *self = Self { of: Some(row), ..Self::default() };
        }
        if self.next == Next::First {
            self.ask(object, client, None);
        }
        let scope = object.view(client).map(|view| view.subscription.scope.clone());
        if let Some(scope) = scope.filter(|_| self.whole.has_wishes() && records(client)) {
            self.whole.ask((row, &scope), client);
        }
    }

    pub(super) fn want_whole(&mut self, versions: &[ResourceVersion]) {
        versions.iter().for_each(|version| self.whole.want(version));
    }

    pub(super) fn whole(&self) -> &WholeVersions {
        &self.whole
    }

    /// Those that the log hasn't, the oldest first.
    pub(super) fn entries_before<'a>(&'a self, log: &Log<'a>) -> Vec<&'a Entry> {
        let mut entries: Vec<&Entry> = self.before(log).map(|(_, entry)| entry).collect();
        entries.reverse();
        entries
    }

    /// Those until a time, the oldest first; also those that the log has.
    pub(super) fn until(&self, at_ms: UnixMillis) -> impl Iterator<Item = &Entry> {
        self.entries.iter().rev().filter(move |entry| entry.time_ms <= at_ms)
    }

    /// There are older ones, and all that are here are later than a time, or few.
    pub(super) fn lacks(&self, at_ms: UnixMillis) -> bool {
        self.has_more() && self.until(at_ms).count() < SEEN_BEFORE
    }

    /// Whether nothing was recorded for some time between two.
    pub(super) fn has_gap(&self, (from_ms, to_ms): (UnixMillis, UnixMillis)) -> bool {
        self.unrecorded.iter().any(|gap| gap.from_ms < to_ms && gap.to_ms > from_ms)
    }

    /// Whether there are older ones to ask for.
    pub(super) fn has_more(&self) -> bool {
        matches!(self.next, Next::Before(_)) && self.entries.len() < ENTRIES_MAX
    }

    pub(super) fn ask_older(&mut self, object: &PanelObject, client: &mut Client) {
        if let Next::Before(number) = self.next
            && self.has_more()
        {
            self.ask(object, client, Some(number));
        }
    }

    fn ask(&mut self, object: &PanelObject, client: &mut Client, before: Option<i64>) {
        let scope = object.view(client).map(|view| view.subscription.scope.clone());
        let Some((row, scope)) = self.of.zip(scope).filter(|_| records(client)) else { return };
        if let Some(id) = client.ask_past(scope, PastAsked::History { row, before }) {
            self.next = Next::Asked(id);
        }
    }

    /// Returns whether it was the answer to its question.
    pub(super) fn came(&mut self, answer: &PastAnswer) -> bool {
        if self.whole.waits_for(answer.id) {
            let version = match answer.read() {
                Some(Past::Version(version)) => Some(version),
                _ => None,
            };
            self.whole.came(answer.id, version);
            return true;
        }
        if self.next != Next::Asked(answer.id) {
            return false;
        }
        let Some(Past::History(History { entries, before, since_ms, unrecorded, removed })) = answer.read()
        else {
            self.next = Next::End;
            return true;
        };
        self.entries.extend(entries);
        (self.unrecorded, self.removed, self.since_ms) = (unrecorded, removed, since_ms);
        self.next = before.map_or(Next::End, Next::Before);
        true
    }

    /// What is here stays. The next connection is asked for the rest.
    pub(super) fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        self.whole.failed(id, problem);
        if self.next == Next::Asked(id) {
            let is_cut =
                problem.reason == shared::problem::Reason::ConnectionClosed && self.entries.is_empty();
            self.next = if is_cut { Next::First } else { Next::End };
        }
    }

    /// Nothing is recorded of a time before the versions that are here, since the object was made.
    pub(super) fn is_whole(&self, object: &Value) -> bool {
        let made_ms = detail::created(object).map(|at| at.saturating_mul(1_000));
        let since_ms = self.since_ms.zip(made_ms).filter(|_| self.next == Next::End);
        since_ms.is_some_and(|(since_ms, made_ms)| since_ms <= made_ms)
    }

    /// There are older ones, and few of them are here.
    pub(super) fn is_short(&self) -> bool {
        self.has_more() && self.entries.len() < SHORT_MAX
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn since_ms(&self) -> Option<UnixMillis> {
        self.since_ms
    }

    /// Those that the log hasn't, each with its number; the newest first.
    pub(super) fn before<'a>(&'a self, log: &Log<'a>) -> impl Iterator<Item = (u64, &'a Entry)> {
        let held: Vec<&Entry> = log.iter().collect();
        let is_held = move |entry: &Entry| {
            entry.resource_version.is_some()
                && held
                    .iter()
                    .any(|held| held.kind == entry.kind && held.resource_version == entry.resource_version)
        };
        // An older entry has a lower number.
        let numbered = (0..=RECORD_NUMBERS).rev().zip(&self.entries);
        numbered
            .map(|(number, entry)| (RECORD_NUMBERS + number, entry))
            .filter(move |(_, entry)| !is_held(entry))
    }

    /// The times in which nothing was recorded, after the oldest version that is here, each with its number.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (u64, &Unrecorded)> {
        let from_ms = if self.entries.is_empty() { UnixMillis::MAX } else { self.told_from_ms() };
        let gaps = self.unrecorded.iter().filter(move |gap| gap.to_ms > from_ms);
        (3 * RECORD_NUMBERS..).zip(gaps)
    }

    /// What was removed of the time after the oldest version that is here, each with its number. It may have been all of them.
    pub(super) fn removed(&self) -> impl Iterator<Item = (u64, &Removed)> {
        let from_ms = self.told_from_ms();
        let removed = self.removed.iter().filter(move |removed| removed.to_ms > from_ms);
        (7 * (RECORD_NUMBERS / 2)..).zip(removed)
    }

    /// What is here goes back so far.
    fn told_from_ms(&self) -> UnixMillis {
        let oldest_ms = self.entries.last().map_or(UnixMillis::MAX, |entry| entry.time_ms);
        if self.next == Next::End { UnixMillis::MIN } else { oldest_ms }
    }
}
