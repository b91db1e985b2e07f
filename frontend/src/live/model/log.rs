//! The event log, as the signals hold it.

use page::detail::history::FieldLine;
use shared::frame::timeline::EntryType;

/// One event: it never changes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogLine {
    pub(crate) number: u64,
    pub(crate) clock: String,
    pub(crate) millis: String,
    pub(crate) class: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) word: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) body: LogBody,
    pub(crate) writers: String,
    pub(crate) resource_version: String,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LogBody {
    Change { field: Option<FieldLine>, more: Option<String>, is_relisted: bool },
    Words(String),
    Problem { bold: String, sentence: String },
    Gap { bold: String, sentence: String },
}

/// Events of one type, and whether they are shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LogToggle {
    pub(crate) kind: EntryType,
    pub(crate) count: String,
    pub(crate) is_on: bool,
}

/// The lines' box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LogExtent {
    pub(crate) height_px: f64,
    /// Where the first mounted line begins, and its number among those that are shown.
    pub(crate) offset_px: f64,
    pub(crate) first: usize,
    pub(crate) scroll_to_px: Option<f64>,
}
