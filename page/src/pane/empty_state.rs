//! The text in place of the rows: of a view without rows to show, and of a place without a view.

mod words;

use std::sync::Arc;

use super::displayed::{Displayed, Rows};
use super::place::{Completed, complete};
use crate::location::Location;
use crate::messages;
use crate::model::{
    Content, EmptyState, Head, Notice, NoticeAction, PaneModel, PillState, Standing, StatusBar,
};
use crate::notice;
use crate::pill::Pill;
use crate::table_view::Client;
use crate::wrong;
use replica::connection::Link;
use replica::freshness::Freshness;
use replica::table::Table;
use shared::name::Namespace;
use shared::problem::Problem;
use shared::scope::Namespaces;

pub(super) fn of_view(body: notice::Notice) -> EmptyState {
    // A heading has no full stop.
    let text = body.review.as_ref().map_or(body.sentence, |review| review.asked.clone());
    let title = body.bold.trim_end_matches('.').to_owned();
    EmptyState {
        title,
        text,
        review: body.review,
        action: body.action,
        edges: body.edges,
        ..EmptyState::default()
    }
}

pub(super) fn content(rows: &Rows<'_>, freshness: &Freshness, has_body: bool) -> Content {
    match (has_body, freshness.is_exact()) {
        (false, _) => Content::Rows,
        (true, false) => Content::Refused,
        (true, true) if rows.view.table().is_empty() => Content::NoRows,
        (true, true) => Content::Rows,
    }
}

/// The namespaces that the reader chose; empty: all, or the kind has none.
pub(super) fn chosen<'a>(rows: &Rows<'a>) -> &'a [Namespace] {
    match &rows.live.subscription().scope.namespaces {
        Namespaces::These(names) if rows.kind.namespaced => names.as_slice(),
        _ => &[],
    }
}

/// A namespace that doesn't exist is said only where the cluster's are known.
pub(super) fn without_rows(body: notice::Notice, rows: &Rows<'_>, namespaces: Option<&Table>) -> EmptyState {
    let state = of_view(body);
    let Some(known) = namespaces else { return state };
    let chosen = chosen(rows);
    let is_absent = |name: &&str| !known.rows().any(|row| *row.name == **name);
    let absent: Vec<&str> = chosen.iter().map(Namespace::as_str).filter(is_absent).collect();
    if absent.is_empty() {
        return state;
    }
    let there_is_none = words::no_namespace(&absent);
    if absent.len() < chosen.len() {
        return EmptyState { text: format!("{there_is_none}. {}", state.text), ..state };
    }
    let text = words::appear_with_namespace(rows.kind.resource.resource.as_str(), absent.len());
    EmptyState { title: there_is_none, text, ..state }
}

/// The place has no view, because discovery hasn't come yet, or because the cluster serves no such resource.
pub(super) fn render_without_view(
    model: &mut PaneModel,
    displayed: &Displayed,
    place: &Location,
    client: &Client,
) {
    let resource = &*place.resource;
    let (empty_state, pill) = without_view(displayed, place, client, model.standing == Standing::Guest);
    // Discovery may still name it.
    let content = if empty_state.is_some() { Content::NoView } else { Content::Rows };
    model.head = Head { resource: resource.into(), state: pill.state, content, ..Head::default() };
    if matches!(displayed, Displayed::Wrong) {
        let place = messages::place_of(&place.namespaces(&[]), true);
        let resource = wrong::words::TITLE.to_owned();
        model.head = Head { resource, place, content: Content::Wrong, ..Head::default() };
        model.filter_hint = wrong::words::FILTER_HINT.to_owned();
        (model.marks, model.unread) = (Vec::new(), String::new());
    }
    (model.export, model.columns, model.suggestions) = (None, None, None);
    (model.empty_state, model.pill) = (empty_state, pill);
    (model.notice, model.status_bar) = (Notice::None, StatusBar::default());
    (model.table, model.rows) = (Arc::default(), Arc::default());
    model.is_stale = false;
}

fn without_view(
    displayed: &Displayed,
    place: &Location,
    client: &Client,
    is_guest: bool,
) -> (Option<EmptyState>, Pill) {
    match displayed {
        Displayed::Unknown(problem) => unknown(&place.resource, problem),
        Displayed::OtherCluster { served } => other_cluster(place, served),
        _ => without_kinds(client, is_guest),
    }
}

/// The kind that the place of an element's object names. `Err`: what stands there instead; nothing while discovery hasn't
/// come yet.
pub(crate) fn kind_of_place(
    place: &mut Location,
    client: &Client,
) -> Result<Completed, Option<Box<EmptyState>>> {
    complete(place, client).map_err(|displayed| {
        // It can't be led elsewhere by its reader.
        let (empty_state, _) = without_view(&displayed, place, client, true);
        empty_state.map(|shown| Box::new(EmptyState { action: None, ..shown }))
    })
}

pub(crate) fn titled(title: &str) -> EmptyState {
    EmptyState { title: title.to_owned(), ..EmptyState::default() }
}

/// Discovery hasn't come yet, or never will, because the login was refused or the gateway has another version.
/// Dogwatch's own page also says so in its bar; an element in a host's page has no bar.
fn without_kinds(client: &Client, is_guest: bool) -> (Option<EmptyState>, Pill) {
    let (title, problem) = match client.connection().link() {
        // A portal's user has no command line on the gateway's machine.
        Link::Refused { .. } if is_guest => {
            let (title, text) = (words::ELEMENT_SIGNED_OUT, messages::ELEMENT_SIGNED_OUT_WHY);
            let state =
                EmptyState { title: title.to_owned(), text: text.to_owned(), ..EmptyState::default() };
            return (Some(state), Pill::new(PillState::Failed, messages::SIGNED_OUT, ""));
        }
        Link::Refused { problem, .. } => (messages::LOGIN_REFUSED, problem),
        Link::OtherVersion { problem, .. } => (words::OTHER_VERSION, problem),
        _ => return (None, Pill::new(PillState::Syncing, messages::SYNCING, messages::ASKING)),
    };
    let text = messages::sentence(&problem.message);
    let state = EmptyState { title: title.to_owned(), text, ..EmptyState::default() };
    (Some(state), Pill::new(PillState::Failed, messages::FAILED, ""))
}

/// Nothing else is shown in the place of a cluster that isn't served: the reader decides.
fn other_cluster(place: &Location, served: &str) -> (Option<EmptyState>, Pill) {
    let named = place.cluster.as_deref().unwrap_or_default();
    let state = EmptyState {
        title: words::cluster_not_served(named),
        text: words::cluster_served(served),
        action: Some(NoticeAction::OpenServed),
        ..EmptyState::default()
    };
    (Some(state), Pill::new(PillState::Gone, words::NOT_SERVED_PILL, named))
}

/// The cluster serves no such resource. The view opens by itself when discovery finds the resource, so no action
/// is offered.
fn unknown(resource: &str, problem: &Problem) -> (Option<EmptyState>, Pill) {
    let (title, text) = match resource.starts_with('/') {
        true => (words::LINK_NO_VIEW.to_owned(), words::link_no_view(resource)),
        false => (words::unknown_resource(resource), messages::sentence(&problem.message)),
    };
    (
        Some(EmptyState { title, text, ..EmptyState::default() }),
        Pill::new(PillState::Gone, messages::GONE, ""),
    )
}
