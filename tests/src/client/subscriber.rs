//! The product's own client with one view, over whatever leads to a gateway.

use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use http::header::SEC_WEBSOCKET_PROTOCOL;
use http::{HeaderMap, HeaderValue};
use replica::client::{Client, Input, Output, SignIn, ViewKey};
use replica::driver::{self, Driver};
use replica::table::Table;
use replica::view::View;
use shared::codec::INFLATED_BYTES_MAX;
use shared::frame::VERSION;
use shared::frame::server::{ObjectFrame, ServerFrame};
use shared::resource::Kind;
use shared::resource_version::ResourceVersion;
use shared::row::Row;
use shared::scope::Scope;
use shared::state::ViewState;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// A view that isn't in the expected state by then never will be.
const STATE_TIMEOUT: Duration = Duration::from_secs(90);

/// What leads to a gateway: a Unix socket, a port, TLS to a proxy.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}
pub type Stream = Box<dyn Duplex>;
/// One that opens.
pub type Opening = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

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
    /// The bytes of `challenge`, `welcome` and `kinds`.
    pub welcome_bytes: u64,
    /// The bytes of all other frames.
    pub bytes: u64,
    pub rows: usize,
    pub deletes: usize,
    pub resets: usize,
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
        let client = Client::new("testkit", SignIn::Connection);
        Self::of(drive(client, socket), scope)
    }

    /// With a token of the cluster, at a gateway that wants one.
    pub fn of_bearer(address: &str, token: &str, scope: Scope) -> Self {
        let address = address.to_owned();
        let connect = move || -> driver::Connecting<Stream> {
            let address = address.clone();
            Box::pin(async move {
                let stream = tcp(&address).await.map_err(|error| error.to_string())?;
                let opened = driver::handshake(&format!("ws://{address}/api/ws"), None, stream).await;
                opened.map_err(|error| error.to_string())
            })
        };
        let client = Client::new("testkit", SignIn::Bearer(token.into()));
        Self::of(Driver::start(client, connect, || 0.5), scope)
    }

    /// As a page whose connection says who it is: by these headers of its upgrade, or by what a proxy makes of them.
    /// `url`: of the gateway, as the page's browser knows it; `open` leads to what stands there.
    pub fn of_page(
        url: &str,
        headers: HeaderMap,
        open: impl Fn() -> Opening + Send + 'static,
        scope: Scope,
    ) -> Self {
        let url = url.to_owned();
        let connect = move || -> driver::Connecting<Stream> {
            let (url, headers, stream) = (url.clone(), headers.clone(), open());
            Box::pin(async move {
                let stream = stream.await.map_err(|error| error.to_string())?;
                upgraded(&url, headers, stream).await.map_err(|error| error.to_string())
            })
        };
        let client = Client::new("testkit", SignIn::Connection);
        Self::of(Driver::start(client, connect, || 0.5), scope)
    }

    fn of(mut driver: Driver<Stream>, scope: Scope) -> Self {
        let now = driver.now();
        let key = driver.client_mut().open(scope, now);
        Self { driver, key, got: None, received: Received::default() }
    }

    /// Brings another token on the open connection.
    pub fn sign_in(&mut self, token: &str) {
        self.driver.handle(Input::SignIn(SignIn::Bearer(token.into())));
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

    /// `namespace/name` of each row.
    pub fn names(&self) -> BTreeSet<String> {
        let name = |row: &Row| format!("{}/{}", row.namespace.as_deref().unwrap_or_default(), row.name);
        self.table().rows().map(name).collect()
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

    /// Reads until these rows are there and no others, and sees at each step that no row is another one's.
    /// `own`: the namespaces that the viewer may see at any time.
    pub async fn until_names(&mut self, own: &[&str], expected: &[&str]) -> Result<()> {
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        let is_own = |name: &String| own.iter().any(|own| name.split('/').next() == Some(own));
        let is_so = |viewer: &Self| {
            let names = viewer.names();
            assert!(names.iter().all(is_own), "of {own:?}: {names:?}");
            viewer.table().is_whole() && names == expected
        };
        self.until_state(&format!("{expected:?}"), is_so).await
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
                (!rows.more).then(|| Exact::Cut(rows.resource_version.to_string()))
            }
            ServerFrame::Sync(sync) => Some(Exact::Sync(sync.resource_version.to_string())),
            _ => None,
        }
    }
}

/// The product's own client of the gateway's Unix socket, with as many views as its test opens.
pub fn drive(client: Client, socket: &Path) -> Driver<Stream> {
    let socket = socket.to_owned();
    let connect = move || -> driver::Connecting<Stream> {
        let socket = socket.clone();
        Box::pin(async move {
            let stream = UnixStream::connect(&socket).await.map_err(|error| error.to_string())?;
            let stream: Stream = Box::new(stream);
            let opened = driver::handshake("ws://localhost/api/ws", None, stream).await;
            opened.map_err(|error| error.to_string())
        })
    };
    Driver::start(client, connect, || 0.5)
}

/// A stream to this port.
pub fn tcp(address: &str) -> Opening {
    let address = address.to_owned();
    Box::pin(async move {
        let stream: Stream = Box::new(TcpStream::connect(address).await?);
        Ok(stream)
    })
}

pub async fn upgraded(
    url: &str,
    headers: HeaderMap,
    stream: Stream,
) -> Result<WebSocketStream<Stream>, tungstenite::Error> {
    let mut request = url.into_client_request()?;
    request.headers_mut().extend(headers);
    request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(VERSION));
    let config = WebSocketConfig::default().max_message_size(Some(INFLATED_BYTES_MAX));
    Ok(tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await?.0)
}
