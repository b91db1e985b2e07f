//! A TCP relay on loopback whose connections can be cut or made silent: what a closed laptop, a lost network and a dead
//! peer look like to the other end.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use cluster::ControlPlane;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How the relay treats connections, old and new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Open,
    /// Connections end at once, new ones too.
    Cut,
    /// Connections stay, and nothing passes: only a timer can tell.
    Silent,
}

/// What stands behind the relay.
#[derive(Clone, Debug)]
pub enum Target {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

pub struct Proxy {
    address: SocketAddr,
    line: Arc<watch::Sender<Line>>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub async fn to(target: SocketAddr) -> Result<Self> {
        Self::of(Target::Tcp(target)).await
    }

    pub async fn of(target: Target) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let line = Arc::new(watch::Sender::new(Line::Open));
        let lines = line.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connect(stream, target.clone(), lines.subscribe()));
            }
        });
        Ok(Self { address, line, task })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Writes a kubeconfig of this API server with the relay in its place.
    pub fn write_kubeconfig(&self, plane: &ControlPlane, from: &Path, to: &Path) -> Result<()> {
        let text = fs::read_to_string(from).with_context(|| format!("{}", from.display()))?;
        Ok(fs::write(to, text.replace(&plane.server(), &format!("https://{}", self.address)))?)
    }

    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
        self.line.send_replace(Line::Cut);
    }
}

async fn connect(near: TcpStream, target: Target, line: watch::Receiver<Line>) {
    if *line.borrow() == Line::Cut {
        return;
    }
    match target {
        Target::Tcp(address) => {
            let Ok(far) = TcpStream::connect(address).await else { return };
            relay(near, far, line).await;
        }
        Target::Unix(path) => {
            let Ok(far) = UnixStream::connect(path).await else { return };
            relay(near, far, line).await;
        }
    }
}

async fn relay(
    mut near: TcpStream,
    mut far: impl AsyncRead + AsyncWrite + Unpin,
    mut line: watch::Receiver<Line>,
) {
    loop {
        let now = *line.borrow_and_update();
        match now {
            Line::Cut => return,
            Line::Silent => {
                if line.changed().await.is_err() {
                    return;
                }
            }
            Line::Open => tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => return,
                changed = line.changed() => if changed.is_err() { return },
            },
        }
    }
}
