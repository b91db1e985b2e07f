//! What a view of the past says of itself, beside its time. Never the pill, and never the bar.

use replica::freshness::{AsOf, Record};
use shared::problem::{Problem, Reason};

use super::words;

/// Nothing was recorded at that time.
pub(crate) fn is_missing(as_of: &AsOf) -> bool {
    match &as_of.record {
        Record::Missing(_) => true,
        Record::Refused(problem) => problem.reason == Reason::NotFound,
        Record::Reading { .. } | Record::Of { .. } => false,
    }
}

/// `recorded 3 s before`
pub(crate) fn detail(as_of: &AsOf) -> String {
    match &as_of.record {
        Record::Reading { .. } => words::READING.to_owned(),
        Record::Of { recorded_ms, .. } => words::recorded_before(as_of.at_ms.saturating_sub(*recorded_ms)),
        Record::Missing(_) => words::NOT_RECORDED.to_owned(),
        Record::Refused(_) if is_missing(as_of) => words::NOT_RECORDED.to_owned(),
        Record::Refused(_) => words::CANNOT_BE_READ.to_owned(),
    }
}

/// Why there is nothing of that time, for an element's page.
pub(crate) fn problem(as_of: &AsOf) -> Option<Problem> {
    match &as_of.record {
        Record::Refused(problem) => Some(problem.clone()),
        Record::Missing(_) => Some(Problem::new(Reason::NotFound, words::NOT_RECORDED)),
        Record::Reading { .. } | Record::Of { .. } => None,
    }
}
