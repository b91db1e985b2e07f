//! "What may I see?": what is known of each kind in the clusters that the page shows, by what it was decided, and the line
//! that asks for the rest. And the kinds that a reader could see where one is forbidden.

mod model;

use std::collections::BTreeSet;

use shared::frame::server::Viewer;
use shared::name::ClusterName;
use shared::resource::{Kind, Resource};
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::{Known, Rights, is_reviewed, stood_still, whole};
use crate::cx::Cx;
use crate::kind_link::KindLink;
use crate::kubectl::in_context;
use crate::limits::{RIGHTS_AGAIN_MS, RIGHTS_ASKED_MAX, RIGHTS_OFFERED_MAX};
use crate::location::Location;
use crate::messages;
use crate::model::Standing;
use crate::page::panes::Panes;
use crate::pane::Pane;
use crate::status::Class;
use crate::table_view::Client;

pub use model::{KindRights, RightsSheet};

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

/// Where the reader is.
#[derive(Clone, Copy)]
pub(in crate::page) struct Here<'a> {
    pub(in crate::page) location: &'a Location,
    pub(in crate::page) chosen: &'a Namespaces,
}

impl RightsSheet {
    pub(in crate::page) fn of(viewer: &Viewer, rights: &Rights, here: Here<'_>, cx: &Cx) -> Self {
        let client = &cx.client;
        let clusters = clusters(client, here.location);
        let mut known = Vec::new();
        let (mut served_count, mut hidden) = (0, BTreeSet::new());
        for cluster in &clusters {
            let in_scope = client.in_scope(cluster);
            let (served, of_none): (Vec<&Kind>, Vec<&Kind>) =
                kinds(client, in_scope.as_ref()).iter().partition(|kind| kind.disabled.is_none());
            let named = Some(cluster.as_str()).filter(|_| clusters.len() > 1);
            let lines = served.iter().filter_map(|kind| {
                kind_rights(kind, rights.of_kind(client, in_scope.as_ref(), kind)?, named, (here, cx))
            });
            let (granted, refused): (Vec<_>, Vec<_>) = lines.partition(|line| line.class == Class::Ok);
            known.extend(granted.into_iter().chain(refused));
            served_count += served.len();
            hidden.extend(of_none.iter().map(|kind| kind.resource.to_string()));
        }
        let hidden: Vec<&str> = hidden.iter().map(String::as_str).collect();
        let groups: Vec<&str> = viewer.groups.iter().map(|group| &**group).collect();
        let unknown = served_count.saturating_sub(known.len());
        let names = clusters.iter().filter(|_| client.clusters().len() > 1);
        let about = messages::about_clusters(&names.map(ClusterName::as_str).collect::<Vec<_>>());
        let asked = messages::asked_as(&viewer.user, &groups);
        let mut notes =
            vec![messages::not_known(unknown, is_reviewed(client)), messages::hidden_from_all(&hidden)];
        notes.retain(|note| !note.is_empty());
        let can_i_list = messages::can_i_list(namespace(client, rights, here));
        Self {
            asked: if about.is_empty() { asked } else { format!("{asked} {about}") },
            decided: messages::decided_by(viewer.rights),
            kinds: known,
            notes,
            command: in_context(&can_i_list, client, clusters.first()),
        }
    }
}

/// The namespace that the command asks about: one that the reader looks at, otherwise one that they may see.
fn namespace<'a>(client: &Client, rights: &'a Rights, here: Here<'a>) -> Option<&'a str> {
    let name = match here.chosen {
        Namespaces::These(names) => names.first(),
        Namespaces::All => {
            let cluster = client.in_scope(clusters(client, here.location).first()?);
            let mut kinds = kinds(client, cluster.as_ref()).iter();
            let resource = kinds.find(|kind| kind.resource.to_string() == *here.location.resource);
            rights.of_kind(client, cluster.as_ref(), resource?)?.granted().next()
        }
    };
    Some(name?.as_str())
}

/// The clusters that a location shows, of those that the gateway has.
fn clusters(client: &Client, location: &Location) -> Vec<ClusterName> {
    let mut clusters = location.clusters(client.clusters());
    clusters.retain(|name| client.cluster_named(Some(name)).is_some());
    clusters
}

/// The one cluster that a location shows, as a scope names it. `None`: it shows several, each with rights of its own.
fn only_cluster(client: &Client, location: &Location) -> Option<Option<ClusterName>> {
    match clusters(client, location).as_slice() {
        [only] => Some(client.in_scope(only)),
        _ => None,
    }
}

fn kinds<'a>(client: &'a Client, cluster: Option<&ClusterName>) -> &'a [Kind] {
    client.kinds_of(cluster).map(|kinds| &*kinds.kinds).unwrap_or_default()
}

