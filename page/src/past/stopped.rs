//! The notice that nothing is recorded any more, in the past and beside the open bar. Never a kind that isn't recorded at
//! all: the slider, or what stands in place of the rows, says that.

use shared::state::UnixMillis;

use super::part::Shown;
use super::time_bar::TimeBar;
use super::words;
use crate::messages;
use crate::notice::{Kind, Notice};

pub(super) fn stopped(bar: &TimeBar, shown: &Shown<'_>) -> Option<Notice> {
    let here = &shown.here;
    let stopped = bar.density()?.answers.iter().find_map(|answer| {
        let why = answer.problem.as_ref()?;
        Some((answer.until_ms?, why))
    });
    let (until_ms, why) = stopped?;
    let clock = |gateway_ms: UnixMillis| {
        messages::instant(gateway_ms.saturating_sub(here.ahead_ms), here.now_ms, here.zone)
    };
    let bold = format!("{}.", words::not_recorded_since(&clock(until_ms), &why.message));
    let sentence = match here.at_ms() {
        Some(at_ms) if at_ms > until_ms => words::rows_of(&clock(until_ms)),
        _ => words::RECORD_STAYS.to_owned(),
    };
    Some(Notice { kind: Kind::Gap, bold, sentence, ..Notice::default() })
}
