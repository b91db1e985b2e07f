//! The accept loops: who connects gets a slot, ten seconds for a request's head, and an end. hyper's
//! and axum's own have no such bounds.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::StatusCode;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tower::ServiceExt;

use super::idle::{IdleList, Seat};
use super::linger::{Lent, lend, linger};
use crate::auth::Peer;
use crate::auth::local::listener::LocalListener;
use crate::limits::{
    ACCEPT_PAUSE_MS, CONNECTIONS_PER_IDLE, HTTP_BUFFER_BYTES_MAX, HTTP_CONNECTION_S, HTTP_HEAD_TIMEOUT_S,
    HTTP_HEADERS_MAX, HTTP_LAST_ANSWER_S,
};
use crate::metrics::Metrics;

/// All connections of all listeners.
#[derive(Clone)]
pub struct Connections {
    slots: Arc<Semaphore>,
    idle: IdleList,
    tracker: TaskTracker,
    /// No new connection, no new request.
    draining: CancellationToken,
    /// Whatever still runs ends now.
    cut: CancellationToken,
    metrics: Metrics,
}

/// What a connection holds as long as it or the socket made from it lives.
pub struct Held {
    _slot: OwnedSemaphorePermit,
    _tracked: TaskTrackerToken,
    cut: CancellationToken,
    metrics: Metrics,
}

impl Held {
    pub(super) async fn until_cut(&self, work: impl Future<Output = ()>) {
        // Cut: there was time enough to say goodbye.
        let _ = self.cut.run_until_cancelled(work).await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.metrics.http_connections.dec();
    }
}

impl Connections {
    /// At most so many at once; see `CONNECTIONS_MAX`.
    #[must_use]
    pub fn admitting(connections_max: usize, metrics: Metrics) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(connections_max)),
            idle: IdleList::new(connections_max.div_ceil(CONNECTIONS_PER_IDLE), metrics.clone()),
            tracker: TaskTracker::new(),
            draining: CancellationToken::new(),
            cut: CancellationToken::new(),
            metrics,
        }
    }

    /// Until drained.
    pub async fn accept_tcp(&self, listener: TcpListener, router: Router) {
        let mut is_failing = false;
        loop {
            let Some(accepted) = self.draining.run_until_cancelled(listener.accept()).await else { return };
            match accepted {
                Ok((stream, address)) => {
                    is_failing = false;
                    // Small frames must not wait for each other; without it they only come later.
                    let _ = stream.set_nodelay(true);
                    self.start(stream, Peer::Remote(address), router.clone());
                }
                Err(error) => self.pause(&error, &mut is_failing).await,
            }
        }
    }

    /// Until drained.
    pub async fn accept_local(&self, listener: LocalListener, router: Router) {
        let mut is_failing = false;
        loop {
            let Some(accepted) = self.draining.run_until_cancelled(listener.accept()).await else { return };
            match accepted {
                Ok(stream) => {
                    is_failing = false;
                    self.start(stream, Peer::SameUser, router.clone());
                }
                Err(error) => self.pause(&error, &mut is_failing).await,
            }
        }
    }

    /// No new connections or requests; what runs may end within `grace`, then it is cut. Gone when
    /// this returns.
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

    /// Too many open files, most often: that passes when others end. Logged once for as long as it lasts.
    async fn pause(&self, error: &std::io::Error, is_failing: &mut bool) {
        self.metrics.accepts_failed.inc();
        if !std::mem::replace(is_failing, true) {
            tracing::warn!(%error, "a connection could not be accepted, and waits; is `ulimit -n` too low?");
        }
        tokio::time::sleep(Duration::from_millis(ACCEPT_PAUSE_MS)).await;
    }

    fn start<S>(&self, stream: S, peer: Peer, router: Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Ok(slot) = self.slots.clone().try_acquire_owned() else {
            self.metrics.connections_refused.inc();
            tracing::warn!("a connection was closed: there are too many");
            return;
        };
        self.metrics.http_connections.inc();
        let held = Arc::new(Held {
            _slot: slot,
            _tracked: self.tracker.token(),
            cut: self.cut.clone(),
            metrics: self.metrics.clone(),
        });
        let draining = self.draining.clone();
        let seat = self.idle.seat();
        self.tracker.spawn(async move {
            held.clone().until_cut(serve(stream, Asker { peer, held, seat }, router, draining)).await;
        });
    }
}

/// Whose requests they are.
#[derive(Clone)]
struct Asker {
    peer: Peer,
    held: Arc<Held>,
    seat: Arc<Seat>,
}

/// One connection, until nothing more comes of it; also as a socket.
async fn serve<S>(stream: S, asker: Asker, router: Router, draining: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let displaced = asker.seat.displaced.clone();
    let (lent, returned) = lend(stream);
    if displaced.run_until_cancelled(speak(lent, asker, router, draining)).await.is_none() {
        tracing::debug!("a connection without a request made room");
        return;
    }
    if let Ok(stream) = returned.await {
        linger(stream).await;
    }
}

/// One connection, until it ends or becomes a socket.
async fn speak<S>(stream: Lent<S>, asker: Asker, router: Router, draining: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        let seat = asker.seat.clone();
        seat.busy();
        request.extensions_mut().insert(asker.peer);
        request.extensions_mut().insert(asker.held.clone());
        let answer = router.clone().oneshot(request);
        async move {
            let answer = answer.await;
            let becomes_socket =
                matches!(&answer, Ok(made) if made.status() == StatusCode::SWITCHING_PROTOCOLS);
            if !becomes_socket {
                seat.idle();
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
        ended = connection.as_mut() => Some(ended),
        () = draining.cancelled() => None,
        () = tokio::time::sleep(Duration::from_secs(HTTP_CONNECTION_S)) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(Duration::from_secs(HTTP_LAST_ANSWER_S), connection).await {
                Ok(ended) => ended,
                Err(_) => Ok(()),
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
