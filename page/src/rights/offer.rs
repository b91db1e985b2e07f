//! What the page asks of rights by itself, and the kinds that a reader could see where one is forbidden.

use shared::name::ClusterName;
use shared::resource::{Kind, Resource};
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::{Rights, clusters, is_reviewed, kinds, words};
use crate::cx::Cx;
use crate::kind_link::KindLink;
use crate::limits::{RIGHTS_AGAIN_MS, RIGHTS_ASKED_MAX, RIGHTS_OFFERED_MAX};
use crate::location::Location;
use crate::model::Standing;
use crate::pane::Pane;
use crate::table_view::Client;

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

/// What of rights is on the screen, beside the views.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// Where the reader is.
    pub(crate) location: &'a Location,
    /// The kind whose namespaces are picked.
    pub(crate) picked: Option<&'a Resource>,
    /// When the sheet was opened.
    pub(crate) opened_ms: Option<UnixMillis>,
}

/// What the page asks about, and offers.
impl Rights {
    /// Asks for what is shown of rights and isn't known.
    pub(crate) fn ask_for<'a>(
        &mut self,
        panes: impl Iterator<Item = &'a Pane>,
        beside: Shown<'_>,
        at_once_max: usize,
        cx: &mut Cx,
    ) {
        let now_ms = cx.now_ms();
        let client = &mut cx.client;
        if !is_reviewed(client) {
            return;
        }
        let Shown { location, picked, opened_ms } = beside;
        let mut shown = Vec::new();
        if let (Some(picked), Some(cluster)) = (picked, only_cluster(client, location)) {
            let is_served = served(client, cluster.as_ref()).any(|resource| resource == *picked);
            shown.extend(is_served.then(|| (cluster, picked.clone())));
        }
        for pane in panes.filter(|pane| is_forbidden(pane)) {
            let Some(cluster) = only_cluster(client, pane.place()) else { continue };
            let offered = served(client, cluster.as_ref())
                .filter(|resource| OFFERED.contains(&&*resource.to_string()))
                .map(|resource| (cluster.clone(), resource));
            shown.extend(offered);
        }
        self.ask(client, shown, (now_ms.saturating_sub(RIGHTS_AGAIN_MS), at_once_max), now_ms);
        if let Some(opened_ms) = opened_ms {
            let in_scope = clusters(client, location).into_iter().map(|name| client.in_scope(&name));
            let of_cluster = |cluster: Option<ClusterName>| {
                served(client, cluster.as_ref()).map(move |resource| (cluster.clone(), resource))
            };
            let all = in_scope.flat_map(of_cluster).take(RIGHTS_ASKED_MAX).collect();
            self.ask(client, all, (opened_ms.saturating_sub(RIGHTS_AGAIN_MS), at_once_max), now_ms);
        }
    }

    /// Names the kinds that a reader could see where one is forbidden.
    pub(crate) fn offer_kinds<'a>(&self, panes: impl Iterator<Item = &'a mut Pane>, cx: &Cx) {
        let client = &cx.client;
        for pane in panes.filter(|pane| is_forbidden(pane)) {
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
            pane.offer_instead(instead, words::may_see(&named(&chosen)));
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

/// The one cluster that a location shows, as a scope names it. `None`: it shows several, each with rights of its own.
fn only_cluster(client: &Client, location: &Location) -> Option<Option<ClusterName>> {
    match clusters(client, location).as_slice() {
        [only] => Some(client.in_scope(only)),
        _ => None,
    }
}

/// The kinds that may be asked about.
fn served<'a>(client: &'a Client, cluster: Option<&ClusterName>) -> impl Iterator<Item = Resource> + use<'a> {
    kinds(client, cluster).iter().filter(|kind| kind.disabled.is_none()).map(|kind| kind.resource.clone())
}
