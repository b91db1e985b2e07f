//! The clusters as one client knows them: what it was told of each, and what begins anew when one isn't the one that it
//! was.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::frame::client::{Has, SubscriptionId};
use shared::frame::server::{self, Kinds, ServerFrame};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};

use super::Session;
use super::events::{Effects, Now};
use super::subscriptions::Orphan;
use super::surroundings::{Found, KnownCluster};

/// What a client was told.
#[derive(Default)]
pub(super) struct ToldClusters {
    /// As in the last `welcome`, without the digests of the kinds, which their own frames bring.
    listed: Vec<server::Cluster>,
    /// Which cluster a name is of, and the digest of its kinds.
    known: BTreeMap<ClusterName, (Option<u64>, Box<str>)>,
    home: Option<ClusterName>,
}

/// What a list of clusters has that the former one hadn't.
struct News {
    kinds: Vec<Arc<Kinds>>,
    /// The names of clusters that are gone, or of another one than before.
    others: Vec<ClusterName>,
    former_home: Option<ClusterName>,
}

impl ToldClusters {
    /// What a `welcome` says of them. `false`: the client was told the same.
    pub(super) fn welcomed(&mut self, clusters: &[server::Cluster]) -> bool {
        let without_digest =
            |cluster: &server::Cluster| server::Cluster { kinds: "".into(), ..cluster.clone() };
        let listed: Vec<server::Cluster> = clusters.iter().map(without_digest).collect();
        let is_new = listed != self.listed;
        self.listed = listed;
        is_new
    }

    fn learn(&mut self, clusters: &[KnownCluster]) -> News {
        let mut former = std::mem::take(&mut self.known);
        let home = clusters.first().map(|home| home.kinds.cluster.clone());
        let former_home = std::mem::replace(&mut self.home, home);
        let (mut kinds, mut others) = (Vec::new(), Vec::new());
        for cluster in clusters {
            let (name, number) = (&cluster.kinds.cluster, cluster.number());
            let before = former.remove(name);
            if before.as_ref().is_none_or(|(_, digest)| *digest != cluster.kinds.digest) {
                kinds.push(Arc::clone(&cluster.kinds));
            }
            if before.is_some_and(|(before, _)| before != number) {
                others.push(name.clone());
            }
            self.known.insert(name.clone(), (number, cluster.kinds.digest.clone()));
        }
        others.extend(former.into_keys());
        News { kinds, others, former_home }
    }
}

impl<H: Clone> Session<H> {
    /// `welcome`, and of each cluster the kinds that the client hasn't.
    pub(super) fn say_clusters_first(&mut self, has: &[Has], now: Now) {
        self.say_welcome(now);
        let has_kinds = |cluster: &KnownCluster| {
            let (id, digest) = (&cluster.identity.id, &cluster.kinds.digest);
            has.iter().any(|has| has.cluster == *id && has.kinds == *digest)
        };
        let missing = self.surroundings.clusters.iter().filter(|cluster| !has_kinds(cluster));
        let missing: Vec<Arc<Kinds>> = missing.map(|cluster| Arc::clone(&cluster.kinds)).collect();
        self.told.learn(&self.surroundings.clusters);
        self.say_kinds(&missing);
    }

    /// Tells the client what is new, and begins anew what was open of a cluster that isn't the one that it was.
    pub(super) fn on_clusters(&mut self, now: Now, effects: &mut Effects<H>) {
        let welcome = self.welcome(now);
        if self.told.welcomed(&welcome.clusters) {
            self.flow.say(&ServerFrame::Welcome(Box::new(welcome)));
        }
        let News { kinds, others, former_home } = self.told.learn(&self.surroundings.clusters);
        self.say_kinds(&kinds);
        self.end_logs_of(&others, effects);
        for id in self.subscriptions.ids_of(&others, former_home.as_ref()) {
            self.begin_anew(id, effects);
        }
        let surroundings = &self.surroundings;
        let states = self.subscriptions.cluster_states(|cluster| match surroundings.find(cluster) {
            Found::Unreached(_, report) => Some(report),
            Found::Reached(_) | Found::Unknown(_) => None,
        });
        for state in states {
            self.flow.say(&ServerFrame::State(state));
        }
    }

    fn say_kinds(&mut self, kinds: &[Arc<Kinds>]) {
        for kinds in kinds {
            self.flow.say(&ServerFrame::Kinds((**kinds).clone()));
        }
    }

    fn begin_anew(&mut self, id: SubscriptionId, effects: &mut Effects<H>) {
        let Some(Orphan { request, is_question }) = self.subscriptions.orphan(id) else { return };
        if is_question {
            // It has no answer there.
            self.close(id, effects);
            let message = "the cluster isn't the one that it was; ask again";
            return self.problem(Some(id), Problem::new(Reason::ServiceUnavailable, message));
        }
        self.close(id, effects);
        self.begin(request, effects);
    }
}
