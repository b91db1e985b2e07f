//! The positions of viewers that come back before the feed has begun. The first list may be at one of those
//! resourceVersions, so that viewers get only what has changed since. The hub decides whether they are
//! continued.

use std::cmp::Ordering;

use shared::resource_version::ResourceVersion;

use crate::limits::{RESUME_POSITIONS_MAX, RESUME_TRIES_MAX};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Positions {
    ascending: Vec<ResourceVersion>,
    tries: u32,
}

impl Positions {
    pub(super) fn of(version: ResourceVersion) -> Self {
        let mut positions = Self::default();
        positions.add(version);
        positions
    }

    /// A version that can't be compared is left out.
    pub(super) fn add(&mut self, version: ResourceVersion) {
        let nothing = ResourceVersion::new("0");
        if version.compare(&nothing) != Some(Ordering::Greater)
            || self.ascending.len() >= RESUME_POSITIONS_MAX
        {
            return;
        }
        let place = self.ascending.partition_point(|known| known.is_older_than(&version));
        if self.ascending.get(place) != Some(&version) {
            self.ascending.insert(place, version);
        }
    }

    /// The lowest position, which serves the others too. `None`: there is none, or there were enough tries.
    pub(super) fn try_lowest(&mut self) -> Option<ResourceVersion> {
        let lowest = self.ascending.first().filter(|_| self.tries < RESUME_TRIES_MAX)?.clone();
        self.tries += 1;
        Some(lowest)
    }

    /// The cluster has forgotten the lowest position, and the lower half of the rest is hardly younger.
    pub(super) fn forget_lower_half(&mut self) {
        self.ascending.drain(..self.ascending.len().div_ceil(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_is_tried_first_and_then_half_of_the_rest_is_left_out() {
        let mut positions = Positions::default();
        for version in ["9", "107", "abc", "0", "105", "", "9", "1000"] {
            positions.add(version.into());
        }
        let mut tried = Vec::new();
        while let Some(version) = positions.try_lowest() {
            tried.push(version.to_string());
            positions.forget_lower_half();
        }
        assert_eq!(tried, ["9", "107", "1000"]);
    }

    #[test]
    fn a_number_of_tries_and_of_positions_is_not_exceeded() {
        let mut positions = Positions::default();
        for version in 1..=RESUME_POSITIONS_MAX + 5 {
            positions.add(version.to_string().as_str().into());
        }
        assert_eq!(positions.ascending.len(), RESUME_POSITIONS_MAX);
        let tries = std::iter::from_fn(|| positions.try_lowest()).count();
        assert_eq!(tries, RESUME_TRIES_MAX as usize);
    }
}
