//! Labels as they were seen, for who writes a selector: keys, and a key's values, with their counts.
//! They are the column `.metadata.labels` of rows that were asked for with it. Never evaluated here.

use std::ops::Range;

use shared::cell::Cell;
use shared::selector::LabelSelector;

use super::complete::{Completion, Suggestion};
use super::seen::{Counts, rank};
use crate::limits::COMPLETION_ROWS_MAX;
use crate::messages;
use replica::table::Table;

/// The path of the column that holds all labels of a row.
pub const LABELS_PATH: &str = ".metadata.labels";

/// What was seen: one entry a label of a row.
#[derive(Clone, Debug, Default)]
pub struct SeenLabels {
    pairs: Vec<(Box<str>, Box<str>)>,
    counted: Option<(usize, usize)>,
}

impl SeenLabels {
    /// Reads the column [`LABELS_PATH`]; a table without it has no labels.
    #[must_use]
    pub fn of(table: &Table) -> Self {
        let at = table.columns().iter().position(|column| &*column.path == LABELS_PATH);
        let Some(at) = at else { return Self::default() };
        let cells = table.rows().take(COMPLETION_ROWS_MAX).filter_map(|row| row.cells.get(at));
        let pairs = cells.flat_map(pairs).collect();
        let all = table.len();
        Self { pairs, counted: (all > COMPLETION_ROWS_MAX).then_some((COMPLETION_ROWS_MAX, all)) }
    }

    /// What may be typed next in a label selector.
    #[must_use]
    pub fn complete(&self, text: &str, caret: usize) -> Completion {
        let caret = text.floor_char_boundary(caret.min(text.len()));
        let place = Place::of(text, caret);
        let typed = text.get(place.replaces.start..caret).unwrap_or_default().to_lowercase();
        let (title, found) = match &place.key {
            None => {
                let keys = self.pairs.iter().map(|(key, _)| key.clone());
                let found = Counts::of(keys).best(|key| rank(key, &typed));
                (messages::COMPLETION_LABELS.to_owned(), found)
            }
            Some(key) => {
                let values = self.pairs.iter().filter(|(known, _)| **known == **key);
                let found = Counts::of(values.map(|(_, value)| value.clone()))
                    .best(|value| rank(value, &typed).filter(|_| !value.is_empty()));
                (messages::completion_values(key), found)
            }
        };
        let suggestion = |(text, rows): (Box<str>, usize)| Suggestion {
            text: text.into(),
            detail: String::new(),
            rows: Some(rows),
            goes_on: true,
        };
        let suggestions = found.into_iter().map(suggestion).collect();
        Completion { title, replaces: place.replaces, suggestions, counted: self.counted }
    }
}

/// `map[app:web tier:api]`: neither keys nor values of labels hold spaces or colons.
fn pairs(cell: &Cell) -> impl Iterator<Item = (Box<str>, Box<str>)> {
    let inner = match cell {
        Cell::Text(text) => text.strip_prefix("map[").and_then(|inner| {
            // The last of a list that was cut may be a half.
            inner.strip_suffix(']').or_else(|| inner.rsplit_once(' ').map(|(whole, _)| whole))
        }),
        _ => None,
    };
    let pair = |pair: &str| pair.split_once(':').map(|(key, value)| (key.into(), value.into()));
    inner.unwrap_or_default().split(' ').filter_map(pair)
}

/// Where the caret stands in a selector.
struct Place {
    replaces: Range<usize>,
    /// Of whose values one is to be typed.
    key: Option<String>,
}

impl Place {
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
/// Why it can't be read, and the part in which that is, in bytes.
pub fn check_labels(text: &str) -> Result<LabelSelector, (String, Range<usize>)> {
    let whole = LabelSelector::parse(text);
    let Err(problem) = whole else { return whole.map_err(|problem| (problem.message, 0..text.len())) };
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
    let part = parts.into_iter().find(is_unread).unwrap_or(0..text.len());
    Err((problem.message, part))
}

#[cfg(test)]
mod tests {
    use shared::custom_column::CustomColumn;
    use shared::row::{Row, RowId};

    use super::*;
    use replica::testing;

    fn seen() -> SeenLabels {
        let rows = (0..10_u64).map(|number| Row {
            id: RowId::from_hash((number + 1) << 8),
            resource_version: "1".into(),
            namespace: None,
            name: format!("n{number}").as_str().into(),
            created: None,
            cells: vec![Cell::text(match number {
                0..6 => "map[app:web tier:api]",
                6..8 => "map[app:cart example.com/team:pay]",
                8 => "map[app:web exam…",
                _ => "<none>",
            })],
            extra: None,
        });
        let column = CustomColumn::parse("LABELS", LABELS_PATH).expect("a path").column();
        SeenLabels::of(&testing::table_with(vec![column], rows.collect()))
    }

    fn offered(text: &str) -> Vec<String> {
        let caret = text.find('|').expect("a caret");
        let text = text.replace('|', "");
        let completion = seen().complete(&text, caret);
        let shown = |suggestion: &Suggestion| {
            format!("{} {}", completion.apply(&text, suggestion).0, suggestion.rows.unwrap_or_default())
        };
        completion.suggestions.iter().map(shown).collect()
    }

    #[test]
    fn keys_and_values_that_were_seen_are_offered_with_their_counts() {
        for (text, expected) in [
            ("|", &["app 9", "tier 6", "example.com/team 2"] as &[&str]),
            ("te|", &["example.com/team 2"]),
            ("!ti|", &["!tier 6"]),
            ("app=|", &["app=web 7", "app=cart 2"]),
            ("app=w|", &["app=web 7"]),
            ("tier!=a|", &["tier!=api 6"]),
            ("app==c|,x", &["app==cart,x 2"]),
            ("tier=api,a|", &["tier=api,app 9", "tier=api,example.com/team 2"]),
            ("app in (web, c|)", &["app in (web, cart) 2"]),
            ("app in (web),t|", &["app in (web),tier 6", "app in (web),example.com/team 2"]),
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
            let completion = seen().complete(&text, caret);
            for suggestion in &completion.suggestions {
                let (whole, caret) = completion.apply(&text, suggestion);
                proptest::prop_assert!(whole.is_char_boundary(caret));
            }
            drop(check_labels(&text));
        }
    }
}
