//! A row of the objects around an object, and their groups, each under its own heading.

use shared::row::Row;

use crate::cells;
use crate::detail::Now;
use crate::names;
use crate::status::{Class, StatusColumns};
use crate::table_view::View;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeGroup {
    pub title: &'static str,
    pub rows: Vec<TreeRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TreeRow {
    pub depth: usize,
    pub kind: String,
    /// Where there is no room, the first part is cut: the end is what tells objects of one owner apart.
    pub name: (String, String),
    /// After the name.
    pub mark: &'static str,
    pub href: Option<String>,
    pub ready: String,
    pub status: Option<(Class, String)>,
    pub age: String,
    pub is_here: bool,
    /// In place of an object: why it isn't shown.
    pub note: Option<TreeNote>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TreeNote {
    pub is_locked: bool,
    pub text: String,
}

pub(super) fn of_row(view: &View, row: &Row, kind: &str, depth: usize, now: Now) -> TreeRow {
    let columns = StatusColumns::of(view.table().columns());
    let ready = columns.ready().and_then(|index| row.cells.get(index));
    let status = columns.read(row).map(|(word, class)| (class, cells::shown(word).into_owned()));
    TreeRow {
        ready: ready.map(|cell| cells::text(cell, now.cluster_s)).unwrap_or_default(),
        status,
        age: row.created.map(|at| now.age(at)).unwrap_or_default(),
        depth,
        kind: kind.to_owned(),
        name: names::with_end(names::parts(row)),
        ..TreeRow::default()
    }
}
