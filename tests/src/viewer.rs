//! The product's own client with the views that its test opens, over whatever leads to a gateway. Tests that say what
//! isn't a frame, or that count what no client applied, read frames with [`crate::client::Client`] instead.

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
use replica::now::Now;
use replica::table::Table;
use replica::view::View;
use shared::codec::INFLATED_BYTES_MAX;
use shared::frame::VERSION;
use shared::frame::client::{ClientFrame, Subscribe};
use shared::frame::server::{ObjectFrame, ServerFrame};
use shared::problem::Problem;
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

use crate::ledger::Ledger;

/// A view that isn't in the expected state by then never will be.
const STATE_TIMEOUT: Duration = Duration::from_secs(90);

/// What leads to a gateway: a Unix socket, a port, TLS to a proxy.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}
pub type Stream = Box<dyn Duplex>;
/// A stream that is being opened.
pub type Opening = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

/// A client of a gateway, as the page and `tail` have one. It owns the client's driver, the answer to a get, what was
/// received, and a ledger of each view that is to have one. Tests, benches and chaos call it: [`Viewer::step`] fails
/// at whatever no undisturbed viewer meets, and [`Viewer::turn`] goes on where a connection may end.
pub struct Viewer {
    driver: Driver<Stream>,
    /// The view that was opened first. Most tests have no other.
    first: Option<ViewKey>,
    ledgers: Vec<Kept>,
    /// The answer to [`Viewer::get`].
    got: Option<Result<Box<ObjectFrame>>>,
    /// What it received since it connected.
    pub received: Received,
    refusals: Vec<Refusal>,
}

/// A view with its ledger.
pub struct Kept {
    pub key: ViewKey,
    pub ledger: Ledger,
    asked: Option<u32>,
    view: Option<u32>,
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
    /// Views that had to drop what they held.
    pub purged: usize,
}

/// What the gateway said no to.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// It ended this view.
    Ended(ViewKey, Option<Problem>),
    Problem(Problem),
}

/// What a viewer handled last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    Opened,
    /// With its code, where there was one.
    Closed(Option<u16>),
    Frame {
        bytes: u64,
        exact: Option<Exact>,
    },
    Unreadable,
    /// A timer, or what the client said to itself.
    Other,
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

impl Viewer {
    /// Without a view yet. `connect` leads to its gateway, each time that it connects.
    pub fn new(client: Client, connect: impl FnMut() -> driver::Connecting<Stream> + Send + 'static) -> Self {
        Self::with_chance(client, connect, || 0.5)
    }

    /// `chance` spreads its reconnects: a number from 0 to below 1, new at each call.
    pub fn with_chance(
        client: Client,
        connect: impl FnMut() -> driver::Connecting<Stream> + Send + 'static,
        chance: impl FnMut() -> f64 + Send + 'static,
    ) -> Self {
        Self {
            driver: Driver::start(client, connect, chance),
            first: None,
            ledgers: Vec::new(),
            got: None,
            received: Received::default(),
            refusals: Vec::new(),
        }
    }

    /// At the Unix socket of a gateway, which asks for no credential.
    pub fn at(socket: &Path) -> Self {
        Self::new(Client::new("testkit", SignIn::Connection), by_socket(socket))
    }

    /// The same, with a view.
    pub fn open(socket: &Path, scope: Scope) -> Self {
        Self::at(socket).showing(scope)
    }

    /// With a token of the cluster, at a gateway that wants one.
    pub fn of_bearer(address: &str, token: &str, scope: Scope) -> Self {
        let client = Client::new("testkit", SignIn::Bearer(token.into()));
        Self::new(client, by_address(address)).showing(scope)
    }

    /// As a page whose connection says who it is: by these headers of its upgrade, or by what a proxy makes of them.
    /// `url`: of the gateway, as the page's browser knows it; `open` leads to what stands there.
    pub fn of_page(
        url: &str,
        headers: HeaderMap,
        open: impl Fn() -> Opening + Send + 'static,
        scope: Scope,
    ) -> Self {
        Self::new(Client::new("testkit", SignIn::Connection), by_upgrade(url, headers, open)).showing(scope)
    }

    /// With one more view.
    #[must_use]
    pub fn showing(mut self, scope: Scope) -> Self {
        self.view_of(|client, now| client.open(scope, now));
        self
    }

