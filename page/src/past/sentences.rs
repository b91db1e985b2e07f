//! The sentences about a time of the past: in the notice line, in place of rows of a time of which nothing was recorded,
//! and in the popover of the pill. Never a row.

use replica::freshness::{AsOf, Gap, Record};
use shared::duration;
use shared::past::Removed;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::part::Place;
use super::{said, words};
use crate::messages;
use crate::notice::{Action, Edge, Kind, Notice};
use crate::pill::{Hop, ProofHops};

/// A record that is read sooner says nothing.
const SAID_AFTER_MS: i64 = 400;

/// The notice line; `None`: the rows by health.
pub(super) fn line(as_of: &AsOf, place: &Place) -> Option<Notice> {
    match &as_of.record {
        Record::Reading { asked_ms, .. } => {
            let waited_ms = place.now_ms.saturating_sub(*asked_ms);
            (waited_ms >= SAID_AFTER_MS).then(|| Notice {
                kind: Kind::Busy,
                bold: words::reading_of(&place.at(as_of.at_ms)),
                sentence: words::asked_ago(waited_ms),
                ..Notice::default()
            })
        }
        Record::Of { .. } => as_of.removed.as_deref().map(|removed| of_removed(place, removed)),
        // The table's body says it.
        Record::Missing(_) | Record::Refused(_) => Some(Notice::default()),
    }
}

/// Why there are no rows of that time. `None`: they are on their way.
pub(super) fn body(as_of: &AsOf, place: &Place) -> Option<Notice> {
    match &as_of.record {
        Record::Reading { .. } | Record::Of { .. } => None,
        Record::Missing(gap) => Some(of_gap(place, as_of, gap)),
        Record::Refused(problem) => Some(of_refused(place, as_of, problem)),
    }
}

impl Place {
    fn at(&self, ms: UnixMillis) -> String {
        messages::instant(ms, self.now_ms, self.zone)
    }
}

fn of_gap(place: &Place, as_of: &AsOf, gap: &Gap) -> Notice {
    let (from, to) = (place.at(gap.from_ms), place.at(gap.to_ms));
    let length = duration::human(gap.to_ms.saturating_sub(gap.from_ms).max(0) / 1_000);
    let edge = |clock: &str, ms| Edge { clock: clock.to_owned(), action: Action::GoTo(as_of.gateway_ms(ms)) };
    // A gap that hasn't ended has one edge.
    let after = (gap.to_ms < place.now_ms).then(|| edge(&to, gap.to_ms));
    Notice {
        kind: Kind::Gap,
        bold: words::nothing_from_to(&from, &to, &gap.why),
        sentence: words::unknown_for(&place.resource, &length),
        edges: std::iter::once(edge(&from, gap.from_ms)).chain(after).collect(),
        ..Notice::default()
    }
}

/// The rows are what the record has, which isn't all that was recorded.
fn of_removed(place: &Place, removed: &Removed) -> Notice {
    Notice {
        kind: Kind::Gap,
        bold: words::removed(&place.resource, removed, |ms| place.at(ms)),
        sentence: words::removed_at(&place.at(removed.removed_ms)),
        ..Notice::default()
    }
}

fn of_refused(place: &Place, as_of: &AsOf, problem: &Problem) -> Notice {
    let clock = place.at(as_of.at_ms);
    let is_none = problem.reason == Reason::NotFound;
    Notice {
        kind: Kind::Bad,
        bold: match is_none {
            true => words::nothing_at(&place.resource, &clock),
            false => words::record_cannot_be_read(&clock),
        },
        sentence: messages::sentence(&problem.message),
        action: Some(if is_none { Action::BackToLive } else { Action::TryNow }),
        ..Notice::default()
    }
}

/// A view of the past is as fresh as its record. `is_open`: the connection to the gateway.
pub(super) fn proof(as_of: &AsOf, is_open: bool) -> ProofHops {
    let before = |ms: UnixMillis| words::before(as_of.at_ms.saturating_sub(ms));
    let facts = match &as_of.record {
        Record::Of { recorded_ms, changed_ms, .. } => {
            let changed = changed_ms.map(|ms| (words::LAST_CHANGE.to_owned(), before(ms)));
            let seen = (words::LAST_SEEN.to_owned(), before(*recorded_ms));
            std::iter::once(seen).chain(changed).collect()
        }
        _ => vec![(said::detail(as_of), String::new())],
    };
    let gone = (!is_open).then(|| (messages::NO_GATEWAY.to_owned(), String::new()));
    ProofHops {
        title: words::HOW_RECORDED.to_owned(),
        said: String::new(),
        cluster: Hop { is_broken: false, facts },
        gateway: Hop { is_broken: !is_open, facts: gone.into_iter().collect() },
        foot: words::RECORD_FOOT.to_owned(),
    }
}
