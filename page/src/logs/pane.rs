//! The logs of one object: what is asked of the gateway, what its reader chose, and the lines. Never how the lines are kept,
//! laid out or drawn.

use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::state::UnixMillis;

use super::around::Around;
use super::beginning::Older;
use super::buffer::Entry;
use super::draw::Draw;
use super::events::{Events, EventsTold};
use super::filter::Filter;
use super::last::{Last, LastWanted};
use super::lines::Lines;
use super::model::LogsView;
use super::names::Names;
use super::needle::Needle;
use super::part::{LogsAction, LogsOutcome, LogsPart, LogsWanted, MakeLogs};
use super::place::Place;
use super::pod::Pod;
use super::question::Has;
use super::questions::Questions;
use super::settings::{LineLink, Settings};
use super::shown::LogsShown;
use super::words;
use super::written::Written;
use crate::clipboard::Clip;
use crate::limits::LOGS_ANNOUNCED_MS;
use crate::messages::Zone;
use crate::table_view::Client;
use crate::window::{Viewport, top_px};

/// Named in the piece alone.
pub(crate) const MAKE_LOGS: MakeLogs = MakeLogs(|| Box::new(LogsPane::default()));

/// The logs of one object. The panel calls it through [`LogsPart`]: it asks the gateway while the tab is open, puts what comes
/// into its lines, or aside while the reader has paused, and draws the rows of the window. While the overview is open it has the
/// last lines of a container that fails.
#[derive(Default)]
struct LogsPane {
    questions: Questions,
    scope: Option<Scope>,
    chosen: Chosen,
    lines: Lines,
    place: Place,
    is_choosing: bool,
    announced: Announced,
    last: Last,
    events: Events,
}

/// What the reader chose, and how the address says it.
#[derive(Default)]
struct Chosen {
    settings: Settings,
    /// As the address had them last.
    written: Option<Box<str>>,
    /// What the gateway was asked for. `None`: it is to be asked anew.
    asked: Option<Settings>,
    /// The parts of the link that can't be read.
    unread: Vec<String>,
    find_problem: Option<String>,
}

#[derive(Default)]
struct Announced {
    text: String,
    at_ms: UnixMillis,
    lines: u64,
}

impl LogsPart for LogsPane {
    fn follow(
        &mut self,
        wanted: Option<LogsWanted>,
        settings: Option<&str>,
        client: &mut Client,
        now: Now,
    ) -> bool {
        let Some(LogsWanted { scope, view }) = wanted else {
            self.questions.end(client);
            return false;
        };
        let mut is_new = false;
        if self.chosen.written.as_deref() != settings {
            self.read_settings(settings, client);
            is_new = true;
        }
        let is_other = self.scope.as_ref() != Some(&scope);
        if is_other {
            self.events.forget();
        }
        if self.chosen.must_ask_anew() || is_other {
            self.questions.begin_anew(client);
            self.lines.clear();
            self.lines.paused = None;
            self.place.begin_anew(self.chosen.settings.line.as_ref());
            self.scope = Some(scope.clone());
            is_new = true;
        }
        let left = self.questions.choose((&scope, view), &self.chosen.settings.clusters, client);
        self.lines.leave_out(&left);
        let has = Has { buffer: &self.lines.buffer, now_ms: now.now_ms };
        is_new |= self.questions.follow(&self.chosen.settings, client, &has);
        let answers = self.questions.take(client);
        if self.questions.take_is_named_anew() {
            self.lines.buffer.set_names(Names::of(self.questions.sources()));
        }
        for answer in answers {
            self.announced.lines += self.lines.add(answer);
            is_new = true;
        }
        if is_new {
            let is_caught_up = self.questions.is_caught_up();
            self.place.look_for_line(&mut self.lines, self.questions.sources(), is_caught_up);
        }
        if self.lines.buffer.is_looking() {
            self.lines.buffer.look_on();
            is_new = true;
        }
        is_new
    }

    fn follow_last(&mut self, wanted: Option<&LastWanted>, client: &mut Client) -> bool {
        self.last.follow(wanted, client)
    }

