//! The event log of a pane: its own subscription beside the table's, the lines of the window, and whether the
//! log scrolls with new entries.

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
use replica::now::Now;
use replica::timeline::TimelineView;
use shared::frame::timeline::{Entry, EntryType};
use shared::scope::Scope;
use shared::state::UnixMillis;

use crate::action::LogAction;
use crate::model::{
    Icon, LogBody, LogExtent, LogLine, LogModel, LogToggle, Notice, NoticeAction, NoticeKind, NoticeText,
};

pub(super) struct LogPane {
    pub(super) key: ViewKey,
    log: Log,
    viewport: Viewport,
    since_ms: UnixMillis,
    /// The log scrolls to new entries until the reader scrolls away from the end.
    follows: bool,
    drawn: Vec<u64>,
    /// The lines have to be made again.
    must_draw: bool,
}

/// As in the style sheet.
const LINE_PX: f64 = 24.0;

impl LogPane {
    fn new(key: ViewKey, now_ms: UnixMillis) -> Self {
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

    /// Opens or closes the log's own subscription, as the look needs it. Returns one that isn't needed any more.
    pub(super) fn follow_look(
        log: &mut Option<Self>,
        look: Look,
        client: &mut Client,
        scope: Scope,
        now: Now,
    ) -> Option<ViewKey> {
        match look {
            Look::Table => log.take().map(|log| log.key),
            Look::Log => {
                log.get_or_insert_with(|| Self::new(client.open_timeline(scope, None, now), now.now_ms));
                None
            }
        }
    }

    fn scrolled(&mut self, top_px: f64, height_px: f64) {
        self.viewport.scroll_top_px = top_px;
        self.viewport.height_px = height_px;
        let total_px = window::window(self.viewport, self.log.shown.len()).total_px;
        self.follows = top_px + height_px >= total_px - LINE_PX;
    }

    /// The notice line of a log, if the view has no other notice.
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
        self.log.shown.len()
    }

    pub(super) fn is_paused(&self) -> bool {
        self.log.is_paused()
    }

    /// The events since the pause began, beside the pill's word.
    pub(super) fn waiting(&self, client: &Client) -> Option<String> {
        let timeline = client.timeline(self.key).filter(|_| self.log.is_paused())?;
        Some(messages::events_waiting(self.log.waiting(timeline)))
    }

    pub(super) fn toggle_pause(&mut self) {
        self.log.toggle_pause();
    }

    pub(super) fn update(
        &mut self,
        action: LogAction,
        timeline: &mut TimelineView,
        resource: &str,
    ) -> Option<Effect> {
        self.must_draw = true;
        match action {
            LogAction::Filter(text) => self.log.set_text(timeline, &text),
            LogAction::Toggle(kind) => self.log.toggle(timeline, kind),
            LogAction::Predicate(predicate) => self.log.set_predicate(timeline, predicate),
            LogAction::Clear => timeline.clear(),
            LogAction::Scrolled { top_px, height_px } => self.scrolled(top_px, height_px),
            LogAction::Resized { height_px } => self.viewport.height_px = height_px,
            LogAction::Follow => self.follows = true,
            LogAction::Save => return Some(self.save(timeline, resource)),
        }
        None
    }

    pub(super) fn render(&mut self, client: &Client, model: &mut LogModel, zone: Zone) {
        let Some(timeline) = client.timeline(self.key) else { return };
        self.log.follow(timeline);
        let shown = &self.log.shown;
        if self.follows {
            let total_px = window::window(self.viewport, shown.len()).total_px;
            self.viewport.scroll_top_px = (total_px - self.viewport.height_px).max(0.0);
        }
        let window = window::window(self.viewport, shown.len());
        let numbers: Vec<u64> = shown.range(window.rows.clone()).copied().collect();
        if numbers != self.drawn || std::mem::take(&mut self.must_draw) {
            let line = |number: &u64| Some(line(client, *number, timeline.entry(*number)?, zone));
            model.lines = numbers.iter().filter_map(line).collect();
            self.drawn = numbers;
        }
        model.extent = LogExtent {
            height_px: window.total_px,
            offset_px: window.offset_px,
            scroll_to_px: self.follows.then_some(self.viewport.scroll_top_px),
            first: window.rows.start,
        };
        model.row_count = shown.len();
        model.text = self.log.text.to_string();
        model.predicate = self.log.predicate;
        model.follows = self.follows;
        model.toggles = toggles(&self.log);
        model.count = messages::events_of(shown.len(), timeline.end());
    }

    /// The shown entries, each as the JSON of the wire on its own line.
    fn save(&self, timeline: &TimelineView, resource: &str) -> Effect {
        let entries = self.log.shown.iter().filter_map(|number| timeline.entry(*number));
        let lines: Vec<String> = entries.filter_map(|entry| serde_json::to_string(entry).ok()).collect();
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
            is_on: !log.hidden.contains(kind),
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

/// The first field that isn't a time or a counter.
fn most_telling(fields: Vec<FieldLine>) -> Option<FieldLine> {
    let tells = |line: &FieldLine| {
        !["Time", "Timestamp", "eneration", "heartbeat"].iter().any(|end| line.path.ends_with(end))
    };
    let at = fields.iter().position(tells).unwrap_or(0);
    fields.into_iter().nth(at)
}
