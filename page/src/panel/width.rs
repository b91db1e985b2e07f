//! How wide the panel may be.

/// The width before its reader moved the edge: less where the table beside it needs the room.
const BEFORE_MOVED_PX: f64 = 620.0;
/// The navigation, and a table of pods in which nothing is cut but hashes.
const BESIDE_PX: f64 = 224.0 + 740.0;
const MIN_PX: f64 = 480.0;
/// The part of the page's width that it may take.
const PART_MAX: f64 = 0.6;

/// Before the reader moved its edge.
pub(super) fn unmoved(page_width_px: f64) -> f64 {
    limited((page_width_px - BESIDE_PX).min(BEFORE_MOVED_PX), page_width_px)
}

pub(super) fn limited(px: f64, page_width_px: f64) -> f64 {
    px.clamp(MIN_PX, (page_width_px * PART_MAX).max(MIN_PX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_leaves_the_table_its_room_where_it_can() {
        let widths = [1_920.0, 1_600.0, 1_440.0, 700.0].map(unmoved);
        assert_eq!(widths, [620.0, 620.0, 480.0, 480.0]);
    }
}
