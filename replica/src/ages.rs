//! When a cell that tells time says something else, so that nothing is printed more often than it
//! changes. Never a timer.

use shared::cell::Cell;
use shared::duration::UnixSeconds;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// The next second of the cluster's clock at which the cell may read differently; `None`: never by
/// itself.
#[must_use]
pub fn next_change(cell: &Cell, now: UnixSeconds) -> Option<UnixSeconds> {
    let since = match cell {
        Cell::Age(since) => (*since)?,
        Cell::Ago(ago) => ago.at,
        Cell::Span(span) if span.end.is_none() => span.start,
        _ => return None,
    };
    let age = now.saturating_sub(since);
    // `<invalid>` until the clocks agree to a second.
    if age < -1 {
        return Some(since - 1);
    }
    let step = step_s(age);
    Some(since.saturating_add((age.div_euclid(step) + 1).saturating_mul(step)))
}

/// How long an age reads the same, in kubectl's words.
fn step_s(age: i64) -> i64 {
    match age {
        ..600 => 1,
        600..28_800 => MINUTE,
        28_800..691_200 => HOUR,
        _ => DAY,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cell_reads_the_same_until_the_promised_second(age in -10_i64..400_000_000, early in 0_i64..90_000) {
            let now = 1_763_690_000;
            let cell = Cell::Age(Some(now - age));
            let next = next_change(&cell, now).expect("it ticks");
            prop_assert!(next > now);
            let sooner = (now + early).min(next - 1);
            prop_assert_eq!(cell.print(sooner), cell.print(now));
        }
    }

    #[test]
    fn what_has_ended_never_changes() {
        for json in [r#"{"start":1,"end":5}"#, r#"{"age":null}"#, "3", "null"] {
            let cell: Cell = serde_json::from_str(json).expect(json);
            assert_eq!(next_change(&cell, 1_763_690_000), None, "{json}");
        }
    }
}
