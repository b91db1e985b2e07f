//! How the timelines of one connection share the memory of one, however many they are: the largest give up
//! their oldest entries. It knows sizes alone.

use std::collections::{BTreeMap, BTreeSet};

use shared::frame::server::ViewId;

/// The timelines of one connection in one hub, and the bytes that they may have together.
pub(super) struct Share {
    pub(super) bytes: usize,
    pub(super) logs: BTreeSet<ViewId>,
}

/// How far the logs have grown since they were bounded last.
#[derive(Default)]
pub(super) struct LogGrowth {
    pub(super) bytes: usize,
    /// They are bounded again from here on: an eighth of the smallest share.
    pub(super) due: usize,
}

/// The bytes that a log may have if not all that it has. One that several connections read keeps what one of them
/// may have, so that a connection with many timelines takes nothing from another.
pub(super) fn allowed(sizes: &BTreeMap<ViewId, usize>, shares: &[Share]) -> BTreeMap<ViewId, usize> {
    let mut allowed: BTreeMap<ViewId, usize> = BTreeMap::new();
    for share in shares {
        let own = share.logs.iter().filter_map(|log| sizes.get(log).copied());
        let level = level(own.collect(), share.bytes);
        for log in &share.logs {
            allowed.entry(*log).and_modify(|most| *most = level.max(*most)).or_insert(level);
        }
    }
    allowed.retain(|log, most| sizes.get(log).is_some_and(|size| size > most));
    allowed
}

/// The size to which the largest are cut so that all together have at most `bytes`.
fn level(mut sizes: Vec<usize>, bytes: usize) -> usize {
    sizes.sort_unstable();
    let mut left = bytes;
    for (index, size) in sizes.iter().enumerate() {
        let each = left / (sizes.len() - index);
        if *size > each {
            return each;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &[usize], shares: &[(usize, &[ViewId])], expected: &[(ViewId, usize)]) {
        let sizes = (0..).zip(sizes.iter().copied()).collect();
        let shares: Vec<Share> = shares
            .iter()
            .map(|(bytes, logs)| Share { bytes: *bytes, logs: logs.iter().copied().collect() })
            .collect();
        assert_eq!(allowed(&sizes, &shares), expected.iter().copied().collect());
    }

    #[test]
    fn the_largest_logs_of_a_connection_give_way_and_the_small_ones_stay_whole() {
        check(&[90, 5, 5], &[(100, &[0, 1, 2])], &[]);
        check(&[100, 5, 5], &[(100, &[0, 1, 2])], &[(0, 90)]);
        check(&[100, 80, 5], &[(100, &[0, 1, 2])], &[(0, 47), (1, 47)]);
        check(&[100, 100, 100, 100], &[(100, &[0, 1, 2, 3])], &[(0, 25), (1, 25), (2, 25), (3, 25)]);
    }

    #[test]
    fn a_log_that_another_connection_reads_keeps_what_that_one_may_have() {
        check(&[100, 100], &[(100, &[0, 1]), (100, &[1])], &[(0, 50)]);
        check(&[100, 100], &[(100, &[0, 1]), (70, &[1])], &[(0, 50), (1, 70)]);
        check(&[100, 100], &[], &[]);
    }
}
