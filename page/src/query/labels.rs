//! Suggestions for a label selector: the keys of labels, and the values of a key, that the objects of a view
//! have. The page reads them as the column `.metadata.labels`. A selector is checked here, never evaluated.

use std::ops::Range;

use shared::cell::Cell;
use shared::selector::LabelSelector;

use super::complete::{Replaced, Suggestion, Suggestions, rows_note};
use super::seen::{Counts, foot, rank};
use crate::limits::COMPLETION_ROWS_MAX;
use crate::messages;
use replica::table::Table;

/// The path of the column that has all labels of a row.
pub const LABELS_PATH: &str = ".metadata.labels";

/// `table` has the column [`LABELS_PATH`]; without it there are no suggestions.
pub fn complete_labels(text: &str, caret: usize, table: &Table) -> Option<Suggestions> {
    let at = table.columns().iter().position(|column| &*column.path == LABELS_PATH)?;
    let cells = table.rows().take(COMPLETION_ROWS_MAX).filter_map(|row| row.cells.get(at));
    let labels = cells.flat_map(labels);
    let caret = text.floor_char_boundary(caret.min(text.len()));
    let place = CaretPlace::of(text, caret);
    let typed = text.get(place.replaces.start..caret).unwrap_or_default().to_lowercase();
    let (title, found) = match &place.key {
        None => {
            let keys = labels.map(|(key, _)| key);
            (messages::COMPLETION_LABELS.to_owned(), Counts::of(keys).best(|key| rank(key, &typed)))
        }
        Some(key) => {
            let values = labels.filter(|(known, value)| known == key && !value.is_empty());
            let values = Counts::of(values.map(|(_, value)| value));
            (messages::completion_values(key), values.best(|value| rank(value, &typed)))
        }
    };
    // A key goes on with its value, unless it has one, or the selector is that there be no such key.
    let behind = text.get(place.replaces.end..).unwrap_or_default().trim_start();
    let is_negated = text.get(..place.replaces.start).is_some_and(|before| before.ends_with('!'));
    let wants_value = place.key.is_none() && !is_negated && !behind.starts_with(['=', '!', 'i', 'n']);
    let sign = if wants_value { "=" } else { "" };
    let replaced = Replaced { text, range: place.replaces };
    let item = |(text, rows): (&str, usize)| Suggestion {
        text: text.to_owned(),
        ..replaced.with(format!("{text}{sign}"), rows_note(rows), true)
    };
    Suggestions::of(title, found.into_iter().map(item).collect(), foot(table))
}

/// `map[app:web tier:api]`: neither keys nor values of labels have spaces or colons.
fn labels(cell: &Cell) -> impl Iterator<Item = (&str, &str)> {
    let inner = match cell {
        Cell::Text(text) => text.strip_prefix("map[").and_then(|inner| {
            // A text that was cut may end within a label: that one is left out.
            inner.strip_suffix(']').or_else(|| inner.rsplit_once(' ').map(|(whole, _)| whole))
        }),
        _ => None,
    };
    inner.unwrap_or_default().split(' ').filter_map(|label| label.split_once(':'))
}

/// Where the caret stands in a selector.
struct CaretPlace {
    replaces: Range<usize>,
    /// The key whose value is typed; `None`: a key is typed.
    key: Option<String>,
}

impl CaretPlace {
    fn of(text: &str, caret: usize) -> Self {
        let (mut start, mut set) = (0, None);
        for (at, character) in text.char_indices().take_while(|(at, _)| *at < caret) {
            match character {
                '(' => set = Some((start, at + 1)),
                ')' => set = None,
                ',' if set.is_none() => start = at + 1,
                ',' => set = set.map(|(part, _)| (part, at + 1)),
                _ => {}
            }
        }
        let end_of = |from: usize, stops: &[char]| {
            text.get(from..).and_then(|rest| rest.find(stops)).map_or(text.len(), |at| from + at)
        };
        if let Some((part, from)) = set {
            let key = text.get(part..from).unwrap_or_default().split_whitespace().next().map(str::to_owned);
            return Self { replaces: skip_spaces(text, from, caret)..end_of(caret, &[',', ')']), key };
        }
        let part = text.get(start..caret).unwrap_or_default();
        match part.find('=') {
            Some(sign) => {
                let key = part.get(..sign).unwrap_or_default().trim_end_matches('!').trim().to_owned();
                let from = start + part.rfind('=').unwrap_or(sign) + 1;
                Self { replaces: skip_spaces(text, from, caret)..end_of(caret, &[',']), key: Some(key) }
            }
            None => {
                let from = skip_spaces(text, start, caret);
                let from = from + usize::from(text.get(from..caret).is_some_and(|key| key.starts_with('!')));
                Self { replaces: from..end_of(caret, &[',', '=', '!', ' ']), key: None }
            }
        }
    }
}

