//! The open palette on the screen: its text, and what was found.

use std::ops::Range;

use shared::row::RowId;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteShown {
    pub text: String,
    pub hits: Vec<Hit>,
    pub chosen: usize,
    pub purpose: Purpose,
}

/// What a choice does to the panes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// It opens in the active pane.
    #[default]
    GoTo,
    /// It opens in a new pane.
    AddView {
        /// The view of the pane beside it, which is chosen by Enter alone.
        same: String,
    },
}

/// Something that the typed text found: what it is called, why it was found, and where it leads. The search makes it, and the
/// palette draws it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub group: Group,
    pub label: String,
    /// The parts of the label that were found, in bytes.
    pub marks: Vec<Range<usize>>,
    /// Beside it: the API group, `in payments`, a key.
    pub note: String,
    pub target: Target,
    /// The letters of a word stand apart. If any hit has them together, such hits are left out.
    pub(super) is_scattered: bool,
}

/// Where a hit leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Kind {
        resource: Box<str>,
        /// `None`: the namespaces stay as they are.
        namespace: Option<Box<str>>,
        /// `None`: the clusters stay as they are.
        cluster: Option<Box<str>>,
    },
    /// As an address names them.
    Clusters(Box<str>),
    Namespace(Box<str>),
    /// A board of the gateway's configuration or a place where the reader was, by its path and query.
    Link(Box<str>),
    /// An object of the open view of this number.
    Object {
        view: usize,
        row: RowId,
    },
    /// The action of this number.
    Action(usize),
    /// The active view's order by the shown column of this number.
    Sort(usize),
    /// The view of the pane beside which another one is opened.
    SameView,
    /// The rows of a kind that match a filter.
    Filtered {
        resource: Box<str>,
        query: Box<str>,
    },
}

impl Target {
    /// A pane can show it.
    pub(crate) fn is_view(&self) -> bool {
        matches!(self, Self::Kind { .. } | Self::Clusters(_) | Self::Namespace(_) | Self::Filtered { .. })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    SameView,
    Recent,
    Kinds,
    Namespaces,
    Clusters,
    Objects,
    Boards,
    Actions,
    /// Rows that aren't here: a view of their kind finds them.
    Filtered,
}
