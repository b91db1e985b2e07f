//! The accept loops: every connection gets a slot, ten seconds for a request's head, and an end. hyper's
//! and axum's own loops have no such bounds.

use std::future::{Future, ready};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::StatusCode;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tower::ServiceExt;

use super::allowance::ReadAllowance;
use super::idle::{IdleConnections, IdleGuard};
use super::linger::{Loan, lend, linger};
use super::seldom::Seldom;
use super::tls::{Tls, shake};
use crate::access::local::api::ApiListener;
use crate::access::{Entrance, Peer};
use crate::limits::{
    ACCEPT_PAUSE_MS, CONNECTIONS_KEPT, CONNECTIONS_PER_IDLE, HTTP_BUFFER_BYTES_MAX, HTTP_CONNECTION_S,
    HTTP_HEAD_TIMEOUT_S, HTTP_HEADERS_MAX, HTTP_LAST_ANSWER_S,
};
use crate::metrics::Metrics;

pub enum Listener {
    Tcp(TcpListener),
    Tls(TcpListener, Arc<Tls>),
    /// The listener for clients of the Kubernetes API, in mode `local`.
    Api(ApiListener),
    /// The listener for metrics and probes, which must answer when the gateway is full.
    Metrics(TcpListener),
    /// The Unix socket of an auth mode, on the same machine.
    Unix(Box<dyn Entrance>),
}

/// All connections of all listeners. Cheap to clone.
#[derive(Clone)]
pub struct Connections {
    slots: Arc<Semaphore>,
    /// For the user's own socket, metrics and probes, when all others are taken.
    kept_slots: Arc<Semaphore>,
    refused: Arc<Seldom>,
    idle: IdleConnections,
    tracker: TaskTracker,
    /// Cancelled when the gateway accepts no more connections and requests.
    draining: CancellationToken,
    /// Cancelled when the remaining connections must end at once.
    cut: CancellationToken,
    metrics: Metrics,
}

/// Counts one connection, also after it became a WebSocket, until it is dropped.
pub struct ConnectionSlot {
    _permit: OwnedSemaphorePermit,
    _tracked: TaskTrackerToken,
    cut: CancellationToken,
    metrics: Metrics,
}

impl ConnectionSlot {
    pub(super) async fn until_cut(&self, work: impl Future<Output = ()>) {
        // `None` means that the connection was cut after the grace period.
        let _ = self.cut.run_until_cancelled(work).await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.metrics.http_connections.dec();
    }
}

impl Connections {
    pub fn admitting(connections_max: usize, metrics: Metrics) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(connections_max)),
            kept_slots: Arc::new(Semaphore::new(CONNECTIONS_KEPT)),
            refused: Arc::default(),
            idle: IdleConnections::new(connections_max.div_ceil(CONNECTIONS_PER_IDLE), metrics.clone()),
            tracker: TaskTracker::new(),
            draining: CancellationToken::new(),
            cut: CancellationToken::new(),
            metrics,
        }
    }

    /// Returns when the connections are drained.
    pub async fn accept(&self, listener: Listener, router: Router) {
        let mut is_failing = false;
        loop {
            match self.draining.run_until_cancelled(self.accept_one(&listener, &router)).await {
                None => return,
                Some(Ok(())) => is_failing = false,
                Some(Err(error)) => self.pause(&error, &mut is_failing).await,
            }
        }
    }

    async fn accept_one(&self, listener: &Listener, router: &Router) -> io::Result<()> {
        match listener {
            Listener::Tcp(tcp) | Listener::Metrics(tcp) => {
                let (stream, address) = accept_tcp(tcp).await?;
                let is_kept = matches!(listener, Listener::Metrics(_));
                self.start(ready(Some((stream, Peer::Remote(address)))), is_kept, router.clone());
            }
            Listener::Tls(tcp, tls) => {
                let (stream, address) = accept_tcp(tcp).await?;
                let tls = Arc::clone(tls);
                self.start(async move { tls.open(stream, address).await }, false, router.clone());
            }
            Listener::Api(ApiListener { tcp, certificates }) => {
                let (stream, address) = accept_tcp(tcp).await?;
                let config = certificates.config();
                let opening = async move {
                    let stream = shake(stream, config).await?;
                    Some((stream, Peer::ApiClient(address)))
                };
                self.start(opening, false, router.clone());
            }
            Listener::Unix(entrance) => {
                let (stream, peer) = (entrance.accept().await?, entrance.peer());
                self.start(ready(Some((stream, peer))), peer == Peer::SameUser, router.clone());
            }
        }
        Ok(())
    }

    /// Accepts no more connections and requests, and returns when all connections have ended. Those that
    /// remain after `grace` are cut.
    pub async fn drain(&self, grace: Duration) {
        self.draining.cancel();
        self.tracker.close();
        if tokio::time::timeout(grace, self.tracker.wait()).await.is_err() {
            let connections = self.metrics.http_connections.get();
            tracing::warn!(connections, "connections did not end in time and were cut");
            self.cut.cancel();
            self.tracker.wait().await;
        }
    }

    /// Waits after `accept` failed. Usually too many files are open, until connections end. Only the first
    /// failure of a series is logged.
    async fn pause(&self, error: &io::Error, is_failing: &mut bool) {
        self.metrics.accepts_failed.inc();
        if !std::mem::replace(is_failing, true) {
            tracing::warn!(%error, "a connection could not be accepted, and waits; is `ulimit -n` too low?");
        }
        tokio::time::sleep(Duration::from_millis(ACCEPT_PAUSE_MS)).await;
    }

    fn slot(&self, is_kept: bool) -> Option<OwnedSemaphorePermit> {
        let of = |slots: &Arc<Semaphore>| slots.clone().try_acquire_owned().ok();
        of(&self.slots).or_else(|| is_kept.then(|| of(&self.kept_slots))?)
    }

    /// `opening`: the stream and its peer, once it is known who that is; it counts as idle until then.
    /// `is_kept`: there are slots for it when all others are taken.
    fn start<S, O>(&self, opening: O, is_kept: bool, router: Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        O: Future<Output = Option<(S, Peer)>> + Send + 'static,
    {
        let Some(permit) = self.slot(is_kept) else {
            self.metrics.connections_refused.inc();
            if let Some(left_out) = self.refused.take() {
                tracing::warn!(left_out, "a connection was closed: there are too many");
            }
            return;
        };
        self.metrics.http_connections.inc();
        let slot = Arc::new(ConnectionSlot {
            _permit: permit,
            _tracked: self.tracker.token(),
            cut: self.cut.clone(),
            metrics: self.metrics.clone(),
        });
        let allowance = ReadAllowance::unlimited();
        let (draining, idle) = (self.draining.clone(), self.idle.guard());
        self.tracker.spawn(async move {
            let serving = async {
                let opened = idle.displaced.run_until_cancelled(draining.run_until_cancelled(opening));
                let Some(Some(Some((stream, peer)))) = opened.await else { return };
                let connection = Connection { peer, slot: slot.clone(), idle, allowance };
                serve(stream, connection, router, draining).await;
            };
            slot.until_cut(serving).await;
        });
    }
}

