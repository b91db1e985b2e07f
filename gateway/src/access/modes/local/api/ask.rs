//! What `dogwatch credential` and `dogwatch kubeconfig` ask the gateway that runs here, over its Unix socket.

use std::fmt;
use std::path::Path;

use http::Method;
use serde::{Deserialize, Serialize};
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::super::question::Question;

/// The answer to `POST /api/token`. `Debug` hides the token.
#[derive(Serialize, Deserialize)]
pub struct FreshToken {
    pub token: String,
    pub expires_ms: UnixMillis,
    /// The cluster at the root of the listener.
    pub home: ClusterName,
}

impl fmt::Debug for FreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FreshToken")
            .field("expires_ms", &self.expires_ms)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

/// The answer to `GET /api/kubeconfig`: what a kubeconfig needs.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedApi {
    /// Scheme, host and port.
    pub server: String,
    /// The certificate of its authority, in PEM.
    pub authority: String,
    pub home: ClusterName,
    /// All that are shown, the home cluster among them.
    pub clusters: Vec<ClusterName>,
}

/// Fails with one sentence if the gateway gives none.
pub async fn fresh_token(socket: &Path) -> Result<FreshToken, Problem> {
    let question = Question { method: Method::POST, path: "/api/token", refused: "gave no token" };
    question.ask(socket).await
}

/// Fails with one sentence if the gateway has no such listener.
pub async fn served_api(socket: &Path) -> Result<ServedApi, Problem> {
    let refused = "can't be used by clients of the Kubernetes API";
    Question { method: Method::GET, path: "/api/kubeconfig", refused }.ask(socket).await
}