fn skip_spaces(text: &str, from: usize, caret: usize) -> usize {
    let rest = text.get(from..caret).unwrap_or_default();
    from + (rest.len() - rest.trim_start().len())
}

/// Reads a selector as the gateway will.
///
/// # Errors
/// Why it can't be read, and the part that can't, in bytes.
pub fn check_labels(text: &str) -> Result<LabelSelector, (String, Range<usize>)> {
    LabelSelector::parse(text).map_err(|problem| {
        let (mut start, mut depth) = (0, 0_usize);
        let mut parts = Vec::new();
        for (at, character) in text.char_indices() {
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(start..text.len());
        let is_unread = |part: &Range<usize>| {
            text.get(part.clone())
                .is_some_and(|part| part.trim().is_empty() || LabelSelector::parse(part).is_err())
        };
        (problem.message, parts.into_iter().find(is_unread).unwrap_or(0..text.len()))
    })
}

#[cfg(test)]
mod tests {
    use replica::testing;
    use shared::custom_column::CustomColumn;

    use super::*;

    fn complete(text: &str, caret: usize) -> Vec<Suggestion> {
        let rows = (0..10_u64).map(|number| {
            let labels = match number {
                0..6 => "map[app:web tier:api]",
                6..8 => "map[app:cart example.com/team:pay]",
                8 => "map[app:web exam…",
                _ => "<none>",
            };
            testing::row(number, &format!("a/n{number}"), &[labels])
        });
        let column = CustomColumn::parse("LABELS", LABELS_PATH).expect("a path").column();
        let table = testing::table_with(vec![column], rows.collect());
        complete_labels(text, caret, &table).map_or(vec![], |list| list.items)
    }

    fn offered(text: &str) -> Vec<String> {
        let items = complete(&text.replace('|', ""), text.find('|').expect("a caret"));
        items.iter().map(|item| format!("{} {}", item.whole, item.note.text())).collect()
    }

    #[test]
    fn keys_and_values_that_were_seen_are_offered_with_their_counts() {
        for (text, expected) in [
            ("|", &["app= 9 rows", "tier= 6 rows", "example.com/team= 2 rows"] as &[&str]),
            ("te|", &["example.com/team= 2 rows"]),
            ("te|=pay", &["example.com/team=pay 2 rows"]),
            ("te| in (pay)", &["example.com/team in (pay) 2 rows"]),
            ("!ti|", &["!tier 6 rows"]),
            ("app=|", &["app=web 7 rows", "app=cart 2 rows"]),
            ("app=w|", &["app=web 7 rows"]),
            ("tier!=a|", &["tier!=api 6 rows"]),
            ("app==c|,x", &["app==cart,x 2 rows"]),
            ("tier=api,a|", &["tier=api,app= 9 rows", "tier=api,example.com/team= 2 rows"]),
            ("app in (web, c|)", &["app in (web, cart) 2 rows"]),
            ("app in (web),t|", &["app in (web),tier= 6 rows", "app in (web),example.com/team= 2 rows"]),
            ("nothing=|", &[]),
        ] {
            assert_eq!(offered(text), expected, "{text}");
        }
    }

    #[test]
    fn a_selector_that_cannot_be_read_says_which_part_of_it() {
        for (text, part) in [("app=web,a b=c", "a b=c"), ("app in (a,b),x in c", "x in c"), ("app=web,", "")]
        {
            let (why, place) = check_labels(text).expect_err(text);
            assert_eq!(text.get(place), Some(part), "{text}: {why}");
        }
        assert!(check_labels("app=web,tier in (a, b)").is_ok());
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_typed_a_suggestion_fits_into_it(text in "[a-z=!(), ü]{0,14}", caret in 0_usize..18) {
            for item in complete(&text, caret) {
                proptest::prop_assert!(item.whole.is_char_boundary(item.caret));
            }
            drop(check_labels(&text));
        }
    }
}
