//! What a reader may type next in the filter: columns, operators, and the values that the rows of a column
//! have, with their counts. Nothing is applied here, and nothing is asked of the gateway.

use std::ops::Range;

use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::go::upper;
use shared::sorted;

use super::compare::Comparison;
use super::filter::spans;
use super::seen::{Counts, foot, rank};
use super::sort::{HEALTH_KEY, NAMESPACE_KEY, Source, column_key, key_of};
use super::value::{is_missing, is_quantity, text_of};
use crate::limits::{COMPLETION_ROWS_MAX, SUGGESTIONS_MAX};
use crate::messages;
use crate::status::{Class, StatusColumns};
use replica::table::Table;

/// The list under a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestions {
    /// The list's name, for screen readers.
    pub title: String,
    pub items: Vec<Suggestion>,
    /// How many rows were counted, where there are more.
    pub foot: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub text: String,
    /// The shape of a status.
    pub class: Option<Class>,
    pub note: Note,
    /// The box's text after this was chosen, and the byte before which the caret then stands.
    pub whole: String,
    pub caret: usize,
}

/// What stands beside a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    Words(String),
    /// How many rows have it.
    Rows(String),
}

impl Note {
    pub fn text(&self) -> &str {
        match self {
            Self::Words(text) | Self::Rows(text) => text,
        }
    }
}

impl Suggestions {
    /// `None` without items.
    pub(super) fn of(title: String, items: Vec<Suggestion>, foot: String) -> Option<Self> {
        (!items.is_empty()).then_some(Self { title, items, foot })
    }
}

/// The part of a text that a suggestion replaces.
pub(super) struct Replaced<'a> {
    pub(super) text: &'a str,
    pub(super) range: Range<usize>,
}

impl Replaced<'_> {
    /// `goes_on`: the reader types more directly after it, so no space follows.
    pub(super) fn with(&self, suggested: String, note: Note, goes_on: bool) -> Suggestion {
        let before = self.text.get(..self.range.start).unwrap_or_default();
        let behind = self.text.get(self.range.end..).unwrap_or_default();
        let space = if goes_on || behind.starts_with(' ') { "" } else { " " };
        let caret = before.len() + suggested.len() + space.len();
        let whole = format!("{before}{suggested}{space}{behind}");
        Suggestion { text: suggested, class: None, note, whole, caret }
    }
}

/// `caret`: in bytes of the text. `now`: by the cluster's clock.
pub fn complete(
    text: &str,
    caret: usize,
    (table, now): (&Table, UnixSeconds),
    with_namespace: bool,
) -> Option<Suggestions> {
    let caret = text.floor_char_boundary(caret.min(text.len()));
    let span = spans(text).into_iter().find(|span| (span.start..=span.end).contains(&caret))?;
    let term = text.get(span.clone())?;
    if term.starts_with('/') || term.starts_with("!/") {
        return None;
    }
    match Comparison::parts(term) {
        Some((column, sign, _)) if caret >= span.start + column.len() + sign.len() => {
            let first = span.start + column.len() + sign.len();
            let start = text.get(first..caret)?.rfind(',').map_or(first, |comma| first + comma + 1);
            let end = text.get(caret..span.end)?.find(',').map_or(span.end, |comma| caret + comma);
            values((table, now), column, text.get(start..caret)?, &Replaced { text, range: start..end })
        }
        parts => {
            let end = parts.map_or(span.end, |(column, ..)| span.start + column.len());
            let typed = text.get(span.start..caret.min(end))?;
            let replaced = Replaced { text, range: span.start..end };
            let mut items = columns(table, with_namespace, typed, &replaced);
            if parts.is_none() {
                items.extend(statuses((table, now), typed, &replaced));
                items.truncate(SUGGESTIONS_MAX);
            }
            Suggestions::of(messages::COMPLETION_COLUMNS.to_owned(), items, String::new())
        }
    }
}