    fn pods(&self) -> Vec<&str> {
        self.questions.sources().own_pods()
    }

    fn tell_events(&mut self, told: EventsTold) {
        self.events.tell(told);
    }

    fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        if self.last.failed(id, problem) {
            return;
        }
        let Some(withdrawn) = self.questions.failed(id, problem) else { return };
        if self.questions.is_of_one_cluster() {
            self.lines.clear();
        } else {
            self.lines.leave_out(&withdrawn.sources);
        }
        if withdrawn.is_own {
            self.events.forget();
        }
    }

    fn update(&mut self, action: LogsAction) -> LogsOutcome {
        let Self { lines, place, .. } = self;
        match action {
            LogsAction::Scrolled { top_px } => place.scrolled(top_px, lines),
            LogsAction::Resized { width_px, height_px, row_px, character_px } => {
                place.resized((width_px, height_px), (row_px, character_px));
            }
            LogsAction::Choose(is_open) => self.is_choosing = is_open,
            LogsAction::Unfold(number) => {
                if lines.unfold(number) {
                    place.stay(lines);
                }
            }
            LogsAction::NextHit { is_forward } => self.next_hit(is_forward),
            LogsAction::Pause => lines.toggle_pause(),
            LogsAction::Follow => {
                place.follows = true;
                if lines.paused.is_some() {
                    lines.toggle_pause();
                }
            }
            LogsAction::First => {
                place.follows = false;
                place.scroll_to(0.0, lines);
            }
            LogsAction::OpenLast => return LogsOutcome::Open(self.last.settings()),
            LogsAction::Copy => return LogsOutcome::Copy(Clip::Text(self.written().copied())),
            LogsAction::Download => {
                return LogsOutcome::Download(self.written().file(self.scope.as_ref()));
            }
            action => return self.choose(action),
        }
        LogsOutcome::Nothing
    }

    fn timer_ms(&self) -> Option<UnixMillis> {
        let looking = self.lines.buffer.is_looking().then_some(0);
        looking.or_else(|| self.questions.timer_ms())
    }

    fn render(&mut self, now_ms: UnixMillis, zone: Zone) -> LogsShown {
        let (settings, sources) = (&self.chosen.settings, self.questions.sources());
        if self.lines.paused.is_none() {
            self.events.take();
        }
        let pods = sources.own_pods();
        let pods = if settings.hides_events { &[] } else { &*pods };
        self.lines.buffer.set_events(self.events.which(pods), self.events.of(pods));
        let columns =
            settings.wraps.then(|| self.place.text_columns(settings.times, sources, self.lines.has_json));
        let older = self.questions.older(self.lines.buffer.dropped());
        self.lines.layout.set_head(older != Older::None);
        self.place.lay_out(&mut self.lines, columns);
        self.announced.announce(now_ms);
        let draw = Draw {
            sources,
            names: self.lines.buffer.names(),
            needle: self.lines.buffer.needle(),
            columns: self.lines.layout.columns(),
            label_characters: self.place.label_characters(sources),
            is_raw: settings.is_raw,
            times: settings.times,
            here: self.place.here,
            older,
            now_ms,
            zone,
        };
        let around = Around {
            lines: &self.lines,
            questions: &self.questions,
            settings,
            here: self.place.here,
            older,
            follows: self.place.follows,
        };
        let viewport = self.place.viewport;
        LogsShown::new(LogsView {
            tools: around.tools(),
            choice: self.is_choosing.then(|| around.choice()),
            notes: self.notes(),
            rows: self.lines.rows(viewport, &draw),
            height_px: top_px(self.lines.layout.total(), viewport.row_height_px),
            row_px: viewport.row_height_px,
            scroll: self.place.scroll,
            label_characters: self.place.label_characters(sources),
            empty: around.empty(now_ms),
            foot: around.foot(),
            is_paused: self.lines.paused.is_some(),
            announced: self.announced.text.clone(),
        })
    }

    fn last(&self) -> LogsShown {
        self.last.shown()
    }
}

