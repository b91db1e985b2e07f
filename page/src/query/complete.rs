//! What may be typed next in the filter: columns, operators, and the values that were seen in a column
//! with their counts. Nothing is applied here, and nothing is asked of the gateway.

use std::ops::Range;

use shared::cell::Cell;
use shared::column::Column;

use super::compare::Comparison;
use super::filter::spans;
use super::seen::{Counts, rank};
use super::sort::{NAMESPACE_KEY, column_key};
use super::value::is_missing;
use crate::limits::{COMPLETION_ROWS_MAX, SUGGESTIONS_MAX};
use crate::messages;
use replica::table::Table;

/// What a list under the box offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// What it is a list of, for who hears it.
    pub title: String,
    /// In bytes: what a chosen one takes the place of.
    pub replaces: Range<usize>,
    pub suggestions: Vec<Suggestion>,
    /// So many rows were counted, of more.
    pub counted: Option<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub text: String,
    /// What it is, where its text doesn't say so.
    pub detail: String,
    /// Rows that have it.
    pub rows: Option<usize>,
    /// There is more to type behind it, without a space.
    pub goes_on: bool,
}

impl Completion {
    /// The text with a suggestion in its place, and where the caret then stands.
    #[must_use]
    pub fn apply(&self, text: &str, suggestion: &Suggestion) -> (String, usize) {
        let before = text.get(..self.replaces.start).unwrap_or_default();
        let behind = text.get(self.replaces.end..).unwrap_or_default();
        let space = if suggestion.goes_on || behind.starts_with(' ') { "" } else { " " };
        let caret = before.len() + suggestion.text.len() + space.len();
        (format!("{before}{}{space}{behind}", suggestion.text), caret)
    }
}

/// `caret`: in bytes of the text.
#[must_use]
pub fn complete(text: &str, caret: usize, table: &Table, with_namespace: bool) -> Completion {
    let caret = text.floor_char_boundary(caret.min(text.len()));
    let span = spans(text).into_iter().find(|span| (span.start..=span.end).contains(&caret));
    let Some(span) = span else {
        return columns(table.columns(), with_namespace, "", caret..caret);
    };
    let term = text.get(span.clone()).unwrap_or_default();
    if term.starts_with('/') || term.starts_with("!/") {
        return Completion::default();
    }
    match Comparison::parts(term) {
        Some((column, sign, _)) if caret >= span.start + column.len() + sign.len() => {
            let from = span.start + column.len() + sign.len();
            let typed = text.get(from..caret).unwrap_or_default();
            let from = typed.rfind(',').map_or(from, |comma| from + comma + 1);
            let end =
                text.get(caret..span.end).and_then(|rest| rest.find(',')).map_or(span.end, |at| caret + at);
            let typed = text.get(from..caret).unwrap_or_default();
            values(table, column, typed, from..end)
        }
        Some((column, ..)) => {
            let end = span.start + column.len();
            let typed = text.get(span.start..caret.min(end)).unwrap_or_default();
            columns(table.columns(), with_namespace, typed, span.start..end)
        }
        None => {
            columns(table.columns(), with_namespace, text.get(span.start..caret).unwrap_or_default(), span)
        }
    }
}

fn columns(columns: &[Column], with_namespace: bool, typed: &str, replaces: Range<usize>) -> Completion {
    let typed = typed.strip_prefix('!').unwrap_or(typed).to_lowercase();
    let served = columns.iter().map(|column| (column_key(&column.name), operators(column), column));
    let mut found: Vec<_> = served
        .filter_map(|(key, operators, column)| Some((rank(&key, &typed)?, key, operators, detail(column))))
        .collect();
    if with_namespace && let Some(rank) = rank(NAMESPACE_KEY, &typed) {
        found.push((rank, NAMESPACE_KEY.to_owned(), "= != ~", String::new()));
    }
    found.sort_by_key(|(rank, ..)| *rank);
    // A whole key: what may follow it.
    let whole = found.iter().find(|(_, key, ..)| *key == typed);
    let suggestions: Vec<Suggestion> = match whole {
        Some((_, key, operators, _)) => operators
            .split(' ')
            .map(|sign| suggestion(format!("{key}{sign}"), messages::operator(sign).to_owned(), None, true))
            .collect(),
        // Nothing typed says nothing: a list that opens with the box would only be in the way.
        None if typed.is_empty() => Vec::new(),
        None => found
            .into_iter()
            .take(SUGGESTIONS_MAX)
            .map(|(_, key, operators, detail)| {
                let first = operators.split(' ').next().unwrap_or("=");
                suggestion(format!("{key}{first}"), detail, None, true)
            })
            .collect(),
    };
    Completion { title: messages::COMPLETION_COLUMNS.to_owned(), replaces, suggestions, counted: None }
}

fn suggestion(text: String, detail: String, rows: Option<usize>, goes_on: bool) -> Suggestion {
    Suggestion { text, detail, rows, goes_on }
}

