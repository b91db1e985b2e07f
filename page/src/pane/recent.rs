//! The changes of one view in the last minute: which rows, and how many a second.

use std::collections::VecDeque;
use std::fmt::Write;

use replica::table::{Delta, Slot};
use shared::state::UnixMillis;

#[derive(Default)]
pub(super) struct Recent {
    /// When rows changed, the oldest first, for the short bars of the minimap.
    rows: VecDeque<(UnixMillis, Slot)>,
    /// The number of changes in each second, the oldest first.
    seconds: VecDeque<(i64, u32)>,
}

/// The minimap draws them on 600 pixels, so more than this many rows can't be told apart.
const ROWS_MAX: usize = 600;
const MINUTE_MS: i64 = 60_000;
const BARS: i64 = 23;

impl Recent {
    pub(super) fn rows_came(&mut self, delta: &Delta, was_whole: bool, now_ms: UnixMillis) {
        if !was_whole || delta.replaced {
            return;
        }
        let changed = delta.changed.iter().map(|changed| changed.slot);
        let slots: Vec<Slot> = delta.added.iter().copied().chain(changed).collect();
        let count = u32::try_from(slots.len() + delta.removed.len()).unwrap_or(u32::MAX);
        let second = now_ms.div_euclid(1_000);
        match self.seconds.back_mut() {
            Some((last, sum)) if *last == second => *sum = sum.saturating_add(count),
            _ => self.seconds.push_back((second, count)),
        }
        self.rows.extend(slots.into_iter().map(|slot| (now_ms, slot)));
        self.rows.drain(..self.rows.len().saturating_sub(ROWS_MAX));
    }

    pub(super) fn expire(&mut self, now_ms: UnixMillis) {
        let oldest_ms = now_ms.saturating_sub(MINUTE_MS);
        self.rows.retain(|(at_ms, _)| *at_ms >= oldest_ms);
        self.seconds.retain(|(second, _)| *second >= oldest_ms.div_euclid(1_000));
    }

    /// Changes of the last whole second.
    pub(super) fn rate(&self, now_ms: UnixMillis) -> u32 {
        let last = now_ms.div_euclid(1_000) - 1;
        self.seconds.iter().find(|(second, _)| *second == last).map_or(0, |(_, count)| *count)
    }

    /// Bars of the last minute on a grid of 92 by 14, the newest at the right.
    pub(super) fn spark(&self, now_ms: UnixMillis) -> String {
        let now = now_ms.div_euclid(1_000);
        let step = 60 / BARS + 1;
        let bar = |n: i64| {
            let end = now - (BARS - 1 - n) * step;
            let in_bar = |second: i64| second <= end && second > end - step;
            let counts = self.seconds.iter().filter(|(second, _)| in_bar(*second));
            counts.map(|(_, count)| f64::from(*count)).sum::<f64>()
        };
        let bars: Vec<f64> = (0..BARS).map(bar).collect();
        let highest = bars.iter().copied().fold(1.0, f64::max);
        let mut path = String::new();
        for (n, bar) in bars.iter().enumerate().filter(|(_, bar)| **bar > 0.0) {
            let height = (bar / highest * 14.0).max(1.0);
            let _ = write!(path, "M{} {:.1}h3v{height:.1}h-3z", n * 4, 14.0 - height);
        }
        path
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.rows.iter().map(|(_, slot)| *slot)
    }
}

#[cfg(test)]
mod tests {
    use replica::testing::named_table;

    use super::*;

    #[test]
    fn changes_are_counted_by_the_second_and_forgotten_after_a_minute() {
        let slots: Vec<Slot> = named_table(&["a/0", "a/1"]).iter().map(|(slot, _)| slot).collect();
        let mut recent = Recent::default();
        let delta = Delta { added: slots.clone(), ..Delta::default() };
        recent.rows_came(&delta, false, 10_000);
        assert_eq!(recent.slots().count(), 0, "the first load is no change");
        for now_ms in [10_000, 10_500, 12_000] {
            recent.rows_came(&delta, true, now_ms);
        }
        assert_eq!([recent.rate(10_999), recent.rate(11_000), recent.rate(13_000)], [0, 4, 2]);
        assert_eq!(recent.spark(13_000), "M84 0.0h3v14.0h-3zM88 7.0h3v7.0h-3z");
        recent.expire(71_000);
        assert_eq!((recent.slots().count(), recent.rate(11_000)), (2, 0));
        (0..400).for_each(|_| recent.rows_came(&delta, true, 72_000));
        assert_eq!(recent.slots().count(), ROWS_MAX);
    }
}
