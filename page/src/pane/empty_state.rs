//! The text in place of the rows: of a view without rows to show, and of a place without a view.

use std::sync::Arc;

use super::displayed::Displayed;
use crate::messages;
use crate::model::{EmptyState, Head, Notice, NoticeAction, PaneModel, Pill, PillState, StatusBar};
use crate::notice;
use crate::table_view::{Client, View};
use replica::connection::Link;
use shared::problem::Problem;
use shared::scope::Namespaces;

pub(super) fn of_view(body: notice::Notice, view: &View) -> EmptyState {
    let can_widen = matches!(view.subscription().scope.namespaces, Namespaces::These(_));
    let action = body.action.or(can_widen.then_some(NoticeAction::LookEverywhere));
    // A heading has no full stop.
    EmptyState { title: body.bold.trim_end_matches('.').to_owned(), text: body.sentence, action }
}

/// The place has no view, because discovery hasn't come yet, or because the cluster serves no such resource.
pub(super) fn render_without_view(
    model: &mut PaneModel,
    displayed: &Displayed,
    resource: &str,
    client: &Client,
) {
    let (empty_state, pill) = match displayed {
        Displayed::Unknown(problem) => unknown(resource, problem),
        _ => without_kinds(client),
    };
    model.head = Head { resource: resource.to_owned(), state: pill.state, ..Head::default() };
    (model.empty_state, model.pill) = (empty_state, pill);
    (model.notice, model.status_bar) = (Notice::None, StatusBar::default());
    (model.table, model.rows) = (Arc::default(), Arc::default());
    model.is_stale = false;
}

/// Discovery hasn't come yet, or never will, because the login was refused or the gateway has another version.
/// Dogwatch's own page also says so in its bar; an element in a host's page has no bar.
fn without_kinds(client: &Client) -> (Option<EmptyState>, Pill) {
    let (title, problem) = match &client.connection().link {
        Link::Refused { problem } => (messages::LOGIN_REFUSED, problem),
        Link::OtherVersion { problem, .. } => (messages::OTHER_VERSION, problem),
        _ => return (None, Pill::new(PillState::Syncing, messages::SYNCING, messages::ASKING)),
    };
    let text = messages::sentence(&problem.message);
    let state = EmptyState { title: title.to_owned(), text, action: None };
    (Some(state), Pill::new(PillState::Failed, messages::FAILED, ""))
}

/// The cluster serves no such resource. The view opens by itself when discovery finds the resource, so no action
/// is offered.
fn unknown(resource: &str, problem: &Problem) -> (Option<EmptyState>, Pill) {
    let (title, text) = (messages::unknown_resource(resource), messages::sentence(&problem.message));
    (Some(EmptyState { title, text, action: None }), Pill::new(PillState::Gone, messages::GONE, ""))
}
