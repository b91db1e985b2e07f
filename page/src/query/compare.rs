//! `column op value`: a term of the filter that reads one column. Each cell is read as what it is, a
//! number, an instant, a ratio, a duration or a quantity, and so is the value that it is compared with;
//! where the two can't be read alike, their texts are compared. Never how a cell is shown.

use std::borrow::Cow;

use regex_lite::Regex;
use shared::cell::Cell;
use shared::column::Column;
use shared::duration::UnixSeconds;

use super::regex::regex;
use super::sort::{NAMESPACE_KEY, column_key};
use super::value::{ColumnType, Value};
use crate::messages;
use replica::table::Entry;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
    MatchesNot,
}

/// The longer ones first: `<=` begins as `<` does.
const OPS: [(&str, Op); 8] = [
    ("!=", Op::NotEqual),
    ("!~", Op::MatchesNot),
    ("<=", Op::LessOrEqual),
    (">=", Op::GreaterOrEqual),
    ("=", Op::Equal),
    ("<", Op::Less),
    (">", Op::Greater),
    ("~", Op::Matches),
];

/// As it was written, for whatever table.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    column: Box<str>,
    op: Op,
    /// A comma means any of them.
    values: Box<str>,
}

/// A comparison with the columns of one table.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    place: Place,
    op: Op,
    values: Vec<Wanted>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Namespace,
    Cell(usize),
}

/// One value that was written, read in every way in which it can be.
#[derive(Clone, Debug)]
struct Wanted {
    /// In lower case.
    text: Box<str>,
    /// In the order of [`READINGS`].
    numbers: [Option<f64>; READINGS.len()],
    regex: Option<Box<Regex>>,
}

/// Tried in this order, as a column's type is.
const READINGS: [ColumnType; 4] =
    [ColumnType::Number, ColumnType::Ratio, ColumnType::Duration, ColumnType::Quantity];
const NUMBER: usize = 0;
const RATIO: usize = 1;
const DURATION: usize = 2;

impl Comparison {
    /// Column, operator and values of a term that compares, in bytes from its beginning.
    pub(super) fn parts(written: &str) -> Option<(&str, &'static str, &str)> {
        let at = written.find(['=', '<', '>', '~'])?;
        let at = if written.get(..at)?.ends_with('!') { at - 1 } else { at };
        let (column, rest) = written.split_at_checked(at)?;
        let (sign, _) = OPS.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
        Some((column, sign, rest.get(sign.len()..)?))
    }

    /// `None`: there is no operator in it, so it is a word.
    pub(super) fn parse(written: &str) -> Option<Result<Self, Box<str>>> {
        let (column, sign, values) = Self::parts(written)?;
        let op = OPS.into_iter().find(|(known, _)| *known == sign)?.1;
        Some(if column.is_empty() {
            Err(messages::filter_no_column_before(sign).into())
        } else if values.is_empty() {
            Err(messages::filter_nothing_after(sign).into())
        } else {
            Ok(Self { column: column.to_lowercase().into(), op, values: values.into() })
        })
    }

    /// # Errors
    /// Why it can't be applied to this table.
    pub(super) fn bind(&self, columns: &[Column]) -> Result<Compared, Box<str>> {
        let place = if *self.column == *NAMESPACE_KEY {
            Place::Namespace
        } else {
            let known = columns.iter().position(|column| column_key(&column.name) == *self.column);
            Place::Cell(known.ok_or_else(|| self.unknown(columns))?)
        };
        let values = self.values.split(',').filter(|value| !value.is_empty());
        let values = values.map(|value| Wanted::read(value, self.op)).collect::<Result<Vec<_>, _>>()?;
        if let Place::Cell(at) = place
            && columns.get(at).is_some_and(|column| matches!(&*column.kind, "integer" | "number"))
            && let Some(value) = values.iter().find(|value| value.numbers[NUMBER].is_none())
            && self.op.is_of_order()
        {
            return Err(messages::filter_no_number(&self.column, &value.text).into());
        }
        Ok(Compared { place, op: self.op, values })
    }

    fn unknown(&self, columns: &[Column]) -> Box<str> {
        let keys = columns.iter().map(|column| column_key(&column.name));
        let near = keys.filter(|key| key.starts_with(&*self.column) || self.column.starts_with(key.as_str()));
        messages::filter_no_column(&self.column, near.min().as_deref()).into()
    }
}

impl Op {
    fn is_of_order(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual)
    }

    fn is_negated(self) -> bool {
        matches!(self, Self::NotEqual | Self::MatchesNot)
    }
}

