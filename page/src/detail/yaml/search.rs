//! Looking for a text in the lines, without regard to case; what is masked isn't found. Never a fold.

use super::{Line, Piece};

/// The places of the lines in which it stands.
#[must_use]
pub fn found_in(lines: &[Line], needle: &str) -> Vec<usize> {
    let needle = needle.to_lowercase();
    if needle.trim().is_empty() {
        return Vec::new();
    }
    let holds = |line: &Line| line.value != Piece::Masked && line.text().to_lowercase().contains(&needle);
    let key_holds = |line: &Line| line.key.to_lowercase().contains(&needle);
    lines
        .iter()
        .enumerate()
        .filter(|(_, line)| holds(line) || key_holds(line))
        .map(|(place, _)| place)
        .collect()
}

/// What is looked for, and which of the places is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    pub needle: String,
    places: Vec<usize>,
    at: Option<usize>,
}

impl Search {
    #[must_use]
    pub fn of(needle: &str, lines: &[Line]) -> Self {
        let mut search = Self { needle: needle.to_owned(), ..Self::default() };
        search.look(lines);
        search
    }

    /// Searches again, because the lines or the needle changed; stays at the place nearest to the previous one.
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

    /// The line that is looked at.
    #[must_use]
    pub fn place(&self) -> Option<usize> {
        self.places.get(self.at?).copied()
    }

    /// Which of how many, counted from 1.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.at.map_or(0, |at| at + 1), self.places.len())
    }

    #[must_use]
    pub fn finds(&self, place: usize) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    pub fn forward(&mut self) {
        if let Some(at) = self.at {
            self.at = Some((at + 1) % self.places.len().max(1));
        }
    }

    pub fn back(&mut self) {
        if let Some(at) = self.at {
            let count = self.places.len().max(1);
            self.at = Some((at + count - 1) % count);
        }
    }
}
