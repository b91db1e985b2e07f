//! The logs of one object on the screen: what the reader chose, where they are in the lines, and whether new lines wait. Never
//! how the lines are kept, laid out or drawn.

mod around;
mod place;
mod written;

use std::rc::Rc;

use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{LogAnswer, LogMark};
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::buffer::{Arrived, Buffer, Entry, Mark, What};
use super::draw::Draw;
use super::filter::Filter;
use super::json;
use super::layout::Layout;
use super::model::{LogsRow, LogsView};
use super::needle::Needle;
use super::part::{LogsAction, LogsOutcome, LogsPart};
use super::reading::{Has, Reading, State};
use super::settings::{LineLink, Settings};
use super::words;
use crate::clipboard::Clip;
use crate::limits::{LOGS_ANNOUNCED_MS, LOGS_WAITING_MAX};
use crate::messages::Zone;
use crate::table_view::Client;
use crate::window::{Viewport, top_px, window};

/// The logs of one object. The panel calls it through [`LogsPart`]: it asks the gateway while the tab is open, puts what comes
/// into the buffer, or aside while the reader has paused, and draws the rows of the window.
pub(super) struct LogsPane {
    reading: Reading,
    scope: Option<Scope>,
    buffer: Buffer,
    layout: Layout,
    settings: Settings,
    /// As the address had them last.
    written: Option<Box<str>>,
    /// What the gateway was asked for. `None`: it is to be asked anew.
    asked: Option<Settings>,
    unread: Vec<String>,
    find_problem: Option<String>,
    has_json: bool,
    paused: Option<Paused>,
    is_choosing: bool,
    view: View,
    announced: Announced,
}

/// What comes while the reader has paused.
struct Paused {
    waiting: Vec<Arrived>,
    /// More than the page keeps aside.
    dropped: u64,
}

/// Where the reader is.
struct View {
    viewport: Viewport,
    width_px: f64,
    character_px: f64,
    /// The lines scroll with new ones until the reader scrolls away from the end.
    follows: bool,
    /// The hit, or the line that a link names.
    here: Option<u64>,
    /// The line of a link is looked for until the log is there.
    looks_for: bool,
    is_line_gone: bool,
    scroll: (u32, f64),
    /// The entry of the first whole row, which row of it that is, and how far below the upper edge.
    anchor: Option<(u64, usize, f64)>,
}

#[derive(Default)]
struct Announced {
    text: String,
    at_ms: UnixMillis,
    lines: u64,
}

const ROW_PX: f64 = 19.0;
const CHARACTER_PX: f64 = 7.2;
impl Default for LogsPane {
    fn default() -> Self {
        Self {
            reading: Reading::default(),
            scope: None,
            buffer: Buffer::default(),
            layout: Layout::default(),
            settings: Settings::default(),
            written: None,
            asked: None,
            unread: Vec::new(),
            find_problem: None,
            has_json: false,
            paused: None,
            is_choosing: false,
            view: View {
                viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: ROW_PX },
                width_px: 0.0,
                character_px: CHARACTER_PX,
                follows: true,
                here: None,
                looks_for: false,
                is_line_gone: false,
                scroll: (0, 0.0),
                anchor: None,
            },
            announced: Announced::default(),
        }
    }
}

impl LogsPart for LogsPane {
    fn follow(&mut self, scope: Option<Scope>, settings: Option<&str>, client: &mut Client, now: Now) {
        let Some(scope) = scope else { return self.reading.end(client) };
        if self.written.as_deref() != settings {
            self.read_settings(settings);
        }
        let is_other = self.scope.as_ref() != Some(&scope);
        if self.asked_for_other() || is_other {
            self.begin_anew(client);
            self.scope = Some(scope.clone());
        }
        let has = Has { buffer: &self.buffer, now_ms: now.now_ms };
        self.reading.follow(&scope, &self.settings, client, has);
        if self.buffer.is_looking() {
            self.buffer.look_on();
        }
    }

