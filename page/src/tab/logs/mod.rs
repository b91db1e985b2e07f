//! The tab Logs: whether there are logs of an object to show, and the place of what shows them, which is fetched when its
//! reader opens the tab.

mod events;
pub mod words;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::problem::Problem;
use shared::resource::{Resource, WITH_LOGS};
use shared::state::UnixMillis;

use crate::detail::failing::failed_run;
use crate::fields::{Holder, Plain, Signals};
use crate::location::{PanelPlace, Tab};
use crate::logs::{LastWanted, LogsAction, LogsOutcome, LogsPart, LogsShown, LogsView, LogsWanted, MakeLogs};
use crate::panel::object::{PanelObject, Wanted};
use crate::panel::outcome::PanelOutcome;
use crate::panel::part::{ActionContext, TabContext, TabInput, TabPart};
use crate::piece::PieceShown;
use crate::table_view::Client;
use events::PodEvents;

/// An action in the tab, of which only the panel knows more: the page passes it on.
#[derive(Clone)]
pub struct LogsInput {
    action: Arc<dyn Any + Send + Sync>,
    waits_for_frame: bool,
    is_size: bool,
}

impl From<LogsAction> for LogsInput {
    fn from(action: LogsAction) -> Self {
        let is_size = matches!(action, LogsAction::Resized { .. });
        let waits_for_frame = is_size || matches!(action, LogsAction::Scrolled { .. });
        Self { action: Arc::new(action), waits_for_frame, is_size }
    }
}

impl PartialEq for LogsInput {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.action, &other.action)
    }
}

impl fmt::Debug for LogsInput {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LogsInput")
    }
}

impl TabInput for LogsInput {
    fn waits_for_frame(&self) -> bool {
        self.waits_for_frame
    }

    fn is_size(&self) -> bool {
        self.is_size
    }
}

/// The tab has no fields: what it shows stands in the panel's head, as a [`LogsView`] or a [`LogsMissing`] in its place. A
/// field of its own would be code of the first table.
pub struct Fields<H: Holder>(PhantomData<fn() -> H>);

pub type Model = Fields<Plain>;

impl<H: Holder> Clone for Fields<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Holder> Copy for Fields<H> {}

impl<H: Holder> PartialEq for Fields<H> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<H: Holder> fmt::Debug for Fields<H> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Fields")
    }
}

impl Default for Model {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<S: Signals> Fields<S> {
    #[must_use]
    pub fn new(_model: Model) -> Self {
        Self(PhantomData)
    }

    pub fn write(&self, _model: &Model) {}
}

/// Why there are no logs to show.
#[derive(Clone, Debug, PartialEq)]
pub enum LogsMissing {
    /// Bold, and what to do.
    Refused(&'static str, &'static str),
    /// Their piece of the program isn't there.
    Piece(PieceShown),
}

/// The state of the tab for one object.
#[derive(Default)]
pub(crate) struct Logs {
    /// `None`: its piece isn't there, or its reader didn't look.
    part: Option<Box<dyn LogsPart>>,
    missing: Option<LogsMissing>,
    /// What was drawn last.
    shown: LogsShown,
    /// Sizes that were reported before the piece was there.
    sizes: Option<LogsAction>,
    events: PodEvents,
    /// Views of Events that are used no more, until the panel hears of it.
    left: Vec<ViewKey>,
    /// The overview begins with the last lines of a container.
    has_last: bool,
}

/// What the panel keeps of logs for all its objects.
#[derive(Default)]
pub(crate) struct AroundLogs {
    /// Once their piece is there.
    pub(crate) make: Option<MakeLogs>,
    pub(crate) piece: PieceShown,
    /// The piece has another state.
    pub(crate) is_new: bool,
    /// Logs are to be shown, and their piece isn't there.
    pub(crate) is_lacking: bool,
    /// When there is something to do without an input.
    pub(crate) timer_ms: Option<UnixMillis>,
}

/// A key while the tab is open. `n` and `N` are the log's while something is looked for.
pub fn key(name: &str, shown: &LogsShown) -> Option<LogsAction> {
    let is_finding = || shown.read::<LogsView>().is_some_and(|shown| !shown.tools.find.is_empty());
    Some(match name {
        "n" | "N" if is_finding() => LogsAction::NextHit { is_forward: name == "n" },
        " " => LogsAction::Pause,
        "w" => LogsAction::Wrap,
        "a" | "A" => LogsAction::LinkLine { is_forward: name == "a" },
        "End" | "G" => LogsAction::Follow,
        "Home" => LogsAction::First,
        _ => return None,
    })
}

/// Whether the tab is offered: the gateway shows logs, the kind has pods, and the present is shown.
pub(crate) fn is_offered(wanted: &Wanted, client: &Client) -> bool {
    refusal(wanted, client).is_none()
}

/// Why there is nothing to show.
fn refusal(wanted: &Wanted, client: &Client) -> Option<LogsMissing> {
    if !client.welcome().is_some_and(|welcome| welcome.logs) {
        return Some(LogsMissing::Refused(words::OFF, words::OFF_WHY));
    }
    if !has_pods(&wanted.kind.resource) {
        return Some(LogsMissing::Refused(words::OF_NO_PODS, ""));
    }
    wanted.at_ms.map(|_| LogsMissing::Refused(words::NOT_RECORDED, words::NOT_RECORDED_WHY))
}

/// The run of a container that fails, with whose last lines the overview begins.
fn last_wanted(wanted: &Wanted, object: &PanelObject, client: &Client) -> Option<LastWanted> {
    if object.is_deleted(client) {
        return None;
    }
    let health = object.row(client).and_then(|(_, row)| row.health());
    let goes_on = health.is_some_and(|health| health.failed.is_some());
    let failed = failed_run(object.value.as_deref()?, goes_on)?;
    let scope = wanted.scope(Some(wanted.panel.name.clone()), client);
    Some(LastWanted { scope, failed })
}

fn has_pods(resource: &Resource) -> bool {
    WITH_LOGS
        .iter()
        .any(|(group, name)| resource.group.as_str() == *group && resource.resource.as_str() == *name)
}

impl TabPart for Logs {
    type Model = Model;

