//! Which fields are folded: by path and not by line, so that a fold survives when lines above it come and go.
//! Never a line's text.

use std::collections::BTreeSet;

use super::Line;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    folded: BTreeSet<String>,
}

impl Folds {
    pub fn toggle(&mut self, path: &str) {
        if !self.folded.remove(path) {
            self.folded.insert(path.to_owned());
        }
    }

    pub fn fold_all(&mut self, lines: &[Line]) {
        self.folded = lines.iter().filter_map(|line| Some(line.fold.as_ref()?.path.clone())).collect();
    }

    pub fn unfold_all(&mut self) {
        self.folded.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    pub fn is_folded(&self, line: &Line) -> bool {
        line.fold.as_ref().is_some_and(|fold| self.folded.contains(&fold.path))
    }

    /// Opens the folds that hide this line, and the line's own.
    pub fn reveal(&mut self, lines: &[Line], place: usize) {
        let above = lines.get(..=place).unwrap_or_default();
        for fold in above.iter().filter_map(|line| line.fold.as_ref()).filter(|fold| fold.end > place) {
            self.folded.remove(&fold.path);
        }
    }

    /// The places of the lines that aren't hidden.
    pub fn visible(&self, lines: &[Line]) -> Vec<usize> {
        let mut visible = Vec::with_capacity(lines.len());
        let mut hidden_before = 0;
        for (place, line) in lines.iter().enumerate() {
            if place < hidden_before {
                continue;
            }
            visible.push(place);
            if let Some(fold) = line.fold.as_ref().filter(|fold| self.folded.contains(&fold.path)) {
                hidden_before = fold.end;
            }
        }
        visible
    }
}
