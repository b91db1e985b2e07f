//! The event log of a pane: its own subscription beside the table's, the lines of the window, and
//! whether the reader follows the newest.

use std::sync::Arc;

use crate::address::Look;
use crate::detail::history::{self, Body, FieldLine};
use crate::effect::{Effect, File};
use crate::limits::TIMELINE_ENTRIES_MAX;
use crate::log::{Log, TYPES};
use crate::messages::{self, Zone};
use crate::table_view::Client;
use crate::window::{self, Viewport};
use replica::client::ViewKey;
use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

use super::Pane;
use crate::action::LogAction;
use crate::model::{
    Icon, LogBody, LogExtent, LogLine, LogToggle, Notice, NoticeAction, NoticeKind, NoticeText,
};

pub(super) struct LogPane {
    pub(super) key: ViewKey,
    log: Log,
    viewport: Viewport,
    since_ms: UnixMillis,
    /// The newest is kept in sight until the reader scrolls away from it.
    follows: bool,
    drawn: Vec<u64>,
    /// What is shown was filtered anew.
    must_draw: bool,
}

/// The style sheet's.
const LINE_PX: f64 = 24.0;

impl LogPane {
    pub(super) fn new(key: ViewKey, now_ms: UnixMillis) -> Self {
        Self {
            key,
            log: Log::default(),
            viewport: Viewport { scroll_top_px: 0.0, height_px: 0.0, row_height_px: LINE_PX },
            since_ms: now_ms,
            follows: true,
            drawn: Vec::new(),
            must_draw: true,
        }
    }

    fn scrolled(&mut self, top_px: f64, height_px: f64) {
        self.viewport.scroll_top_px = top_px;
        self.viewport.height_px = height_px;
        let total_px = window::window(self.viewport, self.log.shown().len()).total_px;
        self.follows = top_px + height_px >= total_px - LINE_PX;
    }

    /// In the notice line, while the view has nothing else to say.
    pub(super) fn line(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Notice {
        let Some(timeline) = client.timeline(self.key) else { return Notice::None };
        let since = messages::instant(self.since_ms, now_ms, zone);
        let about = messages::log_line(timeline.end(), &since, TIMELINE_ENTRIES_MAX, timeline.dropped());
        let is_paused = self.log.is_paused();
        Notice::Text(NoticeText {
            kind: if is_paused { NoticeKind::Paused } else { NoticeKind::Plain },
            icon: if is_paused { Icon::Pause } else { Icon::Log },
            meter: None,
            strong: if is_paused { messages::VIEW_PAUSED.to_owned() } else { String::new() },
            text: if is_paused { messages::events_wait(self.log.waiting(timeline)) } else { about },
            action: is_paused.then_some(NoticeAction::Resume),
        })
    }

    /// How many events are shown.
    pub(super) fn len(&self) -> usize {
        self.log.shown().len()
    }

    pub(super) fn is_paused(&self) -> bool {
        self.log.is_paused()
    }

    /// What came since a pause began, beside the pill's word.
    pub(super) fn waiting(&self, client: &Client) -> Option<String> {
        let timeline = client.timeline(self.key).filter(|_| self.log.is_paused())?;
        Some(messages::events_waiting(self.log.waiting(timeline)))
    }

    pub(super) fn toggle_pause(&mut self) {
        if self.log.is_paused() {
            self.log.resume();
        } else {
            self.log.pause();
        }
    }
}

impl Pane {
    /// The table's log, or the log's table. Who asks for one goes on in it, by keys too.
    pub(crate) fn toggle_look(&mut self) {
        self.look = match self.look {
            Look::Table => Look::Log,
            Look::Log => Look::Table,
        };
        self.model.log.takes_focus = self.look == Look::Log;
        if self.look == Look::Table {
            // The table stands before its row is asked to take the focus.
            self.model.log.is_shown = false;
            self.screen.wants_focus = true;
        }
    }

    pub(super) fn update_log(&mut self, client: &mut Client, action: LogAction) -> Option<Effect> {
        let pane = self.log.as_mut()?;
        let timeline = client.timeline_mut(pane.key)?;
        pane.must_draw = true;
        match action {
            LogAction::Filter(text) => pane.log.set_text(timeline, &text),
            LogAction::Toggle(kind) => pane.log.toggle(timeline, kind),
            LogAction::Predicate(predicate) => pane.log.set_predicate(timeline, predicate),
            LogAction::Clear => timeline.clear(),
            LogAction::Scrolled { top_px, height_px } => pane.scrolled(top_px, height_px),
            LogAction::Resized { height_px } => pane.viewport.height_px = height_px,
            LogAction::Follow => pane.follows = true,
            LogAction::Save => return Some(save(&self.place.resource, pane, timeline)),
        }
        None
    }

