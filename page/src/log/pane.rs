//! The log of one pane: the lines of its window, the entry that has the focus, and whether the lines scroll with new
//! entries. Never its subscription, which the slot opens.

use std::collections::BTreeMap;

use super::entries::Log;
use super::filter::{LogFilter, TYPES};
use super::lines::{Fields, Lines, Rows, Unfolded, is_before};
use super::model::{LogExtent, LogModel, LogToggle};
use super::part::{Before, LogPart, Part, Recording};
use super::words;
use crate::action::LogAction;
use crate::effect::{Effect, File};
use crate::limits::TIMELINE_ENTRIES_MAX;
use crate::location::PanelPlace;
use crate::messages::{self, Zone};
use crate::table_view::Client;
use crate::window::{self, Viewport};
use replica::timeline::TimelineView;
use shared::state::UnixMillis;

/// Named in the piece alone.
pub(crate) const PART: Part =
    Part { make: |recording, before, client| Box::new(LogPane::new(recording, before, client)) };

/// The log of a pane: which entries its filter shows, where the reader is in them, and the lines that were drawn last.
/// The slot of a pane holds it ([`super::LogSlot`]), and passes it the actions of its views.
struct LogPane {
    recording: Recording,
    log: Log,
    viewport: Viewport,
    /// The log scrolls to new entries until the reader scrolls away from the end.
    follows: bool,
    /// The entry that has the focus.
    focused: Option<u64>,
    unfolded: BTreeMap<u64, Unfolded>,
    /// Where to scroll with the next frame.
    scroll_to_px: Option<f64>,
    /// The entries and parts of the drawn lines.
    drawn: Vec<(u64, usize)>,
    /// The lines have to be made again.
    must_draw: bool,
}

/// As in the style sheet.
const LINE_PX: f64 = 24.0;
const HEAD_PX: f64 = 28.0;
/// An event that takes two lines: time, type and object in the first, the change in the second.
const TWO_LINES_PX: f64 = 44.0;
/// Below this width beside the other columns no headline fits: 265 px of `CrashLoopBackOff, restart 40, exit code 1`,
/// 70 px for the number of fields, 510 px for time, type, object and resourceVersion.
const NARROW_PX: f64 = 880.0;

impl LogPart for LogPane {
    fn filter(&self) -> &LogFilter {
        &self.log.filter
    }

    fn set_filter(&mut self, filter: &LogFilter, client: &Client) {
        if let Some(timeline) = client.timeline(self.recording.key) {
            self.log.set_filter(timeline, filter.clone());
            self.must_draw = true;
        }
    }

    /// The object of the entry that has the focus.
    fn panel_place(&self, client: &Client) -> Option<PanelPlace> {
        let timeline = client.timeline(self.recording.key)?;
        let entry = timeline.entry(self.focused?)?;
        let cluster = timeline.cluster_of(self.focused?).cloned();
        Some(PanelPlace { cluster, ..PanelPlace::named(entry.namespace.as_deref(), entry.name.as_deref()?)? })
    }

