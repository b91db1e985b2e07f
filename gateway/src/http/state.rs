//! The state that all requests share.

use axum::extract::ws::WebSocket;
use futures_util::future::BoxFuture;
use shared::name::ClusterName;
use tokio_util::sync::CancellationToken;

use super::allowance::ReadAllowance;
use super::assets::Assets;
use super::pre_auth::{PreAuthLimit, PreAuthPermit};
use super::probes::Readiness;
use super::seldom::Seldom;
use crate::access::{Authenticator, Caller};
use crate::address::BasePath;
use crate::address::origin::OriginPolicy;
use crate::audit::{Audit, Trail};
use crate::kubernetes::{Answer, Asked};
use crate::metrics::Metrics;
use crate::stream::Duplex;
use crate::traces::Traces;

/// Serves one viewer until it leaves or the token is cancelled. Drops the permit when the viewer has
/// authenticated.
pub type Sessions = Box<
    dyn Fn(
            (WebSocket, ReadAllowance),
            (Caller, Trail),
            Option<PreAuthPermit>,
            CancellationToken,
        ) -> BoxFuture<'static, ()>
        + Send
        + Sync,
>;

/// Serves one stream until it ends or the token is cancelled. Its viewer has authenticated.
pub type Streams =
    Box<dyn Fn(Duplex, (Caller, Trail), CancellationToken) -> BoxFuture<'static, ()> + Send + Sync>;

/// Answers a request of a client of Kubernetes.
pub type Apis = Box<dyn Fn(Asked) -> BoxFuture<'static, Answer> + Send + Sync>;

/// The names of the clusters that are shown, for clients of the Kubernetes API.
pub struct ServedClusters {
    /// As it was at the start: a kubeconfig never comes to mean another cluster while the gateway runs.
    pub home: ClusterName,
    pub listed: Box<dyn Fn() -> Vec<ClusterName> + Send + Sync>,
}

/// What every route of one gateway shares. `run` makes it once; axum hands it to the routes.
pub struct AppState {
    pub assets: Assets,
    pub audit: Audit,
    pub base_path: BasePath,
    pub clusters: ServedClusters,
    pub authenticator: Authenticator,
    pub metrics: Metrics,
    pub policy: OriginPolicy,
    pub pre_auth: PreAuthLimit,
    pub readiness: Readiness,
    /// Codes that were refused.
    pub refused_codes: Seldom,
    pub sessions: Sessions,
    /// For clients of the Kubernetes API.
    pub kubernetes: Apis,
    pub streams: Streams,
    pub traces: Traces,
    /// Where a printed link leads, as people reach it, with the view that it opens first:
    /// `http://127.0.0.1:8484/open/v/pods`.
    pub url: String,
    /// Cancelled when sessions must end.
    pub leaving: CancellationToken,
}
