//! What a reader looks for: a text in any case, or a regex between slashes.

use std::ops::Range;

use regex_lite::Regex;

use crate::limits::QUERY_BYTES_MAX;
use crate::query::{literal_of, regex};

#[derive(Clone, Debug, Default)]
pub(super) enum Needle {
    /// It finds nothing.
    #[default]
    Nothing,
    /// In lower case.
    Word(Word),
    /// With a text that stands in every match.
    Regex(Box<Regex>, Word),
}

/// A text that is looked for by its rarest byte first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    bytes: Box<[u8]>,
    rarest: usize,
}

/// The bytes of logs, the most frequent first.
const FREQUENT: &[u8] = b" e0ta1onirs2\"-:.,l3d5c4m6/8h7pu9=_gfbyvwk{}[]()xjzq";

impl Needle {
    /// # Errors
    /// Why it isn't a regex.
    pub(super) fn read(written: &str) -> Result<Self, Box<str>> {
        let end = written.floor_char_boundary(QUERY_BYTES_MAX);
        let written = written.get(..end).unwrap_or_default();
        if written.is_empty() {
            return Ok(Self::Nothing);
        }
        match written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            Some(pattern) if !pattern.is_empty() => {
                Ok(Self::Regex(regex(pattern)?, Word::new(&literal_of(pattern))))
            }
            _ => Ok(Self::Word(Word::new(written))),
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// Whether looking takes so long that it is done in steps.
    pub(super) fn is_slow(&self) -> bool {
        matches!(self, Self::Regex(..))
    }

    /// Whether each text that it finds is found by the other as well.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Word(word), Self::Word(other)) => other.find(&word.bytes, 0).is_some(),
            _ => false,
        }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Word(word) => word.find(text.as_bytes(), 0).is_some(),
            Self::Regex(regex, word) => word.find(text.as_bytes(), 0).is_some() && regex.is_match(text),
        }
    }

    /// Where it is in the text, apart from each other.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Word(word) => {
                let (mut places, mut from) = (Vec::new(), 0);
                while let Some(at) = word.find(text.as_bytes(), from) {
                    from = at + word.bytes.len();
                    places.push(at..from);
                }
                places.retain(|place| text.get(place.clone()).is_some());
                places
            }
            Self::Regex(regex, _) => {
                regex.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty()).collect()
            }
        }
    }
}

impl Word {
    fn new(text: &str) -> Self {
        let bytes: Box<[u8]> = text.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
        let rank = |byte: u8| FREQUENT.iter().position(|known| *known == byte).unwrap_or(FREQUENT.len());
        let rarest = (0..bytes.len()).max_by_key(|at| bytes.get(*at).map(|byte| rank(*byte)));
        Self { rarest: rarest.unwrap_or_default(), bytes }
    }

    /// From this byte on. 100,000 lines are looked through with each key, so only the rarest byte is compared in all of
    /// them.
    fn find(&self, hay: &[u8], from: usize) -> Option<usize> {
        let Some(rarest) = self.bytes.get(self.rarest) else { return Some(from) };
        let (lower, upper) = (*rarest, rarest.to_ascii_uppercase());
        let mut from = from + self.rarest;
        loop {
            let found = hay.get(from..)?.iter().position(|byte| *byte == lower || *byte == upper)?;
            let start = from + found - self.rarest;
            let there = hay.get(start..start + self.bytes.len())?;
            if there.eq_ignore_ascii_case(&self.bytes) {
                return Some(start);
            }
            from += found + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_any_case_and_a_regex_between_slashes() {
        let text = "Timeout after 2s: TIMEOUT again";
        for (written, places) in [
            ("timeout", vec![0..7, 18..25]),
            ("/a(fter|gain)/", vec![8..13, 26..31]),
            ("/x*/", vec![]),
            ("/", vec![]),
            ("nothing", vec![]),
        ] {
            let needle = Needle::read(written).expect(written);
            assert_eq!(needle.places(text), places, "{written}");
            assert_eq!(needle.is_in(text), !places.is_empty() || written == "/x*/", "{written}");
        }
        assert!(Needle::read("/(/").is_err());
        assert!(Needle::read("").expect("nothing").is_nothing());
    }

    #[test]
    fn a_word_is_found_as_the_slow_way_finds_it() {
        let alphabet = ["a", "A", "b", "ä", "q", " "];
        let mut seed = 1_u64;
        let mut random = |most: usize| {
            let mut text = String::new();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut bits = seed >> 20;
            for _ in 0..bits % 9 {
                bits /= 9;
                text.push_str(alphabet[usize::try_from(bits).unwrap_or_default() % most]);
            }
            text
        };
        for _ in 0..50_000 {
            let (hay, needle) = (random(6), random(6));
            let expected = hay.to_ascii_lowercase().find(&needle.to_ascii_lowercase());
            assert_eq!(Word::new(&needle).find(hay.as_bytes(), 0), expected, "{needle:?} in {hay:?}");
        }
    }

    #[test]
    fn a_longer_word_is_only_looked_for_where_the_shorter_was_found() {
        let of = |text: &str| Needle::read(text).expect(text);
        assert!(of("timeout").is_within(&of("time")) && of("Timeout").is_within(&of("OUT")));
        assert!(!of("time").is_within(&of("timeout")) && !of("/time/").is_within(&of("time")));
    }
}
