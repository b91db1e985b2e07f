//! R-AUTHN-16: the listener for clients of the Kubernetes API answers nothing without a token of its own, and its tokens
//! open nothing else.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use http::{HeaderMap, Method, StatusCode, Uri};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::Value;
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::running::{Read, Running, say};
use crate::access::local::api::LocalApi;
use crate::access::local::api::ask::{FreshToken, ServedApi};
use crate::access::local::api::listen::ApiListen;
use crate::access::{Caller, Peer};
use crate::address::origin::RequestOrigin;
use crate::http::routes::{Access, Route, route};
use crate::http::socket::caller;
use crate::http::{AppState, Listener, answer, api_listener};
use crate::limits::API_TOKEN_LIFETIME_S;

struct ApiRig {
    gateway: Running,
    address: SocketAddr,
    authority: Arc<str>,
    _folder: tempfile::TempDir,
}

impl ApiRig {
    async fn start() -> Self {
        Self::serving(api_listener::router).await
    }

    async fn serving(router: impl FnOnce(Arc<AppState>) -> Router) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let opened = LocalApi::open(ApiListen::Free, folder.path(), None).await;
        let (api, listener) = opened.expect("opened").expect("somewhere");
        let (authority, address) = (api.authority(), listener.tcp.local_addr().expect("bound"));
        let gateway = Running::with_api(api).await;
        let (connections, router) = (gateway.connections.clone(), router(gateway.state.clone()));
        tokio::spawn(async move { connections.accept(Listener::Api(listener), router).await });
        Self { gateway, address, authority, _folder: folder }
    }

    async fn connect(&self) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_slice(self.authority.as_bytes()).expect("PEM"))
            .expect("an authority");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = builder.expect("versions").with_root_certificates(roots).with_no_client_auth();
        let tcp = TcpStream::connect(self.address).await.expect("connected");
        let name = ServerName::try_from("127.0.0.1").expect("a name");
        TlsConnector::from(Arc::new(config)).connect(name, tcp).await.expect("trusted")
    }

    async fn ask(&self, line: &str, headers: &[&str]) -> Read {
        let (line, host) = (format!("{line} HTTP/1.1"), format!("host: {}", self.address));
        let mut lines = vec![line.as_str(), &host];
        lines.extend(headers);
        say(self.connect().await, &lines, "").await
    }

    async fn get(&self, path: &str, headers: &[&str]) -> Read {
        self.ask(&format!("GET {path}"), headers).await
    }

    async fn over_the_socket(&self, line: &str) -> Read {
        let stream = UnixStream::connect(&self.gateway.socket).await.expect("connected");
        say(stream, &[&format!("{line} HTTP/1.1"), "host: localhost"], "").await
    }

    /// The header of a token that the gateway's user asked for.
    async fn token(&self) -> String {
        let read = self.over_the_socket("POST /api/token").await;
        let fresh: FreshToken = serde_json::from_str(&read.body).expect("a token");
        format!("authorization: Bearer {}", fresh.token)
    }
}

/// A route of a cluster that says who asks for what.
static WHO_ASKS: [Route; 2] = [
    route("/k8s/{cluster}/{*path}", Method::GET, Access::Identified, || get(who_asks)),
    route("/open", Method::GET, Access::Open, || get(|| async { answer::text(StatusCode::OK, "a page") })),
];

async fn who_asks(
    State(state): State<Arc<AppState>>,
    Extension(peer): Extension<Peer>,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    match caller(&state, peer, &origin, &headers).await {
        Ok(Caller::Known(login)) if !headers.contains_key("cookie") => {
            answer::text(StatusCode::OK, format!("{} {uri}", login.identity.name()))
        }
        other => answer::text(StatusCode::INTERNAL_SERVER_ERROR, format!("{other:?}")),
    }
}

/// Paths of the cluster at the root and of others, and those of the page.
const PATHS: [&str; 10] = [
    "/version",
    "/api/v1/pods?watch=1",
    "/k8s/other/version",
    "/k8s/demo/api",
    "/",
    "/healthz",
    "/readyz",
    "/api/ws",
    "/api/kubeconfig",
    "/assets/start-0a.js",
];