    fn new(_opened_ms: UnixMillis) -> Self {
        Self::default()
    }

    fn keys(&self) -> Vec<ViewKey> {
        [self.events.keys(), self.left.clone()].concat()
    }

    fn observe(&mut self, _object: &PanelObject, _client: &mut Client, _now: Now) -> Vec<ViewKey> {
        std::mem::take(&mut self.left)
    }

    fn render(&mut self, _model: &mut Model, TabContext { shown, .. }: TabContext<'_>) {
        let is_same = self.shown.read::<LogsMissing>() == self.missing.as_ref();
        match (&self.missing, &mut self.part) {
            (Some(_), _) if is_same => {}
            (Some(missing), _) => self.shown = LogsShown::new(missing.clone()),
            (None, Some(part)) => {
                if let Some(told) = self.events.of(shown, &part.pods()) {
                    part.tell_events(told);
                }
                self.shown = part.render(shown.now.ms, shown.now.zone);
            }
            (None, None) => self.shown = LogsShown::default(),
        }
    }

    fn close_part(&mut self, at: ActionContext<'_>) -> PanelOutcome {
        self.update(LogsAction::Choose(false).into(), at)
    }
}

/// The reader opened the choice of pods, which Escape closes before the panel.
pub(crate) fn is_choosing(shown: &LogsShown) -> bool {
    shown.read::<LogsView>().is_some_and(|shown| shown.choice.is_some())
}

impl Logs {
    /// What is drawn of logs in this tab of the panel.
    pub(crate) fn shown(&self, tab: Tab) -> LogsShown {
        match (tab, &self.part) {
            (Tab::Logs, _) => self.shown.clone(),
            (Tab::Overview, Some(part)) if self.has_last => part.last(),
            _ => LogsShown::default(),
        }
    }

    /// Asks for what the address names, while the tab is open, or for the last lines of what fails, while the overview is.
    /// Returns whether there is something else to draw.
    pub(crate) fn follow(
        &mut self,
        (wanted, object): (&Wanted, &PanelObject),
        around: &mut AroundLogs,
        client: &mut Client,
        now: Now,
    ) -> bool {
        let is_named = wanted.panel.tab == Tab::Logs;
        let refused = refusal(wanted, client);
        let is_open = is_named && refused.is_none();
        let is_overview = wanted.panel.tab == Tab::Overview && refused.is_none();
        let last = is_overview.then(|| last_wanted(wanted, object, client)).flatten();
        let had_last = std::mem::replace(&mut self.has_last, last.is_some());
        around.is_lacking = (is_open || self.has_last) && around.make.is_none();
        self.missing =
            refused.or_else(|| around.is_lacking.then(|| LogsMissing::Piece(around.piece.clone())));
        if let (true, None, Some(MakeLogs(make))) = (is_open || self.has_last, &self.part, around.make) {
            let mut part = make();
            if let Some(sizes) = self.sizes.take() {
                part.update(sizes);
            }
            self.part = Some(part);
        }
        let mut is_new = std::mem::take(&mut around.is_new);
        around.timer_ms = None;
        let before = self.events.keys();
        self.events.follow(is_open && self.part.is_some(), object, client, now);
        let held = self.events.keys();
        self.left.extend(before.into_iter().filter(|key| !held.contains(key)));
        if let Some(part) = &mut self.part {
            let is_last_new = part.follow_last(last.as_ref(), client);
            let wanted_logs = is_open.then(|| LogsWanted {
                scope: wanted.scope(Some(wanted.panel.name.clone()), client),
                view: wanted.table,
            });
            is_new |= part.follow(wanted_logs, wanted.panel.logs.as_deref(), client, now);
            around.timer_ms = part.timer_ms().filter(|_| is_open);
            if is_overview {
                return is_last_new || had_last != self.has_last;
            }
        }
        is_new && is_named
    }

    /// The panel leaves the object.
    pub(crate) fn end(&mut self, client: &mut Client, now: Now) -> bool {
        if let Some(mut part) = self.part.take() {
            part.follow(None, None, client, now);
            part.follow_last(None, client);
        }
        false
    }

    pub(crate) fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        if let Some(part) = &mut self.part {
            part.failed(id, problem);
        }
    }

    pub(crate) fn update(&mut self, input: LogsInput, at: ActionContext<'_>) -> PanelOutcome {
        let Some(action) = input.action.downcast_ref::<LogsAction>().cloned() else {
            return PanelOutcome::Nothing;
        };
        let Some(part) = &mut self.part else {
            if input.is_size {
                self.sizes = Some(action);
            }
            return PanelOutcome::Nothing;
        };
        match part.update(action) {
            LogsOutcome::Nothing => PanelOutcome::Nothing,
            LogsOutcome::Settings(logs) if logs == at.place.logs => PanelOutcome::Nothing,
            LogsOutcome::Settings(logs) => PanelOutcome::Replace(PanelPlace { logs, ..at.place.clone() }),
            LogsOutcome::Open(logs) => {
                PanelOutcome::Push(PanelPlace { tab: Tab::Logs, logs, ..at.place.clone() })
            }
            LogsOutcome::Copy(clip) => PanelOutcome::Copy(clip),
            LogsOutcome::Download(file) => PanelOutcome::Download(file),
        }
    }
}
