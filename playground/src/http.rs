//! The HTTP side: one task accepts connections, and each has a task of its own. The listener can be
//! stopped as if the server were killed, and started again on the same port. It never decides what
//! Kubernetes would answer; the modules below do.

mod admin_api;
mod aggregated;
mod answer;
mod body;
mod connection;
mod content;
mod control;
mod discovery;
mod guard;
mod identify;
mod list;
mod log;
mod request;
mod review;
mod tls;
mod watch;
mod write;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::{Cluster, lock};
use crate::fleet::{Fleet, driver};
use crate::limits::{ACCEPT_PAUSE, CONNECTIONS_MAX, TLS_HANDSHAKE};
use connection::{Connection, ConnectionIo};
pub(crate) use tls::{Tls, TlsError};

/// A client that asks for an outage over HTTP gets the answer first.
const ANSWER_FIRST: Duration = Duration::from_millis(100);

/// Clients that the kernel lets wait until they are accepted.
const BACKLOG: u32 = 1024;

/// Another process may hold the port meanwhile.
const LISTEN_AGAIN: Duration = Duration::from_millis(200);

/// What every request needs of the server around it.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) fleet: Arc<Mutex<Fleet>>,
    /// None: plain HTTP.
    pub(crate) tls: Option<Tls>,
    pub(crate) address: SocketAddr,
    pub(crate) tasks: TaskTracker,
    /// Ends all tasks, the fleet's included.
    pub(crate) stop: CancellationToken,
    listening: Mutex<Listening>,
}

/// The listener from its start until the server goes down; the next start makes another.
#[derive(Debug, Default)]
struct Listening {
    /// Ends the listener and its connections.
    down: CancellationToken,
    /// Gives the port when the listener has ended.
    port: Option<JoinHandle<Option<TcpSocket>>>,
}

impl Server {
    /// Serves from now on, until `stop`.
    pub(crate) fn start(
        cluster: Arc<Cluster>,
        fleet: Arc<Mutex<Fleet>>,
        listener: TcpListener,
        tls: Option<Tls>,
    ) -> io::Result<Arc<Self>> {
        let server = Arc::new(Self {
            cluster,
            fleet,
            tls,
            address: listener.local_addr()?,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            listening: Mutex::default(),
        });
        server.serve(listener);
        Ok(server)
    }

    fn serve(self: &Arc<Self>, listener: TcpListener) {
        let down = self.stop.child_token();
        let port = self.tasks.spawn(accept(Arc::clone(self), listener, down.clone()));
        *lock(&self.listening) = Listening { down, port: Some(port) };
    }

    /// Stops listening and cuts every connection, as a killed server does. The objects stay.
    pub(crate) fn down(&self) {
        lock(&self.listening).down.cancel();
    }

    fn is_down(&self) -> bool {
        lock(&self.listening).down.is_cancelled()
    }

    /// Listens again if it is down. The history before is gone, as after a restart.
    pub(crate) async fn up(self: &Arc<Self>) -> io::Result<()> {
        if !self.is_down() {
            return Ok(());
        }
        let port = lock(&self.listening).port.take();
        let held = match port {
            Some(port) => port.await.ok().flatten(),
            None => None,
        };
        let listener = held.map_or_else(|| hold(self.address.port()), Ok)?.listen(BACKLOG)?;
        self.cluster.state().store.compact(None);
        self.serve(listener);
        Ok(())
    }

    /// Goes down for so long, soon.
    fn go_down(self: &Arc<Self>, lasts: Duration) {
        let server = Arc::clone(self);
        let outage = async move {
            tokio::time::sleep(ANSWER_FIRST).await;
            server.down();
            tokio::time::sleep(lasts).await;
            while server.is_down() && server.up().await.is_err() {
                tokio::time::sleep(LISTEN_AGAIN).await;
            }
        };
        self.tasks.spawn(self.stop.clone().run_until_cancelled_owned(outage));
    }

    /// Lets the fleet make its next changes.
    pub(crate) fn step_fleet(&self, changes: usize) {
        driver::step(&self.cluster, &mut lock(&self.fleet), changes, self.cluster.now_s());
    }
}

pub(crate) fn listen(port: u16) -> io::Result<TcpListener> {
    hold(port)?.listen(BACKLOG)
}

/// Takes a port without listening: who connects is refused, and no other program gets the port.
fn hold(port: u16) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    // The connections of the listener before may not have ended yet.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    Ok(socket)
}

/// Accepts until the server goes down, and keeps the port for its return.
async fn accept(server: Arc<Server>, listener: TcpListener, down: CancellationToken) -> Option<TcpSocket> {
    tokio::select! {
        biased;
        () = down.cancelled() => {}
        () = accept_all(&server, &listener, &down) => {}
    }
    drop(listener);
    if server.stop.is_cancelled() { None } else { hold(server.address.port()).ok() }
}

async fn accept_all(server: &Arc<Server>, listener: &TcpListener, down: &CancellationToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        // If this process is out of file descriptors, accepting again at once would only burn the processor.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let connection = down.clone().run_until_cancelled_owned(accept_stream(Arc::clone(server), stream));
        server.tasks.spawn(async move {
            connection.await;
            drop(place);
        });
    }
}

async fn accept_stream(server: Arc<Server>, stream: TcpStream) {
    // Otherwise an event waits for the acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let connection = Arc::new(Connection::default());
    let tls = match &server.tls {
        Some(tls) if begins_with_tls(&stream).await => Some(tls.acceptor.clone()),
        _ => None,
    };
    let io = ConnectionIo::new(stream, Arc::clone(&connection));
    let Some(tls) = tls else { return serve(server, connection, io).await };
    // A client that doesn't trust the certificate closes the connection itself.
    if let Ok(Ok(io)) = tokio::time::timeout(TLS_HANDSHAKE, tls.accept(io)).await {
        serve(server, connection, io).await;
    }
}

/// Plain HTTP is answered on the same port, so that `curl` needs no certificate to break a demo.
async fn begins_with_tls(stream: &TcpStream) -> bool {
    const HANDSHAKE: u8 = 0x16;
    let mut first = [0];
    let peeked = tokio::time::timeout(TLS_HANDSHAKE, stream.peek(&mut first)).await;
    matches!(peeked, Ok(Ok(1))) && first == [HANDSHAKE]
}

async fn serve<I>(server: Arc<Server>, connection: Arc<Connection>, io: I)
where
    I: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let service = service_fn(move |request| {
        let (server, connection) = (Arc::clone(&server), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(answer::answer(&server, &connection, request).await) }
    });
    // An error means that the client has gone.
    let _ = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(io), service).await;
}
