//! The checks before any route: the request's `Host` must be the gateway's, its `Origin` must be known, and its
//! query must hold no credential. They refuse a rebound name, another site's page and a leaked link.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{self, HeaderMap, HeaderName};
use http::{HeaderValue, Method, StatusCode};
use percent_encoding::percent_decode_str;

use super::answer;
use super::local_pages;
use super::state::AppState;
use crate::access::oidc::CALLBACK;
use crate::address::origin::{Origin, RequestOrigin};
use crate::metrics::{ByRejection, Rejection};

pub(super) const SOCKET: &str = "/api/ws";
pub(super) const PROBES: [&str; 2] = ["/healthz", "/readyz"];

pub(super) async fn guard(State(state): State<Arc<AppState>>, mut request: Request, next: Next) -> Response {
    // A provider sends browsers back with a code in the query. It works only at this gateway, and once.
    let is_callback = request.method() == Method::GET
        && request.uri().path() == CALLBACK
        && state.authenticator.oidc().is_some();
    if !is_callback && request.uri().query().is_some_and(carries_credential) {
        return answer::bad_request("a credential never goes into a query: links are kept and logged");
    }
    // A kubelet uses the pod's address, and the probes say nothing about a cluster.
    if PROBES.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let is_socket = request.uri().path() == SOCKET;
    let reject = |reason: Rejection, response: Response| {
        if is_socket {
            state.metrics.ws_rejected.get_or_create(&ByRejection { reason }).inc();
        }
        response
    };
    let host = match single(request.headers(), &header::HOST) {
        Ok(Some(host)) => host,
        Ok(None) => return reject(Rejection::host, answer::bad_request("the request names no host")),
        Err(()) => return reject(Rejection::host, answer::bad_request("the request names its host twice")),
    };
    if request.uri().authority().is_some_and(|authority| authority.as_str() != host) {
        return reject(Rejection::host, answer::bad_request("the request names two different hosts"));
    }
    let own = match addressed(&state, host).await {
        Addressed::Own(own) => own,
        // The page of a session that has ended is told so on its socket, as any other page.
        Addressed::Ended(own) if is_socket => own,
        Addressed::Ended(_) => return local_pages::ended(),
        Addressed::Elsewhere => {
            let message =
                "this host name isn't the gateway's; use the printed URL, or start with --public-url";
            return reject(Rejection::host, answer::forbidden(message));
        }
    };
    // Dogwatch has no worker, so this one was registered by another program that had this address before.
    if request.headers().get("service-worker").is_some_and(|value| value == "script") {
        return local_pages::leaving_worker();
    }
    let origin = single(request.headers(), &header::ORIGIN);
    let Some(origin) = origin.ok().and_then(|origin| state.policy.request_origin(&own, origin)) else {
        let message = "another site's page may not use this gateway; --allowed-origin lets one in";
        return reject(Rejection::origin, answer::forbidden(message));
    };
    request.extensions_mut().insert(origin.clone());
    request.extensions_mut().insert(OwnHost { has_name: own.page_name().is_some() });
    let is_plain = state.authenticator.has_names() && own.is_loopback();
    let mut response = match origin {
        RequestOrigin::Listed(origin) if is_preflight(&request) => shared_with(preflight(), &origin),
        RequestOrigin::Listed(origin) => shared_with(next.run(request).await, &origin),
        RequestOrigin::Own(_) | RequestOrigin::Missing => next.run(request).await,
    };
    if is_plain && local_pages::is_page(&response) {
        return local_pages::plain_address();
    }
    if state.policy.is_secure(&own) {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(A_YEAR));
    }
    response
}

/// How a page addressed the gateway, for the routes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnHost {
    /// The name of one page, which no other program knows.
    pub(super) has_name: bool,
}

enum Addressed {
    Own(Origin),
    /// By a name as pages have it, which is none of a living page.
    Ended(Origin),
    Elsewhere,
}

async fn addressed(state: &AppState, host: &str) -> Addressed {
    if let Some(own) = state.policy.host(host) {
        return Addressed::Own(own);
    }
    match state.policy.named(host).filter(|_| state.authenticator.has_names()) {
        None => Addressed::Elsewhere,
        Some(own) if state.authenticator.knows(&own).await => Addressed::Own(own),
        Some(own) => Addressed::Ended(own),
    }
}

/// For the host alone, because the gateway doesn't decide for its subdomains.
const A_YEAR: &str = "max-age=31536000";

/// For the metrics, whose reader is no page.
pub(super) async fn own_host(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let host = single(request.headers(), &header::HOST).ok().flatten();
    let is_own = host.is_some_and(|host| state.policy.host(host).is_some());
    if is_own || PROBES.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    answer::forbidden("this host name isn't the gateway's; ask by the address that it listens on")
}

/// `Err`: the header comes more than once, or isn't text. `Ok(None)`: there is none.
pub(super) fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn preflight() -> Response {
    let mut response = answer::text(StatusCode::NO_CONTENT, "");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type, last-event-id"),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Names the exact origin, never `*`, and never allows cookies.
fn shared_with(mut response: Response, origin: &Origin) -> Response {
    if let Ok(value) = HeaderValue::from_str(&origin.to_string()) {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value);
    }
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin, Accept-Encoding"));
    response
}

/// Finds a credential by its name, also where the name is written with escapes.
pub(super) fn carries_credential(query: &str) -> bool {
    query.split(['&', ';']).any(|pair| {
        let name = percent_decode_str(pair.split('=').next().unwrap_or_default()).decode_utf8_lossy();
        REFUSED_NAMES.contains(&name.to_ascii_lowercase().as_str())
    })
}

const REFUSED_NAMES: [&str; 9] =
    ["code", "secret", "token", "access_token", "id_token", "jwt", "credential", "authorization", "bearer"];

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn r_authn_1_a_credential_in_a_query_is_seen_however_it_is_spelt() {
        for query in [
            "code=x",
            "a=b&code=x",
            "a=b;secret",
            "TOKEN=x",
            "%63ode=x",
            "%63%4f%64%65=x",
            "q=1&access_token=",
            "id_token=x",
            "jwt=x",
        ] {
            assert!(carries_credential(query), "{query}");
        }
        for query in ["", "l=app%3Dcode", "q=secret", "sort=-restarts", "codes=1", "%zz=1", "o=ns/token", "%"]
        {
            assert!(!carries_credential(query), "{query}");
        }
    }
}
