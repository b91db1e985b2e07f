//! A viewer with replicas, as the page has them: it does what the replica's client says, over a line
//! that may be cut, and keeps a ledger of each view. It decides nothing about rows or states itself.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use futures_util::{SinkExt, StreamExt};
use replica::client::{Client, Input, Output, ViewKey};
use replica::freshness;
use replica::now::{MonotonicClock, Now};
use shared::codec::{self, Message};
use shared::frame::VERSION;
use shared::frame::client::ClientFrame;
use shared::frame::server::ServerFrame;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{self, client::IntoClientRequest};

use super::ledger::Ledger;
use super::reach::Reach;
use super::scope::ViewScope;
use super::script::Chance;
use crate::oracle::Fresh;

type Socket = WebSocketStream<TcpStream>;
type Opening = Pin<Box<dyn Future<Output = Result<Socket>> + Send>>;

/// Where a viewer is and what it looks at.
pub struct Seat {
    pub line: usize,
    pub gateway: SocketAddr,
    pub scopes: Vec<ViewScope>,
    pub seed: u64,
}

pub struct Viewer {
    pub line: usize,
    asks: mpsc::Sender<Ask>,
    /// Counts what happened: somebody who waits looks again.
    pub moved: watch::Receiver<u64>,
    task: JoinHandle<()>,
}

enum Ask {
    /// How each view differs from these lists, in the order of the looks.
    Differences(Arc<Vec<Fresh>>, oneshot::Sender<Vec<Option<String>>>),
    Ledgers(oneshot::Sender<Vec<Ledger>>),
}

enum Wire {
    None,
    Opening(Opening),
    Open(Box<Socket>),
}

struct Viewing {
    key: ViewKey,
    scope: ViewScope,
    view: Option<u32>,
    asked: Option<u32>,
    ledger: Ledger,
}

struct Watcher {
    client: Client,
    seat: Seat,
    reach: Arc<Reach>,
    wire: Wire,
    clock: MonotonicClock,
    chance: Chance,
    views: Vec<Viewing>,
    moved: watch::Sender<u64>,
}

impl Viewer {
    /// # Errors
    /// Never: the looks are valid.
    pub fn open(seat: Seat, reach: Arc<Reach>) -> Result<Self> {
        let (moved, moves) = watch::channel(0);
        let (asks, asked) = mpsc::channel(1);
        let (line, scopes) = (seat.line, seat.scopes.clone());
        let mut watcher = Watcher {
            client: Client::new("chaos", None),
            chance: Chance::new(seat.seed),
            seat,
            reach,
            wire: Wire::None,
            clock: MonotonicClock::default(),
            views: Vec::new(),
            moved,
        };
        for scope in &scopes {
            let now = watcher.now();
            let key = watcher.client.open(scope.scope()?, now);
            watcher.views.push(Viewing {
                key,
                scope: *scope,
                view: None,
                asked: None,
                ledger: Ledger::default(),
            });
        }
        let task = tokio::spawn(watcher.run(asked));
        Ok(Self { line, asks, moved: moves, task })
    }

    /// # Errors
    /// When it has ended.
    pub async fn differences(&self, fresh: Arc<Vec<Fresh>>) -> Result<Vec<Option<String>>> {
        let (reply, answer) = oneshot::channel();
        self.asks.send(Ask::Differences(fresh, reply)).await.context("a viewer has ended")?;
        answer.await.context("a viewer has ended")
    }

    /// # Errors
    /// When it has ended.
    pub async fn ledgers(&self) -> Result<Vec<Ledger>> {
        let (reply, answer) = oneshot::channel();
        self.asks.send(Ask::Ledgers(reply)).await.context("a viewer has ended")?;
        answer.await.context("a viewer has ended")
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Watcher {
    async fn run(mut self, mut asked: mpsc::Receiver<Ask>) {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        self.handle(Input::Start).await;
        loop {
            let timer = self.client.timer_ms();
            let now_ms = self.now().now_ms;
            let due =
                timer.map(|at_ms| Duration::from_millis(at_ms.saturating_sub(now_ms).max(0).unsigned_abs()));
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(ask) => self.answer(ask),
                    None => return,
                },
                _ = looks.tick() => {}
                () = after(due) => self.handle(Input::Timer).await,
                input = next(&mut self.wire) => if let Some(input) = input {
                    self.handle(input).await;
                },
            }
            self.look();
        }
    }

    fn answer(&mut self, ask: Ask) {
        // Who doesn't wait any more needs no answer.
        match ask {
            Ask::Differences(fresh, reply) => {
                let differences = self.views.iter().zip(fresh.iter());
                let _ =
                    reply.send(differences.map(|(viewing, fresh)| self.difference(viewing, fresh)).collect());
            }
            Ask::Ledgers(reply) => {
                let _ = reply.send(self.views.iter().map(|viewing| viewing.ledger.clone()).collect());
            }
        }
    }

    fn difference(&self, viewing: &Viewing, fresh: &Fresh) -> Option<String> {
        let Some(view) = self.client.view(viewing.key) else { return Some("it is gone".into()) };
        if !view.is_exact() || !viewing.ledger.is_live() {
            let now_ms = view.subscription().proof().map_or(0, |proof| proof.heard_ms);
            return Some(format!("it is {:?}", freshness::of(&self.client, view, now_ms)));
        }
        fresh.difference(view.table())
    }

    fn look(&mut self) {
        let (now_ms, now) = (self.now().now_ms, Instant::now());
        for viewing in &mut self.views {
            let Some(view) = self.client.view(viewing.key) else { continue };
            let out_since = self.reach.out_since(viewing.scope.kind, self.seat.line);
            viewing.ledger.look(&freshness::of(&self.client, view, now_ms), out_since, now);
        }
        self.moved.send_modify(|count| *count += 1);
    }

