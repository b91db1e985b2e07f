//! The widths of columns in characters: that of the widest cell seen. A column grows at most once in two seconds
//! and never shrinks, so that it is calm to read. Never pixels.

use shared::state::UnixMillis;

use crate::limits::WIDEN_INTERVAL_MS;

#[derive(Clone, Debug, Default)]
pub struct Widths {
    columns: Vec<Width>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Width {
    shown: usize,
    seen: usize,
    grown_ms: Option<UnixMillis>,
}

impl Widths {
    /// Notes how wide a cell or a header of a column is.
    pub fn see(&mut self, column: usize, characters: usize) {
        if self.columns.len() <= column {
            self.columns.resize(column + 1, Width::default());
        }
        if let Some(width) = self.columns.get_mut(column) {
            width.seen = width.seen.max(characters);
        }
    }

    /// While the first rows load, the next wider cell doesn't wait.
    pub fn grow_at_once(&mut self) {
        for width in &mut self.columns {
            width.grown_ms = None;
        }
    }

    /// Lets the columns grow that didn't grow lately. The first width applies at once.
    pub fn grow(&mut self, now_ms: UnixMillis) {
        for width in &mut self.columns {
            let may = width.grown_ms.is_none_or(|grown| now_ms.saturating_sub(grown) >= WIDEN_INTERVAL_MS);
            if width.seen > width.shown && may {
                width.shown = width.seen;
                width.grown_ms = Some(now_ms);
            }
        }
    }

    pub fn shown(&self, column: usize) -> usize {
        self.columns.get(column).map_or(0, |width| width.shown)
    }

    /// For other columns.
    pub fn clear(&mut self) {
        self.columns.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_grows_at_most_once_in_two_seconds_and_never_shrinks() {
        let mut widths = Widths::default();
        let mut step = |characters, now_ms| {
            widths.see(0, characters);
            widths.grow(now_ms);
            widths.shown(0)
        };
        assert_eq!(
            [step(5, 0), step(9, 500), step(7, 1_999), step(3, 2_000), step(10, 2_100)],
            [5, 5, 5, 9, 9]
        );
        widths.grow_at_once();
        widths.see(0, 12);
        widths.grow(2_200);
        assert_eq!(widths.shown(0), 12, "while the first rows load");
    }
}
