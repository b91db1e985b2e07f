//! `column op value`: a term of the filter that compares one column. The cell and the value are both read as a
//! number, a ratio, a duration or a quantity; if they can't be read alike, their texts are compared. Never how
//! a cell is shown.

use std::borrow::Cow;

use regex_lite::{Regex, RegexBuilder};
use shared::cell::Cell;
use shared::column::Column;
use shared::duration::UnixSeconds;

use super::sort::{HEALTH_KEY, Source, key_of};
use super::text_order;
use super::value::{ColumnType, Value, is_missing, is_quantity, text_of};
use crate::limits::REGEX_BYTES_MAX;
use crate::messages;
use crate::status::{RowHealth, StatusColumns};
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

/// The longer ones first, because `<=` begins with `<`.
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

/// A comparison as it was written, for any table.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    column: Box<str>,
    op: Op,
    /// Separated by commas; one of them has to fit.
    values: Box<str>,
}

/// A comparison with the column of one table.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    compares: Compares,
    op: Op,
    values: Vec<Wanted>,
}

#[derive(Clone, Debug)]
enum Compares {
    Column(Source),
    Health(StatusColumns),
}

/// One value of a comparison, read in every way in which it can be.
#[derive(Clone, Debug)]
struct Wanted {
    /// In lower case.
    text: Box<str>,
    /// In the order of [`READINGS`].
    numbers: [Option<f64>; READINGS.len()],
    regex: Option<Box<Regex>>,
}

/// A text is read by the first of these that can read it and the value.
const READINGS: [ColumnType; 4] =
    [ColumnType::Number, ColumnType::Ratio, ColumnType::Duration, ColumnType::Quantity];
const NUMBER: usize = 0;
const RATIO: usize = 1;
const DURATION: usize = 2;
const QUANTITY: usize = 3;

impl Comparison {
    /// The column, the operator and the values of a term.
    pub(super) fn parts(written: &str) -> Option<(&str, &'static str, &str)> {
        let at = written.find(['=', '<', '>', '~'])?;
        let at = if written.get(..at)?.ends_with('!') { at - 1 } else { at };
        let (column, rest) = written.split_at_checked(at)?;
        let (sign, _) = OPS.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
        Some((column, sign, rest.get(sign.len()..)?))
    }

    /// `None`: the term has no operator, so it is a word.
    pub(super) fn parse(written: &str) -> Option<Result<Self, Box<str>>> {
        let (column, sign, values) = Self::parts(written)?;
        let op = OPS.into_iter().find(|(known, _)| *known == sign)?.1;
        Some(if column.is_empty() {
            Err(messages::filter_no_column_before(sign).into())
        } else if values.is_empty() {
            Err(messages::filter_nothing_after(column, sign).into())
        } else {
            Ok(Self { column: column.to_lowercase().into(), op, values: values.into() })
        })
    }

    /// # Errors
    /// Why the comparison can't be applied to this table.
    pub(super) fn bind(&self, columns: &[Column]) -> Result<Compared, Box<str>> {
        let compares = match Source::of(&self.column, columns) {
            Some(source) => Compares::Column(source),
            None if *self.column == *HEALTH_KEY => Compares::Health(StatusColumns::of(columns)),
            None => return Err(self.unknown(columns)),
        };
        let values = match unquoted(&self.values) {
            Some(whole) => vec![whole],
            None => self.values.split(',').filter(|value| !value.is_empty()).collect(),
        };
        let values = values.into_iter().map(|value| Wanted::read(value, self.op));
        let mut values = values.collect::<Result<Vec<_>, _>>()?;
        if let Compares::Column(Source::Cell(at)) = compares
            && columns.get(at).is_some_and(is_quantity)
        {
            values.iter_mut().for_each(Wanted::be_quantity);
        }
        self.refuse_what_cannot_hold(&compares, &values, columns)?;
        Ok(Compared { compares, op: self.op, values })
    }

    /// A comparison that no row can ever match is a slip of its writer's.
    fn refuse_what_cannot_hold(
        &self,
        compares: &Compares,
        values: &[Wanted],
        columns: &[Column],
    ) -> Result<(), Box<str>> {
        let column = match compares {
            Compares::Column(Source::Namespace) => return Ok(()),
            Compares::Health(status) => {
                let is_known = |value: &Wanted| RowHealth::of_term(&value.text).is_some();
                let is_read = self.op.is_of_equality() && values.iter().all(is_known);
                return if is_read { Ok(()) } else { Err(messages::filter_health(&status.terms()).into()) };
            }
            Compares::Column(Source::Cell(at)) => columns.get(*at),
        };
        let Some(column) = column else { return Ok(()) };
        let lacks = |reading: usize| {
            values.iter().find(|value| value.numbers.get(reading).is_none_or(Option::is_none))
        };
        let is_number = matches!(&*column.kind, "integer" | "number") || *self.column == *"restarts";
        let is_compared = self.op.is_of_order() || self.op.is_of_equality();
        if let Some(value) = lacks(NUMBER).filter(|_| is_number && self.op.is_of_order()) {
            return Err(messages::filter_no_number(&self.column, &value.text).into());
        }
        if let Some(value) = lacks(DURATION).filter(|_| is_of_time(column, &self.column) && is_compared) {
            return Err(messages::filter_no_duration(&self.column, &value.text).into());
        }
        if let Some(value) = lacks(QUANTITY).filter(|_| is_quantity(column) && self.op.is_of_order()) {
            return Err(messages::filter_no_quantity(&self.column, &value.text).into());
        }
        Ok(())
    }

