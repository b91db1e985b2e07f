//! "What may I see?": what is known of each kind, by what it was decided, and the line that asks for the rest. And the
//! kinds that a reader could see where one is forbidden.

use shared::frame::server::Viewer;
use shared::resource::{Kind, Resource};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::super::{Board, Page};
use super::{Known, Rights, is_reviewed, stood_still};
use crate::kind_link::KindLink;
use crate::limits::{RIGHTS_AGAIN_MS, RIGHTS_OFFERED_MAX};
use crate::location::Location;
use crate::messages::{self, Zone};
use crate::model::Standing;
use crate::pane::Pane;
use crate::status::Class;
use crate::table_view::Client;

/// The open sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct RightsSheet {
    /// As whom, and by what it is decided.
    pub asked: String,
    pub decided: &'static str,
    pub kinds: Vec<KindRights>,
    /// What isn't known, and what nobody sees here.
    pub notes: Vec<String>,
    /// Asks for the rest in the reader's own terminal.
    pub command: String,
}

/// What the answers to the views of one kind said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindRights {
    pub kind: KindLink,
    pub class: Class,
    pub may: &'static str,
    pub place: String,
    /// When that was last true.
    pub answered: String,
}

/// The kinds that are asked about where one is forbidden: all that a cluster has would be hundreds of reviews.
const OFFERED: [&str; 8] = [
    "pods",
    "deployments.apps",
    "statefulsets.apps",
    "jobs.batch",
    "services",
    "configmaps",
    "events",
    "nodes",
];

/// Where the reader is, and when.
#[derive(Clone, Copy)]
pub(in crate::page) struct Here<'a> {
    pub(in crate::page) location: &'a Location,
    pub(in crate::page) chosen: &'a Namespaces,
    pub(in crate::page) now_ms: UnixMillis,
    pub(in crate::page) zone: Zone,
}

impl RightsSheet {
    pub(in crate::page) fn of(viewer: &Viewer, client: &Client, rights: &Rights, here: Here<'_>) -> Self {
        let kinds = client.kinds().map(|kinds| &*kinds.kinds).unwrap_or_default();
        let (hidden, served): (Vec<&Kind>, Vec<&Kind>) =
            kinds.iter().partition(|kind| kind.disabled.is_some());
        let known = served.iter().filter_map(|kind| kind_rights(kind, rights.of_kind(client, kind)?, here));
        let (mut known, refused): (Vec<KindRights>, Vec<KindRights>) =
            known.partition(|known| known.class == Class::Ok);
        known.extend(refused);
        let hidden: Vec<String> = hidden.iter().map(|kind| kind.resource.to_string()).collect();
        let hidden: Vec<&str> = hidden.iter().map(String::as_str).collect();
        let groups: Vec<&str> = viewer.groups.iter().map(|group| &**group).collect();
        let unknown = served.len().saturating_sub(known.len());
        let mut notes =
            vec![messages::not_known(unknown, is_reviewed(client)), messages::hidden_from_all(&hidden)];
        notes.retain(|note| !note.is_empty());
        Self {
            asked: messages::asked_as(&viewer.user, &groups),
            decided: messages::decided_by(viewer.rights),
            kinds: known,
            notes,
            command: messages::can_i_list(namespace(client, rights, here)),
        }
    }
}

/// The namespace that the command asks about: one that the reader looks at, otherwise one that they may see.
fn namespace<'a>(client: &Client, rights: &'a Rights, here: Here<'a>) -> Option<&'a str> {
    let name = match here.chosen {
        Namespaces::These(names) => names.first(),
        Namespaces::All => {
            let resource = client
                .kinds()?
                .kinds
                .iter()
                .find(|kind| kind.resource.to_string() == *here.location.resource);
            rights.of_kind(client, resource?)?.granted().next()
        }
    };
    Some(name?.as_str())
}

/// `None`: no answer has come.
fn kind_rights(kind: &Kind, known: &Known, here: Here<'_>) -> Option<KindRights> {
    let granted: Vec<&str> = known.granted().map(|name| name.as_str()).collect();
    let refused: Vec<&str> = known.refused().map(|name| name.as_str()).collect();
    let is_granted = known.is_everywhere() || !granted.is_empty();
    let place = match known.is_everywhere() {
        _ if !kind.namespaced => messages::CLUSTER_WIDE.to_owned(),
        true => messages::ALL_NAMESPACES.to_owned(),
        false => messages::may_in(&granted, &refused),
    };
    if !is_granted && known.all.is_none() && refused.is_empty() {
        return None;
    }
    let answered = match stood_still(known.answered_ms, here.now_ms) {
        Some(at_ms) => messages::instant(at_ms, here.now_ms, here.zone),
        None => messages::RIGHTS_NOW.to_owned(),
    };
    Some(KindRights {
        kind: KindLink::of(kind, here.location),
        // A right that one doesn't have is no failure.
        class: if is_granted { Class::Ok } else { Class::Idle },
        may: messages::may(is_granted, known.is_polled || !kind.watch),
        place,
        answered,
    })
}

