//! The clusters as one viewer may hear of them. In a team that is, of each but the home cluster, its name, and the rest
//! only where the cluster's own review lets the viewer ask what it serves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream, SelectAll};
use shared::frame::server::ClusterProblem;
use shared::problem::{Problem, Reason};
use shared::state::{StateReport, ViewState, Whom};
use tokio::time::sleep;

use super::protocol::{KnownCluster, Reach};
use crate::cluster::{Cluster, Decision, Subject};
use crate::inventory::{Inventory, Listed};
use crate::limits::REVIEW_AGAIN_S;

pub(super) struct VisibleClusters {
    inventory: Inventory,
    /// Viewers have rights of their own.
    is_team: bool,
    /// Whether the viewer may ask what a cluster serves, by the cluster's number; without the home cluster.
    answers: Mutex<BTreeMap<u64, bool>>,
    answered: AtomicU64,
}

/// What is asked for one viewer: each cluster once, and again while it says no.
#[derive(Default)]
pub(super) struct Asking {
    /// The subject that is asked for: a renewed login may bring other groups.
    subject: Option<Arc<Subject>>,
    asked: BTreeSet<u64>,
    answers: SelectAll<BoxStream<'static, (u64, bool)>>,
}

impl VisibleClusters {
    pub(super) fn new(inventory: Inventory, is_team: bool) -> Self {
        Self { inventory, is_team, answers: Mutex::default(), answered: AtomicU64::new(0) }
    }

    /// Counts what the viewer hears of differently.
    pub(super) fn version(&self) -> u64 {
        self.inventory.version() + self.answered.load(Ordering::Acquire)
    }

    /// The home cluster first.
    pub(super) fn known(&self) -> Vec<KnownCluster> {
        let listed = self.inventory.listed();
        let listed = listed.borrow();
        let home = home_of(&listed);
        listed.iter().map(|one| self.known_as(one, home)).collect()
    }

    fn known_as(&self, listed: &Listed, home: Option<u64>) -> KnownCluster {
        let visible = self.visible(listed, home);
        let mut identity = visible.identity();
        // A team has no namespace in common, so that of the gateway's own context isn't told: a page starts with all
        // that may be seen. Nor is the context: a viewer's own kubeconfig has other names.
        if self.is_team {
            identity.namespaces.clear();
            identity.context = None;
        }
        identity.problem = listed.problem.clone().map(|problem| Box::new(self.shown(problem)));
        let reach = match &visible.reached {
            Some(_) => Reach::Reached(visible.number),
            None => Reach::Unreached(self.state_of(&visible)),
        };
        KnownCluster { identity, kinds: visible.kinds(), reach }
    }

    /// The state of the views of a cluster that never answered.
    fn state_of(&self, Listed { name, number, problem, .. }: &Listed) -> StateReport {
        match (problem, self.answer(*number)) {
            (Some(problem), _) => {
                let ClusterProblem { since_ms, problem } = self.shown(problem.clone());
                StateReport::of(ViewState::Stale { since_ms }).because(problem)
            }
            (None, Some(false)) => {
                let message = format!(
                    "you may not ask what the cluster {name} serves; ask `kubectl auth can-i get /apis`"
                );
                let problem = Problem::new(Reason::Forbidden, message);
                StateReport::of(ViewState::Forbidden { to: Whom::You }).because(problem)
            }
            (None, _) => StateReport::of(ViewState::Syncing { n: 0, of: None }),
        }
    }

    pub(super) fn answer_came(&self, (number, is_allowed): (u64, bool)) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.insert(number, is_allowed) != Some(is_allowed) {
            self.answered.fetch_add(1, Ordering::Release);
        }
    }

    fn answer(&self, number: u64) -> Option<bool> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(&number).copied()
    }

    /// As if it had never answered, where the viewer may not hear more.
    fn visible(&self, listed: &Listed, home: Option<u64>) -> Listed {
        if !self.is_team || home == Some(listed.number) || self.answer(listed.number) == Some(true) {
            return listed.clone();
        }
        Listed { reached: None, ..listed.clone() }
    }

    /// In a team, the whole sentence, with an address or the path of a file, is for those who run the gateway.
    fn shown(&self, problem: ClusterProblem) -> ClusterProblem {
        if !self.is_team {
            return problem;
        }
        let ClusterProblem { since_ms, problem: Problem { reason, .. } } = problem;
        let message =
            format!("the gateway doesn't reach this cluster ({}); its log says more", reason.words());
        ClusterProblem { since_ms, problem: Problem::new(reason, message) }
    }
}

/// The number of the home cluster.
fn home_of(listed: &[Listed]) -> Option<u64> {
    listed.first().map(|home| home.number)
}

impl Asking {
    /// Asks about every cluster again if the viewer's subject changed. The former answer holds until the new one comes.
    pub(super) fn ask_as(&mut self, clusters: &VisibleClusters, subject: Option<&Arc<Subject>>) {
        if self.subject.as_ref() != subject {
            *self = Self { subject: subject.cloned(), ..Self::default() };
            self.ask(clusters);
        }
    }

    /// Asks about the clusters that weren't asked yet.
    pub(super) fn ask(&mut self, clusters: &VisibleClusters) {
        let Some(subject) = self.subject.as_ref().filter(|_| clusters.is_team) else { return };
        let listed = clusters.inventory.listed();
        for Listed { number, reached, .. } in listed.borrow().iter().skip(1) {
            if let Some(reached) = reached
                && self.asked.insert(*number)
            {
                let answers = answers(reached.cluster.clone(), Arc::clone(subject));
                let number = *number;
                self.answers.push(answers.map(move |is_allowed| (number, is_allowed)).boxed());
            }
        }
    }

    /// Never returns while nothing is asked.
    pub(super) async fn next(&mut self) -> (u64, bool) {
        match self.answers.next().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

/// Ends with the first yes.
fn answers(cluster: Cluster, subject: Arc<Subject>) -> impl stream::Stream<Item = bool> {
    stream::unfold(Some(Duration::ZERO), move |pause| {
        let (cluster, subject) = (cluster.clone(), Arc::clone(&subject));
        async move {
            sleep(pause?).await;
            let is_allowed = cluster.review_discovery(&subject).await == Decision::Allowed;
            Some((is_allowed, (!is_allowed).then_some(Duration::from_secs(REVIEW_AGAIN_S))))
        }
    })
}
