//! What a reader has no right to is no longer shown, in a log and beside it.

use shared::problem::{Problem, Reason};

/// Whether it says that the reader may not see what was asked for.
pub(crate) fn is_withheld(problem: &Problem) -> bool {
    matches!(problem.reason, Reason::Forbidden | Reason::Unauthorized | Reason::Hidden)
}
