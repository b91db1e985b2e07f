//! An element's side of the page: what its host's page may know, and may ask for. Never a cell of a row.

use replica::connection::{Link, Refusal};
use replica::freshness::{Break, Cause, Freshness};
use replica::now::Now;
use replica::subscription::Subscription;
use serde::Serialize;
use shared::problem::{Problem, Reason};
use shared::row::RowId;
use shared::state::UnixMillis;

use super::{Host, Page};
use crate::action::{LogAction, PaneAction, PaneId, PanelKey};
use crate::address::Look;
use crate::effect::{ActivatedRow, Effect, File};
use crate::export::Format;
use crate::messages;
use crate::model::{EmptyState, PillState};
use crate::pane::Pane;
use crate::theme::Density;

/// How a view stands, in the words of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewReport {
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<UnixMillis>,
    pub is_paused: bool,
    /// Whether the object exists, once that is known; only for an element that shows one object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
}

/// The last proof of a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofReport {
    pub resource_version: String,
    pub proven_ms: UnixMillis,
}

/// How the connection stands, which all elements of a gateway share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkReport {
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What a refused connection lacks: `token`, `login` (at the gateway, its provider or its proxy).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wants: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// When the login ends, by this browser's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<UnixMillis>,
}

impl ProofReport {
    pub(super) fn of(subscription: &Subscription) -> Option<Self> {
        let proof = subscription.proof.as_ref()?;
        let resource_version = proof.resource_version.as_str().to_owned();
        Some(Self { resource_version, proven_ms: proof.proven_ms })
    }
}

impl Page {
    /// An element was added to another page.
    pub fn embed(&mut self, link: &str, now: Now) -> PaneId {
        let id = self.navigator.embed(link, now);
        self.follow(now);
        id
    }

    /// The link of an element changed.
    pub fn lead(&mut self, id: PaneId, link: &str, now: Now) {
        self.navigator.lead(id, link, now);
        self.lead_object(id, link);
        self.follow(now);
    }

    /// An element was removed from its page.
    pub fn unembed(&mut self, id: PaneId, now: Now) {
        self.navigator.board.remove_pane(id);
        self.navigator.board.remove_object(id, now);
        self.follow(now);
    }

    pub fn view_report(&self, id: PaneId) -> Option<ViewReport> {
        let board = &self.navigator.board;
        let of_object = || Some(board.object(id)?.report(&board.client));
        board.pane(id).map(report).or_else(of_object)
    }

    /// `None`: nothing has proven the view yet.
    pub fn proof_report(&self, id: PaneId) -> Option<ProofReport> {
        let board = &self.navigator.board;
        if let Some(object) = board.object(id) {
            return object.proof(&board.client);
        }
        ProofReport::of(board.client.view(board.pane(id)?.key()?)?.subscription())
    }

    pub fn link_report(&self) -> LinkReport {
        let client = &self.navigator.board.client;
        let (state, problem, wants) = match &client.connection().link {
            Link::Open(_) => ("open", None, None),
            Link::Resting => ("resting", None, None),
            Link::Dialling { .. } | Link::Greeting { .. } => ("connecting", None, None),
            Link::Waiting { .. } => ("waiting", Some(gateway_gone()), None),
            Link::OtherVersion { problem, .. } => ("other-version", Some(problem.clone()), None),
            Link::Refused { why, problem } => {
                let is_token = matches!(why, Refusal::NoToken | Refusal::Token);
                ("refused", Some(problem.clone()), Some(if is_token { "token" } else { "login" }))
            }
        };
        let is_open = state == "open";
        LinkReport {
            state,
            reason: problem.as_ref().map(|problem| problem.reason),
            message: problem.map(|problem| messages::sentence(&problem.message)).unwrap_or_default(),
            wants,
            user: if is_open { self.model.user.clone() } else { String::new() },
            expires_ms: self.session.expires_ms().filter(|_| is_open).map(|ms| client.local_ms(ms)),
        }
    }

    /// Pauses a view, or resumes it.
    pub fn set_paused(&mut self, pane: PaneId, is_paused: bool, now: Now) {
        if self.navigator.board.pane(pane).is_some_and(|pane| pane.is_paused() != is_paused) {
            self.update(Some(pane), PaneAction::TogglePause.into(), now);
        }
    }