    /// Opens a view, a timeline or an object as the test says.
    pub fn view_of(&mut self, open: impl FnOnce(&mut Client, Now) -> ViewKey) -> ViewKey {
        let now = self.driver.now();
        let key = open(self.driver.client_mut(), now);
        self.first.get_or_insert(key);
        key
    }

    /// Opens a view of which a ledger is kept.
    pub fn keep(&mut self, scope: Scope) {
        let key = self.view_of(|client, now| client.open(scope, now));
        self.ledgers.push(Kept { key, ledger: Ledger::default(), asked: None, view: None });
    }

    /// Brings another token on the open connection.
    pub fn sign_in(&mut self, token: &str) {
        self.driver.handle(Input::SignIn(SignIn::Bearer(token.into())));
    }

    /// Connects to the gateway of this socket with the token and the rows that it holds.
    pub async fn come_back(self, socket: &Path) -> Self {
        let client = self.driver.close().await;
        Self { first: self.first, ..Self::new(client, by_socket(socket)) }
    }

    pub fn client(&self) -> &Client {
        self.driver.client()
    }

    pub fn now(&mut self) -> Now {
        self.driver.now()
    }

    pub fn view(&self) -> &View {
        let first = self.first.and_then(|key| self.client().view(key));
        first.expect("it is open, and never closed")
    }

    pub fn table(&self) -> &Table {
        self.view().table()
    }

    /// In the order in which the views were opened.
    pub fn kept(&mut self) -> (&Client, &mut [Kept]) {
        (self.driver.client(), &mut self.ledgers)
    }

    pub fn ledgers(&self) -> impl Iterator<Item = &Ledger> {
        self.ledgers.iter().map(|kept| &kept.ledger)
    }

    /// `namespace/name` of each row.
    pub fn names(&self) -> BTreeSet<String> {
        let name = |row: &Row| format!("{}/{}", row.namespace.as_deref().unwrap_or_default(), row.name);
        self.table().rows().map(name).collect()
    }

    pub fn kinds(&self) -> &[Kind] {
        self.client().kinds().map_or(&[], |frame| &frame.kinds)
    }

    /// Asks once for one object, and returns the whole of it.
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
    /// Fails when the connection ends, a frame doesn't continue the table, a digest differs, or something is refused.
    pub async fn step(&mut self) -> Result<Option<Exact>> {
        self.outputs();
        self.ensure_granted()?;
        let exact = match self.turn().await {
            Happened::Frame { exact, .. } => exact,
            Happened::Closed(code) => bail!("closed: {code:?}, {:?}", self.driver.connect_error()),
            Happened::Unreadable => bail!("a message can't be read"),
            Happened::Opened | Happened::Other => None,
        };
        self.ensure_granted()?;
        if let Some(view) = self.first.and_then(|key| self.client().view(key)) {
            let resyncs = view.subscription().resyncs;
            let is_sound = (resyncs.broken, resyncs.differed) == (0, 0);
            ensure!(is_sound, "broken chains or other digests: {resyncs:?}");
        }
        Ok(exact)
    }

    /// Applies what happens next, whatever it is. Cancel-safe.
    pub async fn turn(&mut self) -> Happened {
        self.turn_with(|_| {}).await
    }

    /// The same, and `look` sees it before the client does.
    pub async fn turn_with(&mut self, look: impl FnOnce(&Input)) -> Happened {
        self.outputs();
        let input = self.driver.next().await;
        look(&input);
        let happened = match &input {
            Input::Opened => Happened::Opened,
            Input::Closed { code } => Happened::Closed(*code),
            Input::Unreadable { .. } => Happened::Unreadable,
            Input::Frame { frame, bytes } => {
                self.note(frame);
                Happened::Frame { bytes: *bytes, exact: self.received.count(frame, *bytes) }
            }
            _ => Happened::Other,
        };
        self.driver.handle(input);
        self.outputs();
        self.note_resyncs();
        happened
    }

    /// What was refused since the last call.
    pub fn take_refusals(&mut self) -> Vec<Refusal> {
        std::mem::take(&mut self.refusals)
    }