impl Compared {
    /// Time alone may change what it says.
    pub(super) fn is_timed(&self) -> bool {
        self.values.iter().any(|value| value.numbers[DURATION].is_some())
    }

    pub(super) fn holds(&self, entry: &Entry, now: UnixSeconds) -> bool {
        let holds = |value: &Wanted| match self.place {
            Place::Namespace => {
                value.compares_text(self.op, entry.row().namespace.as_deref().unwrap_or_default())
            }
            Place::Cell(at) => value.compares(self.op, entry.row().cells.get(at).unwrap_or(&Cell::Null), now),
        };
        self.values.iter().any(holds) != self.op.is_negated()
    }
}

impl Wanted {
    fn read(written: &str, op: Op) -> Result<Self, Box<str>> {
        let mut numbers = READINGS.map(|reading| reading.read(written));
        // `ready<1`: all of them.
        numbers[RATIO] = numbers[RATIO].or(numbers[NUMBER]);
        let regex = matches!(op, Op::Matches | Op::MatchesNot).then(|| regex(written));
        Ok(Self { text: written.to_lowercase().into(), numbers, regex: regex.transpose()? })
    }

    fn compares_text(&self, op: Op, text: &str) -> bool {
        match op {
            Op::Matches | Op::MatchesNot => self.regex.as_ref().is_some_and(|regex| regex.is_match(text)),
            Op::Equal | Op::NotEqual => is_same(text, &self.text),
            _ => !text.is_empty() && in_order(op, text.to_lowercase().as_str().cmp(&self.text)),
        }
    }

    /// Negations are the caller's.
    fn compares(&self, op: Op, cell: &Cell, now: UnixSeconds) -> bool {
        match op {
            Op::Matches | Op::MatchesNot => {
                self.regex.as_ref().zip(text_of(cell)).is_some_and(|(regex, text)| regex.is_match(&text))
            }
            Op::Equal | Op::NotEqual => {
                self.pair(cell, now).is_some_and(|(number, wanted)| number == wanted)
                    || text_of(cell).is_some_and(|text| is_same(&text, &self.text))
            }
            _ => match self.pair(cell, now) {
                Some((number, wanted)) => in_order(op, number.total_cmp(&wanted)),
                None if Value::of(cell, ColumnType::Text) == Value::Missing => false,
                None => text_of(cell)
                    .is_some_and(|text| in_order(op, text.to_lowercase().as_str().cmp(&self.text))),
            },
        }
    }

    /// Both as numbers of the same meaning.
    fn pair(&self, cell: &Cell, now: UnixSeconds) -> Option<(f64, f64)> {
        let (number, reading) = match cell {
            Cell::Age(since) => (seconds_between((*since)?, now), DURATION),
            Cell::Span(span) => (seconds_between(span.start, span.end.unwrap_or(now)), DURATION),
            Cell::Text(text) => READINGS.iter().enumerate().find_map(|(at, reading)| {
                self.numbers.get(at)?.as_ref()?;
                Some((reading.read(text)?, at))
            })?,
            Cell::Null => return None,
            Cell::Bool(_) | Cell::Int(_) | Cell::Float(_) | Cell::Ago(_) => {
                match Value::of(cell, ColumnType::Number) {
                    Value::Number(number) => (number, NUMBER),
                    _ => return None,
                }
            }
        };
        Some((number, (*self.numbers.get(reading)?)?))
    }
}

/// Whatever the case; `folded` is in lower case. Without writing anything, 100,000 times a key press.
fn is_same(text: &str, folded: &str) -> bool {
    if text.is_ascii() { text.eq_ignore_ascii_case(folded) } else { text.to_lowercase() == folded }
}

fn in_order(op: Op, order: std::cmp::Ordering) -> bool {
    match op {
        Op::Less => order.is_lt(),
        Op::LessOrEqual => order.is_le(),
        Op::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "seconds of some years")]
fn seconds_between(from: UnixSeconds, to: UnixSeconds) -> f64 {
    to.saturating_sub(from) as f64
}

/// What a cell says that doesn't depend on the time.
fn text_of(cell: &Cell) -> Option<Cow<'_, str>> {
    Some(match cell {
        Cell::Text(text) => Cow::Borrowed(text),
        Cell::Int(number) => number.to_string().into(),
        Cell::Float(number) => number.to_string().into(),
        Cell::Bool(value) => value.to_string().into(),
        Cell::Ago(ago) => Cow::Borrowed(&ago.text),
        Cell::Null => "".into(),
        Cell::Age(_) | Cell::Span(_) => return None,
    })
}

#[cfg(test)]
mod tests;
