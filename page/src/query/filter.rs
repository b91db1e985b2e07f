//! The text filter: terms with spaces between them that all hold. A term that can't be read says
//! why and isn't applied; nothing that is typed is an error. Never evaluated by the gateway. What compares
//! columns is [`super::compare`]'s.

use std::ops::Range;

use regex_lite::Regex;

use shared::column::Column;
use shared::duration::UnixSeconds;

use super::compare::{Compared, Comparison};
use super::regex::regex;
use crate::limits::QUERY_BYTES_MAX;
use crate::messages;
use replica::table::Entry;

/// `word` is part of NAME or NAMESPACE, `!word` is not; `/re/` and `!/re/` are regexes there;
/// `column op value` compares a column.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    text: Box<str>,
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
pub struct Term {
    /// Where it stands in the text, in bytes: what the page underlines.
    pub span: Range<usize>,
    state: TermState,
}

#[derive(Clone, Debug)]
enum TermState {
    Read(Test),
    /// It compares a column, and the table's columns aren't known yet: it isn't applied.
    Unbound(Comparison),
    /// It compares a column of this table, or why it can't; another table may have other columns.
    Bound(Comparison, Result<Compared, Box<str>>),
    /// It can't be read in any table, and why.
    Unread(Box<str>),
}

/// How a term was read: what the page says of it as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading<'a> {
    /// `restarts>5`
    Compared,
    Word,
    Regex,
    /// It isn't applied, and why.
    Unread(&'a str),
}

#[derive(Clone, Debug)]
struct Test {
    negated: bool,
    predicate: Predicate,
}

#[derive(Clone, Debug)]
enum Predicate {
    /// In lower case.
    Word(Box<str>),
    /// With a text that whatever matches must hold, in lower case; often empty.
    Matches { literal: Box<str>, regex: Box<Regex> },
}

impl Filter {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let end = text.floor_char_boundary(QUERY_BYTES_MAX);
        let mut terms: Vec<Term> = text
            .get(..end)
            .map_or_else(Vec::new, |text| spans(text).into_iter().map(|span| term(text, span)).collect());
        if end < text.len() {
            let state = TermState::Unread(messages::filter_too_long().into());
            terms.push(Term { span: end..text.len(), state });
        }
        Self { text: text.into(), terms }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Why the first term that can't be read can't, and what it is.
    #[must_use]
    pub fn unread(&self) -> Option<(&str, &str)> {
        self.terms.iter().find_map(|term| Some((self.text.get(term.span.clone())?, term.unread()?)))
    }

    /// No term that can be applied: every row matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.terms.iter().any(Term::is_applied)
    }

    /// Looks up the columns that are compared. Until then such terms aren't applied.
    pub fn bind(&mut self, columns: &[Column]) {
        for term in &mut self.terms {
            let (TermState::Unbound(comparison) | TermState::Bound(comparison, _)) = &term.state else {
                continue;
            };
            let comparison = comparison.clone();
            term.state = match columns {
                [] => TermState::Unbound(comparison),
                columns => {
                    let bound = comparison.bind(columns);
                    TermState::Bound(comparison, bound)
                }
            };
        }
    }

    /// Whether it lets nothing through that the other didn't, as far as that is plain: a term that is
    /// typed on, or one more. Then only what matched is looked at again.
    #[must_use]
    pub(super) fn narrows(&self, previous: &Self) -> bool {
        let written = |filter: &'_ Self, term: &Term| -> Box<str> {
            filter.text.get(term.span.clone()).unwrap_or_default().into()
        };
        !self.is_timed()
            && previous.terms.iter().filter(|term| term.is_applied()).all(|old| {
                let text = written(previous, old);
                self.terms.iter().filter(|term| term.is_applied()).any(|new| {
                    written(self, new) == text
                        || new.word().zip(old.word()).is_some_and(|(new, old)| new.contains(old))
                })
            })
    }

    /// Whether rows come and go as time passes.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| matches!(&term.state, TermState::Bound(_, Ok(compared)) if compared.is_timed()))
    }

    /// `now`: by the cluster's clock.
    #[must_use]
    pub fn matches(&self, entry: &Entry, now: UnixSeconds) -> bool {
        self.terms.iter().all(|term| match &term.state {
            TermState::Read(test) => test.holds(entry) != test.negated,
            TermState::Bound(_, Ok(compared)) => compared.holds(entry, now),
            TermState::Bound(_, Err(_)) | TermState::Unbound(_) | TermState::Unread(_) => true,
        })
    }
}