    fn came(&mut self, answer: &LogAnswer, client: &mut Client) {
        if !self.reading.is(answer.id) {
            return;
        }
        let Some(part) = answer.read() else { return };
        let arrived = self.reading.came(part, client);
        let is_line = |arrived: &&Arrived| matches!(arrived.what, What::Line { .. });
        self.announced.lines += arrived.iter().filter(is_line).map(|_| 1).sum::<u64>();
        self.has_json |= arrived
            .iter()
            .any(|arrived| matches!(&arrived.what, What::Line { text, .. } if json::looks_so(&text.text)));
        match &mut self.paused {
            Some(paused) => paused.add(arrived),
            None => self.buffer.add(arrived),
        }
        self.look_for_line();
    }

    fn failed(&mut self, id: SubscriptionId, problem: &Problem, now_ms: UnixMillis) {
        if self.reading.is(id) && self.reading.failed(problem, now_ms) {
            self.forget_lines();
        }
    }

    fn update(&mut self, action: LogsAction) -> LogsOutcome {
        match action {
            LogsAction::Scrolled { top_px } => self.scrolled(top_px),
            LogsAction::Resized { width_px, height_px, row_px, character_px } => {
                self.resized((width_px, height_px), (row_px, character_px));
            }
            LogsAction::Choose(is_open) => self.is_choosing = is_open,
            LogsAction::Unfold(number) => self.unfold(number),
            LogsAction::NextHit { is_forward } => self.next_hit(is_forward),
            LogsAction::Pause => self.toggle_pause(),
            LogsAction::Follow => self.follow_end(),
            LogsAction::First => {
                self.view.follows = false;
                self.scroll_to(0.0);
            }
            LogsAction::Copy => return LogsOutcome::Copy(Clip::Text(self.copied())),
            LogsAction::Download => return LogsOutcome::Download(self.file()),
            action => return self.choose(action),
        }
        LogsOutcome::Nothing
    }

    fn timer_ms(&self) -> Option<UnixMillis> {
        let looking = self.buffer.is_looking().then_some(0);
        looking.or_else(|| self.reading.timer_ms())
    }

    fn has_open_part(&self) -> bool {
        self.is_choosing
    }

    fn render(&mut self, now_ms: UnixMillis, zone: Zone) -> Rc<LogsView> {
        self.lay_out();
        let rows = self.rows(now_ms, zone);
        self.announce(now_ms);
        Rc::new(LogsView {
            tools: self.tools(),
            choice: self.is_choosing.then(|| self.choice()),
            notes: self.notes(),
            empty: self.empty(now_ms),
            rows,
            height_px: top_px(self.layout.total(), self.view.viewport.row_height_px),
            row_px: self.view.viewport.row_height_px,
            scroll: self.view.scroll,
            label_characters: self.label_characters(),
            foot: self.foot(),
            is_paused: self.paused.is_some(),
            announced: self.announced.text.clone(),
            is_over: *self.reading.state() == State::Over,
        })
    }
}

impl Paused {
    fn add(&mut self, arrived: Vec<Arrived>) {
        self.waiting.extend(arrived);
        let more = self.waiting.len().saturating_sub(LOGS_WAITING_MAX);
        self.dropped += u64::try_from(more).unwrap_or_default();
        self.waiting.drain(..more);
    }
}

/// What the reader chose.
impl LogsPane {
    fn read_settings(&mut self, written: Option<&str>) {
        let (settings, unread) = Settings::read(written.unwrap_or_default());
        self.written = written.map(Into::into);
        self.unread = unread;
        self.view.looks_for = settings.line.is_some() && settings.line != self.settings.line;
        if self.view.looks_for {
            self.view.follows = false;
        }
        self.apply(settings);
        self.look_for_line();
        if self.view.looks_for || self.view.is_line_gone {
            // It may be older than what is held.
            self.asked = None;
        }
    }