/// The kinds that may be asked about.
fn served<'a>(client: &'a Client, cluster: Option<&ClusterName>) -> impl Iterator<Item = Resource> + use<'a> {
    kinds(client, cluster).iter().filter(|kind| kind.disabled.is_none()).map(|kind| kind.resource.clone())
}

/// `None`: no answer has come. `cluster`: the name of its cluster, where several are shown.
fn kind_rights(
    kind: &Kind,
    known: &Known,
    cluster: Option<&str>,
    (here, cx): (Here<'_>, &Cx),
) -> Option<KindRights> {
    let granted: Vec<&str> = known.granted().map(|name| name.as_str()).collect();
    let refused: Vec<&str> = known.refused().map(|name| name.as_str()).collect();
    let is_granted = known.is_everywhere() || !granted.is_empty();
    let place = match known.is_everywhere() {
        _ if !kind.namespaced => messages::CLUSTER_WIDE.to_owned(),
        true => messages::ALL_NAMESPACES.to_owned(),
        false => messages::may_in(&granted, &refused),
    };
    let place = cluster.map_or_else(|| place.clone(), |cluster| messages::may_in_cluster(cluster, &place));
    if !is_granted && known.all.is_none() && refused.is_empty() {
        return None;
    }
    let answered = match stood_still(known.answered_ms, cx.now_ms()) {
        Some(at_ms) => messages::instant(at_ms, cx.now_ms(), cx.zone),
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
    fn of_kind(&self, client: &Client, cluster: Option<&ClusterName>, kind: &Kind) -> Option<&Known> {
        self.of(client, &whole(cluster, &kind.resource))
    }
}

/// What the page asks about, and offers.
impl Rights {
    /// Asks for what is shown of rights and isn't known. `current`: the kind whose namespaces are picked; `opened_ms`: when
    /// the sheet was opened.
    pub(in crate::page) fn ask_for(
        &mut self,
        panes: &Panes,
        (current, opened_ms): (Option<&Resource>, Option<UnixMillis>),
        at_once_max: usize,
        cx: &mut Cx,
    ) {
        let now_ms = cx.now_ms();
        let client = &mut cx.client;
        if !is_reviewed(client) {
            return;
        }
        let here = panes.active().map(|pane| pane.place().clone()).unwrap_or_default();
        let mut shown = Vec::new();
        if let (Some(current), Some(cluster)) = (current, only_cluster(client, &here)) {
            let is_served = served(client, cluster.as_ref()).any(|resource| resource == *current);
            shown.extend(is_served.then(|| (cluster, current.clone())));
        }
        for pane in panes.iter().filter(|pane| is_forbidden(pane)) {
            let Some(cluster) = only_cluster(client, pane.place()) else { continue };
            let offered = served(client, cluster.as_ref())
                .filter(|resource| OFFERED.contains(&&*resource.to_string()))
                .map(|resource| (cluster.clone(), resource));
            shown.extend(offered);
        }
        self.ask(client, shown, (now_ms.saturating_sub(RIGHTS_AGAIN_MS), at_once_max), now_ms);
        if let Some(opened_ms) = opened_ms {
            let in_scope = clusters(client, &here).into_iter().map(|name| client.in_scope(&name));
            let of_cluster = |cluster: Option<ClusterName>| {
                served(client, cluster.as_ref()).map(move |resource| (cluster.clone(), resource))
            };
            let all = in_scope.flat_map(of_cluster).take(RIGHTS_ASKED_MAX).collect();
            self.ask(client, all, (opened_ms.saturating_sub(RIGHTS_AGAIN_MS), at_once_max), now_ms);
        }
    }

    /// Names the kinds that a reader could see where one is forbidden.
    pub(in crate::page) fn offer_kinds(&self, panes: &mut Panes, cx: &Cx) {
        let client = &cx.client;
        for pane in panes.iter_mut().filter(|pane| is_forbidden(pane)) {
            let Some(cluster) = only_cluster(client, pane.place()) else { continue };
            let chosen = pane.place().namespaces(&[]);
            let kinds = kinds(client, cluster.as_ref());
            let could_see = |kind: &&Kind| {
                let is_namespaced = kind.namespaced || chosen.is_all();
                is_namespaced
                    && kind.disabled.is_none()
                    && *kind.resource.to_string() != *pane.place().resource
                    && self
                        .of_kind(client, cluster.as_ref(), kind)
                        .is_some_and(|known| known.shows(&chosen, cx.now_ms()))
            };
            let kinds = kinds.iter().filter(could_see).take(RIGHTS_OFFERED_MAX);
            let instead = kinds.map(|kind| KindLink::of(kind, pane.place())).collect();
            pane.offer_instead(instead, messages::may_see(&named(&chosen)));
        }
    }
}

/// A review said no, and the page has a navigation to go elsewhere.
fn is_forbidden(pane: &Pane) -> bool {
    let model = pane.model();
    let state = model.empty_state.as_ref().filter(|_| model.standing != Standing::Guest);
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
