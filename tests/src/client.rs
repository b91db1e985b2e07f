//! The harness' client of the gateway's WebSocket: [`Client`] hands on every frame with its cost, and
//! [`Subscriber`] keeps the rows of one view in the replica's own table and comes back with its token.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use replica::table::Table;
use shared::codec::{self, Message};
use shared::frame::VERSION;
use shared::frame::client::{Ack, ClientFrame, Hello, Subscribe};
use shared::frame::server::{Rows, ServerFrame};
use shared::resource::{Kind, Resource};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState};
use shared::token::Token;
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

pub struct Client {
    socket: WebSocketStream<UnixStream>,
    /// Payload bytes received so far.
    pub bytes: u64,
    acknowledged: u64,
}

/// A quarter of the gateway's credit: it never has to wait for this client.
const ACK_BYTES: u64 = 128 * 1024;
/// The bound on a wait for a state: past it the state isn't coming.
const PATIENCE: Duration = Duration::from_secs(90);

impl Client {
    /// Connects to the gateway's Unix socket and says `hello`.
    ///
    /// # Errors
    /// When the gateway refuses.
    pub async fn connect(socket: &Path) -> Result<Self> {
        let stream = UnixStream::connect(socket).await.with_context(|| format!("{}", socket.display()))?;
        let mut request = "ws://localhost/api/ws".into_client_request()?;
        request.headers_mut().insert("sec-websocket-protocol", VERSION.parse()?);
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        let mut client = Self { socket, bytes: 0, acknowledged: 0 };
        let hello = Hello { version: VERSION.into(), credential: None, client: "testkit".into() };
        client.send(&ClientFrame::Hello(hello)).await?;
        Ok(client)
    }

    /// # Errors
    /// When the connection is gone.
    pub async fn subscribe(&mut self, id: u32, scope: Scope, token: Option<Token>) -> Result<()> {
        let (projection, columns) = (Default::default(), Default::default());
        let subscribe = Subscribe { id, scope, projection, row: None, columns, token };
        self.send(&ClientFrame::Subscribe(Box::new(subscribe))).await
    }

    /// # Errors
    /// When the connection is gone.
    pub async fn send(&mut self, frame: &ClientFrame) -> Result<()> {
        self.send_text(&serde_json::to_string(frame)?).await
    }

    /// Sends any text, a frame or not.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn send_text(&mut self, text: &str) -> Result<()> {
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

    /// Reads up to the next proof of freshness.
    ///
    /// # Errors
    /// When the connection ends before it.
    pub async fn until_sync(&mut self) -> Result<()> {
        self.until(|frame| matches!(frame, ServerFrame::Sync(_))).await.map(drop)
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
                self.send(&ClientFrame::Ack(Ack { bytes: self.bytes })).await?;
            }
            return Ok((codec::decode_server(&message)?, cost));
        }
    }
}

pub struct Subscriber {
    pub client: Client,
    pub table: Table,
    /// As the gateway said last.
    pub report: Option<StateReport>,
    pub kinds: Vec<Kind>,
    scope: Scope,
    /// What it received since it connected.
    pub received: Received,
}

#[derive(Debug, Default)]
pub struct Received {
    /// Of the frames of its subscription: `welcome` and `kinds` aren't among them.
    pub bytes: u64,
    pub rows: usize,
    pub deletes: usize,
    pub resets: usize,
    /// `from` and `to` of each frame.
    pub ranges: Vec<(u64, u64)>,
}

/// A frame of the subscription that says up to which resourceVersion the table is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exact {
    Cut(String),
    Sync(String),
}

impl Exact {
    #[must_use]
    pub fn version(&self) -> &str {
        match self {
            Self::Cut(version) | Self::Sync(version) => version,
        }
    }
}

impl Subscriber {
    /// # Errors
    /// When the gateway refuses.
    pub async fn open(socket: &Path, scope: Scope) -> Result<Self> {
        Self::connect(socket, scope, Table::default()).await
    }

