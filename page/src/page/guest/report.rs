//! How a view, its proof and the connection stand, as the page of an element's host may know it. Never a cell of a row.

use replica::connection::{Link, Refusal};
use replica::freshness::{Break, Cause, Freshness};
use replica::subscription::Subscription;
use serde::Serialize;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::cx::Cx;
use crate::messages;
use crate::model::{EmptyState, PillState};
use crate::pane::Pane;
use crate::past;

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
    /// What its attributes ask for and the table has not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unread: String,
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
    pub(in crate::page) fn of(subscription: &Subscription) -> Option<Self> {
        let proof = subscription.proof.as_ref()?;
        let resource_version = proof.resource_version.as_str().to_owned();
        Some(Self { resource_version, proven_ms: proof.proven_ms })
    }
}

impl LinkReport {
    pub(in crate::page) fn of(cx: &Cx, user: &str, expires_ms: Option<UnixMillis>) -> Self {
        let client = &cx.client;
        let (state, problem, wants) = match client.connection().link() {
            Link::Open(_) => ("open", None, None),
            Link::Resting => ("resting", None, None),
            Link::Dialling { .. } | Link::Greeting { .. } => ("connecting", None, None),
            Link::Waiting { .. } => {
                let said = client.connection().said().cloned();
                ("waiting", Some(said.unwrap_or_else(gateway_gone)), None)
            }
            Link::OtherVersion { problem, .. } => ("other-version", Some(problem.clone()), None),
            Link::Refused { why, problem } => {
                let is_token = matches!(why, Refusal::NoToken | Refusal::Token);
                ("refused", Some(problem.clone()), Some(if is_token { "token" } else { "login" }))
            }
        };
        let is_open = state == "open";
        Self {
            state,
            reason: problem.as_ref().map(|problem| problem.reason),
            message: problem.map(|problem| messages::sentence(&problem.message)).unwrap_or_default(),
            wants,
            user: if is_open { user.to_owned() } else { String::new() },
            expires_ms: expires_ms.filter(|_| is_open).map(|ms| client.local_ms(ms)),
        }
    }
}

pub(super) fn report(pane: &Pane, cx: &Cx) -> ViewReport {
    let link = cx.client.connection().link();
    let of_view = ViewReport::of(pane.freshness(), pane.model().empty_state.as_ref(), link);
    let unread = pane.unknown_columns(cx).join("; ");
    ViewReport { is_paused: pane.is_paused(), unread, ..of_view }
}

impl ViewReport {
    /// Without freshness there is no view: discovery isn't over, or what stands in its place says why there is none.
    pub(in crate::page) fn of(
        freshness: Option<&Freshness>,
        empty: Option<&EmptyState>,
        link: &Link,
    ) -> Self {
        let Some(freshness) = freshness else {
            let (state, message) =
                empty.map_or(("syncing", String::new()), |shown| ("failed", shown.title.clone()));
            let reason = empty.map(|_| match link {
                Link::Refused { problem, .. } | Link::OtherVersion { problem, .. } => problem.reason,
                _ => Reason::NotFound,
            });
            return Self { state, reason, message, ..Self::default() };
        };
        let worst = freshness.worst();
        let (problem, since_ms) = match worst {
            Freshness::Live { .. } | Freshness::Polled { .. } | Freshness::Syncing { .. } => (None, None),
            Freshness::Partly(_) => (None, None),
            Freshness::Past(as_of) => (past::said::problem(as_of), Some(as_of.at_ms)),
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
