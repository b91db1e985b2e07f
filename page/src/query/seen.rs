//! The values that the rows of a table have, and how many rows have each. How many rows are looked at and how
//! many values are counted is bounded.

use std::collections::HashMap;
use std::hash::Hash;

use replica::table::Table;
use shared::sorted;

use crate::limits::{COMPLETION_ROWS_MAX, COMPLETION_VALUES_MAX, SUGGESTIONS_MAX};
use crate::messages;

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

    /// The values that fit, by rank, then the most frequent first.
    pub(super) fn best(self, rank: impl Fn(&T) -> Option<Rank>) -> Vec<(T, usize)> {
        let mut found: Vec<(Rank, T, usize)> =
            self.0.into_iter().filter_map(|(value, count)| Some((rank(&value)?, value, count))).collect();
        sorted::sort_by(&mut found, |a, b| (a.0, b.2, &a.1).cmp(&(b.0, a.2, &b.1)));
        found.truncate(SUGGESTIONS_MAX);
        found.into_iter().map(|(_, value, count)| (value, count)).collect()
    }
}

/// Says how many rows were counted, if the table has more.
pub(super) fn foot(table: &Table) -> String {
    if table.len() <= COMPLETION_ROWS_MAX {
        return String::new();
    }
    messages::completion_counted(COMPLETION_ROWS_MAX, table.len())
}

/// How well a value fits what is typed; the best is the least.
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
