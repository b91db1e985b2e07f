//! What the user of the gateway is told over its Unix socket alone, for clients of the Kubernetes API: a token, and what
//! a kubeconfig needs. No token is ever logged.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use shared::problem::{Problem, Reason};

use super::answer;
use super::state::AppState;
use crate::access::local::api::ask::{FreshToken, ServedApi};
use crate::access::{Caller, Peer};

/// `POST /api/token`.
pub(super) async fn issue(State(state): State<Arc<AppState>>, Extension(peer): Extension<Peer>) -> Response {
    if let Some(refusal) = of_others(peer) {
        return refusal;
    }
    let trail = state.audit.trail(peer);
    let login = state.authenticator.login(None, &Caller::SameUser, None).await;
    match login.and_then(|login| Ok((login, state.authenticator.api()?))) {
        Ok((login, api)) => {
            let issued = api.issue_token(SystemTime::now());
            trail.logged_in(&login, "a token of ten minutes for clients of the Kubernetes API was issued");
            let home = state.clusters.home.clone();
            let fresh = FreshToken { token: issued.token, expires_ms: issued.expires_ms, home };
            answer::json(StatusCode::OK, &fresh)
        }
        Err(problem) => answer::json(StatusCode::SERVICE_UNAVAILABLE, &problem),
    }
}

/// `GET /api/kubeconfig`.
pub(super) async fn served(State(state): State<Arc<AppState>>, Extension(peer): Extension<Peer>) -> Response {
    if let Some(refusal) = of_others(peer) {
        return refusal;
    }
    match state.authenticator.api() {
        Ok(api) => {
            let served = ServedApi {
                server: api.server(),
                authority: api.authority().to_string(),
                home: state.clusters.home.clone(),
                clusters: (state.clusters.listed)(),
            };
            answer::json(StatusCode::OK, &served)
        }
        Err(problem) => answer::json(StatusCode::SERVICE_UNAVAILABLE, &problem),
    }
}

fn of_others(peer: Peer) -> Option<Response> {
    let message = "run `dogwatch kubeconfig` on the gateway's own machine";
    (peer != Peer::SameUser).then(|| answer::unauthorized(&Problem::new(Reason::Unauthorized, message)))
}