    fn unknown(&self, columns: &[Column]) -> Box<str> {
        let keys = (0..columns.len()).filter_map(|at| key_of(columns, at));
        let near = keys.filter(|key| key.starts_with(&*self.column) || self.column.starts_with(key.as_str()));
        messages::filter_no_column(&self.column, near.min().as_deref()).into()
    }
}

impl Op {
    fn is_of_order(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual)
    }

    fn is_of_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }

    fn is_negated(self) -> bool {
        matches!(self, Self::NotEqual | Self::MatchesNot)
    }
}

impl Compared {
    pub(super) fn is_of_health(&self) -> bool {
        matches!(self.compares, Compares::Health(_))
    }

    pub(super) fn asks_for_failing(&self) -> bool {
        let is_failing = |value: &Wanted| RowHealth::of_term(&value.text) == Some(RowHealth::Failing);
        self.is_of_health() && !self.op.is_negated() && self.values.iter().any(is_failing)
    }

    /// Whether the answer for a row changes as time passes.
    pub(super) fn is_timed(&self) -> bool {
        self.is_of_health() || self.values.iter().any(|value| value.numbers[DURATION].is_some())
    }

    pub(super) fn holds(&self, entry: &Entry, now: UnixSeconds) -> bool {
        let row = entry.row();
        let holds = |value: &Wanted| match &self.compares {
            Compares::Column(Source::Namespace) => {
                value.compares(self.op, None, || row.namespace.as_deref().or(Some("")).map(Cow::Borrowed))
            }
            Compares::Column(Source::Cell(at)) => {
                let cell = row.cells.get(*at).unwrap_or(&Cell::Null);
                value.compares(self.op, value.numbers(cell, now), || text_of(cell))
            }
            Compares::Health(_) => RowHealth::of_term(&value.text) == Some(RowHealth::of(row, now)),
        };
        self.values.iter().any(holds) != self.op.is_negated()
    }
}

impl Wanted {
    fn read(written: &str, op: Op) -> Result<Self, Box<str>> {
        let mut numbers = READINGS.map(|reading| reading.read(written));
        // `ready<1` compares a ratio: less than all are ready.
        numbers[RATIO] = numbers[RATIO].or(numbers[NUMBER]);
        let regex = matches!(op, Op::Matches | Op::MatchesNot).then(|| regex(written));
        Ok(Self { text: written.to_lowercase().into(), numbers, regex: regex.transpose()? })
    }

    /// Reads it in no other way.
    fn be_quantity(&mut self) {
        let [.., quantity] = self.numbers;
        self.numbers = [None, None, None, quantity];
    }

    /// Ignores that the operator is negated. `numbers`: the cell and this value, where both are numbers.
    fn compares<'a>(
        &self,
        op: Op,
        numbers: Option<(f64, f64)>,
        text: impl Fn() -> Option<Cow<'a, str>>,
    ) -> bool {
        match op {
            Op::Matches | Op::MatchesNot => {
                self.regex.as_ref().zip(text()).is_some_and(|(regex, text)| regex.is_match(&text))
            }
            Op::Equal | Op::NotEqual => {
                numbers.is_some_and(|(number, wanted)| number == wanted)
                    || text().is_some_and(|text| is_same(&text, &self.text))
            }
            _ => match numbers {
                Some((number, wanted)) => in_order(op, number.total_cmp(&wanted)),
                None => text().is_some_and(|text| {
                    !is_missing(&text) && in_order(op, text_order::compare(&text.to_lowercase(), &self.text))
                }),
            },
        }
    }

    /// The cell and this value as two numbers of the same type.
    fn numbers(&self, cell: &Cell, now: UnixSeconds) -> Option<(f64, f64)> {
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

/// Cells of these columns are instants, which the page shows as how long ago they were.
fn is_of_time(column: &Column, key: &str) -> bool {
    &*column.kind == "date"
        || &*column.format == "date-time"
        || matches!(key, "age" | "last-seen" | "first-seen")
}

/// What stands between quotes: one value, whatever is in it.
pub(super) fn unquoted(written: &str) -> Option<&str> {
    written.strip_prefix('"')?.strip_suffix('"')
}

/// Ignores case; `folded` is in lower case. ASCII is compared without a copy, because each key press compares
/// 100,000 rows.
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

/// Bounded in size, because links come from strangers; ignores case.
///
/// # Errors
/// Why the pattern isn't a regex, or that it is too big.
pub(crate) fn regex(pattern: &str) -> Result<Box<Regex>, Box<str>> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).size_limit(REGEX_BYTES_MAX).build();
    built.map(Box::new).map_err(|error| messages::filter_regex(&error.to_string()).into())
}

#[cfg(test)]
mod tests;