impl LogsPane {
    fn read_settings(&mut self, written: Option<&str>, client: &Client) {
        let (mut settings, mut unread) = Settings::read(written.unwrap_or_default());
        let is_served = |name: &str| client.clusters().iter().any(|cluster| cluster.name.as_str() == name);
        let (served, unknown) = settings.clusters.into_iter().partition::<Vec<_>, _>(|name| is_served(name));
        settings.clusters = served;
        unread.extend((!unknown.is_empty()).then(|| format!("clusters:{}", unknown.join(","))));
        let is_other_line = settings.line.is_some() && settings.line != self.chosen.settings.line;
        (self.chosen.written, self.chosen.unread) = (written.map(Into::into), unread);
        self.chosen.apply(settings, &mut self.lines);
        if is_other_line {
            self.place.looks_for = self.chosen.settings.line.clone();
            self.place.look_for_line(&mut self.lines, self.questions.sources(), false);
            // It may be older than what is held.
            if self.place.looks_for.is_some() {
                self.chosen.asked = None;
            }
        }
    }

    /// Returns what the address says from now on.
    fn choose(&mut self, action: LogsAction) -> LogsOutcome {
        let mut settings = self.chosen.settings.clone();
        let sources = self.questions.sources();
        match action {
            LogsAction::Find(text) => settings.find = text.into(),
            LogsAction::Filter(text) => settings.filter = text.into(),
            LogsAction::From(from) => {
                (settings.from, settings.line) = (from, None);
                // What began at the line of a link is asked for anew, also where the choice is the same.
                self.chosen.asked.take_if(|asked| asked.line.is_some());
            }
            LogsAction::Times(times) => settings.times = times,
            LogsAction::Wrap => settings.wraps = !settings.wraps,
            LogsAction::Events => settings.hides_events = !settings.hides_events,
            LogsAction::Raw => settings.is_raw = !settings.is_raw,
            LogsAction::Previous => settings.is_previous = !settings.is_previous,
            LogsAction::AllPods => settings.pods.clear(),
            LogsAction::ToggleCluster(name) => settings.toggle_cluster(&name),
            LogsAction::TogglePod(key) => {
                let cluster = Pod::read(&key).cluster;
                let pods = sources.pods().into_iter().filter(|pod| pod.cluster == cluster);
                let all: Vec<Box<str>> = pods.map(|pod| pod.to_string().into()).collect();
                let is_beside = |held: &mut Box<str>| Pod::read(held).cluster == cluster;
                let chosen: Vec<Box<str>> = settings.pods.extract_if(.., is_beside).collect();
                settings.pods.extend(toggled(&all, &chosen, &key));
            }
            LogsAction::ToggleContainer(name) => {
                let all: Vec<Box<str>> = sources.containers().into_iter().map(Box::from).collect();
                settings.containers = toggled(&all, &settings.containers, &name);
            }
            LogsAction::Line(number) => settings.line = self.link_to(number),
            LogsAction::LinkLine { is_forward } => match self.next_link(is_forward) {
                Some(line) => settings.line = Some(line),
                None => return LogsOutcome::Nothing,
            },
            _ => return LogsOutcome::Nothing,
        }
        let finds_anew = settings.find != self.chosen.settings.find;
        if let Some(line) =
            settings.line.as_ref().filter(|line| self.chosen.settings.line.as_ref() != Some(line))
        {
            self.place.looks_for = Some(line.clone());
            self.place.look_for_line(&mut self.lines, self.questions.sources(), true);
        }
        self.chosen.apply(settings, &mut self.lines);
        if finds_anew {
            self.find_from_here();
        }
        self.chosen.unread.clear();
        self.place.is_line_gone = false;
        self.chosen.written = self.chosen.settings.write();
        LogsOutcome::Settings(self.chosen.written.clone())
    }

    /// Goes to the hit at which the reader looks, or to the first behind it.
    fn find_from_here(&mut self) {
        let first = self.place.first_seen(&self.lines);
        match self.lines.buffer.next_found(first.checked_sub(1), true) {
            Some(place) => self.place.go_to(place, &mut self.lines),
            None => self.place.here = None,
        }
    }

