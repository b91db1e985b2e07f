//! The columns' widths in a view of some width: what gives way where there is no room, and in which order. Never
//! which columns there are.

use super::font::FontSize;
use super::widths::Extents;
use crate::limits::COLUMN_PX_MIN;
use crate::pane::column::{Column, Look};

/// The first column, which has the signs `+`, `~` and `−`.
pub(super) const GUTTER_PX: f64 = 26.0;
/// A column that grows gets so much more, if there is room: the next wider cell then moves nothing.
const GROWTH_PX: f64 = 8.0;
/// A cell's padding, left and right.
const PADDING_PX: f64 = 16.0;
/// A title's letters are 11 px, bold and spaced, beside the arrow of the sort.
const TITLE_SIZE: f64 = 11.0 / 13.0;
const TITLE_SPACING_PX: f64 = 0.33;
const ARROW_PX: f64 = 14.0;
/// The clock before the title of what is polled.
const CLOCK_PX: f64 = 14.0;
/// A column shows the beginning of longer words, unless there is room to spare.
const WORDS_PX_MAX: f64 = 560.0;
/// The beginning of a word that shows which one it is.
const WORDS_PX_MIN: f64 = 72.0;
/// The letters of a namespace that tell `kube-system` from `kube-public`.
const NAMESPACE_LETTERS_MIN: f64 = 12.0;
/// The beginning of a title.
const TITLE_PX_MIN: f64 = 58.0;

/// What has given way, in this order. Columns without a value and wide ones have left before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Nothing.
    Whole,
    /// The widest twentieth of a column's cells.
    Usual,
    /// The time beside a count.
    WithoutAgo,
    /// The room in which an age grows, and the place of an arrow.
    WithoutSlack,
    /// The ends of words.
    Words,
    /// The middle of a name's hash.
    Hash,
    /// The end of a namespace.
    Namespace,
    /// The end of a title; never a status, an address, a count or an age.
    Titles,
}

impl Stage {
    const AFTER_WHOLE: [Self; 7] = [
        Self::Usual,
        Self::WithoutAgo,
        Self::WithoutSlack,
        Self::Words,
        Self::Hash,
        Self::Namespace,
        Self::Titles,
    ];
}

/// The widths of one column's cells and of its title.
pub(super) struct Size {
    look: Look,
    is_age: bool,
    is_sorted: bool,
    /// The reader dragged it to this width.
    fixed_px: Option<f64>,
    cells: Extents,
    title_px: f64,
    /// The width that an age may grow by, because it becomes longer as time passes.
    grown_px: f64,
    namespace_px: f64,
}

impl Size {
    pub(super) fn of(column: &Column, cells: Extents, font: &FontSize, is_sorted: bool) -> Self {
        let letters = column.title.chars().map(|_| TITLE_SPACING_PX).sum::<f64>();
        // Before the first row has come, there is room for a usual one.
        let usual_px = match column.look {
            Look::Name => 32.0 * font.mono_px,
            Look::Status => font.text.width_px("ContainerCreat"),
            _ => 0.0,
        };
        let clock_px = if column.is_usage { CLOCK_PX } else { 0.0 };
        let first = Extents { usual_px, most_px: usual_px, ..Extents::default() };
        Self {
            look: column.look,
            is_age: column.look == Look::Words && column.at_end,
            is_sorted,
            fixed_px: column.width_px.map(f64::from),
            cells: if cells.most_px > 0.0 { cells } else { first },
            title_px: font.strong.width_px(&column.title) * TITLE_SIZE + letters + clock_px + PADDING_PX,
            grown_px: font.text.width_px("10m30s"),
            namespace_px: NAMESPACE_LETTERS_MIN * font.mono_px,
        }
    }

    /// The width of the column once all this has given way.
    pub(super) fn at(&self, stage: Stage) -> f64 {
        if let Some(fixed_px) = self.fixed_px {
            return if stage == Stage::Titles { fixed_px.min(f64::from(COLUMN_PX_MIN)) } else { fixed_px };
        }
        let gave = |given: Stage| stage >= given;
        let Extents { least_px, count_px, usual_px, most_px, .. } = self.cells;
        let cells_px = match self.look {
            Look::Count if gave(Stage::WithoutAgo) => count_px,
            Look::Count | Look::Status | Look::Ready => most_px.min(least_px.max(WORDS_PX_MAX)),
            Look::Address if gave(Stage::Words) => least_px,
            Look::Name if gave(Stage::Hash) => least_px,
            Look::Cluster | Look::Namespace if gave(Stage::Namespace) => usual_px.min(self.namespace_px),
            Look::Words if self.is_age && !gave(Stage::WithoutSlack) => most_px.max(self.grown_px),
            Look::Words if self.is_age => most_px,
            Look::Identifier | Look::Words if gave(Stage::Words) => usual_px.min(WORDS_PX_MIN).max(least_px),
            _ if gave(Stage::Usual) => usual_px.min(WORDS_PX_MAX).max(least_px),
            _ => most_px,
        };
        let is_empty = most_px > 0.0 && !self.cells.says_something && self.look != Look::Name;
        let title_px = match stage {
            // A column without a value is the first to give way.
            _ if is_empty && gave(Stage::Usual) => self.title_px.min(TITLE_PX_MIN),
            Stage::Titles => self.title_px.min(TITLE_PX_MIN),
            _ if gave(Stage::WithoutSlack) && !self.is_sorted => self.title_px,
            _ => self.title_px + ARROW_PX,
        };
        (cells_px + PADDING_PX).max(title_px).ceil()
    }

