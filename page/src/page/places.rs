//! Where the reader was in the views that they left, by address, so that a reader who goes back finds the same rows.

use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct Places(VecDeque<(String, Vec<f64>)>);

/// Readers hardly ever go back further.
const PLACES_MAX: usize = 50;

impl Places {
    /// `tops_px`: how far each pane is scrolled.
    pub(super) fn leave(&mut self, address: &str, tops_px: Vec<f64>) {
        self.0.retain(|(held, _)| held != address);
        self.0.push_back((address.to_owned(), tops_px));
        self.0.drain(..self.0.len().saturating_sub(PLACES_MAX));
    }

    pub(super) fn of(&self, address: &str) -> &[f64] {
        self.0.iter().find(|(held, _)| held == address).map_or(&[], |(_, tops_px)| tops_px)
    }
}
