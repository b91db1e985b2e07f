//! In which order the lines of several logs are told. Pure.
//!
//! Of the next entries of all sources the one with the earliest time comes first, and of equal ones that of the lower
//! source. The entries of one source stay in their own order, whatever times they have: a mark, a line without a time and
//! one that comes late stand where the entry before them does.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An entry on its way: its time, if it has one that counts.
pub trait Timed {
    fn at_ns(&self) -> Option<i128>;
}

/// Merges what is there of each source. Whoever calls gives the sources in their order.
pub fn merged<E: Timed>(sources: Vec<(usize, VecDeque<E>)>) -> Vec<(usize, E)> {
    let mut order = Order::default();
    let mut out = Vec::with_capacity(sources.iter().map(|(_, entries)| entries.len()).sum());
    let mut rest = sources;
    for (place, (_, entries)) in rest.iter().enumerate() {
        order.offer(place, entries.front());
    }
    while let Some(place) = order.next() {
        let Some((n, entries)) = rest.get_mut(place) else { continue };
        if let Some(entry) = entries.pop_front() {
            out.push((*n, entry));
        }
        order.offer(place, entries.front());
    }
    out
}

/// The sources whose next entry is known, the one to tell next first.
#[derive(Debug, Default)]
pub struct Order {
    heads: BinaryHeap<Reverse<(i128, usize)>>,
    /// The latest time of each source.
    reached: Vec<i128>,
}

impl Order {
    /// The next entry of a source. `None`: it has none now, or never again.
    pub fn offer<E: Timed>(&mut self, place: usize, next: Option<&E>) {
        let Some(next) = next else { return };
        if self.reached.len() <= place {
            self.reached.resize(place + 1, i128::MIN);
        }
        if let Some(reached) = self.reached.get_mut(place) {
            *reached = next.at_ns().unwrap_or(i128::MIN).max(*reached);
            self.heads.push(Reverse((*reached, place)));
        }
    }

    /// The source whose entry comes next; it is to be offered its following one.
    pub fn next(&mut self) -> Option<usize> {
        self.heads.pop().map(|Reverse((_, place))| place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Line(Option<i128>, usize);

    impl Timed for Line {
        fn at_ns(&self) -> Option<i128> {
            self.0
        }
    }

    fn of(sources: &[&[Option<i128>]]) -> Vec<(usize, VecDeque<Line>)> {
        (0..)
            .zip(sources)
            .map(|(n, times)| (n, (0..).zip(*times).map(|(at, time)| Line(*time, at)).collect()))
            .collect()
    }

    #[test]
    fn the_earliest_comes_first_and_of_equal_ones_the_lower_source() {
        let told = merged(of(&[&[Some(2), Some(4)], &[Some(1), Some(2), Some(9)], &[]]));
        let order: Vec<(usize, usize)> = told.iter().map(|(n, line)| (*n, line.1)).collect();
        assert_eq!(order, [(1, 0), (0, 0), (1, 1), (0, 1), (1, 2)]);
    }

    #[test]
    fn a_mark_and_a_late_line_stand_where_the_entry_before_them_does() {
        let told = merged(of(&[&[Some(5), None, Some(3), Some(8)], &[Some(4), Some(6)]]));
        let order: Vec<(usize, usize)> = told.iter().map(|(n, line)| (*n, line.1)).collect();
        assert_eq!(order, [(1, 0), (0, 0), (0, 1), (0, 2), (1, 1), (0, 3)]);
    }

    proptest! {
        #[test]
        fn each_source_keeps_its_order_and_nothing_is_lost(
            sources in prop::collection::vec(prop::collection::vec(prop::option::of(0_i128..20), 0..12), 0..5)
        ) {
            let given: Vec<&[Option<i128>]> = sources.iter().map(Vec::as_slice).collect();
            let told = merged(of(&given));
            for (n, times) in (0_usize..).zip(&sources) {
                let own: Vec<usize> =
                    told.iter().filter(|(of, _)| *of == n).map(|(_, line)| line.1).collect();
                prop_assert_eq!(own, (0..times.len()).collect::<Vec<_>>());
            }
        }
    }
}
