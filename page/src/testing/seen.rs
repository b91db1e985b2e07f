//! What a reader sees, as texts, and the size of their panes.

use crate::Page;
use crate::action::{FontSize, PaneAction};
use crate::font::Letters;
use crate::model::{Body, Notice, PaneModel, SeenRow};

pub fn notice_of(model: &PaneModel) -> String {
    match &model.notice {
        Notice::None => String::new(),
        Notice::Text(said) => format!("{} {}", said.strong, said.text).trim().to_owned(),
        Notice::Tally { beside: Some(said), .. } => format!("{} {}", said.strong, said.text),
        Notice::Tally { entries, .. } => {
            let counts = entries.iter().map(|tally| format!("{} {}", tally.count, tally.word));
            counts.collect::<Vec<_>>().join(", ")
        }
    }
}

pub fn bar_of(page: &Page) -> String {
    page.model().bar.as_ref().map_or_else(String::new, |bar| format!("{} {}", bar.strong, bar.text))
}

pub fn rows_of(model: &PaneModel) -> Vec<String> {
    model.rows.rows.iter().map(|row| cells_of(row).join(" ")).collect()
}

pub fn cells_of(row: &SeenRow) -> Vec<String> {
    row.cells.iter().map(|cell| cell_text(&cell.body)).collect()
}

/// The panes' size, with letters of one width.
pub fn resized(width_px: f64, height_px: f64) -> PaneAction {
    let letters = || Letters::even(7.0);
    let font = Some(FontSize { mono_px: 7.0, text: letters(), strong: letters() });
    PaneAction::Resized { width_px, height_px, row_px: 28.0, font }
}

pub(super) fn cell_text(body: &Body) -> String {
    match body {
        Body::Plain { text, .. } | Body::Status { text, .. } => text.clone(),
        Body::Name { owner, middle, tail } => format!("{owner}{middle}{tail}"),
        Body::Count { text, ago } => format!("{text}{}", ago.as_deref().unwrap_or_default()),
    }
}
