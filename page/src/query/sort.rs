//! By which column rows are ordered, and how two of them compare. Never the order itself.

use std::cmp::Ordering;

use shared::column::Column;

use super::value::{ColumnType, Value};
use replica::table::{Entry, Table};

/// A column is named by its key, so that the sort stays when other columns come and go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    pub column: Box<str>,
    pub direction: Direction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// Where a column's values stand in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Namespace,
    /// The cell of this index.
    Cell(usize),
}

impl Source {
    /// `None`: the table has no column with this key.
    pub(super) fn of(key: &str, columns: &[Column]) -> Option<Self> {
        if key == NAMESPACE_KEY {
            return Some(Self::Namespace);
        }
        columns.iter().position(|column| column_key(&column.name) == key).map(Self::Cell)
    }
}

impl Sort {
    /// Whether the table has such a column: a link may name any.
    pub fn fits(&self, columns: &[Column]) -> bool {
        Source::of(&self.column, columns).is_some()
    }
}

/// A column's name as links and sorts write it: lower case, `-` for spaces. NAMESPACE, which isn't
/// one of the server's columns, is `namespace`.
pub fn column_key(name: &str) -> String {
    name.trim().to_lowercase().replace(char::is_whitespace, "-")
}

pub const NAMESPACE_KEY: &str = "namespace";

/// A sort with the column of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    /// `None`: the server's order, which is by `namespace/name`.
    by: Option<(Source, ColumnType)>,
    is_descending: bool,
}

impl Bound {
    /// Without such a column the rows stand in the server's order.
    pub(super) fn new(sort: Option<&Sort>, table: &Table) -> Self {
        let source = |sort: &Sort| Source::of(&sort.column, table.columns());
        let Some((sort, source)) = sort.and_then(|sort| Some((sort, source(sort)?))) else {
            return Self::default();
        };
        let column_type = match source {
            Source::Namespace => ColumnType::Text,
            Source::Cell(index) => {
                let cells = table.rows().filter_map(|row| row.cells.get(index));
                table.columns().get(index).map_or(ColumnType::Text, |column| ColumnType::of(column, cells))
            }
        };
        Self { by: Some((source, column_type)), is_descending: sort.direction == Direction::Descending }
    }

    pub(super) fn value(&self, entry: &Entry) -> Value {
        let row = entry.row();
        let value = match self.by {
            None => None,
            Some((Source::Namespace, _)) => row.namespace.clone().map(Value::Text),
            Some((Source::Cell(index), column)) => row.cells.get(index).map(|cell| Value::of(cell, column)),
        };
        value.unwrap_or(Value::Missing)
    }

    /// Compares values alone; the caller orders equal ones by their keys. A missing value stands last in both
    /// directions.
    pub(super) fn compare(&self, a: &Value, b: &Value) -> Ordering {
        let forward = match (a, b) {
            (Value::Missing, Value::Missing) => return Ordering::Equal,
            (Value::Missing, _) => return Ordering::Greater,
            (_, Value::Missing) => return Ordering::Less,
            (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Number(_), Value::Text(_)) => Ordering::Less,
            (Value::Text(_), Value::Number(_)) => Ordering::Greater,
        };
        if self.is_descending { forward.reverse() } else { forward }
    }
}