#[tokio::test]
async fn r_authn_16_the_listener_for_clients_answers_nothing_without_a_token_of_its_own() {
    let rig = ApiRig::start().await;
    let good = rig.token().await;
    let api = rig.gateway.state.authenticator.api().expect("an API");
    let old = api.issue_token(SystemTime::now() - Duration::from_secs(API_TOKEN_LIFETIME_S)).token;
    let old = format!("authorization: Bearer {old}");
    let code = rig.gateway.state.authenticator.issue_code().expect("randomness").code;
    let code = format!("authorization: Bearer {}", code.expose());
    let cookie = good.replace("authorization: Bearer ", "cookie: session=");
    let basic = good.replace("Bearer", "Basic");
    for path in PATHS {
        for headers in
            [&[][..], &["authorization: Bearer x"], &[&old], &[&code], &[&cookie], &[&basic], &[&good, &good]]
        {
            let read = rig.get(path, headers).await;
            assert_eq!(read.status, 401, "{path} {headers:?}");
            let status: Value = serde_json::from_str(&read.body).expect("JSON");
            assert_eq!((&status["kind"], &status["reason"]), (&"Status".into(), &"Unauthorized".into()));
        }
        let read = rig.get(path, &[&good]).await;
        assert_ne!(read.status, 401, "{path}");
        assert!(!read.body.contains("start-0a"), "nothing of the page is here: {path}");
        assert!(!read.body.contains("certificate"), "{path}");
    }
    assert_eq!(rig.get("/version?token=x", &[&good]).await.status, 400);
}

#[tokio::test]
async fn r_authn_16_no_page_and_no_other_host_reaches_the_listener_for_clients() {
    let rig = ApiRig::start().await;
    let good = rig.token().await;
    for origin in
        ["https://portal.example", "null", &rig.gateway.origin(), &format!("https://{}", rig.address)]
    {
        assert_eq!(rig.get("/version", &[&good, &format!("origin: {origin}")]).await.status, 403, "{origin}");
    }
    let read = say(rig.connect().await, &["GET /version HTTP/1.1", "host: rebound.example", &good], "").await;
    assert_eq!(read.status, 403);
    let plain = TcpStream::connect(rig.address).await.expect("connected");
    let read = say(plain, &["GET /version HTTP/1.1", "host: localhost", &good], "").await;
    assert_eq!((read.status, read.body.contains("TLS")), (400, true));
    assert!(rig.address.ip().is_loopback());
}

#[tokio::test]
async fn r_authn_16_a_token_for_clients_opens_nothing_of_the_page() {
    let rig = ApiRig::start().await;
    let good = rig.token().await;
    for (method, path) in [
        ("GET", "/api/ws"),
        ("GET", "/api/v1/stream?resource=pods"),
        ("GET", "/api/preferences"),
        ("POST", "/api/code"),
        ("POST", "/api/token"),
        ("GET", "/api/kubeconfig"),
    ] {
        let read = rig.gateway.ask(method, path, &[&good], "").await;
        assert_eq!(read.status, 401, "{method} {path}");
    }
    let origin = rig.gateway.origin();
    let token = good.trim_start_matches("authorization: ");
    let opened = rig.gateway.open(&[("origin", &origin), ("authorization", token)]).await;
    assert_eq!(opened.map(drop).expect_err("refused").0, 401);
    let read = rig.gateway.get("/k8s/demo/version", &[&good]).await;
    assert_eq!(read.status, 401, "not at the page's address either");
    let status: Value = serde_json::from_str(&read.body).expect("a Status");
    assert_eq!(status["kind"], "Status");
    assert!(status["message"].as_str().is_some_and(|message| message.contains("`dogwatch kubeconfig`")));
}

#[tokio::test]
async fn the_home_cluster_is_at_the_root_the_others_at_their_names_and_no_cookie_reaches_them() {
    let rig = ApiRig::serving(|state| api_listener::serving(&WHO_ASKS, state)).await;
    let good = rig.token().await;
    for (asked, handled) in [
        ("/version", "/k8s/demo/version"),
        ("/api/v1/pods?watch=1", "/k8s/demo/api/v1/pods?watch=1"),
        ("/k8s/other/api/v1/pods?limit=5", "/k8s/other/api/v1/pods?limit=5"),
        ("/open", "/k8s/demo/open"),
    ] {
        let read = rig.get(asked, &[&good, "cookie: session=x"]).await;
        assert_eq!((read.status, read.body), (200, format!("alice {handled}")), "{asked}");
    }
    assert_eq!(rig.get("/version", &[]).await.status, 401);
}

#[tokio::test]
async fn the_user_is_told_over_the_unix_socket_what_a_kubeconfig_needs() {
    let rig = ApiRig::start().await;
    let read = rig.over_the_socket("GET /api/kubeconfig").await;
    let served: ServedApi = serde_json::from_str(&read.body).expect("JSON");
    assert_eq!(
        (served.server, served.authority.as_str()),
        (format!("https://{}", rig.address), &*rig.authority)
    );
    assert_eq!((served.home.as_str(), served.clusters.len()), ("demo", 2));
    let without = Running::start().await;
    let stream = UnixStream::connect(&without.socket).await.expect("connected");
    let read = say(stream, &["POST /api/token HTTP/1.1", "host: localhost"], "").await;
    assert_eq!((read.status, read.body.contains("--api-listen none")), (503, true), "{}", read.body);
}
