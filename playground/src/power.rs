//! The listener: down as a killed server, and up again on the same port. It never touches an object;
//! only the history goes, as a restarted server's does.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::Cluster;
use crate::fleet::Fleet;
use crate::http::{Server, Tls, accept};

/// Whoever asked for an outage over HTTP gets the answer first.
const ANSWER_FIRST: Duration = Duration::from_millis(100);

/// Somebody may hold the port meanwhile.
const LISTEN_AGAIN: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) struct Power {
    cluster: Arc<Cluster>,
    fleet: Arc<Mutex<Fleet>>,
    address: SocketAddr,
    tasks: TaskTracker,
    stop: CancellationToken,
    /// None: in the clear.
    tls: Option<Arc<Tls>>,
    /// The listener and its connections.
    serving: Mutex<CancellationToken>,
}

impl Power {
    /// Serves from now on, until `stop`.
    pub(crate) fn on(
        cluster: Arc<Cluster>,
        fleet: Arc<Mutex<Fleet>>,
        listener: TcpListener,
        tasks: TaskTracker,
        stop: CancellationToken,
        tls: Option<Arc<Tls>>,
    ) -> io::Result<Arc<Self>> {
        let address = listener.local_addr()?;
        let serving = Mutex::new(stop.child_token());
        let power = Arc::new(Self { cluster, fleet, address, tasks, stop, tls, serving });
        power.serve(listener);
        power.tasks.spawn(Arc::clone(&power).obey());
        Ok(power)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn tls(&self) -> Option<&Tls> {
        self.tls.as_deref()
    }

    pub(crate) fn down(&self) {
        self.serving_token().cancel();
    }

    /// # Errors
    /// The port was taken meanwhile.
    pub(crate) async fn up(&self) -> io::Result<()> {
        let listener = listen(self.address.port()).await?;
        self.cluster.state().store.compact(None);
        *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = self.stop.child_token();
        self.serve(listener);
        Ok(())
    }

    fn serve(&self, listener: TcpListener) {
        let down = self.serving_token();
        let (cluster, fleet) = (Arc::clone(&self.cluster), Arc::clone(&self.fleet));
        let server = Server { cluster, fleet, down, tasks: self.tasks.clone(), tls: self.tls.clone() };
        self.tasks.spawn(accept(server, listener));
    }

    fn serving_token(&self) -> CancellationToken {
        self.serving.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes down for as long as somebody asks for.
    async fn obey(self: Arc<Self>) {
        let mut outages = self.cluster.outages();
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