    /// Where the pane shows no log, nothing.
    pub(super) fn render_log(&mut self, client: &Client, zone: Zone) {
        let model = &mut self.model.log;
        model.is_shown = self.log.is_some();
        let Some(pane) = &mut self.log else { return };
        let Some(timeline) = client.timeline(pane.key) else { return };
        pane.log.follow(timeline);
        let shown = pane.log.shown();
        if pane.follows {
            let total_px = window::window(pane.viewport, shown.len()).total_px;
            pane.viewport.scroll_top_px = (total_px - pane.viewport.height_px).max(0.0);
        }
        let window = window::window(pane.viewport, shown.len());
        let numbers: Vec<u64> = shown.range(window.rows.clone()).copied().collect();
        let scroll_to_px = pane.follows.then_some(pane.viewport.scroll_top_px);
        let extent = LogExtent {
            height_px: window.total_px,
            offset_px: window.offset_px,
            scroll_to_px,
            first: window.rows.start,
        };
        if numbers != pane.drawn || std::mem::take(&mut pane.must_draw) {
            let line = |number: &u64| Some(line(client, *number, timeline.entry(*number)?, zone));
            model.lines = numbers.iter().filter_map(line).collect();
            pane.drawn = numbers;
        }
        model.extent = extent;
        model.row_count = shown.len();
        model.text = pane.log.text().to_owned();
        model.predicate = pane.log.predicate();
        model.follows = pane.follows;
        model.toggles = toggles(&pane.log);
        model.count = messages::events_of(shown.len(), timeline.end());
    }
}

fn toggles(log: &Log) -> Vec<LogToggle> {
    TYPES
        .iter()
        .zip(log.counts())
        .map(|(kind, count)| LogToggle {
            kind: *kind,
            count: messages::count(u64::try_from(count).unwrap_or(u64::MAX)),
            is_on: !log.is_hidden(*kind),
        })
        .collect()
}

fn line(client: &Client, number: u64, entry: &Entry, zone: Zone) -> Arc<LogLine> {
    let item = history::item(number, entry, None, |ms| client.local_ms(ms), zone);
    let (writers, body) = match (entry.kind, item.body) {
        (_, Body::Gap { bold, sentence }) => (String::new(), LogBody::Gap { bold, sentence }),
        (EntryType::Bookmark, _) => (String::new(), LogBody::Words(messages::ALL_SEEN.to_owned())),
        (EntryType::Error, _) => {
            let problem = entry.problem.as_ref();
            let bold = problem.map(|problem| problem.reason.words()).unwrap_or_default();
            let sentence = problem.map(|problem| problem.message.to_string()).unwrap_or_default();
            (String::new(), LogBody::Problem { bold: bold.to_string(), sentence })
        }
        (_, Body::Change { writers, fields, more, .. }) => {
            let rest = fields.len().saturating_sub(1);
            let beyond = u64::try_from(rest).unwrap_or_default() + u64::from(entry.fields_more);
            let more = if beyond > 0 { Some(messages::more_fields(beyond)) } else { more };
            let names: Vec<String> = writers.into_iter().map(|(name, _)| name).collect();
            let field = most_telling(fields);
            (names.join(", "), LogBody::Change { field, more, is_relisted: entry.relisted })
        }
    };
    Arc::new(LogLine {
        number,
        clock: item.clock,
        millis: item.millis,
        kind: entry.kind,
        namespace: entry.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default(),
        name: entry.name.as_deref().unwrap_or_default().to_owned(),
        body,
        writers,
        resource_version: entry.resource_version.as_ref().map(ToString::to_string).unwrap_or_default(),
    })
}

/// When something changed says less than what did.
fn most_telling(fields: Vec<FieldLine>) -> Option<FieldLine> {
    let tells = |line: &FieldLine| {
        !["Time", "Timestamp", "eneration", "heartbeat"].iter().any(|end| line.path.ends_with(end))
    };
    let at = fields.iter().position(tells).unwrap_or(0);
    fields.into_iter().nth(at)
}

/// The entries that are shown, one in a line, as the wire says them.
fn save(resource: &str, pane: &LogPane, timeline: &TimelineView) -> Effect {
    let entries = pane.log.shown().iter().filter_map(|number| timeline.entry(*number));
    let lines: Vec<String> = entries.filter_map(|entry| serde_json::to_string(entry).ok()).collect();
    let text = lines.join("\n") + "\n";
    Effect::Download(File { name: format!("{resource}.ndjson"), media_type: "application/x-ndjson", text })
}
