//! The recorded Events about the object, which the API server may have forgotten. They come a page at a time, the newest
//! first, until there are as many as a panel shows.

use std::collections::BTreeSet;

use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::{RecordedEvent, RecordedEvents};
use shared::past::Unrecorded;
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;

use crate::limits::PANEL_EVENTS_MAX;
use crate::table_view::Client;

/// The Events that the record has of one object.
#[derive(Default)]
pub(crate) struct EventsOfRecord {
    /// The object, and the time as of which its Events are.
    of: Option<(RowId, Option<UnixMillis>)>,
    /// Each once, the newest first.
    events: Vec<RecordedEvent>,
    told: BTreeSet<RowId>,
    unrecorded: Vec<Unrecorded>,
    since_ms: Option<UnixMillis>,
    next: Next,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    First,
    Asked(SubscriptionId),
    Before(i64),
    End,
}

/// What the record has beyond what the API server tells: an Event, or a time in which none was recorded.
pub(crate) enum OfRecord<'a> {
    Event(&'a RecordedEvent),
    Gap(&'a Unrecorded),
}

/// Gaps that are named among the Events.
const GAPS_MAX: usize = 10;

impl EventsOfRecord {
    /// Whether there is something to ask for.
    pub(super) fn wants(&self, of: (RowId, Option<UnixMillis>)) -> bool {
        let is_full = self.events.len() >= PANEL_EVENTS_MAX;
        self.of != Some(of) || self.next == Next::First || matches!(self.next, Next::Before(_)) && !is_full
    }

    pub(super) fn follow(&mut self, of: (RowId, Option<UnixMillis>), scope: Scope, client: &mut Client) {
        if self.of != Some(of) {
            *self = Self { of: Some(of), ..Self::default() };
        }
        let (row, at_ms) = of;
        let before = match self.next {
            Next::First => None,
            Next::Before(number) if self.events.len() < PANEL_EVENTS_MAX => Some(number),
            _ => return,
        };
        if let Some(id) = client.ask_past(scope, PastAsked::Events { row, before, at_ms }) {
            self.next = Next::Asked(id);
        }
    }

    pub(super) fn waits_for(&self, id: SubscriptionId) -> bool {
        self.next == Next::Asked(id)
    }

    pub(super) fn came(&mut self, answer: RecordedEvents) {
        let RecordedEvents { events, before, since_ms, unrecorded } = answer;
        let is_new = |event: &RecordedEvent| self.told.insert(event.row);
        self.events.extend(events.into_iter().filter(is_new));
        (self.since_ms, self.unrecorded) = (since_ms, unrecorded);
        self.next = before.map_or(Next::End, Next::Before);
    }

    pub(super) fn failed(&mut self, id: SubscriptionId, is_cut: bool) {
        if self.waits_for(id) {
            self.next = if is_cut && self.events.is_empty() { Next::First } else { Next::End };
        }
    }

    /// The record has told the newest ones, or that it has none.
    pub(crate) fn is_answered(&self) -> bool {
        matches!(self.next, Next::Before(_) | Next::End)
    }

    /// Since when Events are recorded, by the gateway's clock.
    pub(crate) fn since_ms(&self) -> Option<UnixMillis> {
        self.since_ms
    }

    /// Those that no table has, until a time, with the gaps between and after them; the newest first.
    pub(crate) fn before(
        &self,
        until_ms: Option<UnixMillis>,
        is_held: impl Fn(RowId) -> bool,
    ) -> Vec<OfRecord<'_>> {
        let until_ms = until_ms.unwrap_or(UnixMillis::MAX);
        let of_time = self.events.iter().filter(|event| event.time_ms <= until_ms && !is_held(event.row));
        // A list brings Events that happened before the gateway heard of them.
        let seen_ms = |event: &RecordedEvent| event.seen.map_or(event.time_ms, |at| at.saturating_mul(1_000));
        let mut found: Vec<(UnixMillis, OfRecord<'_>)> =
            of_time.take(PANEL_EVENTS_MAX).map(|event| (seen_ms(event), OfRecord::Event(event))).collect();
        let Some(oldest_ms) = found.iter().map(|(ms, _)| *ms).min() else { return Vec::new() };
        let gaps = self.unrecorded.iter().rev().filter(|gap| gap.to_ms > oldest_ms && gap.from_ms < until_ms);
        found.extend(gaps.take(GAPS_MAX).map(|gap| (gap.to_ms, OfRecord::Gap(gap))));
        shared::sorted::sort_by_key(&mut found, |(ms, _)| std::cmp::Reverse(*ms));
        found.into_iter().map(|(_, of_record)| of_record).collect()
    }
}