impl Term {
    /// What is looked for, where that is all that it says.
    fn word(&self) -> Option<&str> {
        match &self.state {
            TermState::Read(Test { negated: false, predicate: Predicate::Word(word) }) => Some(word),
            _ => None,
        }
    }

    fn is_applied(&self) -> bool {
        matches!(self.state, TermState::Read(_) | TermState::Bound(_, Ok(_)))
    }

    /// Why it can't be read.
    #[must_use]
    pub fn unread(&self) -> Option<&str> {
        match &self.state {
            TermState::Unread(why) | TermState::Bound(_, Err(why)) => Some(why),
            TermState::Read(_) | TermState::Bound(_, Ok(_)) | TermState::Unbound(_) => None,
        }
    }

    #[must_use]
    pub fn reading(&self) -> Reading<'_> {
        match &self.state {
            TermState::Unread(why) | TermState::Bound(_, Err(why)) => Reading::Unread(why),
            TermState::Unbound(_) | TermState::Bound(_, Ok(_)) => Reading::Compared,
            TermState::Read(Test { predicate: Predicate::Word(_), .. }) => Reading::Word,
            TermState::Read(Test { predicate: Predicate::Matches { .. }, .. }) => Reading::Regex,
        }
    }
}

impl Test {
    fn holds(&self, entry: &Entry) -> bool {
        match &self.predicate {
            Predicate::Word(word) => contains(entry.haystack(), word),
            Predicate::Matches { literal, regex } => {
                contains(entry.haystack(), literal) && regex.is_match(entry.haystack())
            }
        }
    }
}

/// Words at spaces; a regex goes to its closing slash, spaces and all.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(skipped) = rest.find(|c: char| !c.is_whitespace()) else { break };
        let start = at + skipped;
        let word = text.get(start..).unwrap_or_default();
        let length =
            regex_length(word).unwrap_or_else(|| word.find(char::is_whitespace).unwrap_or(word.len()));
        spans.push(start..start + length);
        at = start + length;
    }
    spans
}

/// `None`: it isn't a regex, or its closing slash isn't there yet.
fn regex_length(word: &str) -> Option<usize> {
    let opening = if word.starts_with("!/") { 2 } else { 1 };
    if opening == 1 && !word.starts_with('/') {
        return None;
    }
    let mut escaped = false;
    for (place, character) in word.char_indices().skip(opening) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '/' => {
                let end = place + 1;
                let ends_there = word.get(end..)?.chars().next().is_none_or(char::is_whitespace);
                if ends_there {
                    return Some(end);
                }
            }
            _ => {}
        }
    }
    None
}

fn term(text: &str, span: Range<usize>) -> Term {
    let written = text.get(span.clone()).unwrap_or_default();
    let is_regex = written.starts_with('/') || written.starts_with("!/");
    if let Some(comparison) = Comparison::parse(written).filter(|_| !is_regex) {
        return Term { span, state: comparison.map_or_else(TermState::Unread, TermState::Unbound) };
    }
    let (negated, body) = written.strip_prefix('!').map_or((false, written), |body| (true, body));
    let predicate = match body.strip_prefix('/') {
        Some(pattern) => matches(pattern),
        None if body.is_empty() => Err(messages::filter_nothing_after_not().into()),
        None => Ok(Predicate::Word(body.to_lowercase().into())),
    };
    let test = predicate.map(|predicate| Test { negated, predicate });
    Term { span, state: test.map_or_else(TermState::Unread, TermState::Read) }
}

fn matches(pattern: &str) -> Result<Predicate, Box<str>> {
    let pattern = pattern.strip_suffix('/').ok_or_else(messages::filter_regex_open)?;
    Ok(Predicate::Matches { literal: literal_of(pattern).into(), regex: regex(pattern)? })
}

/// The longest text that stands in every match, as far as it is plain to see: the small regex engine
/// takes 2 µs a row, and a search for this rules most rows out in 0.1 µs. Never more than is certain:
/// groups, alternatives, flags, counted and stacked repetitions end the looking.
fn literal_of(pattern: &str) -> String {
    let repeats = |byte: u8| matches!(byte, b'*' | b'+' | b'?' | b'}');
    let is_stacked = pattern.as_bytes().windows(2).any(|pair| pair.iter().all(|byte| repeats(*byte)));
    if pattern.contains(['(', '|', '[', '{']) || !pattern.is_ascii() || is_stacked {
        return String::new();
    }
    let (mut longest, mut run) = (String::new(), String::new());
    let mut escaped = false;
    for character in pattern.chars() {
        let is_plain = character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '/' | ':');
        if matches!(character, '*' | '?') && !escaped {
            // What stands before it may be absent.
            run.pop();
        }
        if is_plain && !escaped {
            run.push(character.to_ascii_lowercase());
            continue;
        }
        escaped = character == '\\' && !escaped;
        if run.len() > longest.len() {
            longest.clone_from(&run);
        }
        run.clear();
    }
    // The inside of a repetition's braces is no text.
    if pattern.contains('{') {
        String::new()
    } else if run.len() > longest.len() {
        run
    } else {
        longest
    }
}

