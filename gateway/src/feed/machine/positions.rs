//! The positions of viewers that come back before the feed has begun. The first list may be a little before the lowest
//! of those resourceVersions, so that viewers get only what has changed since, also one that comes later with an older
//! position. The hub decides whether they are continued.

use std::cmp::Ordering;

use shared::resource_version::ResourceVersion;

use crate::limits::{RESUME_POSITIONS_MAX, RESUME_TRIES_MAX};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Positions {
    ascending: Vec<ResourceVersion>,
    tries: u32,
    /// How many revisions before the lowest the list is. 0: at the lowest itself.
    margin: u64,
}

impl Positions {
    pub(super) fn of(version: ResourceVersion, margin: u64) -> Self {
        let mut positions = Self { margin, ..Self::default() };
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

    /// What serves all positions: a little before the lowest, or the lowest. `None`: there is none, or there were enough
    /// tries.
    pub(super) fn try_lowest(&mut self) -> Option<ResourceVersion> {
        let lowest = self.ascending.first().filter(|_| self.tries < RESUME_TRIES_MAX)?.clone();
        self.tries += 1;
        Some(before(&lowest, self.margin).unwrap_or(lowest))
    }

    /// The cluster has forgotten what was tried: what is before the lowest position, or that position, and the lower half
    /// of the rest is hardly younger.
    pub(super) fn refused(&mut self) {
        let had_margin = self.ascending.first().is_some_and(|lowest| before(lowest, self.margin).is_some());
        self.margin = 0;
        if had_margin {
            return;
        }
        self.ascending.drain(..self.ascending.len().div_ceil(2));
    }
}

/// So many revisions before a version. A guess: Kubernetes counts revisions, so there is a list of each that is kept. A
/// server that counts otherwise refuses it, and is asked for the version itself.
fn before(version: &ResourceVersion, revisions: u64) -> Option<ResourceVersion> {
    let before = version.as_str().parse::<u64>().ok()?.checked_sub(revisions).filter(|before| *before > 0)?;
    (revisions > 0).then(|| ResourceVersion::new(&before.to_string()))
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
            positions.refused();
        }
        assert_eq!(tried, ["9", "107", "1000"]);
    }

    #[test]
    fn a_list_before_the_lowest_is_tried_first_where_there_is_one() {
        let check = |versions: &[&str], expected: &[&str]| {
            let mut positions = Positions { margin: 64, ..Positions::default() };
            versions.iter().for_each(|version| positions.add((*version).into()));
            let mut tried = Vec::new();
            while let Some(version) = positions.try_lowest() {
                tried.push(version.to_string());
                positions.refused();
            }
            assert_eq!(tried, expected);
        };
        check(&["200", "107"], &["43", "107", "200"]);
        check(&["64", "107"], &["64", "107"]);
        // It can be compared and isn't counted with.
        check(&["99999999999999999999"], &["99999999999999999999"]);
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
