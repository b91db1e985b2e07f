//! What the bar of the past shows, as plain values. A place is in percent of the slider's width.

use super::span::Span;

/// The open bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastBar {
    /// The page is as of a time.
    pub is_past: bool,
    pub span: Span,
    /// The changes in each part of the time, as a path on a grid of 180 by 34.
    pub changes: String,
    /// Those of rows in trouble.
    pub trouble: String,
    /// Where nothing was recorded.
    pub gaps: Vec<Stretch>,
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
