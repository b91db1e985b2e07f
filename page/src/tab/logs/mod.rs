//! The tab Logs: whether there are logs of an object to show, and the place of what shows them, which is fetched when its
//! reader opens the tab.

pub mod words;

use replica::now::Now;
use shared::frame::client::SubscriptionId;
use shared::frame::server::LogAnswer;
use shared::problem::Problem;
use shared::resource::Resource;
use shared::state::UnixMillis;

use crate::action::Action;
use crate::fields::model;
use crate::location::{PanelPlace, Tab};
pub use crate::logs::LogsAction;
use crate::logs::{LogsOutcome, LogsPart, LogsShown, MakeLogs};
use crate::panel::object::Wanted;
use crate::panel::outcome::PanelOutcome;
use crate::panel::part::{ActionContext, TabContext, TabInput, TabPart};
use crate::table_view::Client;

impl TabInput for LogsAction {
    fn waits_for_frame(&self) -> bool {
        matches!(self, Self::Scrolled { .. } | Self::Resized { .. })
    }

    fn is_size(&self) -> bool {
        matches!(self, Self::Resized { .. })
    }
}

model! {
    /// What is drawn, and why nothing can be.
    pub struct Model = Fields {
        shown: LogsShown,
        /// Bold, and what to do.
        refused: Option<(&'static str, &'static str)>,
    } shared {
    } nested {
    }
}

/// The state of the tab for one object.
#[derive(Default)]
pub(crate) struct Logs {
    /// `None`: its piece isn't there, or nobody looked.
    part: Option<Box<dyn LogsPart>>,
    make: Option<MakeLogs>,
    refused: Option<(&'static str, &'static str)>,
    is_open: bool,
    /// Sizes that were reported before the piece was there.
    sizes: Option<LogsAction>,
}

/// A key while the tab is open. `n` and `N` are the log's while something is looked for.
pub fn key(name: &str, shown: &LogsShown) -> Option<Action> {
    let shown = shown.0.as_ref()?;
    let action = match name {
        "n" | "N" if !shown.tools.find.is_empty() => LogsAction::NextHit { is_forward: name == "n" },
        " " => LogsAction::Pause,
        "w" => LogsAction::Wrap,
        "End" | "G" => LogsAction::Follow,
        "Home" => LogsAction::First,
        _ => return None,
    };
    Some(action.into())
}

/// The kinds that have pods, by group and name.
const KINDS: [(&str, &str); 9] = [
    ("", "pods"),
    ("", "services"),
    ("", "replicationcontrollers"),
    ("apps", "deployments"),
    ("apps", "statefulsets"),
    ("apps", "daemonsets"),
    ("apps", "replicasets"),
    ("batch", "jobs"),
    ("batch", "cronjobs"),
];

/// Whether the tab is offered: the gateway shows logs, the kind has pods, and the present is shown.
pub(crate) fn is_offered(wanted: &Wanted, client: &Client) -> bool {
    refusal(wanted, client).is_none()
}

/// Why there is nothing to show.
fn refusal(wanted: &Wanted, client: &Client) -> Option<(&'static str, &'static str)> {
    if !client.welcome().is_some_and(|welcome| welcome.logs) {
        return Some((words::OFF, words::OFF_WHY));
    }
    if !has_pods(&wanted.kind.resource) {
        return Some((words::OF_NO_PODS, ""));
    }
    wanted.at_ms.map(|_| (words::NOT_RECORDED, words::NOT_RECORDED_WHY))
}

fn has_pods(resource: &Resource) -> bool {
    KINDS.iter().any(|(group, name)| resource.group.as_str() == *group && resource.resource.as_str() == *name)
}

impl TabPart for Logs {
    type Model = Model;

    fn new(_opened_ms: UnixMillis) -> Self {
        Self::default()
    }

    fn render(&mut self, model: &mut Model, TabContext { shown, .. }: TabContext<'_>) {
        model.refused = self.refused;
        let part = self.part.as_mut();
        model.shown = LogsShown(part.map(|part| part.render(shown.now.ms, shown.now.zone)));
    }

    fn has_open_part(model: &Model) -> bool {
        model.shown.0.as_ref().is_some_and(|shown| shown.choice.is_some())
    }

    fn close_part(&mut self, at: ActionContext<'_>) -> PanelOutcome {
        self.update(LogsAction::Choose(false), at)
    }
}

impl Logs {
    /// The piece with the logs has come.
    pub(crate) fn fill(&mut self, make: Option<MakeLogs>) {
        self.make = make;
    }

    /// The tab is open, and its piece isn't there.
    pub(crate) fn lacks_piece(&self) -> bool {
        self.is_open && self.make.is_none()
    }

    /// Asks for what the address names, while the tab is open.
    pub(crate) fn follow(&mut self, wanted: &Wanted, client: &mut Client, now: Now) {
        self.refused = refusal(wanted, client);
        self.is_open = wanted.panel.tab == Tab::Logs && self.refused.is_none();
        if let (true, None, Some(MakeLogs(make))) = (self.is_open, &self.part, self.make) {
            let mut part = make();
            if let Some(sizes) = self.sizes.take() {
                part.update(sizes);
            }
            self.part = Some(part);
        }
        if let Some(part) = &mut self.part {
            let scope = self.is_open.then(|| wanted.scope(Some(wanted.panel.name.clone()), client));
            part.follow(scope, wanted.panel.logs.as_deref(), client, now);
        }
    }

    /// The panel leaves the object.
    pub(crate) fn end(&mut self, client: &mut Client, now: Now) {
        if let Some(mut part) = self.part.take() {
            part.follow(None, None, client, now);
        }
    }

    pub(crate) fn came(&mut self, answer: &LogAnswer, client: &mut Client) {
        if let Some(part) = &mut self.part {
            part.came(answer, client);
        }
    }

    pub(crate) fn failed(&mut self, id: SubscriptionId, problem: &Problem, now_ms: UnixMillis) {
        if let Some(part) = &mut self.part {
            part.failed(id, problem, now_ms);
        }
    }

    pub(crate) fn timer_ms(&self) -> Option<UnixMillis> {
        self.part.as_ref().filter(|_| self.is_open)?.timer_ms()
    }

    pub(crate) fn update(&mut self, action: LogsAction, at: ActionContext<'_>) -> PanelOutcome {
        let Some(part) = &mut self.part else {
            if action.is_size() {
                self.sizes = Some(action);
            }
            return PanelOutcome::Nothing;
        };
        match part.update(action) {
            LogsOutcome::Nothing => PanelOutcome::Nothing,
            LogsOutcome::Settings(logs) if logs == at.place.logs => PanelOutcome::Nothing,
            LogsOutcome::Settings(logs) => PanelOutcome::Replace(PanelPlace { logs, ..at.place.clone() }),
            LogsOutcome::Copy(clip) => PanelOutcome::Copy(clip),
            LogsOutcome::Download(file) => PanelOutcome::Download(file),
        }
    }
}
