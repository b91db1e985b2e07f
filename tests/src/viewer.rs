//! A viewer that only counts: it speaks the protocol over the gateway's Unix socket, acknowledges
//! what it reads, and hands every frame on with the bytes that it cost.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use shared::codec::{self, Message};
use shared::frame::VERSION;
use shared::frame::client::{Ack, ClientFrame, Hello, Subscribe};
use shared::frame::server::ServerFrame;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

pub struct Viewer {
    socket: WebSocketStream<UnixStream>,
    /// Payload bytes received so far.
    pub bytes: u64,
    acknowledged: u64,
}

/// A quarter of the gateway's credit: it never has to wait for this reader.
const ACK_BYTES: u64 = 128 * 1024;

impl Viewer {
    /// # Errors
    /// When the gateway refuses.
    pub async fn connect(socket: &Path) -> Result<Self> {
        let stream = UnixStream::connect(socket).await.with_context(|| format!("{}", socket.display()))?;
        let mut request = "ws://localhost/api/ws".into_client_request()?;
        request.headers_mut().insert("sec-websocket-protocol", VERSION.parse()?);
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        let mut viewer = Self { socket, bytes: 0, acknowledged: 0 };
        let hello = Hello { version: VERSION.into(), credential: None, client: "viewer".into() };
        viewer.say(&ClientFrame::Hello(hello)).await?;
        Ok(viewer)
    }

    /// # Errors
    /// When the connection is gone.
    pub async fn subscribe(&mut self, id: u32, scope: Scope) -> Result<()> {
        let subscribe = Subscribe {
            id,
            scope,
            projection: Default::default(),
            row: None,
            columns: Default::default(),
            token: None,
        };
        self.say(&ClientFrame::Subscribe(Box::new(subscribe))).await
    }

    /// # Errors
    /// When the connection is gone.
    pub async fn say(&mut self, frame: &ClientFrame) -> Result<()> {
        self.say_text(&serde_json::to_string(frame)?).await
    }

    /// Says anything, a frame or not.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn say_text(&mut self, text: &str) -> Result<()> {
        Ok(self.socket.send(tungstenite::Message::text(text)).await?)
    }

    /// Reads up to the frame that is wanted.
    ///
    /// # Errors
    /// When the connection ends before it.
    pub async fn until(&mut self, wanted: impl Fn(&ServerFrame) -> bool) -> Result<ServerFrame> {
        loop {
            let (frame, _) = self.next().await?;
            if wanted(&frame) {
                return Ok(frame);
            }
        }
    }

    /// The next frame and the bytes of its message.
    ///
    /// # Errors
    /// When the connection ends or a frame can't be read.
    pub async fn next(&mut self) -> Result<(ServerFrame, u64)> {
        loop {
            let message = match self.socket.next().await.context("the gateway closed the connection")?? {
                tungstenite::Message::Text(text) => Message::Text(text.as_str().to_owned()),
                tungstenite::Message::Binary(bytes) => Message::Binary(bytes.to_vec()),
                tungstenite::Message::Close(frame) => bail!("closed: {frame:?}"),
                _ => continue,
            };
            let cost = message.byte_count() as u64;
            self.bytes += cost;
            if self.bytes - self.acknowledged >= ACK_BYTES {
                self.acknowledged = self.bytes;
                self.say(&ClientFrame::Ack(Ack { bytes: self.bytes })).await?;
            }
            return Ok((codec::decode_server(&message)?, cost));
        }
    }
}

/// All pods of the cluster.
///
/// # Errors
/// Never: the names are valid.
pub fn all_pods() -> Result<Scope> {
    let resource = Resource::parse("", "v1", "pods")?;
    Ok(Scope { cluster: None, resource, namespaces: Namespaces::All, name: None, labels: None, fields: None })
}

/// The gateway's socket for `tail`, in the folders of a test's home.
///
/// # Errors
/// When there is none.
pub fn socket_of(home: &Path, port: u16) -> Result<PathBuf> {
    let mut left = vec![home.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if path.file_name().is_some_and(|name| name.to_string_lossy().contains(&port.to_string()))
            {
                return Ok(path);
            }
        }
    }
    bail!("no socket of port {port} below {}", home.display())
}