/// A word that is part of a status: `crash` of `status=CrashLoopBackOff`.
fn statuses((table, now): (&Table, UnixSeconds), typed: &str, replaced: &Replaced<'_>) -> Vec<Suggestion> {
    let of = StatusColumns::of(table.columns());
    let key = of.status().and_then(|at| key_of(table.columns(), at));
    let Some(key) = key.filter(|_| typed.len() >= STATUS_WORD_MIN) else { return Vec::new() };
    let found = counted(table, &key, typed).unwrap_or_default().into_iter();
    found
        .map(|(value, rows)| {
            let suggestion = replaced.with(format!("{key}={value}"), rows_note(rows), false);
            Suggestion { class: class_of((table, now), &of, &value), ..suggestion }
        })
        .collect()
}

/// The class of the rows that have this word now.
fn class_of((table, now): (&Table, UnixSeconds), of: &StatusColumns, word: &str) -> Option<Class> {
    let word = word.trim_matches('"');
    let classes = table.rows().filter_map(|row| of.read(row, now));
    classes.filter(|(said, _)| *said == word).map(|(_, class)| class).next()
}

/// One letter is part of most words.
const STATUS_WORD_MIN: usize = 2;

pub(super) fn rows_note(rows: usize) -> Note {
    Note::Rows(messages::completion_rows(rows))
}

fn columns(table: &Table, with_namespace: bool, typed: &str, replaced: &Replaced<'_>) -> Vec<Suggestion> {
    let typed = typed.strip_prefix('!').unwrap_or(typed).to_lowercase();
    let served = table.columns().iter().enumerate();
    let served = served.filter_map(|(at, column)| {
        let operators = operators(column, || has_figures(table, at));
        Some((key_of(table.columns(), at)?, operators, detail(column)))
    });
    let namespace = with_namespace.then(|| (NAMESPACE_KEY.to_owned(), "= != ~", String::new()));
    let has_health = StatusColumns::of(table.columns()).status().is_some();
    let health = has_health.then(|| (HEALTH_KEY.to_owned(), "= !=", messages::FILTER_HEALTH.to_owned()));
    let found = served.chain(namespace).chain(health);
    let mut found: Vec<_> = found.filter_map(|column| Some((rank(&column.0, &typed)?, column))).collect();
    sorted::sort_by_key(&mut found, |(rank, _)| *rank);
    // After a whole key the operators are offered.
    let whole = found.iter().find(|(_, (key, ..))| *key == typed);
    match whole {
        Some((_, (key, operators, _))) => operators
            .split(' ')
            .map(|sign| {
                replaced.with(format!("{key}{sign}"), Note::Words(messages::operator(sign).to_owned()), true)
            })
            .collect(),
        // A list that opens before anything was typed would only be in the way.
        None if typed.is_empty() => Vec::new(),
        None => found
            .into_iter()
            .take(SUGGESTIONS_MAX)
            .map(|(_, (key, operators, detail))| {
                let first = operators.split(' ').next().unwrap_or("=");
                replaced.with(format!("{key}{first}"), Note::Words(detail), true)
            })
            .collect(),
    }
}

/// The one that is used most comes first.
fn operators(column: &Column, has_figures: impl FnOnce() -> bool) -> &'static str {
    let is_figure = matches!(&*column.kind, "integer" | "number" | "date") || is_quantity(column);
    let key = column_key(&column.name);
    let is_time = matches!(&*key, "age" | "duration" | "last-seen" | "first-seen" | "last-schedule");
    match (is_figure, is_time) {
        (_, true) => "< > <= >=",
        (true, false) => "> < = != >= <=",
        (false, false) if has_figures() => "= != ~ !~ < >",
        (false, false) => "= != ~ !~",
    }
}

