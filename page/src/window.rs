//! Which rows are in the DOM, computed from pixels and row numbers. Never an element.

use std::ops::Range;

use crate::limits::PRINTED_ROWS_MAX;

/// The sizes of the element that scrolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    pub scroll_top_px: f64,
    pub height_px: f64,
    pub row_height_px: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The rows to mount, with some above and below for a scroll between two frames.
    pub rows: Range<usize>,
    /// The rows that are seen, whole or in part: "rows 1,204 to 1,228".
    pub seen: Range<usize>,
    /// The top of the first mounted row.
    pub offset_px: f64,
    /// The height of all rows.
    pub total_px: f64,
}

/// Rows mounted beyond each edge: two wheel notches of 100 px at 28 px a row.
pub const OVERSCAN: usize = 8;

/// # Examples
/// ```
/// use page::window::{Viewport, window};
/// let at = Viewport { scroll_top_px: 2_800.0, height_px: 280.0, row_height_px: 28.0 };
/// assert_eq!(window(at, 100_000).seen, 100..110);
/// ```
pub fn window(at: Viewport, count: usize) -> Window {
    let row_px = at.row_height_px.max(1.0);
    let total_px = to_px(count) * row_px;
    let top = at.scroll_top_px.clamp(0.0, (total_px - at.height_px).max(0.0));
    let first = to_rows((top / row_px).floor()).min(count);
    let end = to_rows(((top + at.height_px.max(0.0)) / row_px).ceil()).clamp(first, count);
    // The number doesn't depend on where the upper edge cuts a row, so that a scroll reuses the mounted rows.
    let most = to_rows((at.height_px.max(0.0) / row_px).ceil()).saturating_add(1);
    let rows = first.saturating_sub(OVERSCAN)..first.saturating_add(most).saturating_add(OVERSCAN).min(count);
    Window { offset_px: to_px(rows.start) * row_px, rows, seen: first..end, total_px }
}

/// The rows that are printed.
pub fn printed(at: Viewport, count: usize) -> Window {
    let rows = 0..count.min(PRINTED_ROWS_MAX);
    Window { seen: rows.clone(), rows, offset_px: 0.0, total_px: to_px(count) * at.row_height_px }
}

/// The row that keeps its place on the screen when others come and go above it: the first whole one, and its
/// distance from the upper edge. At the very top no row is anchored, so that new rows are seen.
pub fn anchor(at: Viewport, count: usize) -> Option<(usize, f64)> {
    if at.scroll_top_px <= 0.0 || count == 0 {
        return None;
    }
    let row_px = at.row_height_px.max(1.0);
    let first_whole = to_rows((at.scroll_top_px / row_px).ceil()).min(count - 1);
    Some((first_whole, to_px(first_whole) * row_px - at.scroll_top_px))
}

/// Where to scroll so that the anchored row is at its place on the screen again.
pub fn scroll_to_anchor(row: usize, distance_px: f64, row_height_px: f64) -> f64 {
    (to_px(row) * row_height_px.max(1.0) - distance_px).max(0.0)
}

/// The top of a row in the box of all rows.
pub fn top_px(row: usize, row_height_px: f64) -> f64 {
    to_px(row) * row_height_px
}

/// Where to scroll so that a row is seen whole, as near as possible.
pub fn scroll_to_show(row: usize, at: Viewport) -> f64 {
    let top = top_px(row, at.row_height_px);
    let bottom = top + at.row_height_px;
    if top < at.scroll_top_px {
        top
    } else if bottom > at.scroll_top_px + at.height_px {
        bottom - at.height_px
    } else {
        at.scroll_top_px
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 rows don't fit into a browser")]
fn to_px(rows: usize) -> f64 {
    rows as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
fn to_rows(px: f64) -> usize {
    px as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(scroll_top_px: f64) -> Viewport {
        Viewport { scroll_top_px, height_px: 280.0, row_height_px: 28.0 }
    }

    #[test]
    fn a_window_shows_what_the_viewport_touches() {
        for (top, count, seen, rows) in [
            (0.0, 5, 0..5, 0..5),
            (0.0, 100, 0..10, 0..19),
            (14.0, 100, 0..11, 0..19),
            (2_520.0, 100, 90..100, 82..100),
            (99_999.0, 100, 90..100, 82..100),
            (0.0, 0, 0..0, 0..0),
        ] {
            let window = window(at(top), count);
            assert_eq!((window.seen, window.rows), (seen, rows), "{top} {count}");
        }
    }

    #[test]
    fn the_first_whole_row_keeps_its_pixel_when_rows_come_in_above() {
        let (row, distance) = anchor(at(290.0), 100).expect("scrolled");
        assert_eq!((row, distance), (11, 18.0));
        assert_eq!(scroll_to_anchor(row + 3, distance, 28.0), 290.0 + 3.0 * 28.0);
        assert_eq!(anchor(at(0.0), 100), None);
    }

    proptest! {
        #[test]
        fn no_numbers_make_a_window_of_rows_that_do_not_exist(
            top in -1e9..1e12_f64, height in -10.0..5e4_f64, row in 0.0..100.0_f64, count in 0_usize..200_000
        ) {
            let window = window(Viewport { scroll_top_px: top, height_px: height, row_height_px: row }, count);
            prop_assert!(window.rows.start <= window.seen.start && window.seen.end <= window.rows.end);
            prop_assert!(window.rows.end <= count);
        }
    }
}
