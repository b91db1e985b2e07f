//! By which column rows are ordered, and how two of them compare. Never the order itself.

use std::cmp::Ordering;

use shared::column::Column;
use shared::duration::UnixSeconds;

use super::text_order;
use super::value::{ColumnType, Value};
use crate::status::RowHealth;
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
    pub(crate) fn of(key: &str, columns: &[Column]) -> Option<Self> {
        if key == NAMESPACE_KEY {
            return Some(Self::Namespace);
        }
        (0..columns.len()).find(|at| key_of(columns, *at).is_some_and(|known| known == key)).map(Self::Cell)
    }
}

impl Sort {
    /// Whether the table has such a column: a link may name any.
    pub fn fits(&self, columns: &[Column]) -> bool {
        *self.column == *TROUBLE_KEY || Source::of(&self.column, columns).is_some()
    }
}

/// A column's name as links and sorts write it: lower case, `-` for spaces. NAMESPACE, which isn't
/// one of the server's columns, is `namespace`.
pub fn column_key(name: &str) -> String {
    name.trim().to_lowercase().replace(char::is_whitespace, "-")
}

/// The key of one of a table's columns. Where two have one title, the first has the title alone, so that its links stay
/// what they were, and the second is `state.2`.
#[must_use]
pub fn key_of(columns: &[Column], at: usize) -> Option<String> {
    let key = column_key(&columns.get(at)?.name);
    let is_same = |column: &&Column| column_key(&column.name) == key;
    let before = columns.get(..at)?.iter().filter(is_same).count();
    if before == 0 {
        return Some(key);
    }
    // Another column may be called so.
    let numbered = (2..).map(|number| format!("{key}.{number}"));
    let is_free = |numbered: &String| columns.iter().all(|column| column_key(&column.name) != *numbered);
    numbered.filter(is_free).nth(before - 1)
}

pub const NAMESPACE_KEY: &str = "namespace";
/// What a filter calls the health of a row, where the table has no column of that name.
pub const HEALTH_KEY: &str = "health";
/// The order in which failing rows come first, then those that are short, on their way, and fine.
pub const TROUBLE_KEY: &str = "trouble";

/// A sort with the column of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    /// `None`: the server's order, which is by `namespace/name`.
    by: Option<By>,
    is_descending: bool,
}

#[derive(Clone, Debug)]
enum By {
    Column(Source, ColumnType),
    Trouble,
}

impl Bound {
    /// Without such a column the rows stand in the server's order.
    pub(super) fn new(sort: Option<&Sort>, table: &Table) -> Self {
        let Some(sort) = sort else { return Self::default() };
        let columns = table.columns();
        let by = match Source::of(&sort.column, columns) {
            Some(Source::Namespace) => By::Column(Source::Namespace, ColumnType::Text),
            Some(Source::Cell(index)) => {
                let cells = table.rows().filter_map(|row| row.cells.get(index));
                let column_type =
                    columns.get(index).map_or(ColumnType::Text, |column| ColumnType::of(column, cells));
                By::Column(Source::Cell(index), column_type)
            }
            None if *sort.column == *TROUBLE_KEY => By::Trouble,
            None => return Self::default(),
        };
        Self { by: Some(by), is_descending: sort.direction == Direction::Descending }
    }

    /// `now`: by the cluster's clock.
    pub(super) fn value(&self, entry: &Entry, now: UnixSeconds) -> Value {
        let row = entry.row();
        let value = match &self.by {
            None => None,
            Some(By::Column(Source::Namespace, _)) => row.namespace.clone().map(Value::Text),
            Some(By::Column(Source::Cell(index), column)) => {
                row.cells.get(*index).map(|cell| Value::of(cell, *column))
            }
            Some(By::Trouble) => Some(Value::Number(RowHealth::rank(row, now))),
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
            (Value::Typed(a), Value::Typed(b)) => a.cmp(b),
            (Value::Text(a), Value::Text(b)) => text_order::natural(a, b),
            // Numbers before what has a type, and both before words.
            (Value::Number(_), _) | (Value::Typed(_), Value::Text(_)) => Ordering::Less,
            (_, Value::Number(_)) | (Value::Text(_), Value::Typed(_)) => Ordering::Greater,
        };
        if self.is_descending { forward.reverse() } else { forward }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link to a title that is there once is what it was, and each of several has an identity of its own.
    #[test]
    fn columns_of_one_title_have_keys_of_their_own() {
        let columns = ["Name", "State", "State", "State.2", "State"].map(replica::testing::column);
        let keys: Vec<String> = (0..columns.len()).filter_map(|at| key_of(&columns, at)).collect();
        assert_eq!(keys, ["name", "state", "state.3", "state.2", "state.4"]);
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(Source::of(key, &columns), Some(Source::Cell(at)), "{key}");
        }
        assert_eq!(Source::of("state.5", &columns), None);
        assert_eq!(key_of(&columns, columns.len()), None);
    }
}
