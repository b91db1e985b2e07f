//! The text in place of the rows: of a view without rows to show, and of a place without a view.

use std::sync::Arc;

use super::displayed::Displayed;
use crate::location::Location;
use crate::messages;
use crate::model::{EmptyState, Head, Notice, NoticeAction, PaneModel, Pill, PillState, StatusBar};
use crate::notice;
use crate::table_view::Client;
use replica::connection::Link;
use shared::problem::Problem;

pub(super) fn of_view(body: notice::Notice) -> EmptyState {
    // A heading has no full stop.
    EmptyState { title: body.bold.trim_end_matches('.').to_owned(), text: body.sentence, action: body.action }
}

/// The place has no view, because discovery hasn't come yet, or because the cluster serves no such resource.
pub(super) fn render_without_view(
    model: &mut PaneModel,
    displayed: &Displayed,
    place: &Location,
    client: &Client,
) {
    let resource = &*place.resource;
    let (empty_state, pill) = match displayed {
        Displayed::Unknown(problem) => unknown(resource, problem),
        Displayed::OtherCluster { served } => other_cluster(place, served),
        _ => without_kinds(client),
    };
    model.head = Head { resource: resource.into(), state: pill.state, ..Head::default() };
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

/// Nothing else is shown in the place of a cluster that isn't served: the reader decides.
fn other_cluster(place: &Location, served: &str) -> (Option<EmptyState>, Pill) {
    let named = place.cluster.as_deref().unwrap_or_default();
    let state = EmptyState {
        title: messages::cluster_not_served(named),
        text: messages::cluster_served(served),
        action: Some(NoticeAction::OpenServed),
    };
    (Some(state), Pill::new(PillState::Gone, messages::NOT_SERVED_PILL, named))
}

/// The cluster serves no such resource. The view opens by itself when discovery finds the resource, so no action
/// is offered.
fn unknown(resource: &str, problem: &Problem) -> (Option<EmptyState>, Pill) {
    let (title, text) = (messages::unknown_resource(resource), messages::sentence(&problem.message));
    (Some(EmptyState { title, text, action: None }), Pill::new(PillState::Gone, messages::GONE, ""))
}
