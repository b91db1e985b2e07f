//! The listener for clients of the Kubernetes API in mode `local`: one cluster at its root, the others below
//! `/k8s/NAME`. Nothing of the page is served here, no page is let in, no cookie is read, and nothing is answered
//! without a token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use http::uri::{Authority, PathAndQuery};
use http::{HeaderMap, StatusCode, Uri, header};
use kubernetes_api::Failure;
use tower::ServiceExt;

use super::guard::{OwnHost, carries_credential, single};
use super::headers;
use super::kubernetes::{BELOW, MountedAt, refused};
use super::observe::{Observer, observe};
use super::routes::{ROUTES, Route};
use super::state::AppState;
use crate::access::Peer;
use crate::address::origin::RequestOrigin;

/// The router of that listener.
pub fn router(state: Arc<AppState>) -> Router {
    serving(&ROUTES, state)
}

/// The router of those among the routes that are of a cluster.
pub(super) fn serving(routes: &'static [Route], state: Arc<AppState>) -> Router {
    let routes = || routes.iter().filter(|route| route.template.starts_with(BELOW));
    let templates = routes().map(|route| route.template).collect();
    let observer = Observer { metrics: state.metrics.clone(), traces: state.traces.clone(), templates };
    let served = routes()
        .fold(Router::new(), |router, route: &Route| router.route(route.template, (route.handler)()))
        .fallback(async || status(StatusCode::NOT_FOUND, "NotFound", "there is nothing here"))
        .layer(from_fn_with_state(state.clone(), guard))
        .layer(from_fn(headers::add))
        .layer(from_fn_with_state(observer, observe))
        .with_state(state.clone());
    let home = format!("{BELOW}{}", state.clusters.home);
    Router::new().fallback(move |mut request: Request| {
        if let Some(uri) = below(&home, request.uri()) {
            *request.uri_mut() = uri;
            request.extensions_mut().insert(MountedAt("".into()));
        }
        served.clone().oneshot(request)
    })
}

/// The address of the cluster at the root; `None` where the path has a cluster's name already.
fn below(home: &str, uri: &Uri) -> Option<Uri> {
    if uri.path().starts_with(BELOW) {
        return None;
    }
    let mut parts = uri.clone().into_parts();
    let rest = parts.path_and_query.as_ref().map_or("/", PathAndQuery::as_str);
    // What has no slash, as the `*` of OPTIONS, is no path of this cluster, and becomes none of another.
    parts.path_and_query = Some(format!("{home}/{}", rest.trim_start_matches('/')).parse().ok()?);
    Uri::from_parts(parts).ok()
}

async fn guard(State(state): State<Arc<AppState>>, mut request: Request, next: Next) -> Response {
    if request.uri().query().is_some_and(carries_credential) {
        let message = "a credential never goes into a query: links are kept and logged";
        return status(StatusCode::BAD_REQUEST, "BadRequest", message);
    }
    if !names_loopback(request.uri(), request.headers()) {
        let message = "this host name isn't the gateway's; `dogwatch kubeconfig` has its address";
        return status(StatusCode::FORBIDDEN, "Forbidden", message);
    }
    if request.headers().contains_key(header::ORIGIN) {
        let message =
            "pages of browsers aren't served here; this address is for clients of the Kubernetes API";
        return status(StatusCode::FORBIDDEN, "Forbidden", message);
    }
    request.headers_mut().remove(header::COOKIE);
    let Some(peer @ Peer::ApiClient(_)) = request.extensions().get::<Peer>().copied() else {
        return status(StatusCode::UNAUTHORIZED, "Unauthorized", "this connection came in another way");
    };
    if let Err(problem) = state.authenticator.of_headers(peer, request.headers()).await {
        state.audit.trail(peer).refused(None, &problem);
        return status(StatusCode::UNAUTHORIZED, "Unauthorized", &problem.message);
    }
    request.extensions_mut().insert(RequestOrigin::Missing);
    request.extensions_mut().insert(OwnHost { has_name: false });
    next.run(request).await
}

/// Whether the request names one host, and that is loopback: another name may lead here and be a page's.
fn names_loopback(uri: &Uri, headers: &HeaderMap) -> bool {
    let Ok(Some(host)) = single(headers, &header::HOST) else { return false };
    if uri.authority().is_some_and(|authority| authority.as_str() != host) || host.contains('@') {
        return false;
    }
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// An error in the form in which clients of the Kubernetes API read one.
fn status(code: StatusCode, reason: &'static str, message: &str) -> Response {
    let (code, message) = (code.as_u16(), message.to_owned());
    refused(&Failure { code, reason, message, ..Failure::default() })
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn a_path_is_of_the_cluster_at_the_root_unless_it_names_one() {
        for (asked, expected) in [
            ("/version", "/k8s/prod/version"),
            ("/api/v1/pods?watch=1&labelSelector=a%3Db", "/k8s/prod/api/v1/pods?watch=1&labelSelector=a%3Db"),
            ("/", "/k8s/prod/"),
            ("/api/ws", "/k8s/prod/api/ws"),
            ("//other/version", "/k8s/prod/other/version"),
            ("/k8s", "/k8s/prod/k8s"),
            ("/%6b8s/other/version", "/k8s/prod/%6b8s/other/version"),
            ("/../k8s/other/version", "/k8s/prod/../k8s/other/version"),
            ("*", "/k8s/prod/*"),
            ("https://127.0.0.1:9000/version", "https://127.0.0.1:9000/k8s/prod/version"),
        ] {
            let rewritten = below("/k8s/prod", &asked.parse().expect("a URI")).expect("another");
            assert_eq!(rewritten.to_string(), expected);
        }
        assert_eq!(below("/k8s/prod", &"/k8s/other/version?x=1".parse().expect("a URI")), None);
    }

    #[test]
    fn r_authn_16_only_a_name_of_loopback_is_the_listeners() {
        let named = |uri: &str, hosts: &[&str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(header::HOST, host.parse().expect("a value"));
            }
            names_loopback(&uri.parse().expect("a URI"), &headers)
        };
        for host in ["127.0.0.1:9000", "localhost:9000", "[::1]:9000", "127.0.0.2:9000", "localhost"] {
            assert!(named("/version", &[host]), "{host}");
        }
        for host in [
            "example.org",
            "127.0.0.1.example.org",
            "0a1b.localhost:9000",
            "10.0.0.1",
            "a@localhost",
            "[",
            "",
        ] {
            assert!(!named("/version", &[host]), "{host}");
        }
        assert!(!named("/version", &[]) && !named("/version", &["localhost", "localhost"]));
        assert!(!named("https://example.org/version", &["localhost"]));
    }
}