    /// A cell of the column has a value.
    pub(super) fn says_something(&self) -> bool {
        self.cells.says_something
    }
}

pub(super) fn sum_px<'a>(sizes: impl Iterator<Item = &'a Size>, stage: Stage) -> f64 {
    GUTTER_PX + sizes.map(|size| size.at(stage)).sum::<f64>()
}

/// The widths of these columns in a view of this width. In each stage the widest columns give way first.
pub(super) fn widths_px(sizes: &[&Size], width_px: f64) -> Vec<f64> {
    let mut widths: Vec<f64> = sizes.iter().map(|size| size.at(Stage::Whole)).collect();
    for stage in Stage::AFTER_WHOLE {
        if widths.iter().sum::<f64>() + GUTTER_PX <= width_px {
            break;
        }
        let bounds = sizes.iter().map(|size| size.at(stage));
        let columns: Vec<(f64, f64)> =
            widths.iter().zip(bounds).map(|(width, bound)| (*width, bound.min(*width))).collect();
        // The time beside a count leaves as a whole.
        let cut_px = if stage == Stage::WithoutAgo { 0.0 } else { level_px(&columns, width_px - GUTTER_PX) };
        widths = columns.iter().map(|(width, bound)| cut(*width, *bound, cut_px)).collect();
    }
    widths
}

/// The widths that these columns have already, grown where content needs it: first what must not be cut, then what is
/// whole up to `stage`, if it fits into the room that is left. `None`: what must not be cut has no room.
pub(super) fn grown_px(held: &[f64], sizes: &[&Size], stage: Stage, width_px: f64) -> Option<Vec<f64>> {
    let mut widths: Vec<f64> =
        held.iter().zip(sizes).map(|(width, size)| width.max(size.at(Stage::Titles))).collect();
    let mut room_px = width_px - GUTTER_PX - widths.iter().sum::<f64>();
    if room_px < 0.0 {
        return None;
    }
    for (width, size) in widths.iter_mut().zip(sizes) {
        let more_px = size.at(stage) - *width;
        if more_px > 0.0 && more_px <= room_px {
            let more_px = (more_px + GROWTH_PX).min(room_px);
            *width += more_px;
            room_px -= more_px;
        }
    }
    Some(widths)
}

fn cut(width: f64, bound: f64, level_px: f64) -> f64 {
    width.min(level_px).max(bound)
}

/// The width to which wider columns are cut, none below its own bound, so that all fit into `room_px`. About 0 if
/// even the bounds don't fit.
fn level_px(columns: &[(f64, f64)], room_px: f64) -> f64 {
    let sum = |level: f64| columns.iter().map(|(width, bound)| cut(*width, *bound, level)).sum::<f64>();
    let (mut low, mut high) = (0.0, columns.iter().map(|(width, _)| *width).fold(0.0, f64::max));
    // Twenty halvings of the widest column are less than a pixel.
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        if sum(middle) <= room_px { low = middle } else { high = middle }
    }
    low
}

