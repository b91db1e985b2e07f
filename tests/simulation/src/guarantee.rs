//! The twelve guarantees by name, and what is said when one is broken.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// What was checked, so that nobody believes in a check that never ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    looks: [u64; 12],
    /// Viewers that another hub went on with.
    pub continued: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, guarantee: Guarantee) {
        if let Some(count) = self.looks.get_mut(guarantee as usize) {
            *count += 1;
        }
    }

    #[must_use]
    pub fn of(&self, guarantee: Guarantee) -> u64 {
        self.looks.get(guarantee as usize).copied().unwrap_or(0)
    }

    pub fn join(&mut self, other: &Self) {
        for (count, more) in self.looks.iter_mut().zip(other.looks) {
            *count += more;
        }
        self.continued += other.continued;
    }
}
