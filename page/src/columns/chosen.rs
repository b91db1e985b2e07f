//! Columns as a link writes them: `name,status,IMAGE:.spec.containers[*].image`, the server's by their keys,
//! custom ones by name and path. Links come from strangers: what can be read is used, the rest is named.

use std::fmt;

use shared::column::Column;
use shared::custom_column::{CUSTOM_COLUMNS_MAX, CustomColumn, split};
use shared::problem::Problem;

use super::words;
use crate::limits::{COLS_BYTES_MAX, COLUMNS_CHOSEN_MAX};
use crate::query::Source;
use crate::query::sort::{NAMESPACE_KEY, column_key, key_of};

/// Never empty; each key once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenColumns(Vec<ChosenColumn>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChosenColumn {
    /// The server's, by its key.
    Served(Box<str>),
    Own(CustomColumn),
}

impl ChosenColumn {
    /// The name in sorts and filters.
    pub fn key(&self) -> String {
        match self {
            Self::Served(key) => key.to_string(),
            Self::Own(own) => column_key(own.name()),
        }
    }

    /// `None`: these columns don't have it.
    pub(super) fn source(&self, columns: &[Column]) -> Option<Source> {
        let is_it = |(at, column): (usize, &Column)| match self {
            Self::Served(key) => {
                !column.is_custom() && key_of(columns, at).is_some_and(|known| known == **key)
            }
            Self::Own(own) => &*column.path == own.path() && &*column.name == own.name(),
        };
        match self {
            Self::Served(key) if **key == *NAMESPACE_KEY => Some(Source::Namespace),
            _ => columns.iter().enumerate().position(is_it).map(Source::Cell),
        }
    }

    fn parse(part: &str) -> Result<Self, Problem> {
        match colon(part) {
            Some((name, path)) => CustomColumn::parse(&unescaped(name), path).map(Self::Own),
            None => {
                let key = column_key(&unescaped(part));
                let is_key = !key.is_empty()
                    && key.len() <= shared::name::NAME_BYTES_MAX
                    && !key.contains(char::is_control);
                is_key.then_some(Self::Served(key.into())).ok_or_else(|| {
                    let shown: String = part.chars().take(60).collect();
                    Problem::bad_request(format!("{shown:?} is no column's name"))
                })
            }
        }
    }
}

impl ChosenColumns {
    /// `None` for an empty list.
    pub fn of(list: Vec<ChosenColumn>) -> Option<Self> {
        let mut cols: Vec<ChosenColumn> = Vec::new();
        for col in list {
            if cols.len() < COLUMNS_CHOSEN_MAX && cols.iter().all(|known| known.key() != col.key()) {
                cols.push(col);
            }
        }
        (!cols.is_empty()).then_some(Self(cols))
    }

    /// The columns that can be read, and a problem for each other part.
    pub fn parse(text: &str) -> (Option<Self>, Vec<Problem>) {
        let mut problems = Vec::new();
        if text.len() > COLS_BYTES_MAX {
            let message = format!("cols has {} bytes; at most {COLS_BYTES_MAX} are read", text.len());
            return (None, vec![Problem::bad_request(message)]);
        }
        let (mut list, mut own): (Vec<ChosenColumn>, usize) = (Vec::new(), 0);
        for part in split(text).map(str::trim).filter(|part| !part.is_empty()) {
            if list.len() == COLUMNS_CHOSEN_MAX {
                problems.push(Problem::bad_request(words::too_many(COLUMNS_CHOSEN_MAX)));
                break;
            }
            match ChosenColumn::parse(part) {
                Ok(col) if list.iter().any(|known| known.key() == col.key()) => {
                    problems.push(Problem::bad_request(words::twice(&col.key())));
                }
                Ok(ChosenColumn::Own(_)) if own == CUSTOM_COLUMNS_MAX => {
                    problems.push(Problem::bad_request(words::too_many(CUSTOM_COLUMNS_MAX)));
                }
                Ok(col) => {
                    own += usize::from(matches!(col, ChosenColumn::Own(_)));
                    list.push(col);
                }
                Err(problem) => problems.push(problem),
            }
        }
        (Self::of(list), problems)
    }

    pub fn iter(&self) -> impl Iterator<Item = &ChosenColumn> {
        self.0.iter()
    }

    pub fn own(&self) -> impl Iterator<Item = &CustomColumn> {
        self.0.iter().filter_map(|col| match col {
            ChosenColumn::Own(own) => Some(own),
            ChosenColumn::Served(_) => None,
        })
    }
}

impl fmt::Display for ChosenColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, col) in self.0.iter().enumerate() {
            f.write_str(if place > 0 { "," } else { "" })?;
            match col {
                ChosenColumn::Served(key) => f.write_str(&escaped(key))?,
                ChosenColumn::Own(own) => write!(f, "{}:{}", escaped(own.name()), own.path())?,
            }
        }
        Ok(())
    }
}

/// Characters that end a name in a list.
const SIGNS: [char; 6] = ['\\', ',', ':', '[', ']', '='];

pub(super) fn escaped(name: &str) -> String {
    name.chars().fold(String::with_capacity(name.len()), |mut text, character| {
        if SIGNS.contains(&character) {
            text.push('\\');
        }
        text.push(character);
        text
    })
}

pub(super) fn unescaped(text: &str) -> String {
    let mut characters = text.chars();
    let mut name = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        name.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    name
}

/// Splits at the first colon that isn't escaped.
fn colon(part: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let at = part.char_indices().find(|(_, character)| {
        let found = *character == ':' && !is_escaped;
        is_escaped = *character == '\\' && !is_escaped;
        found
    });
    at.and_then(|(at, _)| Some((part.get(..at)?, part.get(at + 1..)?)))
}
