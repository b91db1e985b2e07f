//! The event log as it is on the screen.

use crate::detail::history::FieldLine;
use shared::frame::timeline::EntryType;

/// One event. A line never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    pub number: u64,
    pub clock: String,
    pub millis: String,
    pub kind: EntryType,
    pub namespace: String,
    pub name: String,
    pub body: LogBody,
    pub writers: String,
    pub resource_version: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LogBody {
    Change { field: Option<FieldLine>, more: Option<String>, is_relisted: bool },
    Words(String),
    Problem { bold: String, sentence: String },
    Gap { bold: String, sentence: String },
}

/// Events of one type, and whether they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct LogToggle {
    pub kind: EntryType,
    pub count: String,
    pub is_on: bool,
}

/// The scroll box of the lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogExtent {
    pub height_px: f64,
    /// Where the first mounted line begins, and its place among the lines that pass the filter.
    pub offset_px: f64,
    pub first: usize,
    pub scroll_to_px: Option<f64>,
}