impl Rights {
    /// What is known of all objects of a kind, whichever are selected in some view.
    fn of_kind(&self, client: &Client, kind: &Kind) -> Option<&Known> {
        self.of(client, &Scope::all(kind.resource.clone()))
    }
}

impl Page {
    /// Asks for what is shown of rights and isn't known.
    pub(in crate::page) fn ask_rights(&mut self, at_once_max: usize, now_ms: UnixMillis) {
        let opened_ms = self.session.rights_opened_ms();
        let Board { client, panes, namespaces, rights, .. } = &mut self.navigator.board;
        let Some(kinds) = client.kinds().filter(|_| is_reviewed(client)) else { return };
        let served = kinds.kinds.iter().filter(|kind| kind.disabled.is_none());
        let is_forbidden = panes.iter().any(is_forbidden);
        let current = self.model.navigation.current.as_ref().filter(|_| namespaces.is_open());
        let is_shown = |resource: &Resource| {
            Some(resource) == current || is_forbidden && OFFERED.contains(&&*resource.to_string())
        };
        let all: Vec<Resource> = served.map(|kind| kind.resource.clone()).collect();
        let shown = all.iter().filter(|resource| is_shown(resource)).cloned().collect();
        rights.ask(client, shown, (now_ms.saturating_sub(RIGHTS_AGAIN_MS), at_once_max), now_ms);
        if let Some(opened_ms) = opened_ms {
            rights.ask(client, all, (opened_ms.saturating_sub(RIGHTS_AGAIN_MS), at_once_max), now_ms);
        }
    }

    pub(in crate::page) fn render_rights(&mut self, now_ms: UnixMillis) {
        let board = &self.navigator.board;
        let location = board.active().map(|pane| pane.place.clone()).unwrap_or_default();
        let chosen = &self.model.namespaces.chosen;
        let here = Here { location: &location, chosen, now_ms, zone: self.zone };
        self.model.rights = self.session.rights(board, here);
    }
}

impl Board {
    /// Names the kinds that a reader could see where one is forbidden.
    pub(in crate::page) fn offer_kinds(&mut self, now_ms: UnixMillis) {
        let Self { client, panes, rights, .. } = self;
        for pane in panes.iter_mut().filter(|pane| is_forbidden(pane)) {
            let Some(review) = pane.model.empty_state.as_mut().and_then(|state| state.review.as_mut()) else {
                continue;
            };
            let chosen = pane.place.namespaces(&[]);
            let kinds = client.kinds().map(|kinds| &*kinds.kinds).unwrap_or_default();
            let could_see = |kind: &&Kind| {
                let is_namespaced = kind.namespaced || chosen.is_all();
                is_namespaced
                    && kind.disabled.is_none()
                    && *kind.resource.to_string() != *pane.place.resource
                    && rights.of_kind(client, kind).is_some_and(|known| known.shows(&chosen, now_ms))
            };
            let kinds = kinds.iter().filter(could_see).take(RIGHTS_OFFERED_MAX);
            review.instead = kinds.map(|kind| KindLink::of(kind, &pane.place)).collect();
            review.instead_title = messages::may_see(&named(&chosen));
        }
    }
}

/// A review said no, and the page has a navigation to go elsewhere.
fn is_forbidden(pane: &Pane) -> bool {
    let state = pane.model.empty_state.as_ref().filter(|_| pane.model.standing != Standing::Guest);
    state.is_some_and(|state| state.review.is_some())
}

fn named(namespaces: &Namespaces) -> Vec<&str> {
    match namespaces {
        Namespaces::All => Vec::new(),
        Namespaces::These(names) => names.iter().map(|name| name.as_str()).collect(),
    }
}

impl Known {
    /// Whether a view of these namespaces has rows to show, as a recent answer says.
    fn shows(&self, chosen: &Namespaces, now_ms: UnixMillis) -> bool {
        match chosen {
            _ if stood_still(self.answered_ms, now_ms).is_some() => false,
            Namespaces::All => self.is_everywhere() || self.granted().next().is_some(),
            Namespaces::These(names) => names.iter().all(|name| self.is_granted(name.as_str())),
        }
    }
}
