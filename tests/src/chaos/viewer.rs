//! A viewer on the replica's driver, over a line that may be cut. It keeps a ledger of each view and
//! decides nothing about rows or states itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use replica::client::{Client, Input, Output, SignIn, ViewKey};
use replica::driver::{self, Connecting, Driver};
use replica::freshness;
use shared::frame::client::{ClientFrame, Subscribe};
use shared::frame::server::ServerFrame;
use simulation::chance::Chance;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot, watch};

use super::ledger::Ledger;
use super::reach::Reach;
use super::scope::ViewScope;
use crate::answering::Answering;
use crate::oracle::Fresh;

pub struct Viewer {
    pub line: usize,
    answering: Answering<Question>,
    /// Changes when something was received or a timer has run out.
    pub moved: watch::Receiver<u64>,
}

enum Question {
    /// How each view differs from these lists, in the order of [`ViewScope::all`].
    Differences(Arc<Vec<Fresh>>, oneshot::Sender<Vec<Option<String>>>),
    Ledgers(oneshot::Sender<Vec<Ledger>>),
}

struct Viewing {
    key: ViewKey,
    scope: ViewScope,
    view: Option<u32>,
    asked: Option<u32>,
    ledger: Ledger,
}

struct Watcher {
    driver: Driver<TcpStream>,
    line: usize,
    reach: Arc<Reach>,
    views: Vec<Viewing>,
    moved: watch::Sender<u64>,
}

impl Viewer {
    /// A viewer of every [`ViewScope`], through the gateway's end of this line.
    pub fn open(line: usize, gateway: SocketAddr, seed: u64, reach: Arc<Reach>) -> Result<Self> {
        let (moved, moves) = watch::channel(0);
        let mut chance = Chance::new(seed, 2);
        let driver = Driver::start(
            Client::new("chaos", SignIn::Connection),
            move || connect(gateway),
            move || chance.part(),
        );
        let mut watcher = Watcher { driver, line, reach, views: Vec::new(), moved };
        for scope in ViewScope::all() {
            let now = watcher.driver.now();
            let key = watcher.driver.client_mut().open(scope.scope()?, now);
            watcher.views.push(Viewing { key, scope, view: None, asked: None, ledger: Ledger::default() });
        }
        Ok(Self { line, answering: Answering::spawn(|asked| watcher.run(asked)), moved: moves })
    }

    pub async fn differences(&self, fresh: Arc<Vec<Fresh>>) -> Result<Vec<Option<String>>> {
        self.answering.ask(|reply| Question::Differences(fresh, reply)).await
    }

    pub async fn ledgers(&self) -> Result<Vec<Ledger>> {
        self.answering.ask(Question::Ledgers).await
    }
}

impl Watcher {
    async fn run(mut self, mut asked: mpsc::Receiver<Question>) {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        self.outputs();
        loop {
            tokio::select! {
                question = asked.recv() => match question {
                    Some(question) => self.answer(question),
                    None => return,
                },
                _ = looks.tick() => {}
                input = self.driver.next() => {
                    if let Input::Frame { frame, .. } = &input {
                        self.read(frame);
                    }
                    self.driver.handle(input);
                    self.outputs();
                    self.count_resyncs();
                }
            }
            self.look();
        }
    }

    fn answer(&mut self, question: Question) {
        // A caller that has stopped waiting needs no answer.
        match question {
            Question::Differences(fresh, reply) => {
                let differences = self.views.iter().zip(fresh.iter());
                let _ =
                    reply.send(differences.map(|(viewing, fresh)| self.difference(viewing, fresh)).collect());
            }
            Question::Ledgers(reply) => {
                let _ = reply.send(self.views.iter().map(|viewing| viewing.ledger.clone()).collect());
            }
        }
    }

    fn difference(&self, viewing: &Viewing, fresh: &Fresh) -> Option<String> {
        let Some(view) = self.driver.client().view(viewing.key) else { return Some("it is gone".into()) };
        if !view.is_exact() || !viewing.ledger.is_live() {
            let now_ms = view.subscription().proof.as_ref().map_or(0, |proof| proof.synced_ms);
            return Some(format!("it is {:?}", freshness::of(self.driver.client(), view, now_ms)));
        }
        fresh.difference(view.table())
    }

    fn look(&mut self) {
        let (now_ms, now) = (self.driver.now().now_ms, Instant::now());
        for viewing in &mut self.views {
            let Some(view) = self.driver.client().view(viewing.key) else { continue };
            let out_since = self.reach.out_since(viewing.scope.kind, self.line);
            viewing.ledger.look(&freshness::of(self.driver.client(), view, now_ms), out_since, now);
        }
        self.moved.send_modify(|count| *count += 1);
    }

    fn outputs(&mut self) {
        while let Some(output) = self.driver.poll_output() {
            match output {
                Output::Send(ClientFrame::Subscribe(subscribe)) => self.subscribes(&subscribe),
                Output::Rows(key, delta) => {
                    if let Some(view) = self.driver.client_mut().view_mut(key) {
                        view.remove_tombstones(&delta.removed);
                    }
                }
                Output::Ended(key) => {
                    let problem =
                        self.driver.client().view(key).and_then(|view| view.subscription().ended().cloned());
                    for viewing in self.views.iter_mut().filter(|viewing| viewing.key == key) {
                        viewing.ledger.broken.push(format!("Live: the gateway ended the view: {problem:?}"));
                    }
                }
                _ => {}
            }
        }
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

    /// A resync is the replica's answer to a broken guarantee.
    fn count_resyncs(&mut self) {
        for viewing in &mut self.views {
            let Some(view) = self.driver.client().view(viewing.key) else { continue };
            let resyncs = view.subscription().resyncs;
            if resyncs.differed + resyncs.broken > 0 {
                let what =
                    format!("Exact: {} digests differed, {} chains broke", resyncs.differed, resyncs.broken);
                if viewing.ledger.broken.last() != Some(&what) {
                    viewing.ledger.broken.push(what);
                }
            }
            if self.driver.client().unreadable_count() > 0 && viewing.ledger.broken.is_empty() {
                viewing.ledger.broken.push("Reliable: a message couldn't be read".into());
            }
        }
    }

    fn subscribes(&mut self, subscribe: &Subscribe) {
        for viewing in &mut self.views {
            let scope = self.driver.client().view(viewing.key).map(|view| &view.subscription().scope);
            if scope == Some(&subscribe.scope) {
                (viewing.asked, viewing.view) = (Some(subscribe.id), None);
            }
        }
    }
}

fn connect(gateway: SocketAddr) -> Connecting<TcpStream> {
    Box::pin(async move {
        let stream = TcpStream::connect(gateway).await.map_err(|error| error.to_string())?;
        let opened = driver::handshake("ws://localhost/api/ws", None, stream).await;
        opened.map_err(|error| error.to_string())
    })
}

/// Being stale begins by itself.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
