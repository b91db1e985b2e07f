//! The product's listeners on a free port and a Unix socket, and a client that sends exactly what a test
//! gives it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Message;
use futures_util::{SinkExt, StreamExt};
use http::Response;
use kubernetes_api::Failure;
use replica::driver::page_key::PageKey;
use serde_json::json;
use shared::name::ClusterName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{self, client::IntoClientRequest};
use tokio_util::sync::CancellationToken;

use crate::access::local::api::LocalApi;
use crate::access::local::listener::LocalListener;
use crate::access::oidc::tests::authenticator_at;
use crate::access::oidc::tests::hostile::Hostile;
use crate::access::{Authenticator, Identity};
use crate::address::BasePath;
use crate::address::origin::{Origin, OriginPolicy};
use crate::audit::Audit;
use crate::http::{
    AppState, Assets, Check, Connections, Listener, PreAuthLimit, Readiness, Seldom, ServedClusters, routes,
};
use crate::kubernetes::Answer;
use crate::limits::CONNECTIONS_MAX;
use crate::metrics::{ByRejection, Metrics, Rejection};
use crate::session::PreAuth;
use crate::traces::Traces;

/// What the session sends at once: the cluster's data.
pub(super) const WELCOME: &str = "welcome to the cluster";

const PAGE: &str = "<!doctype html><head>\n<script src=\"/assets/start-0a.js\"></script></head>";

pub(super) struct Running {
    pub(super) address: SocketAddr,
    pub(super) metrics_address: SocketAddr,
    pub(super) socket: PathBuf,
    pub(super) state: Arc<AppState>,
    pub(super) connections: Connections,
    pub(super) folder: tempfile::TempDir,
}

/// An answer, read to its end.
pub(super) struct Read {
    pub(super) status: u16,
    pub(super) headers: http::HeaderMap,
    pub(super) body: String,
}

impl Read {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

impl Running {
    pub(super) async fn start() -> Self {
        Self::admitting(CONNECTIONS_MAX).await
    }

    pub(super) async fn admitting(connections_max: usize) -> Self {
        Self::with(connections_max, BasePath::default()).await
    }

    pub(super) async fn below(base: &str) -> Self {
        Self::with(CONNECTIONS_MAX, BasePath::parse(base).expect("a path")).await
    }

    /// Each printed URL has a name of its own.
    pub(super) async fn with_names() -> Self {
        let local = Authenticator::local_with_names;
        Self::of(CONNECTIONS_MAX, BasePath::default(), local).await
    }

    /// With a listener for clients of the Kubernetes API, which is started by the test.
    pub(super) async fn with_api(api: LocalApi) -> Self {
        let local = |state: &Path, port, identity| Authenticator::local_with_api(state, port, identity, api);
        Self::of(CONNECTIONS_MAX, BasePath::default(), local).await
    }

    /// People sign in at this provider.
    pub(super) async fn with_provider(provider: &Hostile) -> Self {
        let oidc = |_: &Path, port, _| authenticator_at(provider, format!("http://127.0.0.1:{port}"));
        Self::of(CONNECTIONS_MAX, BasePath::default(), oidc).await
    }

    async fn with(connections_max: usize, base: BasePath) -> Self {
        Self::of(connections_max, base, Authenticator::local).await
    }

    async fn of(
        connections_max: usize,
        base: BasePath,
        authenticator: impl FnOnce(&Path, u16, Identity) -> Authenticator,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let metrics_listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let metrics_address = metrics_listener.local_addr().expect("bound");
        let folder = tempfile::tempdir().expect("a folder");
        let local = LocalListener::bind(folder.path(), address.port()).expect("bound");
        let socket = local.path().to_owned();
        let state = state(address, folder.path(), base, authenticator);
        let connections = Connections::admitting(connections_max, state.metrics.clone());
        for (listener, router) in [
            (Listener::Tcp(listener), routes::router_below_base(state.clone())),
            (Listener::Unix(Box::new(local)), routes::router(state.clone())),
            (Listener::Metrics(metrics_listener), routes::metrics_router(state.clone(), true)),
        ] {
            let connections = connections.clone();
            tokio::spawn(async move { connections.accept(listener, router).await });
        }
        Self { address, metrics_address, socket, state, connections, folder }
    }

    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The body of a login with this code.
    pub(super) fn login_body(code: &str) -> String {
        let key = PageKey::generate().expect("randomness").public();
        json!({ "code": code, "key": key }).to_string()
    }

    pub(super) fn rejected(&self, reason: Rejection) -> u64 {
        self.state.metrics.ws_rejected.get_or_create(&ByRejection { reason }).get()
    }

    /// Sends these lines as a request's head, as they are.
    pub(super) async fn say(&self, lines: &[&str], body: &str) -> Read {
        say(TcpStream::connect(self.address).await.expect("connected"), lines, body).await
    }

    /// A request with this gateway's own host.
    pub(super) async fn get(&self, path: &str, headers: &[&str]) -> Read {
        self.ask("GET", path, headers, "").await
    }

    pub(super) async fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Read {
        let (line, host) = (format!("{method} {path} HTTP/1.1"), format!("host: {}", self.host()));
        let mut lines = vec![line.as_str(), &host];
        lines.extend(headers);
        self.say(&lines, body).await
    }

