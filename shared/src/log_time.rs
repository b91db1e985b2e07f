//! The time of a line of a log, to the nanosecond.

use serde::{Deserialize, Serialize};

use crate::json::{self, Read, Reader};
use crate::state::UnixMillis;

/// When a container's runtime took a line. On the wire: the milliseconds since 1970 and the nanoseconds beyond, because a
/// number of JavaScript holds no nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(UnixMillis, u32)", into = "(UnixMillis, u32)")]
pub struct LogTime {
    pub ms: UnixMillis,
    pub ns: u32,
}

const NS_PER_MS: i128 = 1_000_000;

impl LogTime {
    /// `None`: it is too far from 1970.
    #[must_use]
    pub fn of_nanoseconds(ns: i128) -> Option<Self> {
        let ms = UnixMillis::try_from(ns.div_euclid(NS_PER_MS)).ok()?;
        Some(Self { ms, ns: u32::try_from(ns.rem_euclid(NS_PER_MS)).ok()? })
    }

    #[must_use]
    pub fn nanoseconds(self) -> i128 {
        i128::from(self.ms) * NS_PER_MS + i128::from(self.ns)
    }
}

impl From<(UnixMillis, u32)> for LogTime {
    fn from((ms, ns): (UnixMillis, u32)) -> Self {
        Self { ms, ns }
    }
}

impl From<LogTime> for (UnixMillis, u32) {
    fn from(LogTime { ms, ns }: LogTime) -> Self {
        (ms, ns)
    }
}

impl Read for LogTime {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        let (ms, ns) = (json.item(true)?, json.item(false)?);
        json.end()?;
        Ok(Self { ms, ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_exact_to_the_nanosecond_on_both_sides_of_1970() {
        for ns in [0, 1, -1, 1_767_323_045_000_000_007, -1_767_323_045_999_999_999] {
            let time = LogTime::of_nanoseconds(ns).expect("near 1970");
            assert!(time.ns < 1_000_000, "{time:?}");
            assert_eq!(time.nanoseconds(), ns);
            let json = serde_json::to_string(&time).expect("JSON");
            assert_eq!(json::read(&json), Ok(time), "{json}");
        }
        assert_eq!(LogTime::of_nanoseconds(i128::MAX), None);
    }

    #[test]
    fn times_are_in_their_order() {
        let times = [-1, 0, 999_999, 1_000_000, 1_000_001].map(LogTime::of_nanoseconds);
        assert!(times.is_sorted(), "{times:?}");
    }
}
