//! Searches the lines for a text, ignoring case. A masked value is never found.

use super::{Line, Piece};

/// The places of the lines that contain the text.
pub fn found_in(lines: &[Line], needle: &str) -> Vec<usize> {
    let needle = needle.to_lowercase();
    if needle.trim().is_empty() {
        return Vec::new();
    }
    let holds = |line: &Line| line.value != Piece::Masked && line.text().to_lowercase().contains(&needle);
    let key_holds = |line: &Line| line.key.to_lowercase().contains(&needle);
    let found = lines.iter().enumerate().filter(|(_, line)| holds(line) || key_holds(line));
    found.map(|(place, _)| place).collect()
}

/// The text that is searched for, its matches, and the current one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    pub needle: String,
    places: Vec<usize>,
    at: Option<usize>,
}

impl Search {
    pub fn of(needle: &str, lines: &[Line]) -> Self {
        let mut search = Self { needle: needle.to_owned(), ..Self::default() };
        search.look(lines);
        search
    }

    /// Searches the changed lines again. The current match becomes the first one at or after the previous one.
    pub fn look(&mut self, lines: &[Line]) {
        let previous = self.place();
        self.places = found_in(lines, &self.needle);
        self.at = match previous {
            _ if self.places.is_empty() => None,
            None => Some(0),
            Some(previous) => {
                Some(self.places.iter().position(|place| *place >= previous).unwrap_or(self.places.len() - 1))
            }
        };
    }

    /// The line of the current match.
    pub fn place(&self) -> Option<usize> {
        self.places.get(self.at?).copied()
    }

    /// The number of the current match, from 1, and the number of all.
    pub fn count(&self) -> (usize, usize) {
        (self.at.map_or(0, |at| at + 1), self.places.len())
    }

    pub fn finds(&self, place: usize) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    /// The next or the previous match becomes the current one.
    pub fn step(&mut self, forward: bool) {
        let count = self.places.len().max(1);
        self.at = self.at.map(|at| (at + if forward { 1 } else { count - 1 }) % count);
    }
}
