//! When a kind was recorded by any of several replicas.

use shared::past::{Unrecorded, Why};
use shared::state::UnixMillis;

/// From the first to the last that a segment has of a kind, and what it says of the time between.
pub(super) struct Span {
    pub(super) from_ms: UnixMillis,
    pub(super) to_ms: UnixMillis,
    pub(super) unrecorded: Vec<Unrecorded>,
}

/// The times when something was recorded, in order and apart.
pub(super) fn covered(spans: &[Span]) -> Vec<(UnixMillis, UnixMillis)> {
    let mut parts: Vec<_> = spans.iter().flat_map(parts).collect();
    parts.sort_unstable();
    let mut covered: Vec<(UnixMillis, UnixMillis)> = Vec::new();
    for (from_ms, to_ms) in parts {
        match covered.last_mut() {
            Some(last) if last.1 >= from_ms => last.1 = last.1.max(to_ms),
            _ => covered.push((from_ms, to_ms)),
        }
    }
    covered
}

/// What a segment covers: all of its span but what it says that it missed.
fn parts(span: &Span) -> Vec<(UnixMillis, UnixMillis)> {
    let mut missed: Vec<_> = span.unrecorded.iter().map(|it| (it.from_ms, it.to_ms)).collect();
    missed.sort_unstable();
    let (mut parts, mut from_ms) = (Vec::new(), span.from_ms);
    for (missed_ms, again_ms) in missed {
        if missed_ms >= from_ms {
            parts.push((from_ms, missed_ms.min(span.to_ms)));
        }
        from_ms = from_ms.max(again_ms);
    }
    if from_ms <= span.to_ms {
        parts.push((from_ms, span.to_ms));
    }
    parts
}

/// The times between when no replica recorded, and why, as far as one of them says so.
pub(super) fn holes(spans: &[Span]) -> Vec<Unrecorded> {
    let covered = covered(spans);
    let between = covered.windows(2).filter_map(|pair| match pair {
        [(_, from_ms), (to_ms, _)] => Some((*from_ms, *to_ms)),
        _ => None,
    });
    let said = || spans.iter().flat_map(|span| &span.unrecorded);
    between
        .map(|(from_ms, to_ms)| {
            let why = said().find(|said| said.from_ms < to_ms && said.to_ms > from_ms);
            let why = why.map_or(Why::Down, |said| said.why.clone());
            Unrecorded { from_ms, to_ms, why }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from_ms: i64, to_ms: i64, missed: &[(i64, i64)]) -> Span {
        let why = Why::TooFast;
        let unrecorded = missed.iter();
        let unrecorded = unrecorded
            .map(|(from_ms, to_ms)| Unrecorded { from_ms: *from_ms, to_ms: *to_ms, why: why.clone() })
            .collect();
        Span { from_ms, to_ms, unrecorded }
    }

    fn times(holes: &[Unrecorded]) -> Vec<(i64, i64, Why)> {
        holes.iter().map(|hole| (hole.from_ms, hole.to_ms, hole.why.clone())).collect()
    }

    #[test]
    fn what_one_replica_missed_is_a_hole_only_if_no_other_one_recorded_it() {
        let one = span(0, 100, &[(20, 30)]);
        assert_eq!(times(&holes(&[one])), [(20, 30, Why::TooFast)]);
        let pair = [span(0, 100, &[(20, 30)]), span(10, 60, &[(50, 55)])];
        assert_eq!(times(&holes(&pair)), []);
        assert_eq!(covered(&pair), [(0, 100)]);
        let pair = [span(0, 100, &[(20, 30)]), span(10, 25, &[])];
        assert_eq!(times(&holes(&pair)), [(25, 30, Why::TooFast)]);
    }

    #[test]
    fn a_time_that_no_replica_speaks_of_is_one_when_none_ran() {
        assert_eq!(times(&holes(&[span(50, 90, &[]), span(0, 40, &[])])), [(40, 50, Why::Down)]);
        // A segment that goes on begins with the last proof before it.
        let goes_on = [span(0, 40, &[]), span(35, 90, &[(35, 60)])];
        assert_eq!(times(&holes(&goes_on)), [(40, 60, Why::TooFast)]);
    }
}