/// A plain search: for needles of a few bytes in hay of forty it is faster than building the tables
/// of a clever one, 100,000 times for each key that is pressed.
fn contains(hay: &str, needle: &str) -> bool {
    let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
    let Some((first, rest)) = needle.split_first() else { return true };
    let Some(last_start) = hay.len().checked_sub(needle.len()) else { return false };
    let starts = hay.get(..=last_start).unwrap_or_default();
    starts.iter().enumerate().any(|(place, byte)| {
        byte == first && hay.get(place + 1..).is_some_and(|behind| behind.starts_with(rest))
    })
}

#[cfg(test)]
mod tests {
    use regex_lite::RegexBuilder;
    use shared::row::{Row, RowId};

    use super::*;
    use replica::testing;

    fn matches(filter: &str, key: &str) -> bool {
        let (namespace, name) = key.split_once('/').expect("namespace/name");
        let row = Row {
            id: RowId::from_hash(1 << 4),
            resource_version: "1".into(),
            namespace: Some(namespace.into()),
            name: name.into(),
            created: None,
            cells: vec![],
            extra: None,
        };
        let table = testing::table_of(&["Name"], vec![row]);
        let entry = table.iter().next().expect("one row").1;
        Filter::parse(filter).matches(entry, 0)
    }

    #[test]
    fn all_terms_hold_and_an_exclamation_mark_denies() {
        for (filter, key, expected) in [
            ("", "shop/cart-0", true),
            ("cart", "shop/cart-0", true),
            ("CART", "shop/Cart-0", true),
            ("cart pay", "shop/cart-0", false),
            ("cart shop", "shop/cart-0", true),
            ("!cart", "shop/cart-0", false),
            ("!pay cart", "shop/cart-0", true),
            ("shop/cart", "shop/cart-0", true),
            ("/^shop/", "shop/cart-0", true),
            ("/cart-[0-9]$/", "shop/cart-0", true),
            ("!/cart-\\d/", "shop/cart-0", false),
            ("/a b/", "shop/cart-0", false),
        ] {
            assert_eq!(matches(filter, key), expected, "{filter} on {key}");
        }
    }

    #[test]
    fn a_term_that_cannot_be_read_says_why_and_is_not_applied() {
        for (filter, word) in [("cart !", "!"), ("cart /a(", "closing"), ("cart /a(/", "regex")] {
            let parsed = Filter::parse(filter);
            let term = parsed.terms().last().expect("two terms");
            let why = term.unread().expect("can't be read");
            assert!(why.contains(word), "{filter}: {why}");
            assert_eq!(filter.get(term.span.clone()), filter.get(5..));
            assert!(matches(filter, "shop/cart-0"), "{filter}");
        }
    }

    #[test]
    fn the_literal_of_a_regex_stands_in_every_match() {
        for (pattern, literal) in [
            ("cart-7+$", "cart-7"),
            ("^Cart.*web?", "cart"),
            ("\\d+-pod", "-pod"),
            ("a|b", ""),
            ("ab{2}", ""),
            ("x*", ""),
            ("(shop)?", ""),
            ("[abc]def", ""),
        ] {
            assert_eq!(literal_of(pattern), literal, "{pattern}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_literal_never_rules_a_match_out(pattern in "[a-c0-2.*?+^$-]{1,8}", hay in "[a-c0-2-]{0,12}") {
            if let Ok(regex) = RegexBuilder::new(&pattern).case_insensitive(true).build() {
                proptest::prop_assert!(!regex.is_match(&hay) || contains(&hay, &literal_of(&pattern)));
            }
        }
    }

    #[test]
    fn a_filter_of_any_length_and_any_bytes_is_taken() {
        let long = "ü ".repeat(QUERY_BYTES_MAX);
        let parsed = Filter::parse(&long);
        assert!(parsed.terms().last().is_some_and(|term| term.unread().is_some()));
    }
}