async fn accept_tcp(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    let (stream, address) = listener.accept().await?;
    // Frames are small and must not wait for each other. If this fails they are only slower.
    let _ = stream.set_nodelay(true);
    Ok((stream, address))
}

/// The state that all requests of one connection share.
#[derive(Clone)]
struct Connection {
    peer: Peer,
    slot: Arc<ConnectionSlot>,
    idle: Arc<IdleGuard>,
    allowance: ReadAllowance,
}

/// Serves one connection to its end, also as a socket.
async fn serve<S>(stream: S, connection: Connection, router: Router, draining: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let displaced = connection.idle.displaced.clone();
    let (loan, returned) = lend(stream, connection.allowance.clone());
    if displaced.run_until_cancelled(serve_http(loan, connection, router, draining)).await.is_none() {
        tracing::debug!("a connection without a request made room, or one that took nothing was cut");
        return;
    }
    if let Ok(stream) = returned.await {
        linger(stream).await;
    }
}

/// In the extensions of an answer that goes on until its session ends.
#[derive(Clone, Copy)]
pub(super) struct Lasting;

/// Serves one connection until it ends or becomes a socket.
async fn serve_http<S>(stream: Loan<S>, connection: Connection, router: Router, draining: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Cancelled when its answer is a stream, which ends as its session does.
    let lasting = CancellationToken::new();
    let lifetime = {
        let lasting = lasting.clone();
        async move {
            let until = tokio::time::timeout(Duration::from_secs(HTTP_CONNECTION_S), draining.cancelled());
            if until.await.is_err() && lasting.is_cancelled() {
                draining.cancelled().await;
            }
            lasting.is_cancelled()
        }
    };
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        let idle = connection.idle.clone();
        idle.leave();
        request.extensions_mut().insert(connection.peer);
        request.extensions_mut().insert(connection.slot.clone());
        request.extensions_mut().insert(connection.idle.clone());
        request.extensions_mut().insert(connection.allowance.clone());
        let answer = router.clone().oneshot(request);
        let lasting = lasting.clone();
        async move {
            let answer = answer.await;
            let becomes_socket =
                matches!(&answer, Ok(answer) if answer.status() == StatusCode::SWITCHING_PROTOCOLS);
            if matches!(&answer, Ok(answer) if answer.extensions().get::<Lasting>().is_some()) {
                lasting.cancel();
            } else if !becomes_socket {
                idle.enter();
            }
            answer
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(HTTP_HEAD_TIMEOUT_S))
        .max_headers(HTTP_HEADERS_MAX)
        .max_buf_size(HTTP_BUFFER_BYTES_MAX);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        is_lasting = lifetime => {
            connection.as_mut().graceful_shutdown();
            if is_lasting {
                // Its session was told to end. A connection that remains after the grace period is cut.
                drop(connection.await);
                return;
            }
            let last_answer = tokio::time::timeout(Duration::from_secs(HTTP_LAST_ANSWER_S), connection);
            last_answer.await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
