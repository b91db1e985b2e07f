//! What the bar of the past shows, as plain values. A place is in percent of the slider's width.

use std::sync::Arc;

use super::span::Span;
use crate::status::Class;
use crate::wrong::WrongList;

/// The open bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastBar {
    /// The page is as of a time.
    pub is_past: bool,
    /// What the end of the slider is: the present, or the end of a record that is replayed.
    pub end: End,
    pub span: Span,
    /// The changes in each part of the time, as a path on a grid of 180 by 34.
    pub changes: String,
    /// Those of rows in trouble.
    pub trouble: String,
    /// Where nothing was recorded.
    pub gaps: Vec<Stretch>,
    /// Where something was removed of what was recorded.
    pub removed: Vec<Stretch>,
    /// What the slider is, and what was removed of its time.
    pub hint: String,
    pub ticks: Vec<Tick>,
    /// The time that is shown; `None`: now.
    pub thumb: Option<Tick>,
    /// For assistive technology: the time, what the view has, and how it was recorded.
    pub said: String,
    /// In the field.
    pub typed: String,
    /// Why what was typed is no time.
    pub error: &'static str,
    /// Over the slider, where nothing is recorded.
    pub note: String,
    pub has_earlier: bool,
    pub has_later: bool,
    /// What the page is compared with; empty: it isn't.
    pub against: String,
}

/// The end of the slider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Now,
    OfReplay {
        is_here: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    pub from: f64,
    pub to: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tick {
    pub at: f64,
    /// Empty: there is no room for it.
    pub label: String,
}

/// What stands in place of the rows, if something does. It is another one where its allocation is.
#[derive(Clone, Debug, Default)]
pub struct ReplacedRows(pub Option<Arc<InPlaceOfRows>>);

#[derive(Clone, Debug, PartialEq)]
pub enum InPlaceOfRows {
    Comparison(ViewComparison),
    Found(FoundList),
    Changes(ChangeList),
    /// What is wrong, of all kinds.
    Wrong(WrongList),
}

/// What was recorded until a time, the newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeList {
    pub resource: String,
    /// The time of the page.
    pub until: String,
    pub is_waiting: bool,
    pub rows: Vec<ChangeRow>,
    /// Why there is nothing.
    pub note: String,
    /// Since when it is all that is recorded.
    pub foot: String,
}

/// A recorded change of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangeRow {
    pub kind: GroupKind,
    pub clock: String,
    pub millis: String,
    /// Where the view has several; else empty.
    pub cluster: String,
    pub namespace: String,
    pub name: String,
    /// The address of the object's panel as of then; of what went, as of just before.
    pub href: Option<String>,
    pub cells: Vec<ComparedCell>,
    /// What is to be said of it beside its cells.
    pub note: String,
}

/// What had a word at some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundList {
    pub word: String,
    pub resource: String,
    /// Why there is nothing.
    pub note: String,
    pub is_waiting: bool,
    pub rows: Vec<FoundRow>,
    /// What was searched.
    pub foot: String,
}

/// An object that had the word, and the field in which it stood first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FoundRow {
    pub id: String,
    /// Where the view has several; else empty.
    pub cluster: String,
    pub namespace: String,
    pub name: String,
    /// When it had it, each with the address of its panel as of then.
    pub times: Vec<(String, Option<String>)>,
    pub path: String,
    pub text: String,
}

impl ReplacedRows {
    /// What is wrong stands there.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        matches!(self.0.as_deref(), Some(InPlaceOfRows::Wrong(_)))
    }

    /// The recorded changes stand there.
    #[must_use]
    pub fn is_changes(&self) -> bool {
        matches!(self.0.as_deref(), Some(InPlaceOfRows::Changes(_)))
    }
}

impl PartialEq for ReplacedRows {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

/// What differs between two times of a view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewComparison {
    /// The earlier time, and the later one.
    pub from: String,
    pub to: String,
    pub resource: String,
    /// Why there is nothing.
    pub note: String,
    /// The rows of one of the times are on their way.
    pub is_waiting: bool,
    /// More happened since: the reader can have it compared again.
    pub is_old: bool,
    pub groups: Vec<Group>,
    /// How many rows differ in what no column shows, and how many are the same.
    pub foot: String,
}

/// Rows of which the same happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub kind: GroupKind,
    pub count: usize,
    pub rows: Vec<ComparedRow>,
    /// How many more there are than are shown.
    pub more: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    Went,
    Came,
    Changed,
}

/// A row that isn't the same at both times, as it is at the later one, or as it was at the earlier one if it went.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComparedRow {
    pub id: String,
    pub class: Class,
    /// Where the view has several; else empty.
    pub cluster: String,
    pub namespace: String,
    pub name: String,
    /// The address of its panel.
    pub href: Option<String>,
    /// It was deleted and made again under its name.
    pub is_recreated: bool,
    pub cells: Vec<ComparedCell>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComparedCell {
    pub title: String,
    pub old: String,
    pub new: String,
    /// The row is on one side alone, and the other text is empty.
    pub is_alone: bool,
}