    fn apply(&mut self, settings: Settings) {
        let before = std::mem::replace(&mut self.settings, settings);
        if before.find != self.settings.find {
            let read = Needle::read(&self.settings.find);
            self.find_problem = read.as_ref().err().map(|why| words::not_applied(&self.settings.find, why));
            self.buffer.set_needle(read.unwrap_or_default());
        }
        if before.filter != self.settings.filter {
            self.buffer.set_filter(Filter::read(&self.settings.filter));
        }
        if before.wraps != self.settings.wraps {
            self.layout.fold_all();
        }
    }

    /// Returns what the address says from now on.
    fn choose(&mut self, action: LogsAction) -> LogsOutcome {
        let mut settings = self.settings.clone();
        match action {
            LogsAction::Find(text) => settings.find = text.into(),
            LogsAction::Filter(text) => settings.filter = text.into(),
            LogsAction::From(from) => (settings.from, settings.line) = (from, None),
            LogsAction::Times(times) => settings.times = times,
            LogsAction::Wrap => settings.wraps = !settings.wraps,
            LogsAction::Raw => settings.is_raw = !settings.is_raw,
            LogsAction::Previous => settings.is_previous = !settings.is_previous,
            LogsAction::AllPods => settings.pods.clear(),
            LogsAction::TogglePod(name) => {
                settings.pods = toggled(&self.reading.sources.pods(), &settings.pods, &name);
            }
            LogsAction::ToggleContainer(name) => {
                settings.containers =
                    toggled(&self.reading.sources.containers(), &settings.containers, &name);
            }
            LogsAction::Line(number) => settings.line = self.link_to(number),
            _ => return LogsOutcome::Nothing,
        }
        let finds_anew = settings.find != self.settings.find;
        self.apply(settings);
        if finds_anew {
            self.find_from_here();
        }
        self.unread.clear();
        self.view.is_line_gone = false;
        self.written = self.settings.write();
        LogsOutcome::Settings(self.written.clone())
    }

    /// The gateway is asked for other lines than those that are held.
    fn asked_for_other(&mut self) -> bool {
        if self.asked.as_ref().is_some_and(|asked| asked.asks_same(&self.settings)) {
            return false;
        }
        self.asked = Some(self.settings.clone());
        true
    }

    fn begin_anew(&mut self, client: &mut Client) {
        self.reading.begin_anew(client);
        self.forget_lines();
        self.paused = None;
        self.view.follows = self.settings.line.is_none();
        self.view.looks_for = self.settings.line.is_some();
    }

    fn forget_lines(&mut self) {
        self.buffer.clear();
        self.layout = Layout::default();
        if let Some(paused) = &mut self.paused {
            paused.waiting.clear();
        }
        (self.view.here, self.view.anchor) = (None, None);
        self.has_json = false;
    }

    fn toggle_pause(&mut self) {
        match self.paused.take() {
            Some(Paused { mut waiting, dropped }) => {
                if dropped > 0 {
                    let mark = Mark { mark: LogMark::Skipped, lines: dropped, ..Mark::default() };
                    let at = waiting.first().and_then(|first| first.at);
                    // Of no source alone.
                    waiting.insert(0, Arrived { source: u32::MAX, at, what: What::Mark(Box::new(mark)) });
                }
                self.buffer.add(waiting);
            }
            None => self.paused = Some(Paused { waiting: Vec::new(), dropped: 0 }),
        }
    }
}

/// What is looked for.
impl LogsPane {
    /// The hit at which the reader looks, or the first behind it.
    fn find_from_here(&mut self) {
        let first = self.first_seen();
        let place = self.buffer.next_found(first.checked_sub(1), true);
        match place {
            Some(place) => self.go_to(place),
            None => self.view.here = None,
        }
    }

    fn next_hit(&mut self, is_forward: bool) {
        let here = self.view.here.and_then(|number| self.buffer.place_of(number));
        let from = here.or_else(|| self.first_seen().checked_sub(1));
        if let Some(place) = self.buffer.next_found(from, is_forward) {
            self.go_to(place);
        }
    }

