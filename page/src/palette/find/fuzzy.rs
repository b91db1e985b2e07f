//! How well letters fit a text: those that stand together, and those that begin a word. Never what the text names.

use std::ops::Range;

use shared::sorted;

/// Hits of one group: more than a reader looks through.
const HITS_MAX: usize = 8;

/// Each word has to be found, in any order.
pub(super) fn each(words: &[&str], find: impl Fn(&str) -> Option<Marks>) -> Option<Marks> {
    let mut all = Marks::default();
    for word in words {
        let marks = find(word)?;
        all.score += marks.score;
        all.is_scattered |= marks.is_scattered;
        all.parts.extend(marks.parts);
    }
    sorted::sort_by_key(&mut all.parts, |part| part.start);
    Some(all)
}

/// The parts of a text that were found, in bytes, and how well they fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) score: i32,
    pub(super) parts: Vec<Range<usize>>,
    pub(super) is_scattered: bool,
}

pub(super) const SHORT_NAME: i32 = 100;
const AT_THE_START: i32 = 8;
const BEGINS_A_WORD: i32 = 4;
const TOGETHER: i32 = 3;

/// Finds the letters in their order. A search begins at each place where the first letter stands; the best
/// result counts. Letters that stand apart begin where a word does: else `logs` would be in `clusterrolebindings`.
pub(super) fn fuzzy(word: &str, text: &str) -> Option<Marks> {
    let first = word.chars().next()?;
    let lower = text.to_lowercase();
    // If the lower case has another length, its bytes aren't those of the text, and nothing is marked.
    let same = lower.len() == text.len();
    lower
        .char_indices()
        .filter(|(_, character)| *character == first)
        .filter_map(|(from, _)| {
            along(word, &lower, from).filter(|marks| !marks.is_scattered || begins_word(&lower, from))
        })
        .max_by_key(rank)
        .map(|marks| if same { marks } else { Marks { parts: Vec::new(), ..marks } })
}

/// Letters that stand together fit better than any that stand apart.
fn rank(marks: &Marks) -> (bool, i32) {
    (!marks.is_scattered, marks.score)
}

fn begins_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    before.is_none_or(|before| !before.is_alphanumeric())
}

fn along(word: &str, text: &str, from: usize) -> Option<Marks> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut score = -i32::try_from(text.len().saturating_sub(word.len())).unwrap_or(i32::MAX) / 8;
    let mut at = from;
    for character in word.chars() {
        let found = at + text.get(at..)?.find(character)?;
        if found == 0 {
            score += AT_THE_START;
        } else if begins_word(text, found) {
            score += BEGINS_A_WORD;
        }
        at = found + character.len_utf8();
        match parts.last_mut() {
            Some(part) if part.end == found => {
                part.end = at;
                score += TOGETHER;
            }
            _ => {
                score -= 1;
                parts.push(found..at);
            }
        }
    }
    Some(Marks { score, is_scattered: parts.len() > 1, parts })
}

pub(super) fn ranked<T>(
    items: impl Iterator<Item = T>,
    score: impl Fn(&T) -> Option<Marks>,
) -> Vec<(T, Marks)> {
    let mut found: Vec<(T, Marks)> =
        items.filter_map(|item| score(&item).map(|marks| (item, marks))).collect();
    // The sort is stable: items with equal scores keep their order.
    sorted::sort_by_key(&mut found, |(_, marks)| std::cmp::Reverse(rank(marks)));
    found.truncate(HITS_MAX);
    found
}