    fn said(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<String> {
        let timeline = client.timeline(self.recording.key)?;
        if self.log.is_paused() {
            return Some(words::events_wait(self.log.waiting(timeline)));
        }
        let since_ms = self.recording.since_ms;
        let since = messages::instant(since_ms, now_ms, zone);
        let kept = (timeline.dropped()..timeline.end()).map_while(|number| timeline.entry(number));
        let before = kept.take_while(|entry| is_before(client, entry, since_ms)).count();
        let events = timeline.end().saturating_sub(u64::try_from(before).unwrap_or_default());
        let said = words::recorded(events, &since, TIMELINE_ENTRIES_MAX, timeline.dropped(), before);
        let is_recorded = client.welcome().is_some_and(|welcome| welcome.records);
        Some(if is_recorded { format!("{said} {}", words::EARLIER_ONES) } else { said })
    }

    /// How many events are shown.
    fn len(&self) -> usize {
        self.log.shown.len()
    }

    fn is_paused(&self) -> bool {
        self.log.is_paused()
    }

    /// The events since the pause began, beside the pill's word.
    fn waiting(&self, client: &Client) -> Option<String> {
        let timeline = client.timeline(self.recording.key).filter(|_| self.log.is_paused())?;
        Some(words::events_waiting(self.log.waiting(timeline)))
    }

    /// Its timeline has no entry any more.
    fn purged(&mut self) {
        self.pause(false);
        self.unfolded.clear();
        (self.focused, self.must_draw) = (None, true);
    }

    fn pause(&mut self, is_paused: bool) {
        if self.log.is_paused() != is_paused {
            self.log.toggle_pause();
        }
    }

    fn update(&mut self, action: LogAction, timeline: &mut TimelineView, resource: &str) -> Option<Effect> {
        self.must_draw = true;
        let filter = self.log.filter.clone();
        match action {
            LogAction::Filter(text) => {
                self.log.set_filter(timeline, LogFilter { text: text.into(), ..filter });
            }
            LogAction::Toggle(kind) => self.log.set_filter(timeline, self.log.toggled(kind)),
            LogAction::Predicate(predicate) => {
                self.log.set_filter(timeline, LogFilter { predicate, ..filter });
            }
            LogAction::Focus(number) => self.focused = Some(number),
            LogAction::Step(by) => self.step(by, timeline),
            LogAction::Page(by) => {
                if self.focused.is_none() {
                    self.focus(usize::MAX, timeline);
                }
                self.step(by.saturating_mul(self.seen_at_once()), timeline);
            }
            LogAction::First => self.focus(0, timeline),
            LogAction::Unfold => self.unfold(timeline),
            LogAction::Fold => {
                if let Some(focused) = self.focused {
                    self.unfolded.remove(&focused);
                }
            }
            LogAction::Clear => timeline.clear(),
            LogAction::Scrolled { top_px, height_px } => self.scrolled(top_px, height_px, timeline),
            LogAction::Resized { width_px, height_px } => self.resized(width_px, height_px),
            LogAction::Follow => {
                self.focused = self.log.shown.back().copied();
                self.follows = true;
            }
            LogAction::Save => return Some(self.save(timeline, resource)),
        }
        None
    }

    fn render(&mut self, model: &mut LogModel, client: &Client, zone: Zone) {
        let Some(timeline) = client.timeline(self.recording.key) else { return };
        self.log.follow(timeline);
        self.unfolded = self.unfolded.split_off(&timeline.dropped());
        let rows = Rows::of(&self.log, &self.unfolded, timeline);
        let mut scroll_to_px = self.scroll_to_px.take();
        if self.follows {
            let total_px = window::window(self.viewport, rows.count()).total_px;
            self.viewport.scroll_top_px = (total_px + self.head_px() - self.viewport.height_px).max(0.0);
            scroll_to_px = Some(self.viewport.scroll_top_px);
        }
        let window = window::window(self.viewport, rows.count());
        let drawn: Vec<(u64, usize)> = window
            .rows
            .clone()
            .filter_map(|row| {
                let (at, part) = rows.entry(row);
                Some((*self.log.shown.get(at)?, part))
            })
            .collect();
        if drawn != self.drawn || std::mem::take(&mut self.must_draw) {
            let (focused, unfolded, since_ms) = (self.focused, &self.unfolded, self.recording.since_ms);
            let lines = Lines { client, timeline, focused, unfolded, since_ms, zone };
            model.lines = drawn.iter().filter_map(|(number, part)| lines.line(*number, *part)).collect();
            self.drawn = drawn;
        }
        model.extent = LogExtent {
            height_px: window.total_px,
            offset_px: window.offset_px,
            scroll_to_px,
            first: window.rows.start,
        };
        model.row_count = rows.count();
        model.is_narrow = self.is_narrow();
        model.text = self.log.filter.text.to_string();
        model.predicate = self.log.filter.predicate;
        model.follows = self.follows;
        model.toggles = toggles(&self.log);
        model.count = words::events_of(self.log.shown.len(), timeline.end());
    }
}

impl LogPane {
    fn new(recording: Recording, before: Before, client: &Client) -> Self {
        let mut log = Log::default();
        if let Some(timeline) = client.timeline(recording.key) {
            log.set_filter(timeline, before.filter);
        }
        if let Some(end) = before.paused_at {
            log.pause_at(end);
        }
        Self {
            recording,
            log,
            viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: LINE_PX },
            follows: true,
            focused: None,
            unfolded: BTreeMap::new(),
            scroll_to_px: None,
            drawn: Vec::new(),
            must_draw: true,
        }
    }

