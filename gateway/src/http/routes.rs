//! Every route in one table: the router is made from it, and so is the test that requests each of them
//! without a credential.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, RawQuery, Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, any, get, post};
use http::{HeaderMap, Method, StatusCode};
use tower::ServiceExt;

use super::guard::{PROBES, SOCKET};
use super::observe::{self, Observer};
use super::probes::Reader;
use super::state::AppState;
use super::{
    answer, api_token, clients, guard, headers, kubernetes, login, preferences, sign_in, socket, stream,
};
use crate::access::Peer;
use crate::access::oidc::ask::CLIENT_TOKEN;
use crate::access::oidc::{CALLBACK, CLIENT, REVOKED};
use crate::log;

/// The credential that a request needs besides an accepted `Host` and `Origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None: the answer holds nothing of a cluster.
    Open,
    /// A credential, or the Unix socket.
    Identified,
}

pub struct Route {
    pub template: &'static str,
    pub method: Method,
    pub access: Access,
    pub(super) handler: fn() -> MethodRouter<Arc<AppState>>,
}

pub(super) const fn route(
    template: &'static str,
    method: Method,
    access: Access,
    handler: fn() -> MethodRouter<Arc<AppState>>,
) -> Route {
    Route { template, method, access, handler }
}

/// The routes of the page's listener.
pub static ROUTES: [Route; 37] = [
    route("/", Method::GET, Access::Open, || get(page)),
    route("/v", Method::GET, Access::Open, || get(page)),
    route("/v/{*view}", Method::GET, Access::Open, || get(page)),
    route("/log/{*view}", Method::GET, Access::Open, || get(page)),
    route("/wrong", Method::GET, Access::Open, || get(page)),
    route("/wrong/{*view}", Method::GET, Access::Open, || get(page)),
    route("/b", Method::GET, Access::Open, || get(page)),
    // The script that loads the page again if a gateway of another version has taken over.
    route("/missing.js", Method::GET, Access::Open, || get(missing)),
    // Where a printed link leads.
    route("/open", Method::GET, Access::Open, || get(open)),
    route("/open/{*view}", Method::GET, Access::Open, || get(open)),
    // The live table for other sites' pages.
    route("/element.js", Method::GET, Access::Open, || get(element)),
    route("/program.js", Method::GET, Access::Open, || get(program)),
    // One of these tables for a frame of another site's page, which may have no script.
    route("/embed", Method::GET, Access::Open, || get(embed)),
    route("/assets/{*path}", Method::GET, Access::Open, || get(asset)),
    // Browsers ask for it on their own; the page names its icon itself.
    route("/favicon.ico", Method::GET, Access::Open, || {
        get(|| async { answer::text(StatusCode::NO_CONTENT, "") })
    }),
    HEALTHZ,
    READYZ,
    route("/api/login", Method::POST, Access::Open, || post(login::login)),
    route("/api/code", Method::POST, Access::Identified, || post(login::code)),
    // For clients of the Kubernetes API, over the Unix socket alone.
    route("/api/token", Method::POST, Access::Identified, || post(api_token::issue)),
    route("/api/kubeconfig", Method::GET, Access::Identified, || get(api_token::served)),
    // The same where people sign in at a provider, for a program of theirs.
    route(CLIENT_TOKEN, Method::GET, Access::Open, || get(clients::way_in)),
    route(CLIENT_TOKEN, Method::POST, Access::Open, || post(clients::give)),
    // What pages keep beyond their own origin.
    route("/api/preferences", Method::GET, Access::Identified, || get(preferences::read)),
    route("/api/preferences", Method::POST, Access::Identified, || post(preferences::keep)),
    route("/login", Method::GET, Access::Open, || get(sign_in::begin)),
    route(CALLBACK, Method::GET, Access::Open, || get(sign_in::finish)),
    route(CLIENT, Method::GET, Access::Open, || get(clients::ask)),
    route(CLIENT, Method::POST, Access::Identified, || post(clients::let_in)),
    route("/login/renew", Method::POST, Access::Identified, || post(sign_in::renew)),
    route(REVOKED, Method::GET, Access::Identified, || get(sign_in::revoked)),
    route("/logout", Method::POST, Access::Identified, || post(sign_in::sign_out)),
    // The handler verifies the logout token.
    route("/logout/backchannel", Method::POST, Access::Open, || post(sign_in::told_of_logout)),
    route(SOCKET, Method::GET, Access::Identified, || get(socket::open)),
    route("/api/v1/stream", Method::GET, Access::Identified, || get(stream::open)),
    // Any method: one that writes is told that nothing is written here.
    route("/k8s/{cluster}/{*path}", Method::GET, Access::Identified, || any(kubernetes::open)),
    route("/api/v1/openapi.json", Method::GET, Access::Open, || get(stream::openapi)),
];

