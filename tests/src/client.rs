//! A client of the gateway's WebSocket that reads every frame with its size and applies none: for the benches, whose
//! figures are the gateway's alone, and for texts that are no frames. Every other test has a
//! [`crate::viewer::Viewer`].

use std::path::Path;

use anyhow::{Result, bail};
use futures_util::{SinkExt, StreamExt};
use replica::driver::{self, Connecting};
use shared::codec;
use shared::frame::VERSION;
use shared::frame::client::{Ack, ClientFrame, Credential, Hello, Subscribe};
use shared::frame::server::ServerFrame;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::token::Token;
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;

use crate::viewer::{Stream, by_address, by_socket};

pub struct Client {
    socket: WebSocketStream<Stream>,
    /// Payload bytes received so far.
    pub bytes: u64,
    acknowledged: u64,
}

/// A quarter of the gateway's credit, so that it never waits for this client.
const ACK_BYTES: u64 = 128 * 1024;

impl Client {
    /// Connects to the gateway's Unix socket and says `hello`.
    pub async fn connect(socket: &Path) -> Result<Self> {
        Self::greeted(by_socket(socket)(), None).await
    }

    /// Connects to a gateway that wants a token.
    pub async fn of_bearer(address: &str, token: &str) -> Result<Self> {
        Self::greeted(by_address(address)(), Some(Credential::Bearer(token.into()))).await
    }

    async fn greeted(connecting: Connecting<Stream>, credential: Option<Credential>) -> Result<Self> {
        let socket = connecting.await.map_err(anyhow::Error::msg)?;
        let mut client = Self { socket, bytes: 0, acknowledged: 0 };
        let hello = Hello { version: VERSION.into(), credential, client: "testkit".into(), has: Vec::new() };
        client.send(&ClientFrame::Hello(hello)).await?;
        Ok(client)
    }

    pub async fn subscribe(&mut self, id: u32, scope: Scope, token: Option<Token>) -> Result<()> {
        let subscribe = Subscribe { token, ..Subscribe::rows(id, scope) };
        self.send(&ClientFrame::Subscribe(Box::new(subscribe))).await
    }

    pub async fn send(&mut self, frame: &ClientFrame) -> Result<()> {
        self.send_text(&serde_json::to_string(frame)?).await
    }

    /// Sends any text, a frame or not.
    pub async fn send_text(&mut self, text: &str) -> Result<()> {
        Ok(self.socket.send(tungstenite::Message::text(text)).await?)
    }

    /// Reads up to the frame that is wanted.
    pub async fn until(&mut self, wanted: impl Fn(&ServerFrame) -> bool) -> Result<ServerFrame> {
        loop {
            let (frame, _) = self.next().await?;
            if wanted(&frame) {
                return Ok(frame);
            }
        }
    }

    /// Reads up to the next proof of freshness.
    pub async fn until_sync(&mut self) -> Result<()> {
        self.until(|frame| matches!(frame, ServerFrame::Sync(_))).await.map(drop)
    }

    /// The next frame, and the bytes of its message.
    pub async fn next(&mut self) -> Result<(ServerFrame, u64)> {
        loop {
            let message = match driver::message(self.socket.next().await) {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                Err(code) => bail!("the gateway closed the connection: {code:?}"),
            };
            let cost = message.byte_count() as u64;
            self.bytes += cost;
            if self.bytes - self.acknowledged >= ACK_BYTES {
                self.acknowledged = self.bytes;
                self.send(&ClientFrame::Ack(Ack { bytes: self.bytes })).await?;
            }
            return Ok((codec::decode_server(&message)?, cost));
        }
    }
}

/// A WebSocket to the gateway's Unix socket.
pub(crate) async fn open(socket: &Path) -> Result<WebSocketStream<UnixStream>> {
    Ok(driver::handshake("ws://localhost/api/ws", None, UnixStream::connect(socket).await?).await?)
}

/// All pods of the cluster.
pub fn all_pods() -> Result<Scope> {
    let resource = Resource::parse("", "v1", "pods")?;
    Ok(Scope { cluster: None, resource, namespaces: Namespaces::All, name: None, labels: None, fields: None })
}