    /// Connects to the gateway of this socket with the token and the rows that it holds.
    ///
    /// # Errors
    /// When the gateway refuses.
    pub async fn come_back(self, socket: &Path) -> Result<Self> {
        let Self { scope, mut table, .. } = self;
        table.detached();
        Self::connect(socket, scope, table).await
    }

    async fn connect(socket: &Path, scope: Scope, table: Table) -> Result<Self> {
        let mut client = Client::connect(socket).await?;
        client.subscribe(1, scope.clone(), table.token().cloned()).await?;
        let (report, kinds, received) = (None, Vec::new(), Received::default());
        Ok(Self { client, table, report, kinds, scope, received })
    }

    /// Reads until the table is exact at this version.
    ///
    /// # Errors
    /// As of [`Self::step`].
    pub async fn until(&mut self, version: &str) -> Result<()> {
        while self.step().await?.is_none_or(|exact| exact.version() != version) {}
        Ok(())
    }

    /// Reads until it is so.
    ///
    /// # Errors
    /// With what it is instead, after [`PATIENCE`], and as of [`Self::step`].
    pub async fn until_so(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<()> {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !is_so(self) {
                self.step().await?;
            }
            Ok(())
        });
        match waited.await {
            Ok(result) => result,
            Err(_) => bail!("never {what}: {:?}, {} rows", self.state(), self.table.len()),
        }
    }

    #[must_use]
    pub fn state(&self) -> Option<&ViewState> {
        self.report.as_ref().map(|report| &report.state)
    }

    #[must_use]
    pub fn is_in(&self, state: &ViewState) -> bool {
        self.state() == Some(state)
    }

    /// The place of a column of this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.table.columns().iter().position(|column| &*column.name == name)
    }

    /// Reads until the gateway proves that the table is whole and fresh.
    ///
    /// # Errors
    /// As of [`Self::step`].
    pub async fn until_sync(&mut self) -> Result<()> {
        while !matches!(self.step().await?, Some(Exact::Sync(_))) || !self.table.is_whole() {}
        Ok(())
    }

    /// Applies the next frame.
    ///
    /// # Errors
    /// When the connection ends, a frame doesn't continue what is here, or a digest differs.
    pub async fn step(&mut self) -> Result<Option<Exact>> {
        let (frame, bytes) = self.client.next().await?;
        if !matches!(frame, ServerFrame::Welcome(_) | ServerFrame::Kinds(_)) {
            self.received.bytes += bytes;
        }
        match frame {
            ServerFrame::Kinds(frame) => self.kinds = frame.kinds,
            ServerFrame::State(frame) => self.report = Some(frame.report),
            ServerFrame::Subscribed(answer) => {
                self.report = Some(answer.state.clone());
                self.table.subscribed(&answer);
            }
            ServerFrame::Rows(rows) => return self.apply(rows),
            ServerFrame::Sync(sync) => {
                if let Some(digest) = &sync.digest {
                    ensure!(self.table.agrees(sync.at, digest) != Some(false), "a digest differs");
                }
                return Ok(Some(Exact::Sync(sync.resource_version.to_string())));
            }
            ServerFrame::Problem(said) => bail!("refused: {:?}", said.problem),
            _ => {}
        }
        Ok(None)
    }

    fn apply(&mut self, rows: Rows) -> Result<Option<Exact>> {
        self.received.rows += rows.put.len() + rows.set.len();
        self.received.deletes += rows.delete.len();
        self.received.resets += usize::from(rows.reset);
        self.received.ranges.push((rows.from, rows.to));
        let exact = (!rows.more).then(|| Exact::Cut(rows.resource_version.to_string()));
        let delta = self.table.apply(rows).map_err(|broken| anyhow::anyhow!("a broken chain: {broken:?}"))?;
        delta.removed.iter().for_each(|slot| self.table.remove_tombstone(*slot));
        Ok(exact)
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