    /// Lines of another height keep their place, and so do lines that the browser mounts anew: it begins at the first one.
    fn resized(&mut self, width_px: f64, height_px: f64) {
        self.viewport.height_px = height_px;
        let row_px = if width_px < NARROW_PX { TWO_LINES_PX } else { LINE_PX };
        let before_px = std::mem::replace(&mut self.viewport.row_height_px, row_px);
        if !self.follows {
            self.viewport.scroll_top_px *= row_px / before_px;
            self.scroll_to_px = Some(self.viewport.scroll_top_px);
        }
    }

    fn is_narrow(&self) -> bool {
        self.viewport.row_height_px == TWO_LINES_PX
    }

    /// Two lines have no column titles above them.
    fn head_px(&self) -> f64 {
        if self.is_narrow() { 0.0 } else { HEAD_PX }
    }

    fn scrolled(&mut self, top_px: f64, height_px: f64, timeline: &TimelineView) {
        self.viewport.scroll_top_px = top_px;
        self.viewport.height_px = height_px;
        let rows = Rows::of(&self.log, &self.unfolded, timeline);
        let total_px = window::window(self.viewport, rows.count()).total_px;
        self.follows = top_px + height_px >= total_px - self.viewport.row_height_px;
    }

    /// Moves the focus, and scrolls to it. Without one it begins at the newest entry.
    fn step(&mut self, by: isize, timeline: &TimelineView) {
        let shown = &self.log.shown;
        let at = self.focused.map(|focused| shown.partition_point(|number| *number < focused));
        self.focus(at.map_or(usize::MAX, |at| at.saturating_add_signed(by)), timeline);
    }

    fn seen_at_once(&self) -> isize {
        ((self.viewport.height_px - self.head_px()) / self.viewport.row_height_px).max(1.0) as isize
    }

    /// The entry at this place, or the newest.
    fn focus(&mut self, to: usize, timeline: &TimelineView) {
        let Some(last) = self.log.shown.len().checked_sub(1) else { return };
        let to = to.min(last);
        self.focused = self.log.shown.get(to).copied();
        let row = Rows::of(&self.log, &self.unfolded, timeline).of_entry(to);
        let Viewport { scroll_top_px, height_px, row_height_px } = self.viewport;
        let top_px = window::top_px(row, row_height_px);
        let least_px = top_px + row_height_px + self.head_px() - height_px;
        let seen_px = scroll_top_px.min(top_px).max(least_px).max(0.0);
        if seen_px != scroll_top_px {
            self.viewport.scroll_top_px = seen_px;
            self.scroll_to_px = Some(seen_px);
        }
        self.follows = self.follows && to == last;
    }

    fn unfold(&mut self, timeline: &TimelineView) {
        let Some(focused) = self.focused else { return };
        let now = self.unfolded.get(&focused).copied();
        let next = timeline.entry(focused).and_then(|entry| Fields::of(entry).next(now));
        if let Some(next) = next {
            self.unfolded.insert(focused, next);
            self.follows = false;
        }
    }

    /// The shown entries, each as the JSON of the wire on its own line.
    fn save(&self, timeline: &TimelineView, resource: &str) -> Effect {
        let line = |number: &u64| {
            let entry = timeline.entry(*number)?;
            let Some(cluster) = timeline.cluster_of(*number) else {
                return serde_json::to_string(entry).ok();
            };
            let mut entry = serde_json::to_value(entry).ok()?;
            entry.as_object_mut()?.insert("cluster".to_owned(), cluster.as_str().into());
            Some(entry.to_string())
        };
        let lines: Vec<String> = self.log.shown.iter().filter_map(line).collect();
        let text = lines.join("\n") + "\n";
        Effect::Download(File {
            name: format!("{resource}.ndjson"),
            media_type: "application/x-ndjson",
            text,
        })
    }
}

fn toggles(log: &Log) -> Vec<LogToggle> {
    TYPES
        .iter()
        .zip(log.counts)
        .map(|(kind, count)| LogToggle {
            kind: *kind,
            count: messages::count(count),
            is_on: !log.filter.hidden.contains(kind),
        })
        .collect()
}
