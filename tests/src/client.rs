//! Two clients of the gateway's WebSocket: [`Client`] reads every frame with its size and applies none, for the benches
//! and for texts that are no frames; [`Subscriber`] is the product's own client with one view.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use replica::client::{Input, Output, ViewKey};
use replica::driver::{self, Driver};
use replica::table::Table;
use replica::view::View;
use shared::codec;
use shared::frame::VERSION;
use shared::frame::client::{Ack, ClientFrame, Hello, Subscribe};
use shared::frame::server::{ObjectFrame, ServerFrame};
use shared::resource::{Kind, Resource};
use shared::resource_version::ResourceVersion;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;
use shared::token::Token;
use tokio::net::{TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_util::either::Either;

pub struct Client {
    socket: WebSocketStream<UnixStream>,
    /// Payload bytes received so far.
    pub bytes: u64,
    acknowledged: u64,
}

/// A quarter of the gateway's credit, so that it never waits for this client.
const ACK_BYTES: u64 = 128 * 1024;
/// A view that isn't in the expected state by then never will be.
const STATE_TIMEOUT: Duration = Duration::from_secs(90);

impl Client {
    /// Connects to the gateway's Unix socket and says `hello`.
    pub async fn connect(socket: &Path) -> Result<Self> {
        let socket = open(socket).await.with_context(|| format!("{}", socket.display()))?;
        let mut client = Self { socket, bytes: 0, acknowledged: 0 };
        let hello =
            Hello { version: VERSION.into(), credential: None, client: "testkit".into(), has: Vec::new() };
        client.send(&ClientFrame::Hello(hello)).await?;
        Ok(client)
    }

    pub async fn subscribe(&mut self, id: u32, scope: Scope, token: Option<Token>) -> Result<()> {
        let (projection, columns) = (Default::default(), Default::default());
        let subscribe = Subscribe { id, scope, projection, row: None, columns, earlier: false, token };
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

async fn open(socket: &Path) -> Result<WebSocketStream<UnixStream>> {
    Ok(driver::handshake("ws://localhost/api/ws", None, UnixStream::connect(socket).await?).await?)
}

/// The Unix socket, or a port where a token is wanted.
pub type Stream = Either<UnixStream, TcpStream>;

pub struct Subscriber {
    driver: Driver<Stream>,
    key: ViewKey,
    /// The answer to [`Subscriber::get`].
    got: Option<Result<Box<ObjectFrame>>>,
    /// What it received since it connected.
    pub received: Received,
}

#[derive(Debug, Default)]
pub struct Received {
    /// Of `challenge`, `welcome` and `kinds`.
    pub welcome_bytes: u64,
    /// Of all other frames.
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
    pub fn version(&self) -> &str {
        match self {
            Self::Cut(version) | Self::Sync(version) => version,
        }
    }
}

impl Subscriber {
    pub fn open(socket: &Path, scope: Scope) -> Self {
        let mut driver =
            drive(replica::client::Client::new("testkit", replica::client::SignIn::Connection), socket);
        let now = driver.now();
        let key = driver.client_mut().open(scope, now);
        Self { driver, key, got: None, received: Received::default() }
    }

    /// With a token of the cluster, at a gateway that wants one.
    pub fn of_bearer(address: &str, token: &str, scope: Scope) -> Self {
        let sign_in = replica::client::SignIn::Bearer(token.into());
        let address = address.to_owned();
        let connect = move || -> driver::Connecting<Stream> {
            let address = address.clone();
            Box::pin(async move {
                let stream = TcpStream::connect(&address).await.map_err(|error| error.to_string())?;
                let uri = format!("ws://{address}/api/ws");
                let opened = driver::handshake(&uri, None, Either::Right(stream)).await;
                opened.map_err(|error| error.to_string())
            })
        };
        let client = replica::client::Client::new("testkit", sign_in);
        let mut driver = Driver::start(client, connect, || 0.5);
        let now = driver.now();
        let key = driver.client_mut().open(scope, now);
        Self { driver, key, got: None, received: Received::default() }
    }

    /// Brings another token on the open connection.
    pub fn sign_in(&mut self, token: &str) {
        self.driver.handle(Input::SignIn(replica::client::SignIn::Bearer(token.into())));
    }

    /// Connects to the gateway of this socket with the token and the rows that it holds.
    pub async fn come_back(self, socket: &Path) -> Self {
        let driver = drive(self.driver.close().await, socket);
        Self { driver, key: self.key, got: None, received: Received::default() }
    }

    pub fn view(&self) -> &View {
        self.driver.client().view(self.key).expect("it is never closed")
    }

    pub fn table(&self) -> &Table {
        self.view().table()
    }

    pub fn kinds(&self) -> &[Kind] {
        self.driver.client().kinds().map_or(&[], |frame| &frame.kinds)
    }

    /// One object, whole, asked for once.
    pub async fn get(&mut self, scope: Scope) -> Result<Box<ObjectFrame>> {
        self.driver.client_mut().get(scope, None).context("it isn't connected")?;
        loop {
            self.step().await?;
            if let Some(got) = self.got.take() {
                return got;
            }
        }
    }

    /// Reads until the table is exact at this resourceVersion or a later one: after a new list a gateway knows the
    /// version of the whole cluster.
    pub async fn until(&mut self, version: &str) -> Result<()> {
        let wanted = ResourceVersion::from(version);
        let is_older = |exact: Exact| ResourceVersion::from(exact.version()).is_older_than(&wanted);
        while self.step().await?.is_none_or(is_older) {}
        Ok(())
    }

    /// Reads until the condition holds.
    /// Fails after [`STATE_TIMEOUT`], with the state that the view has instead.
    pub async fn until_state(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<()> {
        let waited = tokio::time::timeout(STATE_TIMEOUT, async {
            while !is_so(self) {
                self.step().await?;
            }
            Ok(())
        });
        match waited.await {
            Ok(result) => result,
            Err(_) => bail!("never {what}: {:?}, {} rows", self.state(), self.table().len()),
        }
    }

    pub fn state(&self) -> Option<&ViewState> {
        self.view().report().map(|report| &report.state)
    }

    pub fn is_in(&self, state: &ViewState) -> bool {
        self.state() == Some(state)
    }

    /// The place of a column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.table().columns().iter().position(|column| &*column.name == name)
    }

    /// Reads until the gateway proves that the table is whole and fresh.
    pub async fn until_sync(&mut self) -> Result<()> {
        while !matches!(self.step().await?, Some(Exact::Sync(_))) || !self.table().is_whole() {}
        Ok(())
    }

    /// Applies the next frame, if one comes before the client's timer.
    /// Fails when the connection ends, a frame doesn't continue the table, or a digest differs.
    pub async fn step(&mut self) -> Result<Option<Exact>> {
        self.outputs()?;
        let input = self.driver.next().await;
        let exact = match &input {
            Input::Frame { frame, bytes } => self.received.count(frame, *bytes),
            Input::Closed { code } => bail!("closed: {code:?}, {:?}", self.driver.connect_error()),
            Input::Unreadable { .. } => bail!("a message can't be read"),
            _ => None,
        };
        self.driver.handle(input);
        self.outputs()?;
        let resyncs = self.view().subscription().resyncs;
        ensure!((resyncs.broken, resyncs.differed) == (0, 0), "broken chains or other digests: {resyncs:?}");
        Ok(exact)
    }

    fn outputs(&mut self) -> Result<()> {
        while let Some(output) = self.driver.poll_output() {
            match output {
                Output::Rows(key, delta) => {
                    let view = self.driver.client_mut().view_mut(key).context("it is open")?;
                    view.remove_tombstones(&delta.removed);
                }
                Output::Got(_, got) => self.got = Some(got.map_err(|problem| anyhow::anyhow!("{problem}"))),
                Output::Ended(_) => bail!("refused: {:?}", self.view().subscription().ended()),
                Output::Problem(problem) => bail!("refused: {problem:?}"),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Received {
    fn count(&mut self, frame: &ServerFrame, bytes: u64) -> Option<Exact> {
        match frame {
            ServerFrame::Challenge(_) | ServerFrame::Welcome(_) | ServerFrame::Kinds(_) => {
                self.welcome_bytes += bytes
            }
            _ => self.bytes += bytes,
        }
        match frame {
            ServerFrame::Rows(rows) => {
                self.rows += rows.put.len() + rows.set.len();
                self.deletes += rows.delete.len();
                self.resets += usize::from(rows.reset);
                self.ranges.push((rows.from, rows.to));
                (!rows.more).then(|| Exact::Cut(rows.resource_version.to_string()))
            }
            ServerFrame::Sync(sync) => Some(Exact::Sync(sync.resource_version.to_string())),
            _ => None,
        }
    }
}

/// The product's own client of the gateway's Unix socket, with as many views as its test opens.
pub fn drive(client: replica::client::Client, socket: &Path) -> Driver<Stream> {
    let socket = socket.to_owned();
    let connect = move || -> driver::Connecting<Stream> {
        let socket = socket.clone();
        Box::pin(async move {
            let stream = UnixStream::connect(&socket).await.map_err(|error| error.to_string())?;
            let opened = driver::handshake("ws://localhost/api/ws", None, Either::Left(stream)).await;
            opened.map_err(|error| error.to_string())
        })
    };
    Driver::start(client, connect, || 0.5)
}

/// All pods of the cluster.
pub fn all_pods() -> Result<Scope> {
    let resource = Resource::parse("", "v1", "pods")?;
    Ok(Scope { cluster: None, resource, namespaces: Namespaces::All, name: None, labels: None, fields: None })
}
