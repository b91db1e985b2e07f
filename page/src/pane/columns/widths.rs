//! The widths of columns in pixels, measured from a sample of their cells and from those that are drawn. What must
//! not be cut grows at once, the rest at most once in two seconds; nothing shrinks before the reader changes the
//! view. Never which columns there are.

use shared::sorted;
use shared::state::UnixMillis;

use crate::limits::WIDEN_INTERVAL_MS;
use crate::query::Source;

/// The width of one cell's text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CellWidth {
    /// What must not be cut: a status as a whole, a name without the middle of its hash.
    pub(super) least_px: f64,
    pub(super) whole_px: f64,
    /// The width of a count, without how long ago it rose.
    pub(super) count_px: f64,
    /// Not `<none>`.
    pub(super) says_something: bool,
}

/// The widths of a column's cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extents {
    pub(super) least_px: f64,
    pub(super) count_px: f64,
    /// The width of most cells: nineteen of twenty are no wider.
    pub(super) usual_px: f64,
    /// The width of the widest cell.
    pub(super) most_px: f64,
    pub(super) says_something: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Widths {
    /// NAMESPACE, then the server's columns.
    columns: Vec<Width>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Width {
    shown: Extents,
    seen: Extents,
    grown_ms: Option<UnixMillis>,
}

impl Extents {
    fn see(&mut self, cell: CellWidth) {
        self.least_px = self.least_px.max(cell.least_px);
        self.count_px = self.count_px.max(cell.count_px);
        self.most_px = self.most_px.max(cell.whole_px);
        self.says_something |= cell.says_something;
    }

    fn of(mut cells: Vec<CellWidth>) -> Self {
        let mut extents = Self::default();
        cells.iter().for_each(|cell| extents.see(*cell));
        sorted::sort_by(&mut cells, |one, other| one.whole_px.total_cmp(&other.whole_px));
        let at = (cells.len() * 19).div_ceil(20).saturating_sub(1);
        extents.usual_px = cells.get(at).map_or(0.0, |cell| cell.whole_px).max(extents.least_px);
        extents
    }
}

impl Widths {
    fn width(&mut self, source: Source) -> Option<&mut Width> {
        let at = place(source);
        if self.columns.len() <= at {
            self.columns.resize(at + 1, Width::default());
        }
        self.columns.get_mut(at)
    }

    /// The cells of a column in a sample of the rows, which takes the place of an earlier sample.
    pub(super) fn sample(&mut self, source: Source, cells: Vec<CellWidth>) {
        if let Some(width) = self.width(source) {
            width.seen = Extents::of(cells);
        }
    }

    /// A cell that is drawn.
    pub(super) fn see(&mut self, source: Source, cell: CellWidth) {
        if let Some(width) = self.width(source) {
            width.seen.see(cell);
        }
    }

    /// While the first rows load, the next wider cell doesn't wait.
    pub(super) fn grow_at_once(&mut self) {
        for width in &mut self.columns {
            width.grown_ms = None;
        }
    }

    /// Lets the columns grow: at once where something would be cut that must not be, and the others that didn't
    /// grow lately. The first width applies at once.
    pub(super) fn grow(&mut self, now_ms: UnixMillis) {
        for Width { shown, seen, grown_ms } in &mut self.columns {
            shown.least_px = shown.least_px.max(seen.least_px);
            shown.count_px = shown.count_px.max(seen.count_px);
            shown.says_something |= seen.says_something;
            let may = grown_ms.is_none_or(|grown| now_ms.saturating_sub(grown) >= WIDEN_INTERVAL_MS);
            if may && (seen.most_px > shown.most_px || seen.usual_px > shown.usual_px) {
                shown.most_px = shown.most_px.max(seen.most_px);
                shown.usual_px = shown.usual_px.max(seen.usual_px);
                *grown_ms = Some(now_ms);
            }
            shown.usual_px = shown.usual_px.max(shown.least_px);
            shown.most_px = shown.most_px.max(shown.usual_px);
        }
    }

    pub(super) fn shown(&self, source: Source) -> Extents {
        self.columns.get(place(source)).map(|width| width.shown).unwrap_or_default()
    }

    /// For other columns, or because the reader changed the view: the next sample applies as it is.
    pub(super) fn clear(&mut self) {
        self.columns.clear();
    }
}

fn place(source: Source) -> usize {
    match source {
        Source::Namespace => 0,
        Source::Cell(at) => at.saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMN: Source = Source::Cell(0);

    fn cell(least_px: f64, whole_px: f64) -> CellWidth {
        CellWidth { least_px, whole_px, count_px: 0.0, says_something: true }
    }

    #[test]
    fn a_column_grows_at_most_once_in_two_seconds_and_never_shrinks() {
        let mut widths = Widths::default();
        let mut step = |whole_px, now_ms| {
            widths.see(COLUMN, cell(0.0, whole_px));
            widths.grow(now_ms);
            widths.shown(COLUMN).most_px
        };
        assert_eq!(
            [step(5.0, 0), step(9.0, 500), step(7.0, 1_999), step(3.0, 2_000), step(10.0, 2_100)],
            [5.0, 5.0, 5.0, 9.0, 9.0]
        );
        widths.grow_at_once();
        widths.see(COLUMN, cell(0.0, 12.0));
        widths.grow(2_200);
        assert_eq!(widths.shown(COLUMN).most_px, 12.0, "while the first rows load");
        widths.sample(COLUMN, vec![cell(0.0, 4.0)]);
        widths.grow(9_000);
        assert_eq!(widths.shown(COLUMN).most_px, 12.0, "nothing shrinks under the reader's eyes");
        widths.clear();
        widths.sample(COLUMN, vec![cell(0.0, 4.0)]);
        widths.grow(9_000);
        assert_eq!(widths.shown(COLUMN).most_px, 4.0, "the reader changed the view");
    }

    #[test]
    fn what_must_not_be_cut_grows_at_once() {
        let mut widths = Widths::default();
        for (least_px, now_ms) in [(5.0, 0), (9.0, 10), (20.0, 20)] {
            widths.see(COLUMN, cell(least_px, least_px));
            widths.grow(now_ms);
            let shown = widths.shown(COLUMN);
            assert_eq!((shown.least_px, shown.most_px), (least_px, least_px));
        }
    }

    #[test]
    fn one_wide_cell_of_many_does_not_make_the_usual_width() {
        let mut widths = Widths::default();
        let cells =
            (0..40).map(|number| cell(0.0, if number == 7 { 300.0 } else { 50.0 + f64::from(number) }));
        widths.sample(COLUMN, cells.collect());
        widths.grow(0);
        let shown = widths.shown(COLUMN);
        assert_eq!((shown.usual_px, shown.most_px), (88.0, 300.0));
    }
}