    fn ensure_granted(&self) -> Result<()> {
        match self.refusals.first() {
            None => Ok(()),
            Some(Refusal::Ended(_, problem)) => bail!("refused: {problem:?}"),
            Some(Refusal::Problem(problem)) => bail!("refused: {problem:?}"),
        }
    }

    fn outputs(&mut self) {
        while let Some(output) = self.driver.poll_output() {
            match output {
                Output::Send(ClientFrame::Subscribe(subscribe)) => self.note_asked(&subscribe),
                Output::Rows(key, delta) => {
                    if let Some(view) = self.driver.client_mut().view_mut(key) {
                        view.remove_tombstones(&delta.removed);
                    }
                }
                Output::Got(_, got) => self.got = Some(got.map_err(|problem| anyhow::anyhow!("{problem}"))),
                Output::Purged(_) => self.received.purged += 1,
                Output::Ended(key) => {
                    let view = self.client().view(key);
                    let problem = view.and_then(|view| view.subscription().ended().cloned());
                    self.refusals.push(Refusal::Ended(key, problem));
                }
                Output::Problem(problem) => self.refusals.push(Refusal::Problem(problem)),
                _ => {}
            }
        }
    }

    fn note_asked(&mut self, subscribe: &Subscribe) {
        for kept in &mut self.ledgers {
            let scope = self.driver.client().view(kept.key).map(|view| &view.subscription().scope);
            if scope == Some(&subscribe.scope) {
                (kept.asked, kept.view) = (Some(subscribe.id), None);
            }
        }
    }

    fn note(&mut self, frame: &ServerFrame) {
        match frame {
            ServerFrame::Subscribed(answer) => {
                if let Some(kept) = self.ledgers.iter_mut().find(|kept| kept.asked == Some(answer.id)) {
                    kept.view = Some(answer.view);
                    kept.ledger.subscribed(answer);
                }
            }
            ServerFrame::Rows(rows) => {
                if let Some(kept) = self.kept_of(rows.view) {
                    kept.ledger.rows(rows);
                }
            }
            ServerFrame::Sync(sync) => {
                if let Some(kept) = self.kept_of(sync.view) {
                    kept.ledger.figures.digests += u64::from(sync.digest.is_some());
                }
            }
            _ => {}
        }
    }

    fn kept_of(&mut self, view: u32) -> Option<&mut Kept> {
        self.ledgers.iter_mut().find(|kept| kept.view == Some(view))
    }

    fn note_resyncs(&mut self) {
        let client = self.driver.client();
        for kept in &mut self.ledgers {
            let Some(view) = client.view(kept.key) else { continue };
            kept.ledger.resyncs(view.subscription().resyncs);
            if client.unreadable_count() > 0 && kept.ledger.broken.is_empty() {
                kept.ledger.broken.push("Reliable: a message couldn't be read".into());
            }
        }
    }
}

impl Kept {
    /// Whether the gateway has answered the subscription on this connection.
    pub fn is_answered(&self) -> bool {
        self.view.is_some()
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

/// To the Unix socket of a gateway.
pub fn by_socket(socket: &Path) -> impl FnMut() -> driver::Connecting<Stream> + Send + use<> {
    let socket = socket.to_owned();
    by_upgrade("ws://localhost/api/ws", HeaderMap::new(), move || {
        let socket = socket.clone();
        Box::pin(async move {
            let stream: Stream = Box::new(UnixStream::connect(&socket).await?);
            Ok(stream)
        })
    })
}

/// To a gateway at this port, without headers that say who it is.
pub fn by_address(address: &str) -> impl FnMut() -> driver::Connecting<Stream> + Send + use<> {
    let url = format!("ws://{address}/api/ws");
    let address = address.to_owned();
    by_upgrade(&url, HeaderMap::new(), move || tcp(&address))
}

/// By an upgrade with these headers, over what `open` leads to.
pub fn by_upgrade<O>(
    url: &str,
    headers: HeaderMap,
    open: O,
) -> impl FnMut() -> driver::Connecting<Stream> + Send + use<O>
where
    O: Fn() -> Opening + Send + 'static,
{
    let url = url.to_owned();
    move || {
        let (url, headers, stream) = (url.clone(), headers.clone(), open());
        Box::pin(async move {
            let stream = stream.await.map_err(|error| error.to_string())?;
            upgraded(&url, headers, stream).await.map_err(|error| error.to_string())
        })
    }
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
