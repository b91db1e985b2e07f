//! The HTTP side: one task accepts connections, and each has a task of its own; all of them end when the
//! token is cancelled. It never decides what Kubernetes would answer; the modules below do.

mod accept;
mod admin_api;
mod aggregated;
mod answer;
mod body;
mod connection;
mod content;
mod control;
mod discovery;
mod identify;
mod list;
mod request;
mod review;
mod scale;
mod tls;
mod watch;
mod write;

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::Cluster;
use crate::fleet::{Fleet, driver};
use crate::limits::{ACCEPT_PAUSE, CONNECTIONS_MAX, TLS_HANDSHAKE};
use connection::{Connection, ConnectionIo};
pub(crate) use tls::{Tls, TlsError};

/// What every request needs of the server around it.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) fleet: Arc<Mutex<Fleet>>,
    /// Cancelled when the server goes down: every stream is cut.
    pub(crate) down: CancellationToken,
    pub(crate) tasks: TaskTracker,
    /// None: plain HTTP.
    pub(crate) tls: Option<Arc<Tls>>,
}

impl Server {
    /// Lets the fleet make its next changes.
    pub(crate) fn step_fleet(&self, changes: usize) {
        let mut fleet = self.fleet.lock().unwrap_or_else(PoisonError::into_inner);
        driver::step(&self.cluster, &mut fleet, changes);
    }
}

/// Accepts until the server goes down.
pub(crate) async fn accept(server: Server, listener: TcpListener) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let accepted: io::Result<TcpStream> = tokio::select! {
            () = server.down.cancelled() => return,
            accepted = listener.accept() => accepted.map(|(stream, _)| stream),
        };
        // If this process is out of file descriptors, accepting again at once would only burn the processor.
        let Ok(stream) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let connection = accept_stream(server.clone(), stream);
        server.tasks.spawn(async move {
            connection.await;
            drop(place);
        });
    }
}

async fn accept_stream(server: Server, stream: TcpStream) {
    // Otherwise an event waits for the acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let connection = Arc::new(Connection::default());
    let io = ConnectionIo::new(stream, Arc::clone(&connection));
    let Some(tls) = server.tls.clone() else { return serve(server, connection, io).await };
    let accepted = tokio::select! {
        () = server.down.cancelled() => return,
        accepted = tokio::time::timeout(TLS_HANDSHAKE, tls.acceptor.accept(io)) => accepted,
    };
    // A client that doesn't trust the certificate closes the connection itself.
    if let Ok(Ok(io)) = accepted {
        serve(server, connection, io).await;
    }
}

async fn serve<I>(server: Server, connection: Arc<Connection>, io: I)
where
    I: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let down = server.down.clone();
    let service = service_fn(move |request| {
        let server = server.clone();
        let connection = Arc::clone(&connection);
        async move { Ok::<_, Infallible>(answer::answer(&server, &connection, request).await) }
    });
    let served = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(io), service);
    tokio::select! {
        () = down.cancelled() => {}
        _ = served => {}
    }
}
