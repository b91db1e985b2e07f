//! Every route there is, in one table: the router is made from it, and so is the test that asks
//! each of them without a credential.

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, get, post};
use http::Method;

use super::{Edge, answer, assets, guard, headers, login, observe, probes, socket};

pub const SOCKET: &str = "/api/ws";
pub const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Who gets an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody whose `Host` and `Origin` are in order: there is nothing of a cluster in it.
    Open,
    /// Somebody with a credential, or over the Unix socket.
    Identified,
}

pub struct Route {
    pub template: &'static str,
    pub method: Method,
    pub access: Access,
    handler: fn() -> MethodRouter<Arc<Edge>>,
}

const fn route(
    template: &'static str,
    method: Method,
    access: Access,
    handler: fn() -> MethodRouter<Arc<Edge>>,
) -> Route {
    Route { template, method, access, handler }
}

/// The listener of the page.
pub static ROUTES: [Route; 14] = [
    route("/", Method::GET, Access::Open, || get(assets::page)),
    route("/v", Method::GET, Access::Open, || get(assets::page)),
    route("/v/{*view}", Method::GET, Access::Open, || get(assets::page)),
    route("/log/{*view}", Method::GET, Access::Open, || get(assets::page)),
    route("/b", Method::GET, Access::Open, || get(assets::page)),
    route("/element.js", Method::GET, Access::Open, || get(assets::element)),
    route("/embed", Method::GET, Access::Open, || get(assets::embed)),
    route("/assets/{*path}", Method::GET, Access::Open, || get(assets::asset)),
    route("/favicon.ico", Method::GET, Access::Open, || get(assets::icon)),
    route("/healthz", Method::GET, Access::Open, || get(probes::healthz)),
    route("/readyz", Method::GET, Access::Open, || get(probes::readyz)),
    route("/api/login", Method::POST, Access::Open, || post(login::login)),
    route("/api/code", Method::POST, Access::Identified, || post(login::code)),
    route(SOCKET, Method::GET, Access::Identified, || get(socket::open)),
];

/// The listener of whoever keeps the gateway running.
static METRICS_ROUTES: [Route; 3] = [
    route("/metrics", Method::GET, Access::Open, || get(probes::metrics)),
    route("/healthz", Method::GET, Access::Open, || get(probes::healthz)),
    route("/readyz", Method::GET, Access::Open, || get(probes::readyz)),
];

/// For people and `tail`.
pub fn router(edge: Arc<Edge>) -> Router {
    of(&ROUTES)
        .layer(from_fn_with_state(edge.clone(), guard::guard))
        .layer(from_fn(headers::add))
        .layer(from_fn_with_state(edge.clone(), observe::observe))
        .with_state(edge)
}

/// For Prometheus and the kubelet: any `Host`, and nothing but numbers.
pub fn metrics_router(edge: Arc<Edge>) -> Router {
    of(&METRICS_ROUTES).layer(from_fn(headers::add)).with_state(edge)
}

fn of(routes: &[Route]) -> Router<Arc<Edge>> {
    let router =
        routes.iter().fold(Router::new(), |router, route| router.route(route.template, (route.handler)()));
    router.fallback(|| async { answer::not_found() })
}

pub(super) fn template(matched: &str) -> Option<&'static str> {
    ROUTES.iter().map(|route| route.template).find(|template| *template == matched)
}
