//! The site of an example: files, a content policy, tokens, and the reports of what broke the policy. It has an
//! origin of its own, as a real portal does.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Policy;

/// Gives a token for each time that the page asked before.
pub type Tokens = Box<dyn Fn(usize) -> String + Send + Sync>;

/// What is served.
pub struct Site {
    pub folder: PathBuf,
    pub policy: Policy,
    /// The gateway's origin.
    pub gateway: String,
    /// Those that a reader may choose.
    pub namespaces: Vec<String>,
    pub tokens: Tokens,
}

pub struct Host {
    origin: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    site: OnceLock<Site>,
    asked: watch::Sender<usize>,
    reports: Mutex<Vec<String>>,
    reported: watch::Sender<usize>,
}

impl Host {
    /// Its origin is known before what it serves, because the gateway has to know it.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let state = Arc::new(State::default());
        let task = tokio::spawn(accept(listener, Arc::clone(&state)));
        Ok(Self { origin, state, task })
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn serve(&self, site: Site) -> Result<()> {
        self.state.site.set(site).ok().context("a host has one site")
    }

    /// Returns when the page asked for a token so many times.
    pub async fn until_asked(&self, times: usize) -> Result<()> {
        let mut asked = self.state.asked.subscribe();
        let come = timeout(WAIT, asked.wait_for(|asked| *asked >= times)).await;
        come.with_context(|| format!("the page asked for fewer than {times} tokens"))??;
        Ok(())
    }

    pub fn asked(&self) -> usize {
        *self.state.asked.borrow()
    }

    /// Returns the reports so far, when there is one at least.
    pub async fn reports(&self) -> Result<Vec<String>> {
        let mut reported = self.state.reported.subscribe();
        timeout(WAIT, reported.wait_for(|count| *count > 0)).await.context("no report came")??;
        Ok(self.state.reports.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        let answered = service_fn(move |request| answer(Arc::clone(&state), request));
        tokio::spawn(async move {
            // A browser that goes leaves half a request.
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), answered).await);
        });
    }
}

type Answer = Response<Full<Bytes>>;

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Result<Answer> {
    let site = state.site.get().context("nothing is served yet")?;
    let path = request.uri().path().to_owned();
    match &*path {
        "/config.js" => of_type("text/javascript", site.config()?.into()),
        "/token" => {
            let mut before = 0;
            state.asked.send_modify(|asked| before = std::mem::replace(asked, *asked + 1));
            of_type("text/plain", (site.tokens)(before).into())
        }
        "/reports" => {
            let report = request.into_body().collect().await?.to_bytes();
            let report = String::from_utf8_lossy(&report).into_owned();
            state.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
            state.reported.send_modify(|count| *count += 1);
            Ok(status(StatusCode::NO_CONTENT))
        }
        _ => site.file(&path),
    }
}

impl Site {
    /// Chooses the gateway, and remembers what would trouble the portal's owner.
    fn config(&self) -> Result<String> {
        let portal = json!({ "gateway": self.gateway, "namespaces": self.namespaces });
        Ok(format!("window.portal = {};\n{RECORD}", serde_json::to_string(&portal)?))
    }

    fn file(&self, path: &str) -> Result<Answer> {
        let path = Path::new(if path == "/" { "index.html" } else { path.trim_start_matches('/') });
        let is_below = path.components().all(|part| matches!(part, Component::Normal(_)));
        let Some(bytes) = std::fs::read(self.folder.join(path)).ok().filter(|_| is_below) else {
            return Ok(status(StatusCode::NOT_FOUND));
        };
        let kind = match path.extension().and_then(|extension| extension.to_str()) {
            Some("html") => "text/html; charset=utf-8",
            Some("js" | "mjs") => "text/javascript",
            Some("css") => "text/css",
            Some("svg") => "image/svg+xml",
            Some("json") => "application/json",
            Some("wasm") => "application/wasm",
            _ => "application/octet-stream",
        };
        let mut answer = of_type(kind, bytes.into())?;
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, self.content_policy().parse()?);
        Ok(answer)
    }

    /// What docs/EMBEDDING.md says of the gateway, in the strictest policy of a site that the framework takes.
    fn content_policy(&self) -> String {
        let (http, ws) = (&self.gateway, self.gateway.replacen("http", "ws", 1));
        let types = match self.policy {
            Policy::TrustedTypes(policies) => {
                format!("require-trusted-types-for 'script'; trusted-types {policies}; ")
            }
            Policy::Grafana => return format!("{GRAFANA}; report-uri /reports"),
            Policy::Backstage => {
                return format!(
                    "{BACKSTAGE}; script-src 'self' 'unsafe-eval' {http}; connect-src 'self' {http} {ws}; \
                     report-uri /reports"
                );
            }
            Policy::OwnProgram => "require-trusted-types-for 'script'; trusted-types 'none'; ".to_owned(),
        };
        let http = if self.policy == Policy::OwnProgram { "" } else { http };
        format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'self'; img-src 'self'; \
             script-src 'self' {http} 'wasm-unsafe-eval'; connect-src 'self' {http} {ws}; frame-src {http}; \
             {types}report-uri /reports"
        )
    }
}

fn of_type(kind: &str, body: Bytes) -> Result<Answer> {
    Ok(Response::builder().header(CONTENT_TYPE, kind).body(Full::new(body))?)
}

fn status(status: StatusCode) -> Answer {
    let mut answer = Answer::default();
    *answer.status_mut() = status;
    answer
}

/// The longest wait for the page.
const WAIT: Duration = Duration::from_secs(90);

/// The nonce stands in the example's page. It says nothing of frames: those of any address are shown.
const GRAFANA: &str = "script-src 'self' 'unsafe-eval' 'unsafe-inline' 'strict-dynamic' 'nonce-of-this-page'; \
    object-src 'none'; font-src 'self'; style-src 'self' 'unsafe-inline' blob:; img-src * data:; base-uri 'self'; \
    connect-src 'self'; manifest-src 'self'; media-src 'none'; form-action 'self'";

const BACKSTAGE: &str = "default-src 'self'; base-uri 'self'; font-src 'self' https: data:; form-action 'self'; \
    frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src-attr 'none'; \
    style-src 'self' https: 'unsafe-inline'";

const RECORD: &str = include_str!("host/record.js");
