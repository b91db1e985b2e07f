//! How wide the panel may be.

/// The width before its reader moved the edge.
pub(super) const BEFORE_MOVED_PX: f64 = 620.0;
const MIN_PX: f64 = 480.0;
/// The part of the page's width that it may take.
const PART_MAX: f64 = 0.6;

pub(super) fn limited(px: f64, page_width_px: f64) -> f64 {
    px.clamp(MIN_PX, (page_width_px * PART_MAX).max(MIN_PX))
}
