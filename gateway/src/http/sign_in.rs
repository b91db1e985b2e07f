//! The routes of mode `oidc`: sign-in at the provider and the way back, sign-out, and the requests of providers and
//! other gateways. In every other mode they answer 404. Neither a code nor a cookie is ever logged.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde_json::json;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;
use shared::unseen::is_unseen;

use super::answer;
use super::body;
use super::idle::IdleGuard;
use super::pre_auth::network;
use super::state::AppState;
use crate::access::Peer;
use crate::access::oidc::{Failure, LoginClient, NotRenewed, Oidc, Redirect};
use crate::address::origin::RequestOrigin;
use crate::clock::wall_ms;
use crate::limits::{JWT_BYTES_MAX, LOGIN_AGAIN_S};
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
        Ok(redirect) => {
            state.metrics.logins.get_or_create(&ByOutcome { outcome: Outcome::accepted }).inc();
            see_other(&state, redirect)
        }
        Err(failure) => refused(&state, &failure),
    }
}

/// A client can write what it likes into the header, but not behind what the proxy before the gateway adds.
fn client(peer: Peer, headers: &HeaderMap) -> LoginClient {
    let peer = match peer {
        Peer::Remote(address) | Peer::ApiClient(address) => Some(network(address.ip())),
        Peer::SameUser | Peer::Proxy => None,
    };
    let named = headers.get_all("x-forwarded-for").iter().next_back().and_then(|line| line.to_str().ok());
    let last = named.and_then(|line| line.rsplit(',').next()).map(str::trim);
    let last = last.filter(|last| (1..=FORWARDED_BYTES_MAX).contains(&last.len()));
    // As it stands, where it isn't an address alone.
    let in_network = |last: &str| {
        let address = last.parse::<IpAddr>().map(|address| network(address).to_string());
        address.unwrap_or_else(|_| last.to_owned())
    };
    let forwarded = last.map(|last| in_network(last).into());
    LoginClient { peer, forwarded }
}

/// An IPv6 address with a zone and a port.
const FORWARDED_BYTES_MAX: usize = 64;

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

/// `None` also for a request that doesn't come from a page of this gateway: its cookie doesn't count.
fn of_own_page<'s>(state: &'s AppState, origin: &RequestOrigin) -> Option<&'s Oidc> {
    state.authenticator.oidc().filter(|_| matches!(origin, RequestOrigin::Own(_)))
}

fn no_login() -> Response {
    let problem = Problem::new(Reason::Unauthorized, "there is no login to do this with; sign in at /login");
    answer::unauthorized(&problem)
}

/// A destination that can't be read counts as the root.
fn destination(query: &str) -> String {
    let given = query.split('&').find_map(|pair| pair.strip_prefix("to="));
    given.map_or_else(|| "/".to_owned(), |to| percent_decode_str(to).decode_utf8_lossy().into_owned())
}

fn see_other(state: &AppState, redirect: Redirect) -> Response {
    // A path of the page has no base path.
    let base = if redirect.to.starts_with('/') { state.base_path.as_str() } else { "" };
    let Ok(to) = HeaderValue::try_from(format!("{base}{}", redirect.to)) else {
        return page(state, StatusCode::BAD_GATEWAY, "The provider's address can't be used.");
    };
    let mut response = answer::text(StatusCode::SEE_OTHER, "");
    response.headers_mut().insert(header::LOCATION, to);
    with_cookies(response, redirect.cookies)
}

fn with_cookies(mut response: Response, cookies: Vec<HeaderValue>) -> Response {
    for cookie in cookies {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn refused(state: &AppState, failure: &Failure) -> Response {
    state.metrics.logins.get_or_create(&ByOutcome { outcome: Outcome::refused }).inc();
    if let Some(left_out) = state.refused_codes.take() {
        tracing::info!(left_out, "a login was refused: {failure}");
    }
    let status = match failure {
        failure if failure.is_passing() => StatusCode::SERVICE_UNAVAILABLE,
        failure if failure.is_of_request() => StatusCode::BAD_REQUEST,
        Failure::OtherProvider(_) => StatusCode::BAD_GATEWAY,
        _ => StatusCode::UNAUTHORIZED,
    };
    let mut answer = page(state, status, &failure.for_person());
    if *failure == Failure::Busy {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(LOGIN_AGAIN_S));
    }
    answer
}

/// Like the page for a path that isn't served: readable without a script.
fn page(state: &AppState, status: StatusCode, sentence: &str) -> Response {
    let (sentence, base) = (escaped(sentence), state.base_path.as_str());
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Not signed in · Dogwatch</title><main>\
         <h1>You are not signed in</h1><p>{sentence} <a href=\"{base}/login\">Try again</a>.</main>"
    );
    answer::typed(status, "text/html; charset=utf-8", text)
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, c| {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // These characters could reorder the sentence.
            c if c.is_control() || is_unseen(c) => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_says_stays_text() {
        assert_eq!(escaped("<img src=x onerror=\"a&b\">"), "&lt;img src=x onerror=&quot;a&amp;b&quot;&gt;");
        assert_eq!(escaped("a\u{202e}b\u{0}"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn a_destination_is_decoded_once() {
        assert_eq!(destination("to=%2Fv%2Fpods%3Ff%3Da%2526b"), "/v/pods?f=a%26b");
        assert_eq!(destination("a=b&to=/b?v=x"), "/b?v=x");
        assert_eq!(destination(""), "/");
    }
}
