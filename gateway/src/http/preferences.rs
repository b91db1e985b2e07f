//! The preferences of the user's pages in mode `local`, whose origins end with their sessions. A page is known by its own
//! name, which no other program knows; at any other address there is nothing to read or write. What they mean is the page's
//! affair.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use shared::problem::{Problem, Reason};

use super::answer;
use super::body;
use super::guard::OwnHost;
use super::idle::IdleGuard;
use super::state::AppState;
use crate::address::origin::RequestOrigin;
use crate::limits::PREFERENCES_BYTES_MAX;

/// `GET /api/preferences`: as they were kept last; empty if there are none.
pub(super) async fn read(
    State(state): State<Arc<AppState>>,
    Extension(host): Extension<OwnHost>,
) -> Response {
    if !host.has_name {
        return no_page();
    }
    answer::text(StatusCode::OK, state.authenticator.preferences().await.unwrap_or_default())
}

/// `POST /api/preferences`: keeps them for the next page.
pub(super) async fn keep(
    State(state): State<Arc<AppState>>,
    Extension(host): Extension<OwnHost>,
    Extension(origin): Extension<RequestOrigin>,
    Extension(idle): Extension<Arc<IdleGuard>>,
    body: Body,
) -> Response {
    if !host.has_name || !matches!(origin, RequestOrigin::Own(_)) {
        return no_page();
    }
    let body = match body::read(&idle, body, PREFERENCES_BYTES_MAX).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    let Ok(text) = String::from_utf8(body.to_vec()) else {
        return answer::bad_request("preferences are a text");
    };
    let status = match state.authenticator.keep_preferences(text).await {
        true => StatusCode::NO_CONTENT,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    answer::text(status, "")
}

fn no_page() -> Response {
    let message = "preferences are kept for pages with a name of their own; open the address that `dogwatch url` prints";
    answer::unauthorized(&Problem::new(Reason::Unauthorized, message))
}
