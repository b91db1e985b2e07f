//! The table and its rows as they are on the screen.

use std::sync::Arc;

use shared::row::RowId;

use crate::changes::Sign;
use crate::query::{Direction, Source};
use crate::status::Class;

/// The heads of the columns, and what stands around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableHead {
    pub label: String,
    pub columns: Vec<HeadCell>,
    /// The number of rows plus 1 for the header; `None` while unknown.
    pub row_count: Option<usize>,
    pub is_busy: bool,
    pub layout: Layout,
    /// How long ago a count rose has no room.
    pub hides_ago: bool,
}

/// How rows stand in their view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    #[default]
    Flat,
    /// The columns are wider than the view.
    Across,
    /// A row takes two lines.
    Folded,
}

/// Where a cell stands in a row of two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    BeforeLead,
    /// The first line.
    Lead,
    /// At the end of the first line.
    End,
    /// At the beginning of the second line, without a label.
    Status,
    /// Before all others of the second line, without a label.
    Cluster,
    /// After its label.
    Pair,
    /// What is left of the second line, without a label.
    Rest,
}

/// The head of one column: its title, its order, and how wide it may become.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadCell {
    /// Its place among the sort's columns.
    pub index: usize,
    pub title: String,
    pub description: String,
    pub at_end: bool,
    pub is_name: bool,
    pub sort: Option<Direction>,
    /// From where the column is polled, and when; `None` if it belongs to the view.
    pub polled: Option<String>,
}

/// The rows of the window, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenRows {
    pub columns: Vec<SeenColumn>,
    pub rows: Vec<SeenRow>,
}

/// What all cells of a column share.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenColumn {
    pub source: Source,
    pub key: Arc<str>,
    pub at_end: bool,
    pub is_polled: bool,
    /// Its title before each cell, in a row of two lines; a status and what leads the row need none.
    pub label: Option<String>,
    /// Its place, if a row takes two lines.
    pub fold: Option<Fold>,
}

/// A row that is in the document, with its cells as they are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenRow {
    pub id: RowId,
    pub place: usize,
    /// From the upper edge of the box of all rows.
    pub top_px: f64,
    pub sign: Option<Sign>,
    pub has_focus: bool,
    pub is_reachable: bool,
    /// Its cluster is stale, where that of other rows is not.
    pub is_stale: bool,
    pub is_selected: bool,
    /// It belongs to the object at which the reader stands in another pane.
    pub is_linked: bool,
    /// The filter would hide it, were it not open or focused.
    pub is_kept: bool,
    /// The address of its panel; `None` in a page that isn't Dogwatch's.
    pub href: Option<Arc<str>>,
    /// One for each column.
    pub cells: Vec<SeenCell>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenCell {
    pub body: Body,
    pub news: News,
}

/// Whether a cell changed: it flashes once, then has a marked corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum News {
    #[default]
    Old,
    Flash,
    Seen,
}

/// A cell's text in parts, which together are what kubectl prints.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Plain {
        text: String,
        look: TextLook,
    },
    Name {
        owner: String,
        middle: String,
        tail: String,
    },
    Status {
        class: Class,
        text: String,
        /// Why it isn't fine, unless that is the text.
        why: String,
    },
    /// A count and how long ago it last rose.
    Count {
        text: String,
        ago: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLook {
    Words,
    /// `<none>` or another word for no value.
    Nothing,
    /// A name that Kubernetes made.
    Identifier,
    NoIdentifier,
    /// Fewer ready than wanted: `1/2`.
    Short,
}

/// The height of the box of all rows, and where to scroll it, once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    pub height_px: f64,
    pub scroll_to_px: Option<f64>,
}

/// Paths on a grid of 18 by 600.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Minimap {
    pub bad: String,
    pub new: String,
    pub here: (f64, f64),
    pub is_needed: bool,
    pub tip: Option<MinimapTip>,
}

/// The row that the pointer is at in the minimap.
#[derive(Clone, Debug, PartialEq)]
pub struct MinimapTip {
    /// A part of the minimap's height.
    pub at: f64,
    pub name: String,
    pub place: String,
}