    fn next_hit(&mut self, is_forward: bool) {
        let here = self.place.here.and_then(|number| self.lines.buffer.place_of(number));
        let from = here.or_else(|| self.place.first_seen(&self.lines).checked_sub(1));
        if let Some(place) = self.lines.buffer.next_found(from, is_forward) {
            self.place.go_to(place, &mut self.lines);
        }
    }

    fn link_to(&self, number: u64) -> Option<LineLink> {
        self.link_of(self.lines.numbered(number)?.1)
    }

    /// To the line that is pointed out, or to the first one in the box; to the one beside it where the address names that.
    fn next_link(&self, is_forward: bool) -> Option<LineLink> {
        let Viewport { scroll_top_px, height_px, row_height_px } = self.place.viewport;
        let is_seen = |place: &usize| {
            let below_px = top_px(self.lines.layout.row_of(*place), row_height_px) - scroll_top_px;
            (0.0..height_px).contains(&below_px)
        };
        let here = self.place.here.and_then(|number| self.lines.buffer.place_of(number)).filter(is_seen);
        let from = here.unwrap_or_else(|| self.place.first_seen(&self.lines));
        let link = |place: usize| {
            let entry = self.lines.entry(place).filter(|entry| entry.is_shown)?;
            self.link_of(entry).filter(|link| self.chosen.settings.line.as_ref() != Some(link))
        };
        if is_forward {
            (from..self.lines.buffer.entries().len()).find_map(link)
        } else {
            (0..=from).rev().find_map(link)
        }
    }

    fn link_of(&self, entry: &Entry) -> Option<LineLink> {
        let source = self.questions.sources().get(entry.source)?;
        Some(LineLink { pod: source.pod.clone(), container: source.container.clone(), at: entry.at? })
    }

    fn written(&self) -> Written<'_> {
        Written { lines: &self.lines, sources: self.questions.sources(), times: self.chosen.settings.times }
    }

    fn notes(&self) -> Vec<String> {
        let unread = (!self.chosen.unread.is_empty()).then(|| words::unread(&self.chosen.unread));
        let filter = self.lines.buffer.filter().problem.clone();
        let line = self.place.is_line_gone.then(|| words::LINE_IS_GONE.to_owned());
        let own = [unread, self.chosen.find_problem.clone(), filter, line].into_iter().flatten();
        own.chain(self.questions.notes()).collect()
    }
}

impl Chosen {
    fn apply(&mut self, settings: Settings, lines: &mut Lines) {
        let before = std::mem::replace(&mut self.settings, settings);
        if before.find != self.settings.find {
            let read = Needle::read(&self.settings.find);
            self.find_problem = read.as_ref().err().map(|why| words::not_applied(&self.settings.find, why));
            lines.look_for(read.unwrap_or_default());
        }
        if before.filter != self.settings.filter {
            lines.filter_by(Filter::read(&self.settings.filter));
        }
        if before.wraps != self.settings.wraps {
            lines.layout.fold_all();
        }
    }

    /// Whether other lines are wanted than were asked for. From now on they are asked for.
    fn must_ask_anew(&mut self) -> bool {
        if self.asked.as_ref().is_some_and(|asked| asked.asks_same(&self.settings)) {
            return false;
        }
        self.asked = Some(self.settings.clone());
        true
    }
}

impl Announced {
    /// At most every ten seconds, so that a screen reader isn't talked over.
    fn announce(&mut self, now_ms: UnixMillis) {
        if self.lines > 0 && now_ms.saturating_sub(self.at_ms) >= LOGS_ANNOUNCED_MS {
            self.text = words::announced(std::mem::take(&mut self.lines));
            self.at_ms = now_ms;
        }
    }
}

/// The choice with a name added or left out. All is none, so that what comes later is read too.
fn toggled(all: &[Box<str>], chosen: &[Box<str>], name: &str) -> Vec<Box<str>> {
    let is_on = |held: &str| chosen.is_empty() || chosen.iter().any(|on| **on == *held);
    let on: Vec<Box<str>> = all.iter().filter(|held| is_on(held) != (***held == *name)).cloned().collect();
    if on.len() == all.len() || on.is_empty() { Vec::new() } else { on }
}
