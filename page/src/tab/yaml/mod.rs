//! The tab YAML: the lines of the object, and which of them are mounted. It follows the object, or holds one
//! version if the reader switches that off.

mod marks;
pub mod words;

use std::sync::Arc;

use serde_json::Value;
use shared::state::UnixMillis;

use crate::clipboard::Clip;
use crate::detail::versions::version_of;
use crate::detail::yaml::{self, Folds, Line, Piece, Search};
use crate::fields::model;
use crate::messages;
use crate::panel::object::{PanelObject, ShownObject};
use crate::panel::outcome::PanelOutcome;
use crate::panel::part::{ActionContext, ObjectChange, TabContext, TabInput, TabPart};
use crate::window::{Viewport, scroll_to_show, window};
use marks::YamlMarks;

#[derive(Clone, Debug, PartialEq)]
pub enum YamlAction {
    /// Holds the shown version, or follows the object again.
    ToggleFollow,
    Fold(String),
    FoldAll,
    Search(String),
    NextMatch {
        forward: bool,
    },
    /// The whole document goes to the clipboard.
    Copy,
    /// The path of the field on this line, as kubectl's JSONPath has it; `None`: of the current match.
    CopyPath {
        line: Option<usize>,
    },
    Scrolled {
        top_px: f64,
    },
    Resized {
        height_px: f64,
        row_px: f64,
    },
}

impl TabInput for YamlAction {
    fn waits_for_frame(&self) -> bool {
        matches!(self, Self::Scrolled { .. } | Self::Resized { .. })
    }

    fn is_size(&self) -> bool {
        matches!(self, Self::Resized { .. })
    }
}

model! {
    /// The lines of the window, and the tools above them.
    pub struct Model = Fields {
        tools: YamlTools,
        /// Where a search scrolls to, with the number of that request.
        scroll: (u32, f64),
    } shared {
        lines: YamlModel,
    } nested {
    }
}

/// The lines of the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YamlModel {
    pub rows: Vec<YamlRow>,
    pub height_px: f64,
    pub row_px: f64,
    pub foot: String,
}

/// One line of the YAML, as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct YamlRow {
    /// Among the lines that aren't hidden.
    pub place: usize,
    pub number: usize,
    pub line: Line,
    /// For a line that can be folded: whether it is, and how many lines that hides.
    pub fold: Option<(bool, String)>,
    pub is_new: bool,
    pub found: Found,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    No,
    Yes,
    /// The current match.
    Here,
}

/// What stands over the YAML: the version, the folds and the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YamlTools {
    pub follows: bool,
    /// resourceVersion, and since when it is held.
    pub version: String,
    pub held: String,
    pub has_folds: bool,
    pub matches: String,
    /// The path of the field with the current match.
    pub path: Option<String>,
}

/// The tab with the object as YAML: its lines, which of them are folded or marked, and the search in them.
pub(crate) struct Yaml {
    lines: Vec<Line>,
    /// One for each line: whether a change of the last seconds touched it.
    marks: Vec<bool>,
    marked: YamlMarks,
    foot: String,
    folds: Folds,
    search: Search,
    viewport: Viewport,
    /// The version that is held, and since when.
    held: Option<(Arc<Value>, UnixMillis)>,
    must_read: bool,
    /// Where a search scrolled to, with a number, so that the same place can be scrolled to twice.
    scroll: (u32, f64),
}

const ROW_PX: f64 = 19.0;
/// Characters of a line that are shown: no window has room for more.
const LINE_CHARACTERS_MAX: usize = 1_000;

impl Default for Yaml {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            marks: Vec::new(),
            marked: YamlMarks::default(),
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

impl TabPart for Yaml {
    type Model = Model;

    fn new(_opened_ms: UnixMillis) -> Self {
        Self::default()
    }

    fn object_changed(&mut self, change: &ObjectChange<'_>) {
        self.must_read |= self.held.is_none();
        match change.before {
            Some(before) if change.is_same && self.held.is_none() => {
                self.marked.replaced(Arc::clone(before), change.now_ms);
                self.marked.changed_behind_masks(&change.object.masked_changes);
            }
            _ if change.is_same => {}
            _ => self.marked.clear(),
        }
    }

    fn render(&mut self, model: &mut Model, TabContext { shown, is_new, .. }: TabContext<'_>) {
        let has_new_marks = self.drawn(shown.now.ms);
        model.tools = self.tools(shown);
        if is_new || has_new_marks {
            model.lines = Arc::new(self.lines(shown.object));
            model.scroll = self.scroll;
        }
    }
}

impl Yaml {
    /// The reader sees the lines now. Returns whether they must be read again.
    fn drawn(&mut self, now_ms: UnixMillis) -> bool {
        self.must_read |= self.marked.drawn(now_ms);
        self.must_read
    }

