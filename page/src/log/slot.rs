//! The place of a pane's log. Its subscription is opened at the first look, or when
//! the rows are paused, so that no change is missed. The log itself
//! comes with a piece of the program: until it is there, no entry is shown.

use replica::client::ViewKey;
use shared::name::ClusterName;
use shared::scope::Scope;

use super::filter::LogFilter;
use super::model::LogModel;
use super::part::{Before, LogPart, Part, Recording};
use super::words;
use crate::action::LogAction;
use crate::cx::Cx;
use crate::effect::Effect;
use crate::location::PanelPlace;
use crate::messages;
use crate::model::{Icon, Notice, NoticeAction, NoticeKind, NoticeText};

/// The log of a pane, from the first look at the changes until the pane shows another view. [`crate::pane::Pane`] passes
/// it the actions of the log's views.
pub(crate) struct LogSlot {
    recording: Recording,
    held: Held,
}

enum Held {
    /// The piece isn't there.
    Coming(Before),
    Here(Box<dyn LogPart>),
}

impl LogSlot {
    /// Begins to record, unless it does. A look at the table doesn't end it.
    pub(crate) fn begin<'a>(
        slot: &'a mut Option<Self>,
        (scope, clusters): (&Scope, &[ClusterName]),
        cx: &mut Cx,
    ) -> &'a mut Self {
        let slot = slot.get_or_insert_with(|| {
            let key = cx.client.open_log(scope.clone(), clusters, cx.now);
            let recording = Recording { key, since_ms: cx.now_ms() };
            Self { recording, held: Held::Coming(Before::default()) }
        });
        cx.client.set_clusters(slot.key(), clusters, cx.now);
        if let Some(more) = cx.more {
            slot.fill(more.log, cx);
        }
        slot
    }

    pub(crate) fn set_filter(&mut self, filter: &LogFilter, cx: &Cx) {
        match &mut self.held {
            Held::Coming(before) => before.filter.clone_from(filter),
            Held::Here(log) => log.set_filter(filter, &cx.client),
        }
    }

    /// The piece has come.
    pub(crate) fn fill(&mut self, part: Part, cx: &Cx) {
        if let Held::Coming(before) = &mut self.held {
            let log = (part.make)(self.recording, std::mem::take(before), &cx.client);
            self.held = Held::Here(log);
        }
    }

    pub(crate) fn key(&self) -> ViewKey {
        self.recording.key
    }

    pub(crate) fn filter(&self) -> &LogFilter {
        match &self.held {
            Held::Coming(before) => &before.filter,
            Held::Here(log) => log.filter(),
        }
    }

    /// The object of the entry that has the focus.
    pub(crate) fn panel_place(&self, cx: &Cx) -> Option<PanelPlace> {
        self.here()?.panel_place(&cx.client)
    }

    /// The notice line of a log, if the view has no other notice. `behind`: what it says of paused rows.
    pub(crate) fn notice(&self, behind: Option<String>, cx: &Cx) -> Notice {
        let said = self.here().and_then(|log| log.said(&cx.client, cx.now_ms(), cx.zone));
        let Some(text) = said else { return Notice::None };
        let is_paused = self.is_paused();
        Notice::Text(NoticeText {
            kind: if is_paused { NoticeKind::Paused } else { NoticeKind::Plain },
            icon: if is_paused { Icon::Pause } else { Icon::Log },
            meter: None,
            strong: if is_paused { messages::VIEW_PAUSED.to_owned() } else { behind.unwrap_or_default() },
            text,
            actions: is_paused.then_some(NoticeAction::Resume).into_iter().collect(),
        })
    }

    /// How many events are shown.
    pub(crate) fn len(&self) -> usize {
        self.here().map_or(0, LogPart::len)
    }

    pub(crate) fn is_paused(&self) -> bool {
        match &self.held {
            Held::Coming(before) => before.paused_at.is_some(),
            Held::Here(log) => log.is_paused(),
        }
    }

    /// The events since the pause began, beside the pill's word.
    pub(crate) fn waiting(&self, cx: &Cx) -> Option<String> {
        match &self.held {
            Held::Coming(before) => {
                let (paused_at, timeline) = (before.paused_at?, cx.client.timeline(self.recording.key)?);
                Some(words::events_waiting(timeline.end().saturating_sub(paused_at)))
            }
            Held::Here(log) => log.waiting(&cx.client),
        }
    }

    /// Its timeline has no entry any more.
    pub(crate) fn purged(&mut self) {
        match &mut self.held {
            Held::Coming(before) => before.paused_at = None,
            Held::Here(log) => log.purged(),
        }
    }

    pub(crate) fn pause(&mut self, is_paused: bool, cx: &Cx) {
        match &mut self.held {
            Held::Coming(before) if is_paused => {
                let end = || cx.client.timeline(self.recording.key).map(|timeline| timeline.end());
                before.paused_at = before.paused_at.or_else(end);
            }
            Held::Coming(before) => before.paused_at = None,
            Held::Here(log) => log.pause(is_paused),
        }
    }

    /// An action in the log, which no view sends before the log is there.
    pub(crate) fn update(&mut self, action: LogAction, resource: &str, cx: &mut Cx) -> Option<Effect> {
        let timeline = cx.client.timeline_mut(self.recording.key)?;
        match &mut self.held {
            Held::Coming(_) => None,
            Held::Here(log) => log.update(action, timeline, resource),
        }
    }

    pub(crate) fn render(&mut self, model: &mut LogModel, cx: &Cx) {
        if let Held::Here(log) = &mut self.held {
            log.render(model, &cx.client, cx.zone);
        }
    }

    fn here(&self) -> Option<&dyn LogPart> {
        match &self.held {
            Held::Coming(_) => None,
            Held::Here(log) => Some(log.as_ref()),
        }
    }
}
