//! The minimap: all rows of a view in one column of pixels. Each kind of bar is one SVG path.

use std::ops::Range;
use std::sync::Arc;

use shared::state::UnixMillis;

use super::displayed::Rows;
use super::recent::Recent;
use crate::model;
use crate::status::Class;
use crate::table_view::TableView;
use crate::window::{Viewport, Window};

/// When the minimap was drawn, and whether rows changed since.
#[derive(Default)]
pub(super) struct Minimap {
    drawn_ms: UnixMillis,
    is_old: bool,
}

/// While rows change, the minimap is drawn at most this often.
const INTERVAL_MS: i64 = 1_000;
const HEIGHT: f64 = 600.0;

impl Minimap {
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
        if is_needed && shown.here != here {
            *shown = Arc::new(model::Minimap { here, ..(**shown).clone() });
        }
    }
}

/// `seen` are the rows of the window, whole or in part.
fn draw(rows: &Rows<'_>, recent: &Recent, seen: &Range<usize>, is_needed: bool) -> model::Minimap {
    let count = rows.index.len();
    if count == 0 || !is_needed {
        return model::Minimap { is_needed, ..model::Minimap::default() };
    }
    let y = |place: usize| (to_f64(place) / to_f64(count) * HEIGHT).floor();
    let is_trouble = |slot| rows.view.tally().class(slot).is_some_and(Class::is_trouble);
    let slots = rows.index.slots().iter().enumerate();
    let in_trouble = slots.filter(|(_, slot)| is_trouble(**slot)).map(|(place, _)| y(place));
    let place = |slot| rows.index.position(rows.view.table(), slot);
    let mut changed: Vec<usize> = recent.slots().filter_map(place).collect();
    changed.sort_unstable();
    model::Minimap {
        bad: path(in_trouble, "M3 {y}h8v2h-8z"),
        new: path(changed.into_iter().map(y), "M12 {y}h3v1h-3z"),
        here: here(seen, count),
        is_needed,
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