    pub(crate) fn update(&mut self, action: YamlAction, at: ActionContext<'_>) -> PanelOutcome {
        self.copied_by(action, at).map_or(PanelOutcome::Nothing, PanelOutcome::Copy)
    }

    /// Returns what goes to the clipboard.
    fn copied_by(
        &mut self,
        action: YamlAction,
        ActionContext { object, now_ms, .. }: ActionContext<'_>,
    ) -> Option<Clip> {
        match action {
            YamlAction::ToggleFollow => {
                self.held = match self.held.take() {
                    Some((value, _)) => {
                        self.marked.replaced(value, now_ms);
                        None
                    }
                    None => object.value.clone().map(|value| (value, now_ms)),
                };
                self.must_read = true;
            }
            YamlAction::Fold(path) => self.folds.toggle(&path),
            YamlAction::FoldAll if self.folds.is_empty() => self.folds.fold_all(&self.lines),
            YamlAction::FoldAll => self.folds.unfold_all(),
            YamlAction::Search(needle) => {
                self.search = Search::of(&needle, &self.lines);
                self.show_match();
            }
            YamlAction::NextMatch { forward } => {
                self.search.step(forward);
                self.show_match();
            }
            YamlAction::Copy => return self.shown(object).map(|value| Clip::Yaml(yaml::document(value))),
            YamlAction::CopyPath { line } => return self.path(line, self.shown(object)?).map(Clip::Text),
            YamlAction::Scrolled { top_px } => self.viewport.scroll_top_px = top_px,
            YamlAction::Resized { height_px, row_px } => {
                self.viewport.height_px = height_px;
                if row_px > 0.0 {
                    self.viewport.row_height_px = row_px;
                }
            }
        }
        None
    }

    /// The version that is held, else the object as it is now.
    fn shown<'a>(&'a self, object: &'a PanelObject) -> Option<&'a Arc<Value>> {
        self.held.as_ref().map(|(value, _)| value).or(object.value.as_ref())
    }

    fn path(&self, line: Option<usize>, value: &Value) -> Option<String> {
        let line = line.map_or_else(|| self.search.place(), |line| line.checked_sub(1))?;
        Some(yaml::json_path(&self.lines.get(line)?.path, value))
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

    fn read(&mut self, now: &Value) {
        self.must_read = false;
        self.lines = yaml::lines(now);
        let since = self.marked.since();
        self.marks = since.map(|since| yaml::changed(since, now, &self.lines)).unwrap_or_default();
        for (mark, line) in self.marks.iter_mut().zip(&self.lines) {
            *mark |= self.marked.is_behind_mask(&line.path);
        }
        self.foot = yaml::foot(&self.lines);
        self.search.look(&self.lines);
    }

    fn lines(&mut self, object: &PanelObject) -> YamlModel {
        if self.must_read
            && let Some(value) = self.shown(object).cloned()
        {
            self.read(&value);
        }
        let visible = self.folds.visible(&self.lines);
        let window = window(self.viewport, visible.len());
        let row = |place: usize| {
            let number = *visible.get(place)?;
            let line = self.lines.get(number)?;
            let is_folded = self.folds.is_folded(line);
            let fold = line.fold.as_ref().map(|fold| {
                let hidden = fold.end.saturating_sub(number + 1);
                (is_folded, words::folded_lines(hidden))
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

    fn tools(&self, ShownObject { object, now, .. }: ShownObject<'_>) -> YamlTools {
        let (at, of) = self.search.count();
        let version = self.shown(object).and_then(|value| version_of(value));
        let held = self.held.as_ref();
        let path = self.shown(object).and_then(|value| self.path(None, value));
        YamlTools {
            follows: held.is_none(),
            version: version.map(|version| version.to_string()).unwrap_or_default(),
            held: held.map_or_else(String::new, |(_, since_ms)| {
                words::held_since(&messages::instant(*since_ms, now.ms, now.zone))
            }),
            has_folds: !self.folds.is_empty(),
            matches: if self.search.needle.is_empty() { String::new() } else { words::matches(at, of) },
            path,
        }
    }
}

fn cut(line: &Line) -> Line {
    let shortened = |text: &str| {
        let (end, _) = text.char_indices().nth(LINE_CHARACTERS_MAX)?;
        Some(format!("{} {}", text.get(..end)?, words::cut_line(text.len() - end)))
    };
    let value = match &line.value {
        Piece::Text(text) => shortened(text).map(Piece::Text),
        _ => None,
    };
    Line { value: value.unwrap_or_else(|| line.value.clone()), ..line.clone() }
}
