//! The table and its rows, as the signals hold them.

use std::sync::Arc;

use shared::row::RowId;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableHead {
    pub(crate) label: String,
    pub(crate) columns: Vec<HeadCell>,
    /// Rows and the header; `None` while unknown.
    pub(crate) row_count: Option<usize>,
    /// Rows that stand where they no longer belong, because somebody reads.
    pub(crate) moved: usize,
    pub(crate) is_busy: bool,
    /// Its columns go on beyond the edge of the view.
    pub(crate) is_across: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeadCell {
    /// Its place among the sort's columns.
    pub(crate) index: usize,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) at_end: bool,
    pub(crate) is_name: bool,
    pub(crate) sort: Option<SortMark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortMark {
    Ascending,
    Descending,
}

/// The rows of the window, from the first to the last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SeenRows {
    /// Of the columns' cells.
    pub(crate) classes: Vec<Arc<str>>,
    pub(crate) rows: Vec<SeenRow>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeenRow {
    pub(crate) id: RowId,
    pub(crate) place: usize,
    /// From the upper edge of the rows' box.
    pub(crate) top_px: f64,
    pub(crate) mark: Mark,
    pub(crate) has_focus: bool,
    pub(crate) is_reachable: bool,
    pub(crate) is_selected: bool,
    /// One a column.
    pub(crate) cells: Vec<SeenCell>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeenCell {
    pub(crate) body: Body,
    pub(crate) news: News,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    None,
    Added,
    Modified,
    Deleted,
}

/// Whether a cell changed: it flashes once, then keeps a corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum News {
    #[default]
    Old,
    Flash,
    Seen,
}

/// A cell's text in the spans that its column wants; together they are what kubectl prints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Plain {
        text: String,
        class: &'static str,
    },
    Name {
        owner: String,
        middle: String,
        tail: String,
    },
    Status {
        class: &'static str,
        glyph: &'static str,
        text: String,
    },
    /// A count and how long ago it last rose.
    Count {
        text: String,
        ago: Option<String>,
    },
}

/// The rows' box, and where it is to be scrolled, once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extent {
    pub(crate) height_px: f64,
    pub(crate) scroll_to_px: Option<f64>,
}

/// Paths on a grid of 18 by 600.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rail {
    pub(crate) bad: String,
    pub(crate) new: String,
    pub(crate) here: (f64, f64),
    pub(crate) is_needed: bool,
}
