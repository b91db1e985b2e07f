//! What a view of the past says in its notice line, and in place of rows of a time of which nothing was recorded.

use replica::freshness::{AsOf, Gap, Record};
use shared::duration;
use shared::problem::{Problem, Reason};

use super::{Action, Edge, Kind, Notice, ReaderView};
use crate::messages;
use crate::past::words;

/// A record that is read sooner says nothing.
const SAID_AFTER_MS: i64 = 400;

/// The notice line; `None`: the rows by health.
pub(super) fn line(view: &ReaderView<'_>, as_of: &AsOf) -> Option<Notice> {
    match &as_of.record {
        Record::Reading { asked_ms } => {
            let waited_ms = view.now_ms.saturating_sub(*asked_ms);
            (waited_ms >= SAID_AFTER_MS).then(|| Notice {
                kind: Kind::Busy,
                bold: words::reading_of(&view.at(as_of.at_ms)),
                sentence: words::asked_ago(waited_ms),
                ..Notice::default()
            })
        }
        Record::Of { .. } => None,
        // The table's body says it.
        Record::Missing(_) | Record::Refused(_) => Some(Notice::default()),
    }
}

/// Why there are no rows of that time. `None`: they are on their way.
pub(super) fn refusal(view: &ReaderView<'_>, as_of: &AsOf) -> Option<Notice> {
    match &as_of.record {
        Record::Reading { .. } | Record::Of { .. } => None,
        Record::Missing(gap) => Some(of_gap(view, as_of, gap)),
        Record::Refused(problem) => Some(of_refused(view, as_of, problem)),
    }
}

pub(super) fn none_then(view: &ReaderView<'_>) -> String {
    let at_ms = view.freshness.past().map_or(view.now_ms, |as_of| as_of.at_ms);
    words::none_then(&view.resource(), &view.place(), &view.at(at_ms))
}

fn of_gap(view: &ReaderView<'_>, as_of: &AsOf, gap: &Gap) -> Notice {
    let (from, to) = (view.at(gap.from_ms), view.at(gap.to_ms));
    let length = duration::human(gap.to_ms.saturating_sub(gap.from_ms).max(0) / 1_000);
    let edge = |clock: &str, ms| Edge { clock: clock.to_owned(), action: Action::GoTo(as_of.gateway_ms(ms)) };
    // A gap that hasn't ended has one edge.
    let after = (gap.to_ms < view.now_ms).then(|| edge(&to, gap.to_ms));
    Notice {
        kind: Kind::Gap,
        bold: words::nothing_from_to(&from, &to, &gap.why),
        sentence: words::unknown_for(&view.resource(), &length),
        edges: std::iter::once(edge(&from, gap.from_ms)).chain(after).collect(),
        ..Notice::default()
    }
}

fn of_refused(view: &ReaderView<'_>, as_of: &AsOf, problem: &Problem) -> Notice {
    let clock = view.at(as_of.at_ms);
    let is_none = problem.reason == Reason::NotFound;
    Notice {
        kind: Kind::Bad,
        bold: match is_none {
            true => words::nothing_at(&view.resource(), &clock),
            false => words::record_cannot_be_read(&clock),
        },
        sentence: messages::sentence(&problem.message),
        action: Some(if is_none { Action::BackToLive } else { Action::TryNow }),
        ..Notice::default()
    }
}
