//! The event log as it is on the screen.

use std::sync::Arc;

use super::filter::Predicate;
use crate::detail::history::{FieldLine, Headline};
use crate::fields::model;
use shared::frame::timeline::EntryType;

model! {
    /// The event log of a view.
    pub struct LogModel = LogFields {
        /// Shown in place of the table.
        is_shown: bool,
        /// The reader opened the log by hand; a log that a link opens takes no focus.
        takes_focus: bool,
        /// Rises when the lines have to take the focus.
        focus: u32,
        /// The lines of the window.
        lines: Vec<Arc<LogLine>>,
        row_count: usize,
        /// An event takes two lines.
        is_narrow: bool,
        extent: LogExtent,
        text: String,
        toggles: Vec<LogToggle>,
        predicate: Option<Predicate>,
        /// In the status bar: the strong part, and the rest.
        count: (String, String),
        follows: bool,
    } shared {
    } nested {
    }
}

/// One event, or one more of its fields below it. A line never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    pub number: u64,
    /// 0 for the event itself.
    pub part: usize,
    pub has_focus: bool,
    /// `None`: it has no other fields.
    pub is_unfolded: Option<bool>,
    /// It came before the reader opened the changes.
    pub is_before: bool,
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
    Change {
        headline: Option<Headline>,
        /// Beside the headline, or in its place.
        field: Option<FieldLine>,
        more: Option<String>,
        is_relisted: bool,
    },
    /// A changed field of the event in the line above.
    Field(FieldLine),
    /// Unfolds the fields that always change with others.
    Routine(String),
    Words(String),
    Problem {
        bold: String,
        sentence: String,
    },
    Gap {
        bold: String,
        sentence: String,
    },
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
