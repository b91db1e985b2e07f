//! One connection of a viewer, a page or `tail`: its subscriptions and its credit. Never `kube`, nor axum beyond the socket's messages.
//!
//! Read in this order: [`protocol`] (what a session says and does, decided without a socket),
//! [`run`] (the socket, from `hello` to the close), [`clusters`] (the clusters that a viewer hears of), [`grants`] (the rights that are watched), [`children`] (the kinds of children that are looked for), [`past`] (the questions about the past), [`logs`] (what containers write), [`token`] (the
//! token that is looked at again), [`wire`] (what goes out), [`connections`] (how many there are).

mod children;
mod clusters;
mod connections;
mod expiry;
mod grants;
mod logs;
mod past;
mod protocol;
mod run;
mod token;
mod wire;

pub use connections::Sessions;
pub use protocol::{
    Action, AnswerId, ChildrenRequest, Close, Effect, Effects, KnownCluster, LogRequest, LoginLook, Now,
    OpenRequest, Opened, PastRequest, Reach, ReviewRequest, Session, Surroundings, Team,
};
pub use run::{run, run_for};

use std::sync::{Arc, OnceLock};

use shared::frame::client::Credential;
use shared::frame::server::Challenge;
use shared::name::ClusterName;
use shared::problem::Problem;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::access::{Authenticator, Caller, Login, Reviews, RightsMode};
use crate::cluster::{Ceiling, TokenGuard};
use crate::feed::{FeedOptions, Redaction};
use crate::hub::{FeedBounds, Registry};
use crate::inventory::{Inventory, Reached};
use crate::limits::CONNECTIONS_PER_IDENTITY_MAX;
use crate::logs::LogDesk;
use crate::metrics::Metrics;
use crate::past::Record;
use crate::traces::viewer_is_known;

/// What every session of a gateway shares.
pub struct Context {
    pub registry: Registry,
    pub sessions: Sessions,
    pub authenticator: Authenticator,
    pub rights: RightsMode,
    pub clusters: Inventory,
    pub metrics: Metrics,
    /// Every session hears of a change.
    pub team: watch::Sender<Team>,
    /// Where the past is kept, if it is.
    pub record: OnceLock<Arc<Record>>,
    /// What containers write.
    pub logs: LogDesk,
}

/// How much one person may ask of a gateway, and all together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connections_per_identity: usize,
    pub feeds: FeedBounds,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections_per_identity: CONNECTIONS_PER_IDENTITY_MAX, feeds: FeedBounds::default() }
    }
}

impl Context {
    /// With no hub and no session yet.
    #[must_use]
    pub fn new(
        clusters: impl Into<Inventory>,
        (authenticator, rights): (Authenticator, RightsMode),
        limits: Limits,
        metrics: Metrics,
        team: Team,
        redaction: Redaction,
    ) -> Arc<Self> {
        let sessions = Sessions::admitting(limits.connections_per_identity, metrics.clone());
        let spread_ms = {
            let sessions = sessions.clone();
            move || sessions.spread_ms()
        };
        let is_reviewed = authenticator.reviews_rights();
        let options = FeedOptions { redaction, is_reviewed, ..FeedOptions::default() };
        let (clusters, team) = (clusters.into(), watch::Sender::new(team));
        let registry = Registry::new(clusters.clone(), options, limits.feeds, metrics.clone(), spread_ms);
        let logs = LogDesk::new({
            let registry = registry.clone();
            Arc::new(move || registry.redaction())
        });
        Arc::new(Self {
            registry,
            sessions,
            authenticator,
            rights,
            clusters,
            metrics,
            team,
            record: OnceLock::new(),
            logs,
        })
    }

    /// What happens is recorded there from now on.
    pub fn record(&self, record: Arc<Record>) {
        self.registry.record(Arc::new(Arc::clone(&record)));
        // A gateway has one, which it sets once.
        drop(self.record.set(record));
    }

    /// The viewer's login: their identity, and the identity that the API server is asked as.
    pub(crate) async fn login(
        &self,
        credential: Option<&Credential>,
        caller: &Caller,
        asked: Option<Challenge>,
    ) -> Result<Login, Problem> {
        let login = self.rights.of_login(self.authenticator.login(credential, caller, asked).await?)?;
        viewer_is_known();
        Ok(login)
    }

    /// Keeps the viewer's own token for requests in their name, for as long as the guard lives.
    pub(crate) fn hold_token(&self, login: &Login, credential: Option<&Credential>) -> Option<TokenGuard> {
        let Some(Credential::Bearer(token)) = credential else { return None };
        // A gateway that takes tokens has one cluster.
        let home = self.clusters.find(None)?.reached?;
        home.cluster.hold_token(&login.rights.upstream(), token, login.expires_ms)
    }
}

impl Context {
    /// What is shown and masked from now on. Every open view begins anew, and its client drops what it has.
    ///
    /// # Errors
    /// As [`Registry::purge`].
    pub fn show(&self, ceiling: Ceiling, redaction: Redaction) -> Result<(), Problem> {
        self.clusters.set_ceiling(&ceiling);
        self.registry.purge(redaction)
    }

    fn reached(&self, cluster: &ClusterName) -> Option<Reached> {
        self.clusters.find(Some(cluster))?.reached
    }

    fn reviews_of(&self, cluster: &ClusterName) -> Option<Reviews> {
        Some(self.reached(cluster)?.reviews)
    }
}

/// What a connection holds until its viewer has authenticated.
pub trait PreAuth {
    /// Returns when its place is another's.
    fn displaced(&self) -> impl Future<Output = ()> + Send;
}

/// A connection that needs no place.
impl PreAuth for () {
    async fn displaced(&self) {
        std::future::pending().await
    }
}

impl<P: PreAuth + Sync> PreAuth for Option<P> {
    async fn displaced(&self) {
        match self {
            Some(held) => held.displaced().await,
            None => std::future::pending().await,
        }
    }
}

/// Why nothing more can be read of a socket, as far as its client is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    TooLong,
    /// The message comes in pieces, and none is the last.
    Endless,
    NotUtf8,
    /// Not what RFC 6455 asks for.
    Malformed,
    Gone,
}

/// Ends the tasks below it when it is dropped.
type Cancel = CancellationToken;