    /// The place of the entry at the upper edge.
    fn first_seen(&self) -> usize {
        let row = self.view.viewport.scroll_top_px / self.view.viewport.row_height_px.max(1.0);
        self.layout.entry_at(row.max(0.0) as usize).map_or(0, |(place, _)| place)
    }

    /// Shows an entry with lines around it.
    fn go_to(&mut self, place: usize) {
        let Some(entry) = self.buffer.entries().get(place) else { return };
        self.view.here = Some(entry.number);
        self.layout.follow(&mut self.buffer);
        let Viewport { scroll_top_px, height_px, row_height_px } = self.view.viewport;
        let top = top_px(self.layout.row_of(place), row_height_px);
        let context_px = (row_height_px * 3.0).min(height_px / 3.0);
        let is_seen = top >= scroll_top_px + context_px
            && top + row_height_px <= scroll_top_px + height_px - context_px;
        self.view.follows = false;
        if !is_seen {
            self.scroll_to((top - height_px / 2.0).max(0.0));
        }
    }

    /// The line that the link names, or the next one once all that was there has come.
    fn look_for_line(&mut self) {
        let Some(line) = self.settings.line.as_ref().filter(|_| self.view.looks_for) else { return };
        let sources = &self.reading.sources;
        let is_of_source = |entry: &Entry| {
            let source = sources.get(entry.source);
            source.is_some_and(|source| source.pod == line.pod && source.container == line.container)
        };
        let entries = self.buffer.entries();
        let exact = entries.iter().position(|entry| entry.at == Some(line.at) && is_of_source(entry));
        let found = match exact {
            None if !self.reading.is_caught_up => return,
            None => entries.iter().position(|entry| entry.at >= Some(line.at)),
            exact => exact,
        };
        (self.view.looks_for, self.view.is_line_gone) = (false, exact.is_none());
        if let Some(place) = found {
            self.go_to(place);
        }
    }

    fn link_to(&self, number: u64) -> Option<LineLink> {
        let entry = self.buffer.entries().get(self.buffer.place_of(number)?)?;
        let source = self.reading.sources.get(entry.source)?;
        Some(LineLink { pod: source.pod.clone(), container: source.container.clone(), at: entry.at? })
    }
}

/// What is drawn and told.
impl LogsPane {
    fn rows(&mut self, now_ms: UnixMillis, zone: Zone) -> Vec<Rc<LogsRow>> {
        let draw = Draw {
            sources: &self.reading.sources,
            needle: self.buffer.needle(),
            columns: self.layout.columns(),
            is_raw: self.settings.is_raw,
            times: self.settings.times,
            here: self.view.here,
            now_ms,
            zone,
        };
        let window = window(self.view.viewport, self.layout.total());
        let row = |row: usize| {
            let (place, part) = self.layout.entry_at(row)?;
            let entry = self.buffer.entries().get(place)?;
            Some(draw.row(entry, row, part, self.layout.is_unfolded(entry.number)))
        };
        window.rows.filter_map(row).collect()
    }

    /// At most every ten seconds, so that a screen reader isn't talked over.
    fn announce(&mut self, now_ms: UnixMillis) {
        let announced = &mut self.announced;
        if announced.lines > 0 && now_ms.saturating_sub(announced.at_ms) >= LOGS_ANNOUNCED_MS {
            announced.text = words::announced(std::mem::take(&mut announced.lines));
            announced.at_ms = now_ms;
        }
    }
}

/// The choice with a name added or left out. All is none, so that what comes later is read too.
fn toggled(all: &[&str], chosen: &[Box<str>], name: &str) -> Vec<Box<str>> {
    let is_on = |held: &str| chosen.is_empty() || chosen.iter().any(|on| **on == *held);
    let on: Vec<Box<str>> =
        all.iter().filter(|held| is_on(held) != (**held == name)).map(|held| Box::from(*held)).collect();
    if on.len() == all.len() || on.is_empty() { Vec::new() } else { on }
}
