//! The tab YAML: the lines of the object and those of them that are mounted. Follows the object, or
//! holds what it was while somebody reads.

use std::sync::Arc;

use crate::detail::versions::version_of;
use crate::detail::yaml::{self, Folds, Line, Piece, Search};
use crate::messages::{self, Zone};
use crate::window::{Viewport, scroll_to_show, window};
use serde_json::Value;
use shared::state::UnixMillis;

use super::Opened;
use crate::model::{Found, YamlModel, YamlRow, YamlTools};

pub(super) struct YamlState {
    lines: Vec<Line>,
    marks: Vec<bool>,
    foot: String,
    pub(super) folds: Folds,
    pub(super) search: Search,
    pub(super) viewport: Viewport,
    /// The object as it was when its reader wanted it to stand still, and since when.
    held: Option<(Arc<Value>, UnixMillis)>,
    must_read: bool,
    pub(super) scroll: (u32, f64),
}

const ROW_PX: f64 = 24.0;
/// A line's part that is shown: more has no room in any window.
const LINE_CHARACTERS_MAX: usize = 1_000;

impl Default for YamlState {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            marks: Vec::new(),
            foot: String::new(),
            folds: Folds::default(),
            search: Search::default(),
            viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX },
            held: None,
            must_read: true,
            scroll: (0, 0.0),
        }
    }
}

impl YamlState {
    pub(super) fn object_changed(&mut self) {
        self.must_read |= self.held.is_none();
    }

    pub(super) fn resized(&mut self, height_px: f64, row_px: f64) {
        self.viewport.height_px = height_px;
        if row_px > 0.0 {
            self.viewport.row_height_px = row_px;
        }
    }

    pub(super) fn fold_all(&mut self) {
        if self.folds.is_empty() {
            self.folds.fold_all(&self.lines);
        } else {
            self.folds.unfold_all();
        }
    }

    pub(super) fn look_for(&mut self, needle: &str) {
        self.search = Search::of(needle, &self.lines);
        self.show_match();
    }

    pub(super) fn go_on(&mut self, forward: bool) {
        if forward {
            self.search.forward();
        } else {
            self.search.back();
        }
        self.show_match();
    }

    fn show_match(&mut self) {
        let Some(line) = self.search.place() else { return };
        self.folds.reveal(&self.lines, line);
        let visible = self.folds.visible(&self.lines);
        let Ok(place) = visible.binary_search(&line) else { return };
        let top_px = scroll_to_show(place, self.viewport);
        self.viewport.scroll_top_px = top_px;
        self.scroll = (self.scroll.0.wrapping_add(1), top_px);
    }

    fn read(&mut self, now: &Value, previous: Option<&Value>) {
        self.must_read = false;
        self.lines = yaml::lines(now);
        self.marks = previous.map(|previous| yaml::changed(previous, now, &self.lines)).unwrap_or_default();
        self.foot = yaml::foot(&self.lines);
        self.search.look(&self.lines);
    }

    fn model(&self) -> YamlModel {
        let visible = self.folds.visible(&self.lines);
        let window = window(self.viewport, visible.len());
        let row = |place: usize| {
            let number = *visible.get(place)?;
            let line = self.lines.get(number)?;
            let is_folded = self.folds.is_folded(line);
            let fold = line.fold.as_ref().map(|fold| {
                let hidden = fold.end.saturating_sub(number + 1);
                (is_folded, messages::folded_lines(hidden))
            });
            let found = match self.search.finds(number) {
                true if self.search.place() == Some(number) => Found::Here,
                true => Found::Yes,
                false => Found::No,
            };
            let is_new = self.marks.get(number).copied().unwrap_or(false);
            Some(YamlRow { place, number: number + 1, line: cut(line), fold, is_new, found })
        };
        YamlModel {
            rows: window.rows.filter_map(row).collect(),
            height_px: window.total_px,
            row_px: self.viewport.row_height_px,
            foot: self.foot.clone(),
        }
    }
}

impl Opened {
    /// Holds what is shown, or shows again what is.
    pub(super) fn toggle_follow(&mut self, now_ms: UnixMillis) {
        self.yaml.held = match self.yaml.held.take() {
            Some(_) => None,
            None => self.value.clone().map(|value| (value, now_ms)),
        };
        self.yaml.must_read = true;
    }

    pub(super) fn yaml_model(&mut self) -> YamlModel {
        if self.yaml.must_read {
            let held = self.yaml.held.as_ref().map(|(value, _)| Arc::clone(value));
            if let Some(value) = held.or_else(|| self.value.clone()) {
                self.yaml.read(&value, self.previous.as_deref());
            }
        }
        self.yaml.model()
    }

    pub(super) fn yaml_tools(&self, now_ms: UnixMillis, zone: Zone) -> YamlTools {
        let held = self.yaml.held.as_ref();
        let value = held.map(|(value, _)| value).or(self.value.as_ref());
        let (at, of) = self.yaml.search.count();
        YamlTools {
            follows: held.is_none(),
            version: value.and_then(|value| version_of(value)).map(|v| v.to_string()).unwrap_or_default(),
            held: held.map_or_else(String::new, |(_, since_ms)| {
                messages::held_since(&messages::instant(*since_ms, now_ms, zone))
            }),
            has_folds: !self.yaml.folds.is_empty(),
            matches: if self.yaml.search.needle.is_empty() {
                String::new()
            } else {
                messages::matches(at, of)
            },
        }
    }

    /// The whole document, as it is shown.
    pub(super) fn document(&self) -> Option<String> {
        let held = self.yaml.held.as_ref().map(|(value, _)| value);
        Some(yaml::document(held.or(self.value.as_ref())?))
    }
}

fn cut(line: &Line) -> Line {
    let shortened = |text: &str| {
        let (end, _) = text.char_indices().nth(LINE_CHARACTERS_MAX)?;
        Some(format!("{} {}", text.get(..end)?, messages::cut_line(text.len() - end)))
    };
    let value = match &line.value {
        Piece::Text(text) => shortened(text).map(Piece::Text),
        _ => None,
    };
    Line { value: value.unwrap_or_else(|| line.value.clone()), ..line.clone() }
}
