//! By which column rows are ordered, and how two of them compare. Never the order itself.

use std::cmp::Ordering;

use shared::column::Column;

use super::value::{ColumnType, Value};
use replica::table::{Entry, Table};

/// What a person chose: a column by its key, so that it survives columns that come and go.
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

impl Sort {
    /// Whether there is such a column: a link may name any.
    #[must_use]
    pub fn fits(&self, columns: &[Column]) -> bool {
        *self.column == *NAMESPACE_KEY || self.place(columns).is_some()
    }

    fn place(&self, columns: &[Column]) -> Option<usize> {
        columns.iter().position(|column| column_key(&column.name) == *self.column)
    }
}

/// A column's name as links and sorts write it: lower case, `-` for spaces. NAMESPACE, which isn't
/// one of the server's columns, is `namespace`.
#[must_use]
pub fn column_key(name: &str) -> String {
    name.trim().to_lowercase().replace(char::is_whitespace, "-")
}

pub const NAMESPACE_KEY: &str = "namespace";

/// A sort that was bound to the columns of a table.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    by: By,
    descending: bool,
}

#[derive(Clone, Debug)]
enum By {
    /// `namespace/name` as one string: the server's order.
    Key,
    Namespace,
    Column(usize, ColumnType),
}

impl Bound {
    /// A column that isn't there gives the server's order.
    pub(super) fn new(sort: Option<&Sort>, table: &Table) -> Self {
        let Some(sort) = sort else { return Self { by: By::Key, descending: false } };
        let descending = sort.direction == Direction::Descending;
        if *sort.column == *NAMESPACE_KEY {
            return Self { by: By::Namespace, descending };
        }
        let found = sort.place(table.columns()).and_then(|index| Some((index, table.columns().get(index)?)));
        let Some((index, column)) = found else { return Self { by: By::Key, descending: false } };
        Self { by: By::Column(index, type_of(index, column, table)), descending }
    }

    pub(super) fn value(&self, entry: &Entry) -> Value {
        match &self.by {
            By::Key => Value::Missing,
            By::Namespace => entry
                .row()
                .namespace
                .as_ref()
                .map_or(Value::Missing, |namespace| Value::Text(namespace.clone())),
            By::Column(index, column) => {
                entry.row().cells.get(*index).map_or(Value::Missing, |cell| Value::of(cell, *column))
            }
        }
    }

    /// Of values alone; ties go by the server's order. What is missing stands last in both directions.
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
        if self.descending { forward.reverse() } else { forward }
    }
}

fn type_of(index: usize, column: &Column, table: &Table) -> ColumnType {
    ColumnType::of(column, table.rows().filter_map(|row| row.cells.get(index)))
}
