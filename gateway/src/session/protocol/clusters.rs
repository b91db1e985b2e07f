//! The clusters as one client knows them: what it was told of each, and the subscriptions to those that never answered,
//! which begin as soon as they do.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::frame::client::{Has, SubscriptionId};
use shared::frame::server::{self, Kinds, ServerFrame, StateFrame, ViewId};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::StateReport;

use super::{Effects, Found, Gateway, Session};
use crate::hub::SubscriptionRequest;

/// What a client was told.
#[derive(Default)]
pub(super) struct Clusters {
    /// Of the gateway's list.
    pub(super) version: u64,
    /// As in the last `welcome`, without the digests of the kinds, which their own frames bring.
    listed: Vec<server::Cluster>,
    /// Which cluster a name is of, and the digest of its kinds.
    known: BTreeMap<ClusterName, (Option<u64>, Box<str>)>,
    home: Option<ClusterName>,
    pub(super) unreached: BTreeMap<SubscriptionId, Unreached>,
}

/// A subscription to a cluster that never answered.
pub(super) struct Unreached {
    request: Arc<SubscriptionRequest>,
    view: ViewId,
    state: StateReport,
}

impl Clusters {
    pub(super) fn said(&mut self, clusters: &[server::Cluster]) {
        self.listed = without_digests(clusters);
    }
}

impl<H: Clone> Session<H> {
    /// `welcome`, and of each cluster the kinds that the client hasn't.
    pub(super) fn say_clusters_first(&mut self, has: &[Has], gateway: &impl Gateway<Hub = H>) {
        self.clusters.version = gateway.clusters_version();
        let welcome = self.welcome(gateway);
        let ids: BTreeMap<ClusterName, Box<str>> =
            welcome.clusters.iter().map(|cluster| (cluster.name.clone(), cluster.id.clone())).collect();
        self.clusters.said(&welcome.clusters);
        self.say(&ServerFrame::Welcome(Box::new(welcome)));
        let clusters = gateway.clusters();
        self.clusters.home = clusters.first().map(|(_, kinds)| kinds.cluster.clone());
        for (number, kinds) in clusters {
            let id = ids.get(&kinds.cluster);
            let has_kinds = has.iter().any(|has| Some(&has.cluster) == id && has.kinds == kinds.digest);
            self.know(number, &kinds);
            if !has_kinds {
                self.say(&ServerFrame::Kinds((*kinds).clone()));
            }
        }
    }

    /// Tells the client what is new, and begins anew what was open of a cluster that isn't the one that it was.
    pub(super) fn on_clusters(&mut self, gateway: &impl Gateway<Hub = H>, effects: &mut Effects<H>) {
        self.clusters.version = gateway.clusters_version();
        let welcome = self.welcome(gateway);
        if without_digests(&welcome.clusters) != self.clusters.listed {
            self.clusters.said(&welcome.clusters);
            self.say(&ServerFrame::Welcome(Box::new(welcome)));
        }
        let mut former = std::mem::take(&mut self.clusters.known);
        let clusters = gateway.clusters();
        let home = clusters.first().map(|(_, kinds)| kinds.cluster.clone());
        let mut others: Vec<ClusterName> = Vec::new();
        for (number, kinds) in clusters {
            let before = former.remove(&kinds.cluster);
            if before.as_ref().is_none_or(|(_, digest)| *digest != kinds.digest) {
                self.say(&ServerFrame::Kinds((*kinds).clone()));
            }
            if before.is_some_and(|(before, _)| before != number) {
                others.push(kinds.cluster.clone());
            }
            self.know(number, &kinds);
        }
        others.extend(former.into_keys());
        let former_home = std::mem::replace(&mut self.clusters.home, home);
        for id in self.ids_of(&others, former_home.as_ref()) {
            self.begin_anew(id, gateway, effects);
        }
        self.say_states(gateway);
    }

    /// The subscription is answered by the state of its cluster until that answers.
    pub(super) fn wait_for_cluster(
        &mut self,
        request: Arc<SubscriptionRequest>,
        cluster: &ClusterName,
        state: StateReport,
        gateway: &impl Gateway<Hub = H>,
    ) {
        if request.is_get {
            return self.problem(Some(request.id), not_reached(cluster, &state));
        }
        let (id, view) = (request.id, gateway.fresh_view());
        self.say_without_feed(&request, view, state.clone());
        self.clusters.unreached.insert(id, Unreached { request, view, state });
    }

    fn know(&mut self, number: Option<u64>, kinds: &Kinds) {
        self.clusters.known.insert(kinds.cluster.clone(), (number, kinds.digest.clone()));
    }

    /// What is open, or waits, of these clusters.
    fn ids_of(&self, clusters: &[ClusterName], home: Option<&ClusterName>) -> Vec<SubscriptionId> {
        let is_of = |request: &SubscriptionRequest| {
            let named = request.scope.cluster.as_ref().or(home);
            named.is_some_and(|cluster| clusters.contains(cluster))
        };
        let open = self.subscriptions.values().map(|open| &open.request);
        let reviewed = self.reviewed.values().map(|reviewed| &reviewed.request);
        let waiting = self.clusters.unreached.values().map(|waiting| &waiting.request);
        let asked = self.asked_rights.values().map(|asked| &asked.request);
        let all = open.chain(reviewed).chain(waiting).chain(asked).filter(|request| is_of(request));
        let mut ids: Vec<SubscriptionId> = all.map(|request| request.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn begin_anew(&mut self, id: SubscriptionId, gateway: &impl Gateway<Hub = H>, effects: &mut Effects<H>) {
        let reviewed = self.reviewed.get(&id).map(|reviewed| &reviewed.request);
        let waiting = self.clusters.unreached.get(&id).map(|waiting| &waiting.request);
        let open = self.keys.get(&id).and_then(|key| self.subscriptions.get(key)).map(|open| &open.request);
        // As it was asked: of what is open under review it may be a part.
        let request = reviewed.or(waiting).or(open).cloned();
        let is_waiting = waiting.is_some();
        let Some(mut request) = request else {
            // A question about rights, which has no answer there.
            self.forget_question(id, effects);
            let message = "the cluster isn't the one that it was; ask again";
            return self.problem(Some(id), Problem::new(Reason::ServiceUnavailable, message));
        };
        self.close(id, effects);
        if !is_waiting {
            // Another cluster, or another way to it: what the client stands at is of the former.
            Arc::make_mut(&mut request).token = None;
        }
        self.begin(request, gateway, effects);
    }

    /// What waits hears why, whenever that changes.
    fn say_states(&mut self, gateway: &impl Gateway<Hub = H>) {
        let mut said = Vec::new();
        for waiting in self.clusters.unreached.values_mut() {
            let found = gateway.find(waiting.request.scope.cluster.as_ref());
            if let Found::Unreached(_, state) = found
                && state != waiting.state
            {
                waiting.state = state.clone();
                said.push(StateFrame { view: waiting.view, report: state });
            }
        }
        for state in said {
            self.say(&ServerFrame::State(state));
        }
    }
}

/// For what is answered once.
pub(super) fn not_reached(cluster: &ClusterName, state: &StateReport) -> Problem {
    match &state.problem {
        Some(Problem { reason, message }) => Problem::new(*reason, message.clone()),
        None => {
            let message = format!("the cluster {cluster} hasn't answered yet; try again in a moment");
            Problem::new(Reason::ServiceUnavailable, message)
        }
    }
}

fn without_digests(clusters: &[server::Cluster]) -> Vec<server::Cluster> {
    clusters.iter().map(|cluster| server::Cluster { kinds: "".into(), ..cluster.clone() }).collect()
}
