//! The listener, which can be stopped as if the server were killed, and started again on the same port.
//! It never touches an object; only the history goes, as a restarted server's does.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::Cluster;
use crate::fleet::Fleet;
use crate::http::{Server, Tls, accept};

/// A client that asks for an outage over HTTP gets the answer first.
const ANSWER_FIRST: Duration = Duration::from_millis(100);

/// Another process may hold the port meanwhile.
const LISTEN_AGAIN: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) struct Restartable {
    address: SocketAddr,
    /// Ends the playground as a whole.
    stop: CancellationToken,
    /// Its token `down` ends the listener and its connections; a restart makes a new one.
    server: Mutex<Server>,
}

impl Restartable {
    /// Serves from now on, until `stop`.
    pub(crate) fn start(
        cluster: Arc<Cluster>,
        fleet: Arc<Mutex<Fleet>>,
        listener: TcpListener,
        tasks: TaskTracker,
        stop: CancellationToken,
        tls: Option<Arc<Tls>>,
    ) -> io::Result<Arc<Self>> {
        let address = listener.local_addr()?;
        let server = Server { cluster, fleet, down: stop.child_token(), tasks: tasks.clone(), tls };
        tasks.spawn(accept(server.clone(), listener));
        let restartable = Arc::new(Self { address, stop, server: Mutex::new(server) });
        tasks.spawn(Arc::clone(&restartable).run_outages());
        Ok(restartable)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn down(&self) {
        self.server().down.cancel();
    }

    pub(crate) async fn up(&self) -> io::Result<()> {
        let listener = listen(self.address.port()).await?;
        let mut server = self.server();
        server.cluster.state().store.compact(None);
        server.down = self.stop.child_token();
        server.tasks.spawn(accept(server.clone(), listener));
        Ok(())
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes down for as long as each outage is to last.
    async fn run_outages(self: Arc<Self>) {
        let mut outages = self.server().cluster.outages();
        let rounds = async {
            while outages.changed().await.is_ok() {
                let lasts = *outages.borrow_and_update();
                tokio::time::sleep(ANSWER_FIRST).await;
                self.down();
                tokio::time::sleep(lasts).await;
                while self.up().await.is_err() {
                    tokio::time::sleep(LISTEN_AGAIN).await;
                }
            }
        };
        self.stop.run_until_cancelled(rounds).await;
    }
}

pub(crate) async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}
