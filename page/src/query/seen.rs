//! The values that were seen, and how often: what a list of suggestions offers. Bounded in what it looks
//! at, and it says how much that was.

use std::collections::HashMap;
use std::hash::Hash;

use crate::limits::{COMPLETION_VALUES_MAX, SUGGESTIONS_MAX};

#[derive(Debug)]
pub(super) struct Counts<T>(HashMap<T, usize>);

impl<T: Hash + Eq + Ord> Counts<T> {
    pub(super) fn of(values: impl Iterator<Item = T>) -> Self {
        let mut counts = HashMap::new();
        for value in values {
            if counts.len() >= COMPLETION_VALUES_MAX && !counts.contains_key(&value) {
                continue;
            }
            *counts.entry(value).or_default() += 1;
        }
        Self(counts)
    }

    /// Those that begin so first, then the most frequent.
    pub(super) fn best(self, rank: impl Fn(&T) -> Option<Rank>) -> Vec<(T, usize)> {
        let mut found: Vec<(Rank, T, usize)> =
            self.0.into_iter().filter_map(|(value, count)| Some((rank(&value)?, value, count))).collect();
        found.sort_by(|a, b| (a.0, b.2, &a.1).cmp(&(b.0, a.2, &b.1)));
        found.truncate(SUGGESTIONS_MAX);
        found.into_iter().map(|(_, value, count)| (value, count)).collect()
    }
}

/// How well a value fits what is typed; better ones are less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Begins,
    Contains,
}

/// `typed` in lower case.
pub(super) fn rank(value: &str, typed: &str) -> Option<Rank> {
    let value = value.to_lowercase();
    if value.starts_with(typed) {
        Some(Rank::Begins)
    } else {
        value.contains(typed).then_some(Rank::Contains)
    }
}
