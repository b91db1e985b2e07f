//! The text filter: terms separated by spaces. A row has to match all of them. A term that can't be read says
//! why and isn't applied; no text is an error. The gateway never evaluates it. [`super::compare`] has the terms
//! that compare columns.

use std::ops::Range;

use regex_lite::Regex;

use shared::cell::Cell;
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::health::Standing;

use super::compare::{Compared, Comparison, regex, unquoted};
use super::sort::HEALTH_KEY;
use crate::limits::QUERY_BYTES_MAX;
use crate::messages;
use crate::status::RowHealth;
use replica::table::Entry;

/// `word` has to stand in NAME, NAMESPACE or a cell that is shown, and `!word` must not; `/re/` and `!/re/` are
/// regexes for NAME and NAMESPACE; `column op value` compares a column. `"two words"` are one.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    text: Box<str>,
    terms: Vec<Term>,
    /// The cells that words are looked for in.
    searched: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Term {
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
    state: TermState,
}

/// What a filter says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub matches: bool,
    /// It matches, whatever its health is.
    pub matches_rest: bool,
}

#[derive(Clone, Debug)]
enum TermState {
    /// In lower case.
    Word { is_negated: bool, word: Box<str> },
    /// `literal`: a text that stands in every match, in lower case; often empty.
    Regex { is_negated: bool, literal: Box<str>, regex: Box<Regex> },
    /// A comparison that isn't applied, because the table's columns aren't known yet.
    Unbound(Comparison),
    /// A comparison with a column of this table, or why this table has no such column.
    Bound(Comparison, Result<Compared, Box<str>>),
    /// Why the term can't be read for any table.
    Unread(Box<str>),
}

/// A piece of the filter's text, and how it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TextMark {
    pub text: String,
    pub reading: Reading,
}

/// How a piece of the filter's text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A word, a regex, or a space between terms.
    Plain,
    /// A comparison with a column's values.
    Compared,
    /// It can't be read, so it isn't applied.
    Unread,
}

impl Filter {
    pub fn parse(text: &str) -> Self {
        let end = text.floor_char_boundary(QUERY_BYTES_MAX);
        let mut terms: Vec<Term> = text
            .get(..end)
            .map_or_else(Vec::new, |text| spans(text).into_iter().map(|span| term(text, span)).collect());
        if end < text.len() {
            let state = TermState::Unread(messages::filter_too_long().into());
            terms.push(Term { span: end..text.len(), state });
        }
        Self { text: text.into(), terms, searched: Vec::new() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The whole text in pieces.
    pub fn marks(&self) -> Vec<TextMark> {
        let piece = |range: Range<usize>, reading| {
            let text = self.text.get(range).unwrap_or_default().to_owned();
            (!text.is_empty()).then_some(TextMark { text, reading })
        };
        let mut at = 0;
        let mut marks = Vec::new();
        for term in &self.terms {
            marks.extend(piece(at..term.span.start, Reading::Plain));
            marks.extend(piece(term.span.clone(), term.reading()));
            at = term.span.end;
        }
        marks
    }

    /// The first term that can't be read, and why.
    pub fn unread(&self) -> Option<(&str, &str)> {
        self.terms.iter().find_map(|term| Some((self.text.get(term.span.clone())?, term.unread()?)))
    }

    /// The same in a text without columns, where comparisons but those of the health can't be read for this reason.
    pub fn unread_as_text<'a>(&'a self, why: &'a str) -> Option<(&'a str, &'a str)> {
        let is_compared = |term: &&Term| matches!(term.state, TermState::Unbound(_));
        let mut compared =
            self.terms.iter().filter(is_compared).filter_map(|term| self.text.get(term.span.clone()));
        self.unread().or_else(|| compared.find(|text| healths(text).is_none()).map(|text| (text, why)))
    }

    /// Whether a term asks for the rows of this health, in whatever word.
    pub fn has_health(&self, health: RowHealth) -> bool {
        let asks = |(column, sign, value): (&str, &str, &str)| {
            column.eq_ignore_ascii_case(HEALTH_KEY)
                && sign == "="
                && RowHealth::of_term(value) == Some(health)
        };
        self.written().any(|text| Comparison::parts(text).is_some_and(asks))
    }

    /// Whether a term compares the column of this key.
    pub fn names(&self, key: &str) -> bool {
        let is_named = |(column, ..): (&str, &str, &str)| column.eq_ignore_ascii_case(key);
        self.written().any(|text| Comparison::parts(text).is_some_and(is_named))
    }

    /// The text with a term of this health in place of others; without it where it stands there already.
    pub fn toggled(&self, health: RowHealth, term: &str) -> String {
        let of_health = |text: &str| {
            Comparison::parts(text).is_some_and(|(named, ..)| named.eq_ignore_ascii_case(HEALTH_KEY))
        };
        let others = self.written().filter(|text| !of_health(text));
        let added = (!self.has_health(health)).then_some(term);
        others.chain(added).collect::<Vec<_>>().join(" ")
    }

    fn written(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|term| self.text.get(term.span.clone()))
    }

