//! The routes of mode `oidc`: sign-in at the provider and the way back, sign-out, and the requests of providers and
//! other gateways. In every other mode they answer 404. Neither a code nor a cookie is ever logged.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, header};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::json;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::answer;
use super::body;
use super::idle::IdleGuard;
use super::sign_in_answers::{
    client, leading_on, no_login, note_refusal, of_own_page, refused, see_other, with_cookies,
};
use super::state::AppState;
use crate::access::Peer;
use crate::access::oidc::{Finished, NotRenewed};
use crate::address::origin::RequestOrigin;
use crate::clock::wall_ms;
use crate::limits::JWT_BYTES_MAX;
use crate::metrics::{ByOutcome, ByRenewal, Outcome, Renewal};

type Shared = State<Arc<AppState>>;

#[derive(Serialize)]
struct RenewedLogin {
    /// When the login ends now.
    expires_ms: UnixMillis,
}

/// `GET /login?to=/v/…`: to the provider.
pub(super) async fn begin(State(state): Shared, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let Some(oidc) = state.authenticator.oidc() else { return answer::not_found() };
    let to = destination(query.as_deref().unwrap_or_default());
    match oidc.begin(&to, &headers, wall_ms()).await {
        Ok(redirect) => see_other(&state, redirect),
        Err(failure) => refused(&state, &failure),
    }
}

/// `GET /login/callback?code=…`: back from it.
pub(super) async fn finish(
    State(state): Shared,
    Extension(peer): Extension<Peer>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(oidc) = state.authenticator.oidc() else { return answer::not_found() };
    let client = client(peer, &headers);
    match oidc.finish(query.as_deref().unwrap_or_default(), (&headers, &client), wall_ms()).await {
        Ok(Finished::Page(redirect)) => {
            state.metrics.logins.get_or_create(&ByOutcome { outcome: Outcome::accepted }).inc();
            see_other(&state, redirect)
        }
        Ok(Finished::Client(redirect)) => {
            leading_on(&state, "Let in", "The program goes on in its terminal.", redirect)
        }
        Ok(Finished::Refused(redirect, failure)) => {
            note_refusal(&state, &failure);
            leading_on(&state, "Not let in", &failure.for_person(), redirect)
        }
        Err(failure) => refused(&state, &failure),
    }
}

/// `POST /login/renew`, of our own page: the provider is asked whether the session goes on.
pub(super) async fn renew(
    State(state): Shared,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
) -> Response {
    let Some(oidc) = of_own_page(&state, &origin) else { return no_login() };
    match oidc.renew(&headers, wall_ms()).await {
        Ok(renewed) => {
            let result = if renewed.is_confirmed { Renewal::confirmed } else { Renewal::unconfirmed };
            state.metrics.renewals.get_or_create(&ByRenewal { result }).inc();
            let answer = answer::json(StatusCode::OK, &RenewedLogin { expires_ms: renewed.expires_ms });
            with_cookies(answer, renewed.cookies)
        }
        Err(ended) => {
            let answer = match ended {
                NotRenewed::NoSession => no_login(),
                NotRenewed::Ended(failure) => {
                    state.metrics.renewals.get_or_create(&ByRenewal { result: Renewal::ended }).inc();
                    answer::unauthorized(&Problem::new(Reason::Unauthorized, failure.for_person()))
                }
            };
            with_cookies(answer, oidc.forgotten(&headers))
        }
    }
}

/// `POST /logout`, of our own page: `{"to": …}`, where the browser goes.
pub(super) async fn sign_out(
    State(state): Shared,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
) -> Response {
    let Some(oidc) = of_own_page(&state, &origin) else { return no_login() };
    match oidc.sign_out(&headers, wall_ms()).await {
        Some(out) => with_cookies(answer::json(StatusCode::OK, &json!({ "to": out.to })), out.cookies),
        None => with_cookies(no_login(), oidc.forgotten(&headers)),
    }
}

/// `POST /logout/backchannel`, of the provider: it tells of a logout.
pub(super) async fn told_of_logout(
    State(state): Shared,
    Extension(idle): Extension<Arc<IdleGuard>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(oidc) = state.authenticator.oidc() else { return answer::not_found() };
    let no_logout = || answer::json(StatusCode::BAD_REQUEST, &json!({ "error": "invalid_request" }));
    if !body::is_of_type(&headers, "application/x-www-form-urlencoded") {
        return no_logout();
    }
    let body = match body::read(&idle, body, JWT_BYTES_MAX).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    let Ok(text) = std::str::from_utf8(&body) else { return no_logout() };
    match oidc.told_of_logout(text, wall_ms()).await {
        Ok(()) => answer::text(StatusCode::OK, ""),
        Err(failure) => {
            if let Some(left_out) = state.refused_codes.take() {
                tracing::info!(left_out, "a logout was not taken: {failure}");
            }
            no_logout()
        }
    }
}

/// `GET /login/revoked`, of another gateway.
pub(super) async fn revoked(State(state): Shared, headers: HeaderMap) -> Response {
    let asked = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let answered = state.authenticator.oidc().and_then(|oidc| oidc.answer_peer(asked, wall_ms()));
    answered.map_or_else(no_login, |sealed| answer::text(StatusCode::OK, sealed))
}

/// A destination that can't be read counts as the root.
fn destination(query: &str) -> String {
    let given = query.split('&').find_map(|pair| pair.strip_prefix("to="));
    given.map_or_else(|| "/".to_owned(), |to| percent_decode_str(to).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_decoded_once() {
        assert_eq!(destination("to=%2Fv%2Fpods%3Ff%3Da%2526b"), "/v/pods?f=a%26b");
        assert_eq!(destination("a=b&to=/b?v=x"), "/b?v=x");
        assert_eq!(destination(""), "/");
    }
}
