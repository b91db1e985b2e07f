//! What a session knows of the gateway around it. Actions tell it and tell each change, so nothing is asked meanwhile.

use std::sync::Arc;

use shared::frame::server::{Board, Cluster, Kinds, ReplayedFile, Replays};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::StateReport;

use crate::access::admit;
use crate::cluster::Ceiling;
use crate::feed::FeedKey;
use crate::subscription_request::SubscriptionRequest;

/// The gateway around a session, as its viewer may hear of it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The home cluster first.
    pub clusters: Vec<KnownCluster>,
    /// The name of what is shown and masked.
    pub rules: Box<str>,
    /// What is shown of each cluster.
    pub ceiling: Ceiling,
    /// Whether the gateway records what happens.
    pub records: bool,
    /// The record that is shown instead of the present.
    pub replays: Option<Replays>,
    /// What that record says of itself.
    pub file: Option<ReplayedFile>,
    pub team: Team,
}

/// What a team gave its gateway to show to every viewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    pub pinned: Vec<Box<str>>,
    pub boards: Vec<Board>,
    /// Kinds that are always looked at for children; no welcome has them.
    pub child_kinds: Vec<Box<str>>,
}

/// One cluster of the gateway.
#[derive(Clone, Debug)]
pub struct KnownCluster {
    /// As `welcome` has it.
    pub identity: Cluster,
    pub kinds: Arc<Kinds>,
    pub reach: Reach,
}

/// Whether a cluster ever answered, as far as the viewer may know.
#[derive(Clone, Debug, PartialEq)]
pub enum Reach {
    /// Another cluster of the same name, or another way to it, has another number.
    Reached(u64),
    /// The state is the one that the views of the cluster have meanwhile.
    Unreached(StateReport),
}

/// What there is of a cluster that a client names.
pub(super) enum Found {
    Reached(Arc<Kinds>),
    Unreached(ClusterName, StateReport),
    Unknown(Problem),
}

impl KnownCluster {
    /// `None`: it isn't reached.
    pub(super) fn number(&self) -> Option<u64> {
        match self.reach {
            Reach::Reached(number) => Some(number),
            Reach::Unreached(_) => None,
        }
    }
}

impl Surroundings {
    /// `None` names the home cluster.
    pub(super) fn find(&self, name: Option<&ClusterName>) -> Found {
        let known = match name {
            Some(name) => self.clusters.iter().find(|known| known.identity.name == *name),
            None => self.clusters.first(),
        };
        match (known, name) {
            (Some(KnownCluster { kinds, reach: Reach::Reached(_), .. }), _) => {
                Found::Reached(Arc::clone(kinds))
            }
            (Some(KnownCluster { identity, reach: Reach::Unreached(report), .. }), _) => {
                Found::Unreached(identity.name.clone(), report.clone())
            }
            (None, Some(name)) => {
                let message = format!("this gateway shows no cluster {:?}", name.as_str());
                Found::Unknown(Problem::new(Reason::NotFound, message))
            }
            (None, None) => {
                let message = "this gateway shows no cluster at all";
                Found::Unknown(Problem::new(Reason::NotFound, message))
            }
        }
    }

    /// Whether what containers write is shown. A record has none of it.
    pub(super) fn shows_logs(&self) -> bool {
        self.ceiling.shows_logs() && self.replays.is_none()
    }

    /// The feed that answers the request.
    pub(super) fn admit(&self, request: &SubscriptionRequest) -> Result<FeedKey, Problem> {
        match self.find(request.scope.cluster.as_ref()) {
            Found::Reached(_) if request.at_ms.is_some() && !self.records => Err(not_recorded()),
            Found::Reached(kinds) => match self.replays {
                Some(Replays { to_ms, .. }) => {
                    let at_ms = Some(request.at_ms.map_or(to_ms, |at_ms| at_ms.min(to_ms)));
                    admit(&kinds, &self.ceiling, &SubscriptionRequest { at_ms, ..request.clone() })
                }
                None => admit(&kinds, &self.ceiling, request),
            },
            Found::Unreached(cluster, report) => Err(not_reached(&cluster, &report)),
            Found::Unknown(problem) => Err(problem),
        }
    }
}

pub(super) fn not_recorded() -> Problem {
    Problem::bad_request(
        "this gateway keeps no record of the past; its setting history says where one is kept",
    )
}

/// For what is answered once.
pub(super) fn not_reached(cluster: &ClusterName, report: &StateReport) -> Problem {
    match &report.problem {
        Some(Problem { reason, message }) => Problem::new(*reason, message.clone()),
        None => {
            let message = format!("the cluster {cluster} hasn't answered yet; try again in a moment");
            Problem::new(Reason::ServiceUnavailable, message)
        }
    }
}
