//! A cell as a value that can be compared: numbers, ratios, durations, quantities, instants. Never how a cell
//! is shown.

use std::borrow::Cow;

use shared::cell::Cell;
use shared::column::Column;
use shared::go;

use super::text_order::TextType;

/// How the texts of a column are read. The column's definition decides if its type is a number; else a type
/// fits if all texts of the column can be read by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Number,
    /// `3/5`
    Ratio,
    /// `4m5s`, as the server printed it
    Duration,
    /// `500m`, `1Gi`
    Quantity,
    /// Addresses or versions
    Typed(TextType),
    Text,
}

/// The part of a cell that its order depends on.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    /// Bytes that stand in the order of what they were read from.
    Typed(Box<[u8]>),
    Text(Box<str>),
    /// Nothing, `<none>`, `<unknown>`: stands last in both directions.
    Missing,
}

impl ColumnType {
    pub fn of<'a>(column: &Column, cells: impl Iterator<Item = &'a Cell>) -> Self {
        if matches!(&*column.kind, "integer" | "number") {
            return Self::Number;
        }
        if is_quantity(column) {
            return Self::Quantity;
        }
        let mut candidates = vec![
            Self::Number,
            Self::Ratio,
            Self::Duration,
            Self::Quantity,
            Self::Typed(TextType::Addresses),
            Self::Typed(TextType::Version),
        ];
        let mut seen = false;
        for cell in cells {
            let Cell::Text(text) = cell else { continue };
            if is_missing(text) {
                continue;
            }
            seen = true;
            candidates.retain(|candidate| candidate.value(text).is_some());
            if candidates.is_empty() {
                return Self::Text;
            }
        }
        if seen { candidates.first().copied().unwrap_or(Self::Text) } else { Self::Text }
    }

    pub(super) fn read(self, text: &str) -> Option<f64> {
        match self {
            Self::Number => decimal(text),
            Self::Ratio => ratio(text),
            Self::Duration => duration_s(text),
            Self::Quantity => quantity(text),
            Self::Typed(_) | Self::Text => None,
        }
    }

    fn value(self, text: &str) -> Option<Value> {
        match self {
            Self::Typed(typed) => typed.key(text).map(Value::Typed),
            _ => self.read(text).map(Value::Number),
        }
    }
}

impl Value {
    pub fn of(cell: &Cell, column: ColumnType) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "an order of seconds and counts, not an identity")]
        match cell {
            Cell::Null | Cell::Age(None) => Self::Missing,
            Cell::Bool(value) => Self::Number(f64::from(u8::from(*value))),
            Cell::Int(value) => Self::Number(*value as f64),
            Cell::Float(value) => Self::Number(*value),
            // A later instant is a smaller age.
            Cell::Age(Some(since)) => Self::Number(-(*since as f64)),
            Cell::Ago(ago) => Self::of_text(&ago.text, ColumnType::Number),
            Cell::Span(span) => match span.end {
                Some(end) => Self::Number(end.saturating_sub(span.start) as f64),
                // A span without an end is longer than all that ended, and longer the earlier it began.
                None => Self::Number(RUNNING - span.start as f64),
            },
            Cell::Text(text) => Self::of_text(text, column),
        }
    }

    fn of_text(text: &str, column: ColumnType) -> Self {
        if is_missing(text) {
            return Self::Missing;
        }
        column.value(text).unwrap_or_else(|| Self::Text(text.into()))
    }
}

/// More than any duration that ended, in seconds.
const RUNNING: f64 = 1e12;

/// A cell's text, unless it depends on the time.
pub(super) fn text_of(cell: &Cell) -> Option<Cow<'_, str>> {
    Some(match cell {
        Cell::Text(text) => Cow::Borrowed(text),
        Cell::Int(number) => number.to_string().into(),
        Cell::Float(number) => go::float(*number).into(),
        Cell::Bool(value) => value.to_string().into(),
        Cell::Ago(ago) => Cow::Borrowed(&ago.text),
        Cell::Null => "".into(),
        Cell::Age(_) | Cell::Span(_) => return None,
    })
}

/// Whether the API says that the cells of a column are quantities: `60m` isn't 60 minutes there.
pub(crate) fn is_quantity(column: &Column) -> bool {
    column.format.starts_with("quantity")
}

pub(super) fn is_missing(text: &str) -> bool {
    matches!(text, "" | "<none>" | "<unknown>" | "<unset>" | "<invalid>")
}