/// The likeliest first.
fn operators(column: &Column) -> &'static str {
    let is_figure = matches!(&*column.kind, "integer" | "number" | "date");
    let key = column_key(&column.name);
    let is_time = matches!(&*key, "age" | "duration" | "last-seen" | "first-seen" | "last-schedule");
    match (is_figure, is_time) {
        (_, true) => "< > <= >=",
        (true, false) => "> < = != >= <=",
        (false, false) => "= != ~ !~ < >",
    }
}

fn detail(column: &Column) -> String {
    if column.is_custom() { column.path.to_string() } else { column.description.to_string() }
}

fn values(table: &Table, column: &str, typed: &str, replaces: Range<usize>) -> Completion {
    let key = column.to_lowercase();
    let at = table.columns().iter().position(|known| column_key(&known.name) == key);
    let title = messages::completion_values(&key.to_uppercase());
    let is_namespace = key == NAMESPACE_KEY;
    if at.is_none() && !is_namespace {
        return Completion::default();
    }
    let rows = || table.rows().take(COMPLETION_ROWS_MAX);
    let seen = rows().filter_map(|row| match at.filter(|_| !is_namespace) {
        Some(at) => written(row.cells.get(at)?),
        None => row.namespace.as_deref().map(Into::into),
    });
    let typed = typed.to_lowercase();
    let counted = Counts::of(seen).best(|value| rank(value, &typed));
    let suggestions = counted
        .into_iter()
        .filter(|(value, _)| *value.to_lowercase() != *typed)
        .map(|(value, rows)| suggestion(value.into(), String::new(), Some(rows), false))
        .collect();
    let all = table.len();
    let counted = (all > COMPLETION_ROWS_MAX).then_some((COMPLETION_ROWS_MAX, all));
    Completion { title, replaces, suggestions, counted }
}

/// As one may type it: a filter's value has neither spaces nor commas.
fn written(cell: &Cell) -> Option<Box<str>> {
    let text: Box<str> = match cell {
        Cell::Text(text) => text.clone(),
        Cell::Ago(ago) => ago.text.clone(),
        Cell::Int(number) => number.to_string().into(),
        Cell::Float(number) => number.to_string().into(),
        Cell::Bool(value) => value.to_string().into(),
        Cell::Null | Cell::Age(_) | Cell::Span(_) => return None,
    };
    let is_typed = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == ',');
    (is_typed && !is_missing(&text)).then_some(text)
}

#[cfg(test)]
mod tests {
    use shared::row::{Row, RowId};

    use super::*;
    use replica::testing;

    fn table() -> Table {
        let rows = (0..10_u64).map(|number| Row {
            id: RowId::from_hash((number + 1) << 8),
            resource_version: "1".into(),
            namespace: Some(["shop", "pay"][usize::from(number < 3)].into()),
            name: format!("cart-{number}").as_str().into(),
            created: None,
            cells: vec![
                Cell::text(&format!("cart-{number}")),
                Cell::text(
                    ["Running", "Pending", "<none>"][usize::from(number > 6) + usize::from(number > 8)],
                ),
                Cell::text("two words"),
            ],
            extra: None,
        });
        testing::table_of(&["Name", "Status", "Nominated Node"], rows.collect())
    }

    fn offered(text: &str) -> Vec<String> {
        let caret = text.find('|').expect("a caret");
        let text = text.replace('|', "");
        let completion = complete(&text, caret, &table(), true);
        let applied = |suggestion: &Suggestion| {
            let (mut whole, caret) = completion.apply(&text, suggestion);
            whole.insert(caret, '|');
            suggestion.rows.map_or(whole.clone(), |rows| format!("{whole} {rows}"))
        };
        completion.suggestions.iter().map(applied).collect()
    }

    #[test]
    fn columns_operators_and_values_with_their_counts_are_offered_where_the_caret_stands() {
        for (text, expected) in [
            ("|", &[] as &[&str]),
            ("stat|", &["status=|"]),
            ("n|", &["name=|", "nominated-node=|", "namespace=|"]),
            ("cart sta| !x", &["cart status=| !x"]),
            ("status|", &["status=|", "status!=|", "status~|", "status!~|", "status<|", "status>|"]),
            ("status=|", &["status=Running | 7", "status=Pending | 2"]),
            ("status=p|", &["status=Pending | 2"]),
            ("status!=Running,p| x", &["status!=Running,Pending| x 2"]),
            ("status=p|,Running", &["status=Pending |,Running 2"]),
            ("namespace=|", &["namespace=shop | 7", "namespace=pay | 3"]),
            ("nominated-node=|", &[]),
            ("status=running|", &[]),
            ("nothing=|", &[]),
            ("/stat|", &[]),
        ] {
            assert_eq!(offered(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_typed_a_suggestion_fits_into_it(text in "[a-z=!<>~/, ü]{0,12}", caret in 0_usize..16) {
            let completion = complete(&text, caret, &table(), true);
            for suggestion in &completion.suggestions {
                let (whole, caret) = completion.apply(&text, suggestion);
                proptest::prop_assert!(whole.is_char_boundary(caret));
            }
        }
    }
}