    pub(super) async fn login(&self, code: &str, headers: &[&str]) -> Read {
        let mut all = vec!["content-type: application/json"];
        all.extend(headers);
        self.ask("POST", "/api/login", &all, &Self::login_body(code)).await
    }

    /// Opens a socket with these headers beside those that it must have.
    pub(super) async fn open(
        &self,
        headers: &[(&'static str, &str)],
    ) -> Result<WebSocketStream<TcpStream>, (u16, String)> {
        let stream = TcpStream::connect(self.address).await.expect("connected");
        upgrade(stream, &format!("ws://{}/api/ws", self.address), headers).await.map(|(socket, _)| socket)
    }

    pub(super) async fn open_local(&self) -> Result<WebSocketStream<UnixStream>, (u16, String)> {
        let stream = UnixStream::connect(&self.socket).await.expect("connected");
        upgrade(stream, "ws://localhost/api/ws", &[]).await.map(|(socket, _)| socket)
    }
}

fn state(
    address: SocketAddr,
    folder: &Path,
    base_path: BasePath,
    authenticator: impl FnOnce(&Path, u16, Identity) -> Authenticator,
) -> Arc<AppState> {
    let identity = Identity::new("alice").expect("a name");
    let portal = Origin::parse("https://portal.example").expect("an origin");
    Arc::new(AppState {
        assets: Assets::default()
            .with("index.html", "1", PAGE)
            .with("embed.html", "1", PAGE)
            .with("open.html", "1", PAGE)
            .with("element.js", "1", "export {};")
            .with("missing.js", "1", "{}")
            .with("program.js", "1", "export {};")
            .with("assets/start-0a.js", "2", "start()")
            .below(&base_path),
        base_path,
        clusters: ServedClusters {
            home: ClusterName::parse("demo").expect("a name"),
            listed: Box::new(|| {
                ["demo", "other"].map(|name| ClusterName::parse(name).expect("a name")).to_vec()
            }),
        },
        audit: Audit::default(),
        authenticator: authenticator(folder, address.port(), identity),
        metrics: Metrics::new(),
        policy: OriginPolicy::new(None, vec![portal]),
        readiness: Readiness::new(vec![Check::new("broken", || Err("it may read secrets".to_owned()))]),
        refused_codes: Seldom::default(),
        traces: Traces::default(),
        // No test of this folder opens a stream, or asks for an object.
        streams: Box::new(|_, _, _| Box::pin(async {})),
        kubernetes: Box::new(|_| Box::pin(async { Answer::Refused(Failure::no_such_resource()) })),
        sessions: Box::new(|(mut socket, _), _, permit, leaving| {
            Box::pin(async move {
                let _ = socket.send(Message::text(WELCOME)).await;
                // As a session does, until the client leaves, the socket fails, its place is another's, or the gateway
                // ends.
                let heard = async { while let Some(Ok(_)) = socket.next().await {} };
                tokio::select! {
                    () = heard => {}
                    () = permit.displaced() => {}
                    () = leaving.cancelled() => {}
                }
            })
        }),
        pre_auth: PreAuthLimit::default(),
        url: format!("http://{address}/open"),
        leaving: CancellationToken::new(),
    })
}

pub(super) async fn say<S>(mut stream: S, lines: &[&str], body: &str) -> Read
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut head = lines.join("\r\n");
    if !body.is_empty() {
        head = format!("{head}\r\ncontent-length: {}", body.len());
    }
    if !head.contains("connection:") {
        head.push_str("\r\nconnection: close");
    }
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    // An upgrade that succeeds doesn't end by itself: the bound is the test's, never waited for.
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer));
    read.await.expect("the answer ends").expect("read");
    parse(&answer)
}

fn parse(answer: &[u8]) -> Read {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status_line = lines.next().unwrap_or_default();
    let status = status_line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let mut headers = http::HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let name = http::HeaderName::from_bytes(name.as_bytes()).expect("a name");
        headers.append(name, value.trim().parse().expect("a value"));
    }
    Read { status, headers, body: body.to_owned() }
}

pub(super) async fn upgrade<S>(
    stream: S,
    url: &str,
    headers: &[(&'static str, &str)],
) -> Result<(WebSocketStream<S>, Response<Option<Vec<u8>>>), (u16, String)>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut request = url.into_client_request().expect("a request");
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().expect("a value"));
    }
    match tokio_tungstenite::client_async(request, stream).await {
        Ok(opened) => Ok(opened),
        Err(tungstenite::Error::Http(response)) => {
            let body = response.body().as_deref().unwrap_or_default();
            Err((response.status().as_u16(), String::from_utf8_lossy(body).into_owned()))
        }
        Err(other) => panic!("{other}"),
    }
}

/// The first message of the session, or nothing where the socket was closed.
pub(super) async fn first<S>(socket: &mut WebSocketStream<S>) -> Option<String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    socket.next().await?.ok()?.into_text().ok().map(|text| text.as_str().to_owned())
}

pub(super) async fn send<S>(socket: &mut WebSocketStream<S>, text: String) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    socket.send(tungstenite::Message::text(text)).await.is_ok()
}