fn ratio(text: &str) -> Option<f64> {
    let (part, whole) = text.split_once('/')?;
    let (part, whole) = (decimal(part.trim())?, decimal(whole.trim())?);
    // 0/0 is complete.
    Some(if whole == 0.0 { 1.0 } else { part / whole })
}

/// A text of Kubernetes' `HumanDuration`: numbers with y, d, h, m, s, the greater units first.
pub(crate) fn duration_s(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut seconds = 0.0;
    let mut last_unit = f64::INFINITY;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number = decimal(rest.get(..digits)?)?;
        let unit = match rest.get(digits..=digits)? {
            "y" => 31_536_000.0,
            "d" => 86_400.0,
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            _ => return None,
        };
        if unit >= last_unit {
            return None;
        }
        last_unit = unit;
        seconds += number * unit;
        rest = rest.get(digits + 1..)?;
    }
    last_unit.is_finite().then_some(seconds)
}

/// Kubernetes' quantities: a number and a suffix, decimal, binary, or an exponent.
pub fn quantity(text: &str) -> Option<f64> {
    let end = text
        .char_indices()
        .find(|(place, c)| !(c.is_ascii_digit() || *c == '.' || (*place == 0 && matches!(c, '+' | '-'))))
        .map_or(text.len(), |(place, _)| place);
    let (number, suffix) = text.split_at_checked(end)?;
    let scale = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        "Ti" => 1024.0_f64.powi(4),
        "Pi" => 1024.0_f64.powi(5),
        "Ei" => 1024.0_f64.powi(6),
        // An exponent, such as 12e6.
        _ => return decimal(text),
    };
    decimal(number).map(|number| number * scale)
}

/// A decimal number, by the reader that the frames have: a second one would be 10 KB of the page's program. JSON
/// writes no `+`, no zeros before and no point at either end.
fn decimal(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let point = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    let (whole, rest) = unsigned.split_at_checked(point)?;
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    let (fraction, exponent) = match rest.starts_with('.') {
        true => fraction.split_at_checked(end)?,
        false => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let json = [sign, if whole.is_empty() { "0" } else { whole }, ".", fraction, "0", exponent].concat();
    shared::json::read(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_type(kind: &str, texts: &[&str]) -> ColumnType {
        let column = Column { kind: kind.into(), ..replica::testing::column("C") };
        let cells: Vec<Cell> = texts.iter().map(|text| Cell::text(text)).collect();
        ColumnType::of(&column, cells.iter())
    }

    #[test]
    fn a_column_is_what_all_of_its_texts_are() {
        for (texts, expected) in [
            (&["1", "20"] as &[&str], ColumnType::Number),
            (&["1/1", "0/2", "<none>"], ColumnType::Ratio),
            (&["4m5s", "30h", "5m"], ColumnType::Duration),
            (&["500m", "1Gi", "2"], ColumnType::Quantity),
            (&["10.0.0.7", "fd00::7,10.0.0.8"], ColumnType::Typed(TextType::Addresses)),
            (&["v1.36.9", "v1.36.10-rc.1", "<none>"], ColumnType::Typed(TextType::Version)),
            (&["10.0.0.7", "v1.36.9"], ColumnType::Text),
            (&["1/1", "Running"], ColumnType::Text),
            (&["<none>"], ColumnType::Text),
        ] {
            assert_eq!(column_type("string", texts), expected, "{texts:?}");
        }
        assert_eq!(column_type("integer", &[]), ColumnType::Number);
    }

    #[test]
    fn texts_are_worth_what_kubernetes_means_by_them() {
        for (column, text, expected) in [
            (ColumnType::Ratio, "1/2", 0.5),
            (ColumnType::Ratio, "0/0", 1.0),
            (ColumnType::Duration, "3d4h", 273_600.0),
            (ColumnType::Quantity, "500m", 0.5),
            (ColumnType::Quantity, "1Ki", 1024.0),
            (ColumnType::Quantity, "12e6", 12e6),
        ] {
            assert_eq!(Value::of(&Cell::text(text), column), Value::Number(expected), "{text}");
        }
        for text in ["7", "007", "+1", "-0.5", ".5", "5.", "1e3", "1.5E-2", "0", "12345678901234567890"] {
            assert_eq!(decimal(text), text.parse().ok(), "{text}");
        }
        for text in ["", "+", "-", ".", "1e", "1e999", "inf", "NaN", "1_0", "--1", "1.2.3", " 1"] {
            assert_eq!(decimal(text), None, "{text}");
        }
        assert_eq!(duration_s("4m5m"), None);
        assert_eq!(quantity("Mi"), None);
    }
}