/// Whether the texts of a column are figures, such as `1/2` or `10Gi`. Words aren't less than others.
fn has_figures(table: &Table, at: usize) -> bool {
    let texts = table.rows().filter_map(|row| text_of(row.cells.get(at)?));
    let mut texts = texts.filter(|text| !is_missing(text)).take(FIGURES_READ).peekable();
    texts.peek().is_some() && texts.all(|text| text.starts_with(|c: char| c.is_ascii_digit()))
}

/// Cells that are read to tell figures from words.
const FIGURES_READ: usize = 20;

/// Examples for the empty box that fit the columns: a figure, an age, a word.
pub fn examples(columns: &[Column]) -> Vec<String> {
    let first = |find: &dyn Fn(&Column, &str) -> bool| {
        let keys = columns.iter().filter(|column| !column.is_wide() && !column.is_custom());
        let mut keys = keys.map(|column| (column, column_key(&column.name)));
        keys.find(|(column, key)| find(column, key)).map(|(_, key)| key)
    };
    let figure = first(&|column, key| matches!(&*column.kind, "integer" | "number") && key != "age");
    let age = first(&|_, key| matches!(key, "age" | "last-seen"));
    let status = StatusColumns::of(columns).status().and_then(|at| key_of(columns, at));
    let word =
        status.or_else(|| first(&|column, key| &*column.kind == "string" && !matches!(key, "name" | "age")));
    let is_of_pods = figure.as_deref() == Some("restarts");
    let word = word.map(|key| if is_of_pods { format!("{key}!=Running") } else { format!("{key}=…") });
    let figure = figure.map(|key| format!("{key}>5"));
    [figure, age.map(|key| format!("{key}<2h")), word].into_iter().flatten().collect()
}

fn detail(column: &Column) -> String {
    if column.is_custom() { column.path.to_string() } else { column.description.to_string() }
}

fn values(
    (table, now): (&Table, UnixSeconds),
    column: &str,
    typed: &str,
    replaced: &Replaced<'_>,
) -> Option<Suggestions> {
    let column = column.to_lowercase();
    let of = StatusColumns::of(table.columns());
    let status = of.status().and_then(|at| key_of(table.columns(), at));
    let is_status = status.is_some_and(|status| status == column);
    if column == HEALTH_KEY && Source::of(HEALTH_KEY, table.columns()).is_none() {
        let typed = typed.to_lowercase();
        let terms = of.terms().into_iter().filter(|term| term.starts_with(&typed) && *term != typed);
        let items = terms.map(|term| replaced.with(term, Note::Words(String::new()), false)).collect();
        return Suggestions::of(messages::completion_values(&column), items, String::new());
    }
    let items = counted(table, &column, typed)?
        .into_iter()
        .filter(|(value, _)| !value.eq_ignore_ascii_case(typed))
        .map(|(value, rows)| {
            let class = is_status.then(|| class_of((table, now), &of, &value)).flatten();
            Suggestion { class, ..replaced.with(value.into(), rows_note(rows), false) }
        })
        .collect();
    Suggestions::of(messages::completion_values(&upper(&column)), items, foot(table))
}