/// `grid-template-columns`. The rest of the width goes to the column at `rest`, else it stays empty at its end.
pub(super) fn template(widths_px: &[f64], rest: Option<usize>) -> String {
    let mut columns = format!("{GUTTER_PX}px");
    for (at, px) in widths_px.iter().enumerate() {
        let px = px.floor();
        columns += &if rest == Some(at) { format!(" minmax({px}px, 1fr)") } else { format!(" {px}px") };
    }
    if rest.is_none() { columns + " minmax(0, 1fr)" } else { columns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::columns::font::Letters;

    fn font() -> FontSize {
        FontSize { mono_px: 7.0, text: Letters::even(7.0), strong: Letters::even(7.0) }
    }

    fn size(look: Look, [least_px, count_px, usual_px, most_px]: [f64; 4]) -> Size {
        let cells = Extents { least_px, count_px, usual_px, most_px, says_something: true };
        let column = Column { look, at_end: look == Look::Words, ..Column::of_test("X") };
        Size::of(&column, cells, &font(), false)
    }

    #[test]
    fn a_title_has_room_for_its_clock_and_for_the_arrow_of_the_sort() {
        let px = |is_usage: bool, is_sorted: bool| {
            let column = Column { look: Look::Count, is_usage, ..Column::of_test("MEM") };
            Size::of(&column, Extents::default(), &font(), is_sorted).at(Stage::WithoutSlack)
        };
        let plain = px(false, false);
        assert_eq!(
            [px(true, false), px(false, true), px(true, true)].map(|px| px - plain),
            [14.0, 14.0, 28.0]
        );
    }

    #[test]
    fn a_width_stays_until_a_cell_needs_more_and_then_takes_the_free_room() {
        let words = |most_px| size(Look::Identifier, [0.0, 0.0, most_px, most_px]);
        let status = |px| size(Look::Status, [px, px, px, px]);
        let grown = |sizes: [Size; 2], width_px| {
            grown_px(&[100.0, 100.0], &sizes.iter().collect::<Vec<_>>(), Stage::Whole, width_px)
        };
        for (sizes, width_px, expected) in [
            ([words(50.0), status(60.0)], 300.0, Some(vec![100.0, 100.0])),
            // With some to spare.
            ([words(90.0), status(60.0)], 300.0, Some(vec![114.0, 100.0])),
            // Nothing moves for a part of a cell.
            ([words(500.0), status(60.0)], 300.0, Some(vec![100.0, 100.0])),
            ([words(50.0), status(100.0)], 242.0, Some(vec![100.0, 116.0])),
            // A status is never cut.
            ([words(50.0), status(120.0)], 242.0, None),
        ] {
            assert_eq!(grown(sizes, width_px), expected, "{width_px}");
        }
    }

    #[test]
    fn what_is_least_missed_gives_way_first_and_a_status_never() {
        let sizes = [
            size(Look::Namespace, [0.0, 0.0, 100.0, 200.0]),
            size(Look::Name, [150.0, 0.0, 220.0, 250.0]),
            size(Look::Status, [120.0, 120.0, 120.0, 120.0]),
            size(Look::Count, [21.0, 21.0, 80.0, 80.0]),
            size(Look::Words, [20.0, 0.0, 20.0, 20.0]),
            size(Look::Address, [80.0, 0.0, 80.0, 80.0]),
        ];
        let sizes: Vec<&Size> = sizes.iter().collect();
        // NAMESPACE, NAME, STATUS, RESTARTS, AGE, IP
        for (width_px, expected) in [
            (1_000.0, [216.0, 266.0, 136.0, 96.0, 58.0, 96.0]),
            (764.0, [116.0, 236.0, 136.0, 96.0, 58.0, 96.0]),
            (763.0, [116.0, 236.0, 136.0, 37.0, 58.0, 96.0]),
            (690.0, [116.0, 236.0, 136.0, 37.0, 42.0, 96.0]),
            (640.0, [116.0, 192.0, 136.0, 37.0, 36.0, 96.0]),
            (600.0, [102.0, 166.0, 136.0, 37.0, 36.0, 96.0]),
            (400.0, [100.0, 166.0, 136.0, 37.0, 36.0, 96.0]),
        ] {
            let widths: Vec<f64> = widths_px(&sizes, width_px).iter().map(|px| px.floor()).collect();
            assert_eq!(widths, expected, "{width_px}");
        }
    }

    #[test]
    fn of_several_texts_the_longest_gives_way_first() {
        let sizes = [
            size(Look::Identifier, [0.0, 0.0, 240.0, 267.0]),
            size(Look::Identifier, [0.0, 0.0, 110.0, 119.0]),
            size(Look::Identifier, [0.0, 0.0, 560.0, 640.0]),
        ];
        let sizes: Vec<&Size> = sizes.iter().collect();
        let widths =
            |width_px| -> Vec<f64> { widths_px(&sizes, width_px).iter().map(|px| px.floor()).collect() };
        assert_eq!(widths(1_026.0), [283.0, 135.0, 581.0]);
        assert_eq!(widths(626.0), [236.0, 126.0, 236.0]);
    }

    #[test]
    fn a_title_gives_way_last_and_a_width_of_the_reader_stays() {
        let dragged = Column { width_px: Some(50), ..Column::of_test("A") };
        let dragged = Size::of(&dragged, Extents::default(), &font(), false);
        assert_eq!([dragged.at(Stage::Whole), dragged.at(Stage::Titles)], [50.0, 40.0]);
        let titled = Column::of_test("A LONG TITLE");
        let titled = Size::of(
            &titled,
            Extents { most_px: 9.0, says_something: true, ..Extents::default() },
            &font(),
            false,
        );
        assert!(titled.at(Stage::Namespace) > 80.0 && titled.at(Stage::Titles) == TITLE_PX_MIN);
        let empty = Column::of_test("A LONG TITLE");
        let empty = Size::of(&empty, Extents { most_px: 9.0, ..Extents::default() }, &font(), false);
        assert_eq!(empty.at(Stage::Usual), TITLE_PX_MIN, "a column without a value is the first");
        assert_eq!(template(&[50.9, 40.0], None), "26px 50px 40px minmax(0, 1fr)");
        assert_eq!(template(&[50.9, 40.0], Some(0)), "26px minmax(50px, 1fr) 40px");
    }
}