    async fn handle(&mut self, input: Input) {
        if let Input::Frame { frame, .. } = &input {
            self.read(frame);
        }
        let now = self.now();
        self.client.handle(input, now);
        while let Some(output) = self.client.poll_output() {
            match output {
                Output::Connect => self.wire = Wire::Opening(Box::pin(open(self.seat.gateway))),
                Output::Send(frame) => self.send(&frame).await,
                Output::Close { .. } => self.wire = Wire::None,
                Output::Rows(key, delta) => {
                    if let Some(view) = self.client.view_mut(key) {
                        view.remove_tombstones(&delta.removed);
                    }
                }
                Output::Ended(key) => {
                    let problem = self.client.view(key).and_then(|view| view.subscription().ended().cloned());
                    for viewing in self.views.iter_mut().filter(|viewing| viewing.key == key) {
                        viewing.ledger.broken.push(format!("Live: the gateway ended the view: {problem:?}"));
                    }
                }
                _ => {}
            }
        }
        self.count_mends();
    }

    fn read(&mut self, frame: &ServerFrame) {
        let of =
            |views: &mut Vec<Viewing>, view: u32| views.iter().position(|viewing| viewing.view == Some(view));
        match frame {
            ServerFrame::Subscribed(answer) => {
                if let Some(viewing) = self.views.iter_mut().find(|it| it.asked == Some(answer.id)) {
                    viewing.view = Some(answer.view);
                    viewing.ledger.subscribed(answer);
                }
            }
            ServerFrame::Rows(rows) => {
                if let Some(at) = of(&mut self.views, rows.view) {
                    self.views[at].ledger.rows(rows);
                }
            }
            ServerFrame::Sync(sync) => {
                if let Some(at) = of(&mut self.views, sync.view) {
                    self.views[at].ledger.figures.digests += u64::from(sync.digest.is_some());
                }
            }
            _ => {}
        }
    }

    /// What the replica mended by itself was broken before.
    fn count_mends(&mut self) {
        for viewing in &mut self.views {
            let Some(view) = self.client.view(viewing.key) else { continue };
            let mends = view.subscription().mends();
            if mends.differed + mends.broken > 0 {
                let what =
                    format!("Exact: {} digests differed, {} chains broke", mends.differed, mends.broken);
                if viewing.ledger.broken.last() != Some(&what) {
                    viewing.ledger.broken.push(what);
                }
            }
            if self.client.unreadable_count() > 0 && viewing.ledger.broken.is_empty() {
                viewing.ledger.broken.push("Reliable: a message couldn't be read".into());
            }
        }
    }

    async fn send(&mut self, frame: &ClientFrame) {
        if let ClientFrame::Subscribe(subscribe) = frame {
            for viewing in &mut self.views {
                let scope = self.client.view(viewing.key).map(|view| view.subscription().scope());
                if scope == Some(&subscribe.scope) {
                    (viewing.asked, viewing.view) = (Some(subscribe.id), None);
                }
            }
        }
        let Wire::Open(socket) = &mut self.wire else { return };
        let Ok(json) = serde_json::to_string(frame) else { return };
        let sending = socket.send(tungstenite::Message::text(json));
        if !matches!(tokio::time::timeout(SEND_TIMEOUT, sending).await, Ok(Ok(()))) {
            self.wire = Wire::None;
            let now = self.now();
            self.client.handle(Input::Closed { code: None }, now);
        }
    }

    fn now(&mut self) -> Now {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall_ms = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
        Now { now_ms: self.clock.now_ms(wall_ms), chance: self.chance.share() }
    }
}

async fn open(gateway: SocketAddr) -> Result<Socket> {
    let mut request = "ws://localhost/api/ws".into_client_request()?;
    request.headers_mut().insert("sec-websocket-protocol", VERSION.parse()?);
    let stream = TcpStream::connect(gateway).await?;
    Ok(tokio_tungstenite::client_async(request, stream).await?.0)
}

/// What the wire says next; `None` where it was nothing for the client.
async fn next(wire: &mut Wire) -> Option<Input> {
    let message = match wire {
        Wire::None => std::future::pending().await,
        Wire::Opening(opening) => {
            return Some(match opening.await {
                Ok(socket) => {
                    *wire = Wire::Open(Box::new(socket));
                    Input::Opened
                }
                Err(_) => closed(wire, None),
            });
        }
        Wire::Open(socket) => socket.next().await,
    };
    let message = match message {
        Some(Ok(tungstenite::Message::Text(text))) => Message::Text(text.as_str().to_owned()),
        Some(Ok(tungstenite::Message::Binary(bytes))) => Message::Binary(bytes.to_vec()),
        Some(Ok(tungstenite::Message::Close(frame))) => {
            return Some(closed(wire, frame.map(|frame| frame.code.into())));
        }
        Some(Ok(_)) => return None,
        Some(Err(_)) | None => return Some(closed(wire, None)),
    };
    let bytes = message.byte_count() as u64;
    Some(match codec::decode_server(&message) {
        Ok(frame) => Input::Frame { frame: Box::new(frame), bytes },
        Err(_) => Input::Unreadable { bytes },
    })
}

fn closed(wire: &mut Wire, code: Option<u16>) -> Input {
    *wire = Wire::None;
    Input::Closed { code }
}

async fn after(due: Option<Duration>) {
    match due {
        Some(due) => tokio::time::sleep_until(tokio::time::Instant::now() + due).await,
        None => std::future::pending().await,
    }
}

/// Being stale begins by itself.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