/// The routes of the listener for Prometheus and the kubelet.
static METRICS_ROUTES: [Route; 3] = [
    route("/metrics", Method::GET, Access::Open, || get(metrics)),
    HEALTHZ,
    route(PROBES[1], Method::GET, Access::Open, || get(readyz_of_operator)),
];

const HEALTHZ: Route =
    route(PROBES[0], Method::GET, Access::Open, || get(|| async { answer::text(StatusCode::OK, "ok") }));
const READYZ: Route = route(PROBES[1], Method::GET, Access::Open, || get(readyz));

/// The router of the Unix socket, and of a listener without a base path.
pub fn router(state: Arc<AppState>) -> Router {
    guarded(&ROUTES, state)
}

/// The router of a listener with a base path. Outside the base path only the probes answer.
pub fn router_below_base(state: Arc<AppState>) -> Router {
    let base = state.base_path.clone();
    if base.is_root() {
        return router(state);
    }
    let beside = guarded(&[HEALTHZ, READYZ], state.clone());
    let below = router(state);
    Router::new().fallback(move |mut request: Request| {
        let router = match base.strip(request.uri()) {
            Some(uri) => {
                *request.uri_mut() = uri;
                below.clone()
            }
            None => beside.clone(),
        };
        router.oneshot(request)
    })
}

fn guarded(routes: &[Route], state: Arc<AppState>) -> Router {
    let templates = routes.iter().map(|route| route.template).collect();
    let observer = Observer { metrics: state.metrics.clone(), traces: state.traces.clone(), templates };
    router_of(routes)
        .layer(from_fn_with_state(state.clone(), guard::guard))
        .layer(from_fn(headers::add))
        .layer(from_fn_with_state(observer, observe::observe))
        .with_state(state)
}

/// `is_loopback`: whether the listener is. If so a browser reaches it, and a rebound name reads nothing.
pub fn metrics_router(state: Arc<AppState>, is_loopback: bool) -> Router {
    let router = router_of(&METRICS_ROUTES);
    let guarded =
        if is_loopback { router.layer(from_fn_with_state(state.clone(), guard::own_host)) } else { router };
    guarded.layer(from_fn(headers::add)).with_state(state)
}

fn router_of(routes: &[Route]) -> Router<Arc<AppState>> {
    let router =
        routes.iter().fold(Router::new(), |router, route| router.route(route.template, (route.handler)()));
    router.fallback(|State(state): Shared, method: Method, headers: HeaderMap| async move {
        answer::no_such_path(&method, &headers, &state.base_path)
    })
}

type Shared = State<Arc<AppState>>;

async fn page(State(state): Shared, headers: HeaderMap) -> Response {
    state.assets.page(&headers)
}

/// Exchanges the code of a printed link, and goes on to the page. Its status keeps the link out of the history that a
/// browser shows and suggests: a browser doesn't list a page that wasn't found.
async fn open(State(state): Shared, headers: HeaderMap) -> Response {
    let mut response = state.assets.named("open.html", &headers);
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

async fn missing(State(state): Shared, headers: HeaderMap) -> Response {
    state.assets.named("missing.js", &headers)
}

async fn element(State(state): Shared, headers: HeaderMap) -> Response {
    state.assets.named("element.js", &headers)
}

/// Where an element starts the program of this gateway.
async fn program(State(state): Shared, headers: HeaderMap) -> Response {
    state.assets.named("program.js", &headers)
}

/// The one page that sites which the gateway lists may frame.
async fn embed(State(state): Shared, headers: HeaderMap) -> Response {
    let mut response = state.assets.named("embed.html", &headers);
    if let Some(ancestors) = headers::FrameAncestors::of(state.policy.allowed()) {
        response.extensions_mut().insert(ancestors);
    }
    response
}

async fn asset(State(state): Shared, Path(path): Path<String>, headers: HeaderMap) -> Response {
    state.assets.hashed(&path, &headers)
}

async fn readyz(
    State(state): Shared,
    Extension(peer): Extension<Peer>,
    RawQuery(query): RawQuery,
) -> Response {
    let reader = if peer == Peer::SameUser { Reader::Operator } else { Reader::Stranger };
    state.readiness.answer(query.as_deref(), reader)
}

async fn readyz_of_operator(State(state): Shared, RawQuery(query): RawQuery) -> Response {
    state.readiness.answer(query.as_deref(), Reader::Operator)
}

async fn metrics(State(state): Shared) -> Response {
    state.readiness.count(&state.metrics);
    let lost = log::lost_lines();
    state.metrics.log_lost.inc_by(lost.saturating_sub(state.metrics.log_lost.get()));
    match state.metrics.encode() {
        Ok(text) => {
            answer::typed(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text)
        }
        Err(_) => answer::text(StatusCode::INTERNAL_SERVER_ERROR, "the numbers can't be written"),
    }
}
