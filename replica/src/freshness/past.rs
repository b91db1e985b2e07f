//! A view as of a time: what the gateway recorded of it. It is decided before everything that is said of the present, so
//! that neither the link nor a proof makes it live or stale.

use shared::past::{PastState, Removed, Unrecorded, Why};
use shared::problem::{Problem, Reason};
use shared::state::{UnixMillis, ViewState};

use super::{Freshness, Held, ended, refused};
use crate::client::Client;
use crate::observer::RowObserver;
use crate::subscription::Phase;

/// A view as of a time, with its instants by the viewer's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsOf {
    /// The time that is asked for.
    pub at_ms: UnixMillis,
    pub record: Record,
    /// What was removed since of what was recorded of that time.
    pub removed: Option<Box<Removed>>,
    /// How far the gateway's clock was ahead of the viewer's when these instants were made.
    pub ahead_ms: i64,
}

/// What the record says of that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// Its rows are on their way. Until then those stand there that were shown before: `is_over_present`, those of the
    /// present, which say nothing of that time.
    Reading { asked_ms: UnixMillis, is_over_present: bool },
    /// The rows are what the cluster had.
    Of {
        /// The last change or proof before that time.
        recorded_ms: UnixMillis,
        /// The last change at or before it, the one before that, and the next one.
        changed_ms: Option<UnixMillis>,
        before_ms: Option<UnixMillis>,
        after_ms: Option<UnixMillis>,
    },
    /// Nothing was recorded at that time.
    Missing(Gap),
    /// The gateway has nothing of that time, and says why.
    Refused(Problem),
}

/// A time in which nothing was recorded, with what was seen around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    pub from_ms: UnixMillis,
    pub to_ms: UnixMillis,
    pub why: Why,
    pub before_ms: Option<UnixMillis>,
    pub after_ms: Option<UnixMillis>,
}

impl AsOf {
    /// The rows are on their way.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        matches!(self.record, Record::Reading { .. })
    }

    /// What stands there meanwhile is of the present.
    #[must_use]
    pub fn is_over_present(&self) -> bool {
        matches!(self.record, Record::Reading { is_over_present: true, .. })
    }

    pub(super) fn shows_rows(&self) -> bool {
        matches!(self.record, Record::Reading { .. } | Record::Of { .. })
    }

    /// One of these instants exactly as the gateway has it, to ask for it.
    #[must_use]
    pub fn gateway_ms(&self, local_ms: UnixMillis) -> UnixMillis {
        local_ms.saturating_add(self.ahead_ms)
    }

    /// The change before the one that is shown last, and the next one.
    #[must_use]
    pub fn steps_ms(&self) -> (Option<UnixMillis>, Option<UnixMillis>) {
        match &self.record {
            Record::Of { before_ms, after_ms, .. } => (*before_ms, *after_ms),
            Record::Missing(gap) => (gap.before_ms, gap.after_ms),
            Record::Reading { .. } | Record::Refused(_) => (None, None),
        }
    }
}

/// `at_ms`: by the gateway's clock.
pub(super) fn of_held<O: RowObserver>(client: &Client<O>, held: &Held<'_>, at_ms: UnixMillis) -> Freshness {
    let subscription = held.subscription;
    let ahead_ms = client.gateway_ms(0);
    let told_of = |record, removed| {
        Freshness::Past(Box::new(AsOf { at_ms: client.local_ms(at_ms), record, removed, ahead_ms }))
    };
    let of = |record| told_of(record, None);
    if let Phase::Ended { problem, at_ms } = &subscription.phase {
        return match problem.reason {
            Reason::Forbidden | Reason::Hidden => ended(problem, *at_ms),
            _ => of(Record::Refused(problem.clone())),
        };
    }
    match refused(client, subscription) {
        // The record has nothing of that time, or can't be read.
        Some(Freshness::Failed { problem: Some(problem), .. }) => return of(Record::Refused(problem)),
        Some(refused) => return refused,
        None => {}
    }
    let is_over_present = held.is_whole && subscription.held.at_ms.is_none();
    let reading = Record::Reading { asked_ms: subscription.asked_ms, is_over_present };
    let is_here = held.is_whole && subscription.held.at_ms == subscription.at_ms;
    match subscription.state() {
        Some(ViewState::Past(state)) if is_here || state.unrecorded.is_some() => {
            told_of(told(client, state), state.removed.clone().map(|removed| local(client, *removed)))
        }
        _ => of(reading),
    }
}

fn local<O: RowObserver>(client: &Client<O>, removed: Removed) -> Box<Removed> {
    let local = |ms: UnixMillis| client.local_ms(ms);
    let (from_ms, to_ms) = (local(removed.from_ms), local(removed.to_ms));
    Box::new(Removed { from_ms, to_ms, removed_ms: local(removed.removed_ms), ..removed })
}

fn told<O: RowObserver>(client: &Client<O>, state: &PastState) -> Record {
    let local = |ms: Option<UnixMillis>| ms.map(|ms| client.local_ms(ms));
    let (before_ms, after_ms) = (local(state.before_ms), local(state.after_ms));
    match &state.unrecorded {
        Some(Unrecorded { from_ms, to_ms, why }) => Record::Missing(Gap {
            from_ms: client.local_ms(*from_ms),
            to_ms: client.local_ms(*to_ms),
            why: why.clone(),
            before_ms: local(state.changed_ms),
            after_ms,
        }),
        None => Record::Of {
            recorded_ms: client.local_ms(state.recorded_ms),
            changed_ms: local(state.changed_ms),
            before_ms,
            after_ms,
        },
    }
}

/// One state for two parts of a view, which are as of the same time: what neither of both is short of, and the steps of
/// both.
pub(super) fn merge(one: AsOf, other: AsOf) -> AsOf {
    let (at_ms, ahead_ms) = (one.at_ms, one.ahead_ms);
    let latest = |a: Option<UnixMillis>, b: Option<UnixMillis>| a.max(b);
    let next = |a: Option<UnixMillis>, b: Option<UnixMillis>| a.into_iter().chain(b).min();
    let record = match (one.record, other.record) {
        (
            Record::Of { recorded_ms, changed_ms, before_ms, after_ms },
            Record::Of {
                recorded_ms: other_ms,
                changed_ms: other_changed_ms,
                before_ms: other_before_ms,
                after_ms: other_after_ms,
            },
        ) => Record::Of {
            recorded_ms: recorded_ms.min(other_ms),
            // The last change of one may be the one before the last of both.
            before_ms: latest(
                changed_ms.min(other_changed_ms).filter(|_| changed_ms != other_changed_ms),
                latest(before_ms, other_before_ms),
            ),
            changed_ms: latest(changed_ms, other_changed_ms),
            after_ms: next(after_ms, other_after_ms),
        },
        // What is on its way may still be missing.
        (reading @ Record::Reading { .. }, _) | (_, reading @ Record::Reading { .. }) => reading,
        (missing @ Record::Missing(_), _) | (_, missing @ Record::Missing(_)) => missing,
        (refused @ Record::Refused(_), Record::Refused(_)) => refused,
        (of @ Record::Of { .. }, Record::Refused(_)) | (Record::Refused(_), of) => of,
    };
    AsOf { at_ms, record, removed: one.removed.or(other.removed), ahead_ms }
}