    /// Whether no term is applied, so that every row matches.
    pub fn is_empty(&self) -> bool {
        !self.terms.iter().any(Term::is_applied)
    }

    /// Looks up the columns of the comparisons. Before that, comparisons aren't applied. `searched`: the cells that
    /// the reader sees, else the narrow ones.
    pub fn bind(&mut self, columns: &[Column], searched: Option<&[usize]>) {
        let narrow = columns.iter().enumerate().filter(|(_, column)| !column.is_wide()).map(|(at, _)| at);
        self.searched = searched.map_or_else(|| narrow.collect(), <[usize]>::to_vec);
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

    /// Whether every match is also a match of `previous`, as far as that is easy to see: a word became longer, a word
    /// that mustn't be there became shorter, or a term was added. Then only the rows that matched have to be looked at
    /// again; the other way round, only those that didn't.
    pub(super) fn narrows(&self, previous: &Self) -> bool {
        let implies = |new: &Term, old: &Term| {
            self.text.get(new.span.clone()) == previous.text.get(old.span.clone())
                || match (&new.state, &old.state) {
                    (
                        TermState::Word { is_negated, word },
                        TermState::Word { is_negated: was_negated, word: former },
                    ) if is_negated == was_negated => {
                        if *is_negated {
                            former.contains(&**word)
                        } else {
                            word.contains(&**former)
                        }
                    }
                    _ => false,
                }
        };
        let mut former = previous.terms.iter().filter(|term| term.is_applied());
        !self.is_timed()
            && former.all(|old| self.terms.iter().any(|new| new.is_applied() && implies(new, old)))
    }

    /// Whether a term that is applied asks for the health of rows.
    pub fn asks_for_health(&self) -> bool {
        self.terms.iter().any(Term::is_of_health)
    }

    /// Whether rows come and go as time passes.
    pub fn is_timed(&self) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| matches!(&term.state, TermState::Bound(_, Ok(compared)) if compared.is_timed()))
    }

    /// `now`: by the cluster's clock.
    pub fn matches(&self, entry: &Entry, now: UnixSeconds) -> bool {
        self.judge(entry, now).matches
    }

    /// How the row stands with the filter as a question: where it is asked whether it fails, only what is fine has stopped.
    /// `now`: by the cluster's clock.
    pub fn standing(&self, entry: &Entry, now: UnixSeconds) -> Standing {
        let is_between = || entry.row().health().is_some_and(|health| health.is_between_failures(now));
        let asks_for_failing = |term: &Term| match &term.state {
            TermState::Bound(_, Ok(compared)) => compared.asks_for_failing(),
            _ => false,
        };
        let mut terms = self.terms.iter();
        if self.matches(entry, now) {
            Standing::So
        } else if is_between() && terms.all(|term| asks_for_failing(term) || self.holds(term, entry, now)) {
            Standing::Between
        } else {
            Standing::Not
        }
    }

    /// `now`: by the cluster's clock.
    pub fn judge(&self, entry: &Entry, now: UnixSeconds) -> Verdict {
        let mut matches = true;
        for term in &self.terms {
            let is_of_health = term.is_of_health();
            if is_of_health && !matches || self.holds(term, entry, now) {
                continue;
            }
            matches = false;
            if !is_of_health {
                return Verdict { matches, matches_rest: false };
            }
        }
        Verdict { matches, matches_rest: true }
    }

    /// Whether a text without columns holds all terms, in lower case, and this health. Other comparisons aren't applied.
    pub fn matches_text(&self, text: &str, health: RowHealth) -> bool {
        self.terms.iter().all(|term| match &term.state {
            TermState::Word { is_negated, word } => contains(text, word) != *is_negated,
            TermState::Regex { is_negated, literal, regex } => {
                (contains(text, literal) && regex.is_match(text)) != *is_negated
            }
            _ => self
                .text
                .get(term.span.clone())
                .and_then(healths)
                .is_none_or(|(is_negated, wanted)| wanted.contains(&health) != is_negated),
        })
    }

    fn holds(&self, term: &Term, entry: &Entry, now: UnixSeconds) -> bool {
        let text = entry.haystack();
        match &term.state {
            TermState::Word { is_negated, word } => {
                let row = entry.row();
                let is_in = |at: &usize| match row.cells.get(*at) {
                    // The name stands in the text as well.
                    Some(Cell::Text(cell)) => **cell != *row.name && contains_folded(cell, word),
                    _ => false,
                };
                (contains(text, word) || self.searched.iter().any(is_in)) != *is_negated
            }
            TermState::Regex { is_negated, literal, regex } => {
                (contains(text, literal) && regex.is_match(text)) != *is_negated
            }
            TermState::Bound(_, Ok(compared)) => compared.holds(entry, now),
            TermState::Bound(_, Err(_)) | TermState::Unbound(_) | TermState::Unread(_) => true,
        }
    }
}