    /// The density that the host's page sets for an element; `None`: the reader's.
    pub fn set_density(&mut self, pane: PaneId, density: Option<Density>) {
        if let Some((pane, _)) = self.navigator.board.pane_mut(pane) {
            pane.density = density;
        }
    }

    /// The rows of a view as a file; its changes are lines of JSON whatever the format.
    pub fn export(&mut self, pane: PaneId, format: Format, now: Now) -> Option<File> {
        let (pane, client) = self.navigator.board.pane_mut(pane)?;
        let action = match pane.look {
            Look::Table => PaneAction::Export(format),
            Look::Log => PaneAction::Log(LogAction::Save),
        };
        match pane.update(client, action, now)? {
            Effect::Download(file) => Some(file),
            _ => None,
        }
    }

    /// Opens the panel of a row. An element of another page has no panel: its host's page is told.
    pub(super) fn open_row(&mut self, pane: PaneId, row: Option<RowId>, key: Option<PanelKey>, now: Now) {
        let is_row = match self.navigator.address_bar.host() {
            Host::Portal => self.activate_row(pane, row),
            Host::Dogwatch => self.navigator.open_panel(pane, row, key),
        };
        if !is_row {
            self.hint.say(messages::NO_ROW_FOCUSED, now.now_ms);
        }
    }

    fn activate_row(&mut self, id: PaneId, row: Option<RowId>) -> bool {
        let board = &self.navigator.board;
        let activated = board.pane(id).and_then(|pane| {
            let place = pane.panel_place(&board.client, row)?;
            let resource = match &place.resource {
                Some(resource) => resource.to_string(),
                None => pane.kind()?.resource.to_string(),
            };
            Some(ActivatedRow::of(resource, place))
        });
        let is_row = activated.is_some();
        self.navigator.effects.extend(activated.map(|row| Effect::Activated(id, row)));
        is_row
    }
}

fn report(pane: &Pane) -> ViewReport {
    let of_view = ViewReport::of(pane.freshness.as_ref(), pane.model.empty_state.as_ref());
    ViewReport { is_paused: pane.is_paused(), ..of_view }
}

impl ViewReport {
    /// Without freshness there is no view: discovery isn't over, or what stands in its place says why there is none.
    pub(super) fn of(freshness: Option<&Freshness>, empty: Option<&EmptyState>) -> Self {
        let Some(freshness) = freshness else {
            let (state, message) =
                empty.map_or(("syncing", String::new()), |shown| ("failed", shown.title.clone()));
            let reason = empty.map(|_| Reason::NotFound);
            return Self { state, reason, message, ..Self::default() };
        };
        let worst = freshness.worst();
        let (problem, since_ms) = match worst {
            Freshness::Live { .. } | Freshness::Polled { .. } | Freshness::Syncing { .. } => (None, None),
            Freshness::Partly(_) => (None, None),
            Freshness::Resuming { from_ms, cause } => {
                let problem = match cause {
                    Break::Upstream { problem } => problem.clone(),
                    Break::Gateway { .. } | Break::GatewayNow => Some(gateway_gone()),
                };
                (problem, Some(*from_ms))
            }
            Freshness::Stale { since_ms, cause } => (of_cause(cause), Some(*since_ms)),
            Freshness::OtherVersion { since_ms, problem } => (Some(problem.clone()), Some(*since_ms)),
            Freshness::Forbidden { problem, .. } => {
                (Some(problem.clone().unwrap_or_else(|| Problem::new(Reason::Forbidden, ""))), None)
            }
            Freshness::Gone { since_ms, problem } | Freshness::Failed { since_ms, problem } => {
                (problem.clone(), Some(*since_ms))
            }
        };
        Self {
            state: PillState::of(worst).word(),
            reason: problem.as_ref().map(|problem| problem.reason),
            message: problem.map(|problem| messages::sentence(&problem.message)).unwrap_or_default(),
            since_ms,
            ..Self::default()
        }
    }
}

fn of_cause(cause: &Cause) -> Option<Problem> {
    match cause {
        Cause::Upstream { problem, .. } => problem.clone(),
        Cause::Gateway => Some(gateway_gone()),
        Cause::Login => Some(Problem::new(Reason::Unauthorized, messages::LOGIN_REFUSED)),
        Cause::Silence | Cause::Relisting => Some(Problem::new(Reason::Unproven, "")),
    }
}

fn gateway_gone() -> Problem {
    Problem::new(Reason::ConnectionClosed, messages::NO_GATEWAY)
}