/// The values of a column that fit what is typed, with their rows. A value with spaces or commas stands between
/// quotes.
fn counted(table: &Table, column: &str, typed: &str) -> Option<Vec<(Box<str>, usize)>> {
    let typed = typed.to_lowercase();
    let source = Source::of(column, table.columns())?;
    let written = |text: &str| {
        let is_plain = !text.contains(|c: char| c.is_whitespace() || c == ',');
        if is_plain { text.into() } else { format!("\"{text}\"").into_boxed_str() }
    };
    let seen = table.rows().take(COMPLETION_ROWS_MAX).filter_map(|row| match source {
        Source::Namespace => row.namespace.clone(),
        Source::Cell(at) => text_of(row.cells.get(at)?)
            .filter(|text| !is_missing(text) && !text.contains('"'))
            .map(|text| written(&text)),
    });
    Some(Counts::of(seen).best(|value| rank(value, &typed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use replica::testing;

    fn table() -> Table {
        let rows = (0..10_u64).map(|number| {
            let key = format!("{}/cart-{number}", if number < 3 { "pay" } else { "shop" });
            let status = ["Running", "Pending", "<none>"][usize::from(number > 6) + usize::from(number > 8)];
            testing::row(number, &key, &[&key, status, "two words"])
        });
        testing::table_of(&["Name", "Status", "Nominated Node"], rows.collect())
    }

    /// The whole texts with their carets and the number of rows.
    fn offered(text: &str) -> Vec<String> {
        let caret = text.find('|').expect("a caret");
        let items =
            complete(&text.replace('|', ""), caret, (&table(), 0), true).map_or(vec![], |list| list.items);
        let shown = |mut item: Suggestion| {
            item.whole.insert(item.caret, '|');
            let rows = match &item.note {
                Note::Rows(rows) => rows.split_once(" row").map(|(rows, _)| format!(" {rows}")),
                Note::Words(_) => None,
            };
            item.whole + &rows.unwrap_or_default()
        };
        items.into_iter().map(shown).collect()
    }

    #[test]
    fn columns_operators_and_values_with_their_counts_are_offered_where_the_caret_stands() {
        for (text, expected) in [
            ("|", &[] as &[&str]),
            ("stat|", &["status=|"]),
            ("n|", &["name=|", "nominated-node=|", "namespace=|"]),
            ("cart sta| !x", &["cart status=| !x"]),
            ("status|", &["status=|", "status!=|", "status~|", "status!~|"]),
            ("status=|", &["status=Running | 7", "status=Pending | 2"]),
            ("status=p|", &["status=Pending | 2"]),
            ("status!=Running,p| x", &["status!=Running,Pending| x 2"]),
            ("status=p|,Running", &["status=Pending |,Running 2"]),
            ("namespace=|", &["namespace=shop | 7", "namespace=pay | 3"]),
            ("nominated-node=|", &["nominated-node=\"two words\" | 10"]),
            ("pend|", &["status=Pending | 2"]),
            ("run|", &["status=Running | 7"]),
            ("status=running|", &[]),
            ("nothing=|", &[]),
            ("hea|", &["health=|"]),
            (
                "health=|",
                &[
                    "health=failing |",
                    "health=limited |",
                    "health=changing |",
                    "health=unknown |",
                    "health=fine |",
                ],
            ),
            ("health!=cha|", &["health!=changing |"]),
            ("/stat|", &[]),
        ] {
            assert_eq!(offered(text), expected, "{text}");
        }
    }

    #[test]
    fn values_of_a_status_have_its_shape_and_figures_can_be_compared() {
        let list = complete("status=", 7, (&table(), 0), true).expect("values");
        let classes: Vec<_> = list.items.iter().map(|item| item.class).collect();
        assert_eq!(classes, [Some(Class::Ok), Some(Class::Idle)], "those of rows without a health");
        let rows = (0..3_u64).map(|number| testing::row(number, "shop/a", &["a", "1/2"]));
        let ratios = testing::table_of(&["Name", "Ready"], rows.collect());
        let list = complete("ready", 5, (&ratios, 0), false).expect("operators");
        assert!(list.items.iter().any(|item| item.text == "ready<"), "{list:?}");
    }

    #[test]
    fn the_examples_of_the_empty_box_fit_the_columns() {
        assert_eq!(examples(table().columns()), ["status=…"]);
        assert_eq!(
            examples(testing::table_of(&["Name", "Type", "Age"], Vec::new()).columns()),
            ["age<2h", "type=…"]
        );
        assert!(examples(&[]).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_typed_a_suggestion_fits_into_it(text in "[a-z=!<>~/, ü]{0,12}", caret in 0_usize..16) {
            for item in complete(&text, caret, (&table(), 0), true).map_or(vec![], |list| list.items) {
                proptest::prop_assert!(item.whole.is_char_boundary(item.caret));
            }
        }
    }
}