/// The healths that a term names, and whether it is none of them that is asked for.
fn healths(term: &str) -> Option<(bool, Vec<RowHealth>)> {
    let (column, sign, value) = Comparison::parts(term)?;
    let is_of_health = column.eq_ignore_ascii_case(HEALTH_KEY) && ["=", "!="].contains(&sign);
    is_of_health.then(|| (sign == "!=", value.split(',').filter_map(RowHealth::of_term).collect()))
}

impl Term {
    fn is_applied(&self) -> bool {
        !matches!(self.state, TermState::Unbound(_) | TermState::Unread(_) | TermState::Bound(_, Err(_)))
    }

    fn is_of_health(&self) -> bool {
        matches!(&self.state, TermState::Bound(_, Ok(compared)) if compared.is_of_health())
    }

    /// Why it can't be read.
    pub fn unread(&self) -> Option<&str> {
        match &self.state {
            TermState::Unread(why) | TermState::Bound(_, Err(why)) => Some(why),
            _ => None,
        }
    }

    fn reading(&self) -> Reading {
        match &self.state {
            TermState::Unread(_) | TermState::Bound(_, Err(_)) => Reading::Unread,
            TermState::Unbound(_) | TermState::Bound(_, Ok(_)) => Reading::Compared,
            TermState::Word { .. } | TermState::Regex { .. } => Reading::Plain,
        }
    }
}

/// The terms of a text: words end at a space that isn't between quotes, a regex at its closing slash.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(skipped) = rest.find(|c: char| !c.is_whitespace()) else { break };
        let start = at + skipped;
        let word = text.get(start..).unwrap_or_default();
        let length = regex_length(word).unwrap_or_else(|| word_length(word));
        spans.push(start..start + length);
        at = start + length;
    }
    spans
}

/// Up to the first blank that isn't between quotes. A quote that isn't closed yet quotes nothing.
fn word_length(word: &str) -> usize {
    let mut is_quoted = false;
    for (at, character) in word.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted && word.get(at + 1..).is_some_and(|rest| rest.contains('"')),
            blank if blank.is_whitespace() && !is_quoted => return at,
            _ => {}
        }
    }
    word.len()
}

/// `None`: the word is no regex, or has no closing slash yet.
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
    let (is_negated, body) = written.strip_prefix('!').map_or((false, written), |body| (true, body));
    let state = match body.strip_prefix('/') {
        Some(pattern) => read_regex(pattern, is_negated).unwrap_or_else(TermState::Unread),
        None if body.is_empty() => TermState::Unread(messages::filter_nothing_after_not().into()),
        None => {
            let word = unquoted(body).unwrap_or(body).to_lowercase().into();
            TermState::Word { is_negated, word }
        }
    };
    Term { span, state }
}

fn read_regex(pattern: &str, is_negated: bool) -> Result<TermState, Box<str>> {
    let pattern = pattern.strip_suffix('/').ok_or_else(messages::filter_regex_open)?;
    Ok(TermState::Regex { is_negated, literal: literal_of(pattern).into(), regex: regex(pattern)? })
}

/// The longest text that stands in every match, as far as that is easy to see: the regex engine takes 2 µs a
/// row, and a search for this text rules most rows out in 0.1 µs. Empty for a pattern with groups, alternatives,
/// classes, counted or stacked repetitions.
pub(crate) fn literal_of(pattern: &str) -> String {
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
            // The character before it may be absent.
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
    if run.len() > longest.len() { run } else { longest }
}

/// For a few bytes in a text of forty this search is faster than `str::contains`, which prepares a table each
/// time; each key press searches 100,000 rows.
fn contains(hay: &str, needle: &str) -> bool {
    let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
    let Some((first, rest)) = needle.split_first() else { return true };
    let Some(last_start) = hay.len().checked_sub(needle.len()) else { return false };
    let starts = hay.get(..=last_start).unwrap_or_default();
    starts.iter().enumerate().any(|(place, byte)| {
        byte == first && hay.get(place + 1..).is_some_and(|behind| behind.starts_with(rest))
    })
}

/// The same of a text in any case; `needle` is in lower case.
fn contains_folded(hay: &str, needle: &str) -> bool {
    if !hay.is_ascii() {
        return hay.to_lowercase().contains(needle);
    }
    let (hay, needle) = (hay.as_bytes(), needle.as_bytes());
    let Some((first, rest)) = needle.split_first() else { return true };
    let Some(last_start) = hay.len().checked_sub(needle.len()) else { return false };
    let starts = hay.get(..=last_start).unwrap_or_default();
    starts.iter().enumerate().any(|(place, byte)| {
        byte.to_ascii_lowercase() == *first
            && hay
                .get(place + 1..place + needle.len())
                .is_some_and(|behind| behind.eq_ignore_ascii_case(rest))
    })
}

#[cfg(test)]
mod tests;
