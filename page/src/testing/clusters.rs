//! Several clusters of a [`TestGateway`], which come, go and are lost.

use shared::frame::client::Log;
use shared::frame::server::{Cluster, ClusterProblem, Kinds, LoginMode, ServerFrame, StateFrame, Welcome};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::scope::Scope;
use shared::state::{StateReport, UnixMillis, ViewState};

use super::TestGateway;
use super::frames::{Open, problem_frame, sync};

impl TestGateway {
    /// It has these clusters, and each has the same rows.
    pub fn has_clusters(&mut self, names: &[&str]) {
        let own = self.welcome.clusters[0].clone();
        let cluster = |name: &&str| Cluster {
            name: ClusterName::parse(name).expect("a name"),
            id: (*name).into(),
            context: Some(format!("{name}-context").into()),
            problem: self.unreached.get(*name).map(|since_ms| {
                let problem = Problem::new(Reason::ConnectionRefused, "connection refused");
                Box::new(ClusterProblem { since_ms: *since_ms, problem })
            }),
            ..own.clone()
        };
        self.welcome.clusters = names.iter().map(cluster).collect();
    }

    /// As the gateway of a team, it names no context of its own kubeconfig.
    pub fn is_of_team(&mut self) {
        for cluster in &mut self.welcome.clusters {
            cluster.context = None;
        }
        self.welcome.viewer.mode = LoginMode::Bearer;
    }

    /// Other clusters than before, on the connection that is open.
    pub fn clusters_change(&mut self, names: &[&str], now_ms: UnixMillis) -> Vec<ServerFrame> {
        self.has_clusters(names);
        let gone = |scope: &Scope| !names.contains(&self.cluster_of(scope).as_str());
        let (ended, open) = self
            .open
            .iter()
            .map(|open| open.asked.clone())
            .partition::<Vec<_>, _>(|asked| gone(&asked.scope));
        self.open.retain(|held| open.iter().any(|asked| asked.id == held.asked.id));
        let welcome = Welcome { now_ms, ..self.welcome.clone() };
        let problem = Problem::new(Reason::NotFound, "this cluster was removed");
        let ended = ended.into_iter().map(|asked| problem_frame(asked.id, problem.clone()));
        let welcome = ServerFrame::Welcome(Box::new(welcome));
        ended.chain(std::iter::once(welcome)).chain(self.kinds_of_all()).collect()
    }

    /// A cluster isn't reached any more: its views are stale.
    pub fn lose(&mut self, cluster: &str, now_ms: UnixMillis) -> Vec<ServerFrame> {
        self.unreached.insert(cluster.to_owned(), now_ms);
        let problem = Problem::new(Reason::ConnectionRefused, "connection refused");
        let report = StateReport::of(ViewState::Stale { since_ms: now_ms }).because(problem);
        self.report(cluster, &report)
    }

    /// It is reached again.
    pub fn find(&mut self, cluster: &str, now_ms: UnixMillis) -> Vec<ServerFrame> {
        self.unreached.remove(cluster);
        let views = self.open.iter().filter(|open| self.cluster_of(&open.asked.scope) == cluster);
        let live = |open: &Open| {
            let report = StateReport::of(ViewState::Live);
            [ServerFrame::State(StateFrame { view: open.view(), report }), sync(open, now_ms)]
        };
        views.flat_map(live).collect()
    }

    /// Its views are live, but for one object.
    pub fn leave_out(&self, cluster: &str, problem: Problem) -> Vec<ServerFrame> {
        let report = StateReport::of(ViewState::Live).because(problem);
        self.report(cluster, &report)
    }

    /// All views of a cluster are in this state.
    fn report(&self, cluster: &str, report: &StateReport) -> Vec<ServerFrame> {
        let views = self.open.iter().filter(|open| self.cluster_of(&open.asked.scope) == cluster);
        views
            .map(|open| ServerFrame::State(StateFrame { view: open.view(), report: report.clone() }))
            .collect()
    }

    /// The last question for logs of this cluster that isn't over.
    pub fn logs_of(&self, cluster: &str) -> Option<&Log> {
        self.logs.iter().rev().find(|asked| self.cluster_of(&asked.scope) == cluster)
    }

    pub(super) fn cluster_of(&self, scope: &Scope) -> String {
        scope.cluster.as_ref().unwrap_or(&self.welcome.clusters[0].name).to_string()
    }

    pub(super) fn kinds_of_all(&self) -> Vec<ServerFrame> {
        let kinds = |cluster: &Cluster| {
            let lacks = self.lacks.get(cluster.name.as_str()).map(Vec::as_slice).unwrap_or_default();
            let served = self.kinds.iter().filter(|kind| !lacks.contains(&kind.resource.to_string()));
            ServerFrame::Kinds(Kinds::new(cluster.name.clone(), served.cloned().collect(), Vec::new()))
        };
        self.welcome.clusters.iter().map(kinds).collect()
    }
}
