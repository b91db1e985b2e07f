//! The guarantees by name, how often each was checked, and the report of one that is broken.

use std::fmt;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Guarantee {
    Chained,
    Ordered,
    Unique,
    Exact,
    Reliable,
    Bookmarkable,
    Resumable,
    Convergent,
    Honest,
    Bounded,
    Authorised,
    Live,
    /// What a record says of any time was so, or it says that it doesn't know.
    Recorded,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub guarantee: Guarantee,
    /// Since the beginning of the run.
    pub at_ms: i64,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not {:?} at {} ms: {}", self.guarantee, self.at_ms, self.what)
    }
}

/// What the runs did. A guarantee counts as held only if it was checked, so the checks are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    checks: [u64; 13],
    /// Viewers that were continued by another hub than the one that served them before.
    pub continued: u64,
    pub steps: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, guarantee: Guarantee) {
        self.checks[guarantee as usize] += 1;
    }

    #[must_use]
    pub fn of(&self, guarantee: Guarantee) -> u64 {
        self.checks[guarantee as usize]
    }

    pub fn join(&mut self, other: &Self) {
        for (count, more) in self.checks.iter_mut().zip(other.checks) {
            *count += more;
        }
        self.continued += other.continued;
        self.steps += other.steps;
    }
}
