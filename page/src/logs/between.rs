//! What stands between the lines of a log: marks and Events. Never where they stand.

use shared::frame::server::{LogMark, LogTime};
use shared::problem::Problem;
use shared::row::RowId;

/// An Event of a pod, which stands between the lines at its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodEvent {
    pub(crate) row: RowId,
    pub(crate) pod: Box<str>,
    pub(crate) at: LogTime,
    pub(crate) is_warning: bool,
    pub(crate) reason: String,
    pub(crate) message: String,
    /// How often it happened.
    pub(crate) count: u64,
}

/// What happened between two lines of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) mark: LogMark,
    pub(super) exit_code: Option<i64>,
    pub(super) lines: u64,
    pub(super) problem: Option<Problem>,
}
