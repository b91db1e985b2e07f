//! What the page asks of the search. The search itself comes with a piece of the program, and is called through these
//! functions alone.

use std::borrow::Cow;

use shared::frame::server::{Board, Cluster};
use shared::resource::Kind;

use super::model::{Hit, Purpose};
use crate::action::Action;
use crate::table_view::View;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// What an open palette shows for a text.
    pub(crate) search: fn(&str, &Purpose, &SearchContext<'_>) -> Vec<Hit>,
    /// The action of this number among the hits.
    pub(crate) action: fn(usize) -> Option<Action>,
}

/// A place where the reader was in this tab.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    pub label: String,
    /// Path and query.
    pub link: Box<str>,
}

/// The things among which is searched.
pub(crate) struct SearchContext<'a> {
    pub(crate) kinds: Cow<'a, [Kind]>,
    pub(crate) clusters: &'a [Cluster],
    /// The kind of the active view.
    pub(crate) resource: &'a str,
    /// Those of the cluster that are known.
    pub(crate) namespaces: Vec<Box<str>>,
    /// The newest first.
    pub(crate) recent: Vec<Recent>,
    pub(crate) views: Vec<&'a View>,
    /// The titles of the columns that the active view shows.
    pub(crate) columns: Vec<String>,
    pub(crate) boards: &'a [Board],
}
