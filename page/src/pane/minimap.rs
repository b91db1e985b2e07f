//! The minimap: all rows of a view in one column of pixels. Each kind of bar is one SVG path.

use std::ops::Range;
use std::sync::Arc;

use shared::sorted;
use shared::state::UnixMillis;

use super::displayed::Rows;
use super::recent::Recent;
use super::words;
use crate::action::MinimapAction;
use crate::cells;
use crate::model::{self, MinimapTip};
use crate::table_view::TableView;
use crate::window::{Viewport, Window};

/// When the minimap was drawn, and whether rows changed since.
#[derive(Default)]
pub(super) struct Minimap {
    drawn_ms: UnixMillis,
    is_old: bool,
    /// The pointer drags the window: how far it is from the window's middle.
    grip: Option<f64>,
    /// The part of the height that the pointer is at.
    pointer: Option<f64>,
}

/// While rows change, the minimap is drawn at most this often.
const INTERVAL_MS: i64 = 1_000;
const HEIGHT: f64 = 600.0;

impl Minimap {
    /// The pointer in the minimap. Answers where the window goes.
    pub(super) fn update(
        &mut self,
        action: MinimapAction,
        rows: &Rows<'_>,
        viewport: Viewport,
    ) -> Option<Target> {
        let count = rows.index.len();
        let total_px = to_f64(count) * viewport.row_height_px;
        let middle = (viewport.scroll_top_px + viewport.height_px / 2.0) / total_px.max(1.0);
        let half = viewport.height_px / 2.0 / total_px.max(1.0);
        let top_px = |middle: f64| middle * total_px - viewport.height_px / 2.0;
        match action {
            MinimapAction::Press { at, is_on_bars } => {
                self.pointer = None;
                let reach = BAR_REACH_PX / viewport.height_px.max(1.0);
                if let Some(place) = trouble_near(rows, at, reach).filter(|_| is_on_bars) {
                    return Some(Target::Row(place));
                }
                let is_in_window = (at - middle).abs() <= half;
                self.grip = Some(if is_in_window { at - middle } else { 0.0 });
                (!is_in_window).then(|| Target::Top(top_px(at)))
            }
            MinimapAction::Drag(at) => Some(Target::Top(top_px(at - self.grip?))),
            MinimapAction::Release => {
                self.grip = None;
                None
            }
            MinimapAction::Point(at) => {
                self.pointer = Some(at);
                None
            }
            MinimapAction::Leave => {
                self.pointer = None;
                None
            }
        }
    }

    /// Names the row under the pointer: one in trouble, if its bar is there.
    fn tip(&self, rows: &Rows<'_>, viewport: Viewport) -> Option<MinimapTip> {
        let (at, count) = (self.pointer?, rows.index.len());
        let reach = BAR_REACH_PX / viewport.height_px.max(1.0);
        let place = trouble_near(rows, at, reach).unwrap_or_else(|| place_at(at, count));
        let row = rows.view.table().entry(rows.slot(place)?)?.row();
        let status = rows.view.tally().columns().status().and_then(|cell| row.cells.get(cell));
        let status = status.map(|cell| cells::in_column(cell, 0)).unwrap_or_default();
        let name = row
            .namespace
            .as_ref()
            .filter(|_| rows.has_namespaces())
            .map_or_else(|| row.name.to_string(), |namespace| format!("{namespace}/{}", row.name));
        let place = [status, words::row_of(place + 1, count)];
        let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
        Some(MinimapTip { at, name: cells::shown(&name).into_owned(), place: place.join(" · ") })
    }

    pub(super) fn rows_changed(&mut self) {
        self.is_old = true;
    }

    /// Draws the minimap again if that is due; else only the frame around the window moves.
    pub(super) fn render(
        &mut self,
        shown: &mut Arc<model::Minimap>,
        rows: &Rows<'_>,
        recent: &Recent,
        (window, viewport): (&Window, Viewport),
        now_ms: UnixMillis,
    ) {
        let is_needed = window.total_px > viewport.height_px && viewport.height_px > 0.0;
        let is_due = self.is_old && now_ms.saturating_sub(self.drawn_ms) >= INTERVAL_MS;
        if shown.is_needed != is_needed || is_needed && is_due {
            *shown = Arc::new(draw(rows, recent, &window.seen, is_needed));
            (self.drawn_ms, self.is_old) = (now_ms, false);
            return;
        }
        let here = here(&window.seen, rows.index.len());
        let tip = self.tip(rows, viewport);
        if is_needed && (shown.here != here || shown.tip != tip) {
            *shown = Arc::new(model::Minimap { here, tip, ..(**shown).clone() });
        }
    }
}

/// Where a press in the minimap leads.
pub(super) enum Target {
    /// The window's upper edge.
    Top(f64),
    /// The row in trouble at this place takes the focus.
    Row(usize),
}

/// A bar is two pixels high; a hand needs more.
const BAR_REACH_PX: f64 = 4.0;

/// The place of the row at this part of all rows.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, and NaN is 0")]
fn place_at(part: f64, count: usize) -> usize {
    ((part * to_f64(count)) as usize).min(count.saturating_sub(1))
}

/// The nearest row in trouble, if it isn't farther than `reach`, a part of the height.
fn trouble_near(rows: &Rows<'_>, at: f64, reach: f64) -> Option<usize> {
    let count = rows.index.len();
    let first = place_at((at - reach).max(0.0), count);
    let last = place_at((at + reach).min(1.0), count);
    let middle = place_at(at, count);
    let near = (first..=last).filter(|place| rows.is_trouble(*place));
    near.min_by_key(|place| place.abs_diff(middle))
}

/// `seen` are the rows of the window, whole or in part.
fn draw(rows: &Rows<'_>, recent: &Recent, seen: &Range<usize>, is_needed: bool) -> model::Minimap {
    let count = rows.index.len();
    if count == 0 || !is_needed {
        return model::Minimap { is_needed, ..model::Minimap::default() };
    }
    let y = |place: usize| (to_f64(place) / to_f64(count) * HEIGHT).floor();
    let in_trouble = (0..count).filter(|place| rows.is_trouble(*place)).map(y);
    let place = |slot| rows.index.position(rows.view.table(), slot);
    let mut changed: Vec<usize> = recent.slots().filter_map(place).collect();
    sorted::sort(&mut changed);
    model::Minimap {
        bad: path(in_trouble, "M3 {y}h8v2h-8z"),
        new: path(changed.into_iter().map(y), "M12 {y}h3v1h-3z"),
        here: here(seen, count),
        is_needed,
        tip: None,
    }
}

/// The top and the height of the frame around the window.
fn here(seen: &Range<usize>, count: usize) -> (f64, f64) {
    let part = |rows: usize| to_f64(rows) / to_f64(count.max(1)) * HEIGHT;
    let height = part(seen.len()).clamp(4.0, HEIGHT - 2.0);
    ((part(seen.start).floor() + 1.0).min(HEIGHT - 1.0 - height), height)
}

/// One bar for each pixel, even if several rows stand there.
fn path(places: impl Iterator<Item = f64>, bar: &str) -> String {
    let mut path = String::new();
    let mut last = -1.0;
    for y in places {
        if y > last {
            path += &bar.replace("{y}", &y.to_string());
            last = y;
        }
    }
    path
}

#[expect(clippy::cast_precision_loss, reason = "row counts are far below 2^52")]
fn to_f64(rows: usize) -> f64 {
    rows as f64
}
