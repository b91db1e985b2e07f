//! The exchange of the printed code for a session of the page's key, and a fresh code for `dogwatch url`, which
//! connects over the Unix socket. No code is ever logged.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize};
use shared::problem::{Problem, Reason};

use super::answer;
use super::body;
use super::idle::IdleGuard;
use super::state::AppState;
use crate::access::Peer;
use crate::access::local::fresh_code::FreshCode;
use crate::address::origin::RequestOrigin;
use crate::limits::HTTP_BODY_BYTES_MAX;
use crate::metrics::{ByOutcome, Outcome};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    code: String,
    /// The public half of the page's key.
    key: String,
}

#[derive(Serialize)]
struct LoggedIn<'a> {
    session: &'a str,
}

/// `POST /api/login`: `{"code": …, "key": …}` → `{"session": …}`.
pub(super) async fn login(
    State(state): State<Arc<AppState>>,
    Extension(peer): Extension<Peer>,
    Extension(idle): Extension<Arc<IdleGuard>>,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    // A form of another site can't send this type without a preflight.
    if !body::is_of_type(&headers, "application/json") {
        let message = "a login is JSON: {\"code\": …, \"key\": …}, with content-type application/json";
        let problem = Problem::bad_request(message);
        return answer::json(StatusCode::UNSUPPORTED_MEDIA_TYPE, &problem);
    }
    let body = match body::read(&idle, body, HTTP_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    // The parser's own message may quote what it read.
    let Ok(login) = serde_json::from_slice::<Login>(&body) else {
        return answer::bad_request("a login is JSON: {\"code\": …, \"key\": …}");
    };
    let browser = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let exchanged = state.authenticator.exchange(&login.code, &login.key, &origin.text(), browser).await;
    let outcome = if exchanged.is_ok() { Outcome::accepted } else { Outcome::refused };
    state.metrics.logins.get_or_create(&ByOutcome { outcome }).inc();
    match exchanged {
        Ok(session) => answer::json(StatusCode::OK, &LoggedIn { session: session.as_str() }),
        Err(problem) if problem.reason == Reason::BadRequest => {
            answer::json(StatusCode::BAD_REQUEST, &problem)
        }
        Err(problem) if problem.reason == Reason::ServiceUnavailable => {
            tracing::warn!("{problem}");
            answer::json(StatusCode::SERVICE_UNAVAILABLE, &problem)
        }
        Err(problem) => {
            state.audit.trail(peer).refused(None, &problem);
            if let Some(left_out) = state.refused_codes.take() {
                tracing::info!(left_out, "a code was refused");
            }
            answer::unauthorized(&problem)
        }
    }
}

/// `POST /api/code`, over the Unix socket alone: a page can't issue a code for another page.
pub(super) async fn code(State(state): State<Arc<AppState>>, Extension(peer): Extension<Peer>) -> Response {
    if peer != Peer::SameUser {
        let problem = Problem::new(Reason::Unauthorized, "run `dogwatch url` on the gateway's own machine");
        return answer::unauthorized(&problem);
    }
    match state.authenticator.issue_code() {
        Ok(issued) => {
            let url = issued.name.map_or_else(|| state.url.clone(), |name| name.instead_of_host(&state.url));
            let fresh = FreshCode { code: issued.code.expose().to_owned(), url };
            answer::json(StatusCode::OK, &fresh)
        }
        Err(problem) => answer::json(StatusCode::SERVICE_UNAVAILABLE, &problem),
    }
}
